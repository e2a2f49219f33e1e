/* main.h: included before every file of the program, whose main is called by arguments.c. */
int jounce_main(int argc, char **argv);
#define main jounce_main
