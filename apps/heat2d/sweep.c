#include "sweep.h"

#include <unistd.h>

/* Points between two polls: a few microseconds. */
static const size_t points_per_poll = 8192;

static size_t threads_of_node(void)
{
    size_t count = 1;
    for (int thread = 0; thread < pgas_threads(); thread++)
        count += pgas_place_of(thread) == PGAS_LOCAL;
    return count;
}

static bool exceeds_cache(const heat_block_t *block)
{
    long cache = sysconf(_SC_LEVEL3_CACHE_SIZE);
    size_t nbytes = 2 * block->rows * block->pitch * sizeof(double);
    return cache > 0 && nbytes > (size_t)cache / threads_of_node();
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
        stores == HEAT_STORES_STREAMING ||
        (stores == HEAT_STORES_AUTO && shape->depth == 1 && exceeds_cache(&problem->mine));
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
