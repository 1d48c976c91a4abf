/**
 * Computes one or several steps of a rectangle of points.
 *
 * A sweep of several steps goes through the rows once: right behind the first step of a row comes
 * the second one of the row above, and so on, so that a value comes from memory once for all steps.
 * Two levels suffice for it: step s writes the level that step s - 1 read.
 *
 * With every step the rectangle loses a layer on each side where the thread has a neighbour, since
 * nothing new comes from there.
 */
#ifndef HEAT_SWEEP_H
#define HEAT_SWEEP_H

#include "problem.h"

/** Points [top, bottom) x [left, right) of the calling thread's block. */
typedef struct heat_box {
    ptrdiff_t top;
    ptrdiff_t bottom;
    ptrdiff_t left;
    ptrdiff_t right;
} heat_box_t;

/** How the calling thread computes. */
typedef struct heat_sweeper {
    heat_problem_t *problem;
    heat_row_t *row;
    /** For sweeps of a single step. */
    heat_row_t *single_row;
    /** 1 on the sides where there is a neighbour, else 0. */
    heat_box_t shrink;
} heat_sweeper_t;

/** How new values are stored. */
typedef enum heat_stores {
    /** Whichever is faster for the blocks, of which streaming only by 5 % or more. */
    HEAT_STORES_AUTO = 0,
    HEAT_STORES_CACHED,
    HEAT_STORES_STREAMING
} heat_stores_t;

/** Prepares computing; HEAT_STORES_AUTO with a halo of one layer overwrites the field by steps of
 *  up to 256 MiB to try both, and all threads take the same. Collective. Streaming falls back to
 *  cached where the processor has no such stores, and with a deeper halo. */
void heat_sweeper_init(heat_problem_t *problem, heat_stores_t stores, heat_sweeper_t *sweeper);

/** True if single steps are stored past the caches. */
bool heat_sweeper_streams(const heat_sweeper_t *sweeper);

/** A periodic callback during a sweep, with its argument. */
typedef void heat_poll_t(void *argument);

/** Computes all points for `steps` (> 0) steps: the halo must be `steps` layers deep. */
void heat_sweep_all(const heat_sweeper_t *sweeper, size_t steps);

/** True if the block is large enough for the following two calls to differ from heat_sweep_all. */
bool heat_sweep_has_inner(const heat_sweeper_t *sweeper, size_t steps);

/** The part of heat_sweep_all that needs no halo; the halo may be written meanwhile. `poll` may be
 *  NULL. */
void heat_sweep_inner(const heat_sweeper_t *sweeper, size_t steps, heat_poll_t *poll,
                      void *argument);

/** The rest, which heat_sweep_inner has left. */
void heat_sweep_outer(const heat_sweeper_t *sweeper, size_t steps);

#endif
