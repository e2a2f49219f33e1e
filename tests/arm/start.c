/* start.c: starts a program on an emulated microcontroller; it prints and ends through the emulator
 * (semihosting). `instructions` counts with QEMU's -icount shift=0: an instruction takes 1 ns, and a
 * step of the timer at 25 MHz is 40 of them. */
#include <stdint.h>
#include <stdlib.h>

int main(void);
void initialise_monitor_handles(void);
extern char stack[];

static volatile uint32_t *const access_control = (uint32_t *)0xE000ED88; /* CPACR */
static volatile uint32_t *const timer = (uint32_t *)0xE000E010;          /* SysTick */

unsigned long instructions(void) { return 40ul * (0xFFFFFFul - timer[2]); }

void reset(void) {
  *access_control |= 0xFu << 20; /* floating point */
  __asm__ volatile("dsb\n isb");
  timer[1] = 0xFFFFFF, timer[2] = 0, timer[0] = 5;
  initialise_monitor_handles();
  exit(main());
}
void _init(void) {} /* of newlib */
void _fini(void) {}
static void stop(void) { exit(3); }

__attribute__((section(".vectors"), used)) static const void *const vectors[16] = {
    stack, (void *)reset, (void *)stop, (void *)stop, (void *)stop, (void *)stop, (void *)stop};
