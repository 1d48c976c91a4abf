/* Listing 5: message condensing and consolidation. One message per pair of communicating threads.
 */
#include <stdlib.h>
#include <string.h>

#include "common/large.h"
#include "exchange.h"
#include "kernel.h"
#include "variant.h"

typedef struct v3_state {
    double *mythread_x_copy;
    spmv_exchange_t exchange;
} v3_state_t;

static void *v3_prepare(const spmv_problem_t *problem)
{
    v3_state_t *state = common_alloc("v3", 1, sizeof *state);
    state->mythread_x_copy = common_alloc("mythread_x_copy", problem->n, sizeof(double));
    spmv_exchange_create(problem, &state->exchange);
    return state;
}

static void pack(const spmv_problem_t *problem, const spmv_exchange_t *exchange)
{
    const double *local_x = pgas_array_mine(problem->x);
    for (size_t m = 0; m < exchange->outgoing_count; m++) {
        const spmv_outgoing_t *message = &exchange->outgoing[m];
        for (size_t k = 0; k < message->count; k++)
            message->buffer[k] = local_x[message->indices[k]];
    }
}

static void put(const spmv_exchange_t *exchange)
{
    for (size_t m = 0; m < exchange->outgoing_count; m++) {
        const spmv_outgoing_t *message = &exchange->outgoing[m];
        pgas_memput(message->destination, message->buffer, message->count * sizeof(double));
    }
}

static void copy_own_blocks(const spmv_problem_t *problem, double *mythread_x_copy)
{
    const double *local_x = pgas_array_mine(problem->x);
    for (size_t mb = 0; mb < problem->mythread_nblks; mb++) {
        size_t offset = spmv_block_offset(problem, mb);
        memcpy(&mythread_x_copy[offset], &local_x[mb * problem->blocksize],
               spmv_block_rows(problem, offset) * sizeof(double));
    }
}

static void unpack(const spmv_exchange_t *exchange, double *mythread_x_copy)
{
    for (size_t m = 0; m < exchange->incoming_count; m++) {
        const spmv_incoming_t *message = &exchange->incoming[m];
        const double *local_buffer = pgas_local(message->buffer);
        for (size_t k = 0; k < message->count; k++)
            mythread_x_copy[message->indices[k]] = local_buffer[k];
    }
}

static void v3_step(const spmv_problem_t *problem, void *opaque, common_clock_t *clock)
{
    v3_state_t *state = opaque;
    pack(problem, &state->exchange);
    common_clock_book(clock, SPMV_PACK);
    put(&state->exchange);
    common_clock_book(clock, SPMV_PUT);
    pgas_barrier();
    common_clock_book(clock, SPMV_BARRIER);
    copy_own_blocks(problem, state->mythread_x_copy);
    common_clock_book(clock, SPMV_COPY);
    unpack(&state->exchange, state->mythread_x_copy);
    common_clock_book(clock, SPMV_UNPACK);
    spmv_kernel(problem, state->mythread_x_copy);
    common_clock_book(clock, SPMV_COMPUTE);
    pgas_barrier();
    common_clock_book(clock, SPMV_BARRIER);
}

static spmv_traffic_t v3_traffic(const spmv_problem_t *problem, const spmv_counts_t *counts)
{
    (void)problem;
    spmv_traffic_t traffic = {0};
    for (int place = 0; place < PGAS_PLACES; place++)
        traffic.traffic[place][PGAS_CONTIGUOUS][PGAS_TO] = (pgas_traffic_t){
            counts->messages_out[place], counts->values_out[place] * sizeof(double)};
    return traffic;
}

static void v3_release(void *opaque)
{
    v3_state_t *state = opaque;
    spmv_exchange_free(&state->exchange);
    free(state->mythread_x_copy);
    free(state);
}

const spmv_variant_t spmv_v3 = {
    .name = "v3",
    .prepare = v3_prepare,
    .step = v3_step,
    .traffic = v3_traffic,
    .release = v3_release,
};
