/**
 * Checkpoints: the field of a step in an HDF5 file, whatever grid of threads wrote it or reads it.
 *
 * The file has the attributes "format" ("fathom-heat2d"), "version" (1), "start" (a name of
 * heat_start_names) and "step", and a dataset "phi" of M x N 64-bit reals in chunks of whole rows
 * with checksums. Its boundary is written, and not read: that of a field is its start's. Thread 0
 * reads and writes the file, a few MiB at a time.
 *
 * Every function ends the job with one line naming the file if something is wrong.
 */
#ifndef HEAT_CHECKPOINT_H
#define HEAT_CHECKPOINT_H

#include "problem.h"

/** The description that a checkpoint contains. */
typedef struct heat_checkpoint_info {
    size_t M;
    size_t N;
    size_t step;
    heat_start_t start;
} heat_checkpoint_info_t;

/** A checkpoint to start from, open: what is read of it is of one file, though another may have got
 *  its name since. */
typedef struct heat_restart heat_restart_t;

/** Opens it, and reads what it is; every thread gets that. Collective. Closed by
 *  heat_restart_close. `path` is kept by reference. */
heat_restart_t *heat_restart_open(const char *path, heat_checkpoint_info_t *info);

/** Reads the field and its step. Collective; includes a barrier. The problem has the checkpoint's
 *  mesh and start. */
void heat_restart_read(const heat_restart_t *restart, heat_problem_t *problem);

/** Closes it. NULL is allowed. */
void heat_restart_close(heat_restart_t *restart);

/** Writes the field. Collective; includes a barrier. The file gets its name when it is on
 *  the disk (common/output.h): `path` is always a whole checkpoint. */
void heat_checkpoint_write(const char *path, const heat_problem_t *problem);

#endif
