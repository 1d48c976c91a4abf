/**
 * The heat equation on a rectangle, distributed over the threads in blocks.
 *
 * The mesh has M x N points, its outermost layer included, which holds fixed boundary values; the
 * other (M - 2) x (N - 2) are computed. The threads form a grid of P x Q: thread t has the place
 * (t / Q, t % Q) in it and owns one block of points, as even as possible. Around its points, a
 * block has a halo of `depth` layers: copies of what neighbours own, or boundary values.
 *
 * Row i of the mesh lies at y = i / (M - 1), column k at x = k / (N - 1): a unit square.
 */
#ifndef HEAT_PROBLEM_H
#define HEAT_PROBLEM_H

#include <pgas/pgas.h>
#include <stdbool.h>

#include "kernel.h"

enum {
    /** Rows, or columns, of a mesh. */
    HEAT_MOST_POINTS = 1000000000
};

/** The initial field, which also gives the fixed boundary values. */
typedef enum heat_start {
    /** Warm spots on a plate between a cold and a hot side. Nowhere zero: numbers too small for
     *  the processor's fast path never come up. */
    HEAT_SPOTS = 0,
    /** sin(pi y) sin(2 pi x): decays by the same factor everywhere and in every step. */
    HEAT_SINE,
    HEAT_STARTS
} heat_start_t;

/** The names of the starts, as the command line, JSON and checkpoints have them; ends with NULL. */
extern const char *const heat_start_names[];

/** A thread's block. Its points are numbered from (0, 0), the first one that it owns; halo points
 *  have negative numbers or numbers beyond the last. */
typedef struct heat_block {
    /** Place of point (0, 0) in the mesh. */
    size_t top;
    size_t left;
    /** Points owned. */
    size_t rows;
    size_t cols;
    /** Values from one row to the next. */
    size_t pitch;
    /** Values from the start of a level to point (0, 0). */
    size_t origin;
} heat_block_t;

/** What the user asks for. */
typedef struct heat_shape {
    size_t M;
    size_t N;
    size_t P;
    size_t Q;
    /** Layers of the halo: the most steps that one exchange serves. */
    size_t depth;
} heat_shape_t;

/** The problem as one thread sees it. */
typedef struct heat_problem {
    heat_shape_t shape;
    heat_coefficients_t coefficients;
    heat_start_t start;
    /** The calling thread's block. */
    heat_block_t mine;
    /** The block's two time levels in shared memory, at the same offset in every thread's segment;
     *  level[now] holds the field. */
    pgas_ptr_t level[2];
    int now;
    /** What holds them. */
    pgas_ptr_t allocated[2];
    /** The calling thread's part of both, at point (0, 0). */
    double *field[2];
    /** Steps computed since the start. */
    size_t step;
} heat_problem_t;

/** Chooses P and Q for the job's threads: of the grids that heat_shape_check accepts, the one where
 *  the thread with the most halo points has the fewest; among equals, the one whose threads have
 * the fewest together, then the one with the fewest rows. Ends the job with one line if there is
 * none. Not collective. */
void heat_shape_choose_grid(heat_shape_t *shape);

/** Ends the job with one line unless the mesh can be divided over the grid so that every block has
 *  at least `depth` rows and columns. Not collective. */
void heat_shape_check(const heat_shape_t *shape);

/** The block of `thread`. Not collective. */
heat_block_t heat_block_of(const heat_shape_t *shape, int thread);

/** Allocates both levels. Collective. Ends the job with one line if there is not enough memory. */
void heat_problem_create(const heat_shape_t *shape, heat_problem_t *problem);

/** Frees them. Collective. */
void heat_problem_free(heat_problem_t *problem);

/** The value of a start at row `i`, column `k` of the mesh. */
double heat_start_value(const heat_shape_t *shape, heat_start_t start, size_t i, size_t k);

/** Sets the field to step 0 of `start`, and the boundary values of both levels. Collective;
 *  includes a barrier. */
void heat_problem_start(heat_problem_t *problem, heat_start_t start);

/** A pointer to point (i, k) of `thread`'s block; `block` comes from heat_block_of. */
static inline pgas_ptr_t heat_point(const heat_problem_t *problem, int thread,
                                    const heat_block_t *block, int level, ptrdiff_t i, ptrdiff_t k)
{
    ptrdiff_t place = (ptrdiff_t)block->origin + i * (ptrdiff_t)block->pitch + k;
    return pgas_ptr_shift(pgas_ptr_on(problem->level[level], thread),
                          place * (ptrdiff_t)sizeof(double));
}

/** The thread `rows` rows further down and `cols` columns further to the right in the grid, each
 *  -1, 0 or 1, as seen from the calling thread; -1 if there is none. */
int heat_neighbour(const heat_shape_t *shape, int rows, int cols);

#endif
