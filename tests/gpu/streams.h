/* streams.h: several robots, devices and streams at a time. */
#ifndef TEST_GPU_STREAMS_H
#define TEST_GPU_STREAMS_H

/* Work is queued on two streams of each of two devices (of one, where there is one) before any of it
 * is waited for, and by two threads; results have the bits of plain calls. 0: good */
int gpu_check_streams(int devices);

#endif
