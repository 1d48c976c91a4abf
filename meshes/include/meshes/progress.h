/**
 * How long work tells its caller how far it is.
 */
#ifndef MESHES_PROGRESS_H
#define MESHES_PROGRESS_H

#include <stddef.h>

/**
 * A function to be called now and then during long work, and a pointer it is given.
 *
 * `stage` is a constant string that names the present part of the work; a new part begins when
 * the pointer changes. `done` of `total` steps are finished; a total of 0 means that nobody knows
 * how many there are. `report` may be NULL. It is called from the thread of execution that does
 * the work, at least every 0.1 s while a child process runs.
 */
typedef struct mesh_progress {
    void (*report)(void *context, const char *stage, size_t done, size_t total);
    void *context;
} mesh_progress_t;

#endif
