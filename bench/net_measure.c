#include "net_measure.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "measure.h"

typedef struct measure {
    const char *name;
    bench_net_loop_t loop;
    /* Of one batch. */
    size_t count;
    /* Bytes of each transfer; all transfers of a batch touch `checked` bytes of the target. */
    size_t nbytes;
    size_t checked;
    enum {
        MICROSECONDS,
        GIGABYTES_PER_SECOND,
        PER_MICROSECOND
    } unit;
} measure_t;

static double time_batch(const measure_t *measure)
{
    double begin = bench_seconds();
    measure->loop(measure->count);
    double seconds = bench_seconds() - begin;
    double count = (double)measure->count;
    switch (measure->unit) {
    case GIGABYTES_PER_SECOND:
        return 1e-9 * count * (double)measure->nbytes / seconds;
    case PER_MICROSECOND:
        return 1e-6 * count / seconds;
    default:
        return 1e6 * seconds / count;
    }
}

static void time_batches(const measure_t *measure, size_t batches, bool print)
{
    double *times = malloc(batches * sizeof *times);
    if (times == NULL) {
        fprintf(stderr, "no memory for %zu batches\n", batches);
        exit(1);
    }
    time_batch(measure);
    for (size_t i = 0; i < batches; i++)
        times[i] = time_batch(measure);
    if (print)
        bench_print(measure->name, bench_summarise(times, batches));
    free(times);
}

/* The byte a process fills its memory with in a round: no two are alike within a run. */
static int fill(int turn, int process)
{
    return 1 + 2 * turn + process;
}

static bool is_filled(const char *bytes, int value, size_t nbytes)
{
    for (size_t i = 0; i < nbytes; i++)
        if (bytes[i] != (char)value)
            return false;
    return true;
}

/* One transfer measured by the first process while the last one waits in a barrier. */
static bool run_transfer(const bench_net_t *net, const measure_t *measure, int turn, size_t batches)
{
    bool gets = measure->loop == net->get_words;
    bool first = net->process == 0;
    memset(net->shared, fill(turn, net->process), BENCH_BLOCK);
    memset(net->buffer, fill(turn, net->process), BENCH_BLOCK);
    net->barrier(1);
    if (first)
        time_batches(measure, batches, true);
    net->barrier(1);
    bool arrived = true;
    if (first && gets)
        arrived = is_filled(net->buffer, fill(turn, 1), measure->checked);
    else if (!first && !gets)
        arrived = is_filled(net->shared, fill(turn, 0), measure->checked);
    if (!arrived)
        fprintf(stderr, "%s: not all bytes have arrived\n", measure->name);
    return arrived;
}

bool bench_net_run(const bench_net_t *net, size_t batches)
{
    const measure_t measures[] = {
        {"get_8_us", net->get_words, 500, BENCH_WORD, BENCH_WORD, MICROSECONDS},
        {"put_8_us", net->put_words, 500, BENCH_WORD, BENCH_WORD, MICROSECONDS},
        {"put_1m_gb_per_s", net->put_blocks, 20, BENCH_BLOCK, BENCH_BLOCK, GIGABYTES_PER_SECOND},
        {"stream_1m_gb_per_s", net->stream_blocks, 50, BENCH_BLOCK, BENCH_BLOCK,
         GIGABYTES_PER_SECOND},
        {"stream_8_per_us", net->stream_words, 5000, BENCH_WORD, (size_t)5000 * BENCH_WORD,
         PER_MICROSECOND},
    };
    const measure_t barriers = {"barrier_us", net->barrier, 200, 0, 0, MICROSECONDS};
    bool arrived = true;
    for (int turn = 0; net->processes == 2 && turn < (int)(sizeof measures / sizeof measures[0]);
         turn++)
        arrived = run_transfer(net, &measures[turn], turn, batches) && arrived;
    time_batches(&barriers, batches, net->process == 0);
    return arrived;
}
