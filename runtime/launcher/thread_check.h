/**
 * Whether the system lets the launcher have the operating-system threads, the memory and the small
 * numbers of files that PMIx needs.
 *
 * PMIx ignores that it cannot start the thread that accepts connections, as under a limit of
 * address space (ulimit -v), and every thread of the job then waits for it for ever.
 */
#ifndef LAUNCHER_THREAD_CHECK_H
#define LAUNCHER_THREAD_CHECK_H

#include <stdbool.h>

/** Looks for numbers of files, and starts and ends as many operating-system threads as PMIx needs;
 * the C library keeps their stacks for the next ones. False if it cannot, after one line that says
 * why. Before PMIx starts. */
bool thread_check(void);

#endif
