#include "sweep.h"

#include <math.h>

#include "common/timing.h"

enum {
    TRIALS = 3,
    LARGEST_TRIAL = 256 << 20
};

/* Points between two polls: a few microseconds. */
static const size_t points_per_poll = 8192;

/* Rows of both levels that a trial goes through. */
static ptrdiff_t rows_of_trial(const heat_block_t *block)
{
    size_t row_bytes = 2 * block->pitch * sizeof(double);
    size_t most = LARGEST_TRIAL / row_bytes + 1;
    return (ptrdiff_t)(block->rows < most ? block->rows : most);
}

/* Seconds of a step of these rows there, and of one back. */
static double try_row(const heat_problem_t *problem, heat_row_t *row, ptrdiff_t rows)
{
    const heat_block_t *block = &problem->mine;
    double start = common_seconds();
    for (int level = 0; level < 2; level++) {
        for (ptrdiff_t i = 0; i < rows; i++) {
            ptrdiff_t first = i * (ptrdiff_t)block->pitch;
            row(problem->field[level] + first, block->pitch, problem->field[1 - level] + first,
                block->cols, &problem->coefficients);
        }
        heat_row_finish();
    }
    return common_seconds() - start;
}

/* Whether steps stored past the caches are faster by a twentieth, in all threads together: what the
 * system says of its caches need not be true (docs/decisions.md, 131). The field is overwritten. */
static bool streaming_is_faster(const heat_problem_t *problem)
{
    heat_row_t *const row[] = {heat_row_choose(false), heat_row_choose(true)};
    ptrdiff_t rows = rows_of_trial(&problem->mine);
    double seconds[2] = {HUGE_VAL, HUGE_VAL};
    for (int i = 0; i < 2 * TRIALS; i++) {
        pgas_barrier();
        if (row[i % 2] != NULL)
            seconds[i % 2] = fmin(seconds[i % 2], try_row(problem, row[i % 2], rows));
    }
    return pgas_allreduce_double(PGAS_TEAM_ALL, seconds[0] - 1.05 * seconds[1], PGAS_SUM) > 0.0;
}

void heat_sweeper_init(heat_problem_t *problem, heat_stores_t stores, heat_sweeper_t *sweeper)
{
    const heat_shape_t *shape = &problem->shape;
    *sweeper = (heat_sweeper_t){
        .problem = problem,
        .row = heat_row_choose(false),
        .shrink =
            {
                .top = heat_neighbour(shape, -1, 0) >= 0,
                .bottom = heat_neighbour(shape, 1, 0) >= 0,
                .left = heat_neighbour(shape, 0, -1) >= 0,
                .right = heat_neighbour(shape, 0, 1) >= 0,
            },
    };
    bool streams =
        shape->depth == 1 && (stores == HEAT_STORES_STREAMING ||
                              (stores == HEAT_STORES_AUTO && streaming_is_faster(problem)));
    heat_row_t *streaming = streams ? heat_row_choose(true) : NULL;
    sweeper->single_row = streaming != NULL ? streaming : sweeper->row;
}

bool heat_sweeper_streams(const heat_sweeper_t *sweeper)
{
    return sweeper->single_row != sweeper->row;
}

/* The block's points and `layers` more on the sides with neighbours. */
static heat_box_t grown(const heat_sweeper_t *sweeper, ptrdiff_t layers)
{
    const heat_block_t *mine = &sweeper->problem->mine;
    const heat_box_t *shrink = &sweeper->shrink;
    return (heat_box_t){
        .top = -layers * shrink->top,
        .bottom = (ptrdiff_t)mine->rows + layers * shrink->bottom,
        .left = -layers * shrink->left,
        .right = (ptrdiff_t)mine->cols + layers * shrink->right,
    };
}

/* Row `i` of a box, step `s` (from 1) of a sweep. */
static void compute_row(const heat_sweeper_t *sweeper, heat_row_t *row, size_t s, ptrdiff_t i,
                        ptrdiff_t left, ptrdiff_t right)
{
    const heat_problem_t *problem = sweeper->problem;
    ptrdiff_t pitch = (ptrdiff_t)problem->mine.pitch;
    int new_level = (int)((size_t)problem->now + s) % 2;
    const double *phi = problem->field[1 - new_level] + i * pitch + left;
    double *phin = problem->field[new_level] + i * pitch + left;
    row(phi, (size_t)pitch, phin, (size_t)(right - left), &problem->coefficients);
}

/* All steps; step s covers the box grown by `layers` - s. */
static void sweep(const heat_sweeper_t *sweeper, ptrdiff_t layers, size_t steps, heat_poll_t *poll,
                  void *argument)
{
    heat_row_t *row = steps == 1 ? sweeper->single_row : sweeper->row;
    heat_box_t first = grown(sweeper, layers - 1);
    size_t points = 0;
    for (ptrdiff_t front = first.top; front < first.bottom + (ptrdiff_t)steps - 1; front++)
        for (size_t s = 1; s <= steps; s++) {
            heat_box_t box = grown(sweeper, layers - (ptrdiff_t)s);
            ptrdiff_t i = front - (ptrdiff_t)(s - 1);
            if (i < box.top || i >= box.bottom)
                continue;
            compute_row(sweeper, row, s, i, box.left, box.right);
            points += (size_t)(box.right - box.left);
            if (poll != NULL && points >= points_per_poll) {
                poll(argument);
                points = 0;
            }
        }
    if (row != sweeper->row)
        heat_row_finish();
}

void heat_sweep_all(const heat_sweeper_t *sweeper, size_t steps)
{
    sweep(sweeper, (ptrdiff_t)steps, steps, NULL, NULL);
}

bool heat_sweep_has_inner(const heat_sweeper_t *sweeper, size_t steps)
{
    heat_box_t last = grown(sweeper, -(ptrdiff_t)steps);
    return last.top < last.bottom && last.left < last.right;
}

void heat_sweep_inner(const heat_sweeper_t *sweeper, size_t steps, heat_poll_t *poll,
                      void *argument)
{
    sweep(sweeper, 0, steps, poll, argument);
}

static void compute_box(const heat_sweeper_t *sweeper, size_t s, heat_box_t box)
{
    if (box.left < box.right)
        for (ptrdiff_t i = box.top; i < box.bottom; i++)
            compute_row(sweeper, sweeper->row, s, i, box.left, box.right);
}

/* This does not use what the inner part has overwritten meanwhile: step s of the outer part reads
 * step s - 1 down to layer s, and the inner part writes step s + 1 to that level from the layer
 * below on. */
void heat_sweep_outer(const heat_sweeper_t *sweeper, size_t steps)
{
    for (size_t s = 1; s <= steps; s++) {
        heat_box_t outer = grown(sweeper, (ptrdiff_t)(steps - s));
        heat_box_t inner = grown(sweeper, -(ptrdiff_t)s);
        compute_box(sweeper, s, (heat_box_t){outer.top, inner.top, outer.left, outer.right});
        compute_box(sweeper, s, (heat_box_t){inner.bottom, outer.bottom, outer.left, outer.right});
        compute_box(sweeper, s, (heat_box_t){inner.top, inner.bottom, outer.left, inner.left});
        compute_box(sweeper, s, (heat_box_t){inner.top, inner.bottom, inner.right, outer.right});
    }
}
