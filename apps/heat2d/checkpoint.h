/**
 * Checkpoints: the field of a step in an HDF5 file, whatever grid of threads wrote it or reads it.
 *
 * The file has the attributes "format" ("fathom-heat2d"), "version" (1), "start" (a name of
 * heat_start_names) and "step", and a dataset "phi" of M x N 64-bit reals, the boundary included,
 * in chunks of whole rows with checksums. Thread 0 reads and writes it, a few MiB at a time.
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

/** Reads it from a file. Collective; every thread gets it. */
heat_checkpoint_info_t heat_checkpoint_inspect(const char *path);

/** Reads the field and its step. Collective; includes a barrier. The file's mesh and start must be
 *  the problem's. */
void heat_checkpoint_read(const char *path, heat_problem_t *problem);

/** Writes the field. Collective; includes a barrier. The file gets its name when it is on
 *  the disk (common/output.h): `path` is always a whole checkpoint. */
void heat_checkpoint_write(const char *path, const heat_problem_t *problem);

#endif
