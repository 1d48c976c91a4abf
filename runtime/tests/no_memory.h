/**
 * Allocations that fail when a test wants them to, in programs of fathom_add_no_memory_program.
 */
#ifndef NO_MEMORY_H
#define NO_MEMORY_H

#include <stdbool.h>

/** The `which`-th allocation from now on, from 1, fails in the calling OS thread; 0: none does. */
void no_memory_for(int which);

/** Whether one has failed since. */
bool no_memory_has_failed(void);

#endif
