/*
 * Value accesses, PGAS_GET and PGAS_PUT of a double, against a plain array: nanoseconds per access
 * of thread 0, while the other threads wait.
 *
 * own: the elements of thread 0. local: those of thread 1. whole: all elements in the order of
 * their indexes. blocks: the elements of thread 0 by PGAS_FORBLOCKS, as plain memory. Each is
 * compared with a plain loop over as many elements. A get adds up what it reads, so that each
 * addition waits for the one before, in the plain loop as in the shared one; a put writes a
 * constant.
 */
#include <pgas/pgas.h>

#include <stdio.h>
#include <stdlib.h>

#include "measure.h"

enum {
    /* Accesses in one measurement, at least. */
    WORK = 512 << 10,
    REPETITIONS_MAX = 101
};

typedef enum loop {
    /** One load or store per iteration. */
    PLAIN,
    /** As the compiler vectorises it. */
    PLAIN_VECTOR,
    SHARED,
    LOOPS
} loop_t;

typedef enum place {
    OWN,
    LOCAL,
    WHOLE,
    /** Own elements, by PGAS_FORBLOCKS. */
    BLOCKS,
    PLACES
} place_t;

static const char *const place_names[PLACES] = {"own", "local", "whole", "blocks"};

/* What one line of the table compares. */
typedef struct contest {
    const pgas_array_t *array;
    double *plain;
    place_t place;
    bool put;
    /** Elements that a pass visits. */
    size_t visited;
} contest_t;

static volatile double sink;

static double plain_get(const double *plain, size_t count)
{
    const volatile double *values = plain;
    double sum = 0;
    for (size_t i = 0; i < count; i++)
        sum += values[i];
    return sum;
}

static double plain_get_vector(const double *plain, size_t count)
{
    double sum = 0;
#pragma omp simd reduction(+ : sum)
    for (size_t i = 0; i < count; i++)
        sum += plain[i];
    return sum;
}

static void plain_put(double *plain, size_t count, double value)
{
    volatile double *values = plain;
    for (size_t i = 0; i < count; i++)
        values[i] = value;
}

static void plain_put_vector(double *plain, size_t count, double value)
{
#pragma omp simd
    for (size_t i = 0; i < count; i++)
        plain[i] = value;
}

/* Visits the elements of one thread: its blocks, and the elements in each block. For blocks of one
 * element it is the loop that a program would have. */
static double shared_get(const pgas_array_t *x, size_t thread)
{
    double sum = 0;
    size_t stride = x->block * (size_t)pgas_threads();
    size_t count = x->count;
    size_t block = x->block;
    if (block == 1) {
        for (size_t i = thread; i < count; i += stride)
            sum += PGAS_GET(double, x, i);
        return sum;
    }
    for (size_t first = thread * block; first < count; first += stride) {
        size_t end = first + block < count ? first + block : count;
        for (size_t i = first; i < end; i++)
            sum += PGAS_GET(double, x, i);
    }
    return sum;
}

static void shared_put(const pgas_array_t *x, size_t thread, double value)
{
    size_t stride = x->block * (size_t)pgas_threads();
    size_t count = x->count;
    size_t block = x->block;
    if (block == 1) {
        for (size_t i = thread; i < count; i += stride)
            PGAS_PUT(double, x, i, value);
        return;
    }
    for (size_t first = thread * block; first < count; first += stride) {
        size_t end = first + block < count ? first + block : count;
        for (size_t i = first; i < end; i++)
            PGAS_PUT(double, x, i, value);
    }
}

static double whole_get(const pgas_array_t *x)
{
    double sum = 0;
    size_t count = x->count;
    for (size_t i = 0; i < count; i++)
        sum += PGAS_GET(double, x, i);
    return sum;
}

static void whole_put(const pgas_array_t *x, double value)
{
    size_t count = x->count;
    for (size_t i = 0; i < count; i++)
        PGAS_PUT(double, x, i, value);
}

static double blocks_get(const pgas_array_t *x)
{
    double sum = 0;
    PGAS_FORBLOCKS (b, x) {
        const double *values = b.first;
        for (size_t i = b.begin; i < b.end; i++)
            sum += values[i - b.begin];
    }
    return sum;
}

static void blocks_put(const pgas_array_t *x, double value)
{
    PGAS_FORBLOCKS (b, x) {
        double *values = b.first;
        for (size_t i = b.begin; i < b.end; i++)
            values[i - b.begin] = value;
    }
}

static double pass_get(const contest_t *contest, loop_t loop)
{
    if (loop == PLAIN)
        return plain_get(contest->plain, contest->visited);
    if (loop == PLAIN_VECTOR)
        return plain_get_vector(contest->plain, contest->visited);
    if (contest->place == WHOLE)
        return whole_get(contest->array);
    if (contest->place == BLOCKS)
        return blocks_get(contest->array);
    return shared_get(contest->array, contest->place == OWN ? 0 : 1);
}

