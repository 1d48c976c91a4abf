/* Listing 4: block-wise communication. Every needed block of x is copied whole. */
#include <stdlib.h>

#include "common/large.h"
#include "kernel.h"
#include "variant.h"

typedef struct v2_state {
    double *mythread_x_copy;
    unsigned char *block_is_needed;
} v2_state_t;

static void *v2_prepare(const spmv_problem_t *problem)
{
    v2_state_t *state = common_alloc("v2", 1, sizeof *state);
    state->mythread_x_copy = common_alloc("mythread_x_copy", problem->n, sizeof(double));
    state->block_is_needed = common_alloc("block_is_needed", problem->nblks, 1);
    for (size_t b = 0; b < problem->nblks; b++)
        state->block_is_needed[b] =
            pgas_array_owner(problem->x, b * problem->blocksize) == pgas_mythread();
    const int32_t *loc_J = pgas_array_mine(&problem->J);
    size_t elements = pgas_array_owned(&problem->D, pgas_mythread()) * problem->r_nz;
    for (size_t e = 0; e < elements; e++)
        state->block_is_needed[(size_t)loc_J[e] / problem->blocksize] = 1;
    return state;
}

static void v2_step(const spmv_problem_t *problem, void *opaque, common_clock_t *clock)
{
    v2_state_t *state = opaque;
    for (size_t b = 0; b < problem->nblks; b++) {
        size_t offset = b * problem->blocksize;
        if (state->block_is_needed[b])
            pgas_memget(&state->mythread_x_copy[offset], pgas_array_at(problem->x, offset),
                        spmv_block_rows(problem, offset) * sizeof(double));
    }
    common_clock_book(clock, SPMV_COPY);
    spmv_kernel(problem, state->mythread_x_copy);
    common_clock_book(clock, SPMV_COMPUTE);
    pgas_barrier();
    common_clock_book(clock, SPMV_BARRIER);
}

static spmv_traffic_t v2_traffic(const spmv_problem_t *problem, const spmv_counts_t *counts)
{
    (void)problem;
    spmv_traffic_t traffic = {0};
    for (int place = 0; place < PGAS_PLACES; place++)
        traffic.traffic[place][PGAS_CONTIGUOUS][PGAS_FROM] =
            (pgas_traffic_t){counts->needed_blocks[place], counts->needed_bytes[place]};
    return traffic;
}

static void v2_release(void *opaque)
{
    v2_state_t *state = opaque;
    free(state->block_is_needed);
    free(state->mythread_x_copy);
    free(state);
}

const spmv_variant_t spmv_v2 = {
    .name = "v2",
    .prepare = v2_prepare,
    .step = v2_step,
    .traffic = v2_traffic,
    .release = v2_release,
};
