/**
 * A progress bar on standard error, for work that takes longer than two seconds.
 *
 * Silent when standard error is not a terminal and for the first two seconds. One bar at a time
 * per process; not safe to call from several threads of execution at once.
 */
#ifndef SUPPORT_PROGRESS_H
#define SUPPORT_PROGRESS_H

#include <stddef.h>

/** Starts a bar. `label` is kept by reference until progress_end. `total` is the number of steps;
 *  0 means unknown, and the bar then shows the elapsed seconds only. */
void progress_begin(const char *label, size_t total);

/** Says that `done` steps are finished. Cheap: draws at most ten times a second. */
void progress_update(size_t done);

/** Wipes the bar. Harmless when none was started. */
void progress_end(void);

#endif