static void pass_put(const contest_t *contest, loop_t loop, double value)
{
    if (loop == PLAIN)
        plain_put(contest->plain, contest->visited, value);
    else if (loop == PLAIN_VECTOR)
        plain_put_vector(contest->plain, contest->visited, value);
    else if (contest->place == WHOLE)
        whole_put(contest->array, value);
    else if (contest->place == BLOCKS)
        blocks_put(contest->array, value);
    else
        shared_put(contest->array, contest->place == OWN ? 0 : 1, value);
}

static void pass(const contest_t *contest, loop_t loop, double value)
{
    if (contest->put)
        pass_put(contest, loop, value);
    else
        sink = pass_get(contest, loop);
    /* Makes the compiler write the values to memory and keep each pass apart from the next. */
    __asm__ volatile("" : : : "memory");
}

/* Nanoseconds per access. */
static double time_loop(const contest_t *contest, loop_t loop)
{
    size_t passes = WORK / contest->visited + 1;
    pass(contest, loop, 1.0);
    double begin = bench_cpu_seconds();
    for (size_t i = 0; i < passes; i++)
        pass(contest, loop, (double)(i & 1));
    return (bench_cpu_seconds() - begin) * 1e9 / (double)(passes * contest->visited);
}

/* Each repetition runs all loops, one after the other, so that a disturbance affects all of
 * them. */
static void run_contest(const contest_t *contest, size_t repetitions)
{
    double times[LOOPS][REPETITIONS_MAX];
    double ratios[REPETITIONS_MAX];
    for (size_t r = 0; r < repetitions; r++) {
        for (int loop = 0; loop < LOOPS; loop++)
            times[loop][r] = time_loop(contest, (loop_t)loop);
        ratios[r] = times[SHARED][r] / times[PLAIN][r];
    }
    bench_summary_t ratio = bench_summarise(ratios, repetitions);
    bench_summary_t ns[LOOPS];
    for (int loop = 0; loop < LOOPS; loop++)
        ns[loop] = bench_summarise(times[loop], repetitions);
    printf("%-4s %8zu %6zu %-10s %7.3f %7.3f %7.3f  %7.3f %7.3f  %6.2f %6.2f %6.2f  %6.2f\n",
           contest->put ? "put" : "get", contest->array->count, contest->array->block,
           place_names[contest->place], ns[SHARED].median, ns[SHARED].min, ns[SHARED].max,
           ns[PLAIN].median, ns[PLAIN_VECTOR].median, ns[SHARED].median / ns[PLAIN].median,
           ratio.min, ratio.max, ns[SHARED].median / ns[PLAIN_VECTOR].median);
}

static void measure(const pgas_array_t *x, size_t repetitions)
{
    for (int put = 0; put < 2; put++)
        for (int place = 0; place < PLACES; place++) {
            if (place == LOCAL && pgas_threads() < 2)
                continue;
            size_t visited =
                place == WHOLE ? x->count : pgas_array_owned(x, place == LOCAL ? 1 : 0);
            contest_t contest = {
                .array = x,
                .plain = bench_allocate(visited * sizeof(double), 0),
                .place = (place_t)place,
                .put = put != 0,
                .visited = visited,
            };
            run_contest(&contest, repetitions);
            free(contest.plain);
        }
}

/* An array of `count` elements in blocks of `block`; its owners touch it first. */
static void measure_array(size_t count, size_t block, size_t repetitions)
{
    pgas_array_t x;
    if (pgas_array_create(count, sizeof(double), block, &x) != PGAS_OK)
        pgas_exit(1);
    double *mine = pgas_array_mine(&x);
    for (size_t i = 0; i < pgas_array_owned(&x, pgas_mythread()); i++)
        mine[i] = 1.0;
    pgas_barrier();
    if (pgas_mythread() == 0)
        measure(&x, repetitions);
    pgas_array_free(&x);
}

static void print_head(void)
{
    printf("# ns per access; ratio: shared / plain with one access per turn (medians; least and "
           "greatest of a repetition)\n");
    printf("# op   elements  block place         median     min     max    plain  vector   "
           "ratio  least  great  vs vec\n");
}

int main(int argc, char **argv)
{
    static const size_t counts[] = {4096, 131072, 4194304};
    static const size_t blocks[] = {1, 1024, 65536, 999, 1000};
    size_t repetitions = bench_argument(argc, argv, 1, 15);
    if (repetitions > REPETITIONS_MAX)
        repetitions = REPETITIONS_MAX;
    if (pgas_init() != PGAS_OK)
        return 1;
    if (pgas_mythread() == 0)
        print_head();
    for (size_t c = 0; c < sizeof counts / sizeof counts[0]; c++)
        for (size_t b = 0; b < sizeof blocks / sizeof blocks[0]; b++)
            if (blocks[b] * (size_t)pgas_threads() <= counts[c])
                measure_array(counts[c], blocks[b], repetitions);
    pgas_finalize();
    return 0;
}
