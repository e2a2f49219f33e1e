/* poison_motions.h: bad numbers in every input of the functions that make motions and fits, and of
 * those for limits, fastest motions, motors and inverse kinematics, for tests/poison.c. */
#ifndef TEST_POISON_MOTIONS_H
#define TEST_POISON_MOTIONS_H

/* Puts each of bad[kinds] into each input. A call that succeeds gives a motion that starts and ends
 * at finite times, and is finite or refused at any of them; after a failure there is none, and
 * outputs are as they were. Returns the number of calls; *broken: of those that were wrong; list:
 * the functions' names, separated by commas. every: of the inputs of fits, every so many. */
long poison_motions(int kinds, const double *bad, int every, long *broken, const char **list);

#endif
