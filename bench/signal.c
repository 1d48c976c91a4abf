/* Synchronisation of two threads by a value with a signal: thread 0 and the last one in turns, and
 * a pipeline through all threads, each of which waits for the one before it, row by row.
 * Nanoseconds for one synchronisation. */
#include <pgas/pgas.h>

#include <stdlib.h>

#include "measure.h"

enum {
    ROWS = 2000,
    TURNS = 2000
};

static pgas_ptr_t values;
static pgas_ptr_t signals;
static uint64_t number;

static void send(int thread, size_t row, double value)
{
    pgas_ptr_t dst = pgas_ptr_shift(pgas_ptr_on(values, thread), (ptrdiff_t)(row * sizeof value));
    pgas_put_signal(dst, &value, sizeof value, pgas_ptr_on(signals, thread), PGAS_SIGNAL_ADD, 1);
}

/* The next signal of the calling thread. */
static double receive(size_t row)
{
    const double *mine = pgas_local(pgas_ptr_on(values, pgas_mythread()));
    pgas_signal_wait(pgas_local(pgas_ptr_on(signals, pgas_mythread())), PGAS_GE, ++number);
    return mine[row];
}

static double take_turns(void)
{
    int last = pgas_threads() - 1;
    int me = pgas_mythread();
    pgas_barrier();
    double begin = bench_seconds();
    for (size_t i = 0; i < TURNS && me == 0; i++) {
        send(last, 0, (double)i);
        receive(0);
    }
    for (size_t i = 0; i < TURNS && me == last; i++)
        send(0, 0, receive(0));
    double took = bench_seconds() - begin;
    pgas_barrier();
    return took * 1e9 / (2 * TURNS);
}

static double pipeline(void)
{
    int last = pgas_threads() - 1;
    int me = pgas_mythread();
    pgas_barrier();
    double begin = bench_seconds();
    for (size_t row = 0; row < ROWS; row++) {
        double value = me > 0 ? receive(row) : (double)row;
        if (me < last)
            send(me + 1, row, value + 1);
    }
    if (me == last)
        send(0, 0, 0);
    else if (me == 0)
        receive(0);
    double took = bench_seconds() - begin;
    pgas_barrier();
    return took * 1e9 / (ROWS * (double)last);
}

int main(int argc, char **argv)
{
    size_t batches = bench_argument(argc, argv, 1, 21);
    double *turns = malloc(2 * batches * sizeof *turns);
    size_t threads = pgas_init() == PGAS_OK ? (size_t)pgas_threads() : 0;
    if (threads < 2 || turns == NULL ||
        pgas_all_alloc(threads, ROWS * sizeof(double), &values) != PGAS_OK ||
        pgas_all_alloc(threads, sizeof(pgas_signal_t), &signals) != PGAS_OK)
        exit(1);
    pgas_signal_set(pgas_local(pgas_ptr_on(signals, pgas_mythread())), 0);
    take_turns();
    pipeline();
    for (size_t i = 0; i < batches; i++) {
        turns[i] = take_turns();
        turns[batches + i] = pipeline();
    }
    if (pgas_mythread() == 0) {
        bench_print("turns_ns", bench_summarise(turns, batches));
        bench_print("pipeline_ns", bench_summarise(turns + batches, batches));
    }
    free(turns);
    pgas_finalize();
    return 0;
}
