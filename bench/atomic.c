/* Atomic operations on words of the last thread: one counter by all threads at once, beside plain
 * `__atomic` additions where it is mapped; a round trip; and counting into a table in which every
 * word is as likely, with and without the old values. A value that is read stands beside them. */
#include <pgas/pgas.h>

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "measure.h"

enum {
    TABLE = 1 << 20,
    DEPTH = 64
};

static pgas_ptr_t table;
static uint64_t state;
static volatile uint64_t sink;

/* A linear congruence: as cheap as a plan's list, and of full period. */
static pgas_ptr_t random_word(void)
{
    state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return pgas_ptr_shift(table, (ptrdiff_t)((state >> 44) % TABLE * sizeof(uint64_t)));
}

static void add_plain(size_t count)
{
    uint64_t *word = pgas_local(table);
    for (size_t i = 0; i < count && word != NULL; i++)
        __atomic_fetch_add(word, 1, __ATOMIC_RELAXED);
}

static void fetch_add(size_t count)
{
    for (size_t i = 0; i < count; i++)
        PGAS_ATOMIC_FETCH_ADD(uint64_t, table, 1, PGAS_RELAXED);
}

static void fetch_max(size_t count)
{
    for (size_t i = 0; i < count; i++)
        PGAS_ATOMIC_FETCH_MAX(double, table, (double)i, PGAS_RELAXED);
}

static void get(size_t count)
{
    for (size_t i = 0; i < count; i++)
        sink += PGAS_READ(uint64_t, table);
}

static void add_to_table(size_t count)
{
    for (size_t i = 0; i < count; i++)
        PGAS_ATOMIC_UPDATE_ASYNCI(uint64_t, PGAS_ADD, random_word(), 1, PGAS_RELAXED);
    pgas_waitsynci();
}

static void put_to_table(size_t count)
{
    for (size_t i = 0; i < count; i++)
        pgas_put_val_asynci(random_word(), i, sizeof(uint64_t));
    pgas_waitsynci();
}

static void fetch_from_table(size_t count)
{
    uint64_t olds[DEPTH];
    pgas_handle_t handles[DEPTH];
    for (size_t i = 0; i < count; i += DEPTH) {
        for (size_t j = 0; j < DEPTH; j++)
            handles[j] = PGAS_ATOMIC_FETCH_ASYNC(uint64_t, &olds[j], PGAS_ADD, random_word(), 1,
                                                 PGAS_RELAXED);
        pgas_waitsync_all(handles, DEPTH);
    }
}

typedef struct measure {
    const char *name;
    void (*loop)(size_t count);
    size_t count;
    /** Whether all threads do it at once. */
    bool is_common;
} measure_t;

static void run(const measure_t *measure, size_t batches)
{
    double *times = calloc(batches, sizeof *times);
    if (times == NULL)
        pgas_fail(1, "no memory for %zu batches", batches);
    bool takes_part = measure->is_common || pgas_mythread() == 0;
    for (size_t i = 0; i <= batches; i++) { /* the first is not counted */
        pgas_barrier();
        double begin = bench_seconds();
        if (takes_part)
            measure->loop(measure->count);
        if (i > 0)
            times[i - 1] = 1e9 * (bench_seconds() - begin) / (double)measure->count;
    }
    if (pgas_mythread() == 0)
        bench_print(measure->name, bench_summarise(times, batches));
    free(times);
}

int main(int argc, char **argv)
{
    size_t batches = bench_argument(argc, argv, 1, 21);
    if (pgas_init() != PGAS_OK)
        return 1;
    if (pgas_all_alloc((size_t)pgas_threads(), TABLE * sizeof(uint64_t), &table) != PGAS_OK)
        pgas_exit(1);
    int last = pgas_threads() - 1;
    table = pgas_ptr_on(table, last);
    state = (uint64_t)pgas_mythread();
    bool is_local = pgas_node_of(0) == pgas_node_of(last);
    size_t scale = is_local ? 1 : 20;
    const measure_t measures[] = {
        {"plain_contended_ns", add_plain, 20000, true},
        {"fetch_add_contended_ns", fetch_add, 20000 / scale, true},
        {"plain_ns", add_plain, 20000, false},
        {"fetch_add_ns", fetch_add, 20000 / scale, false},
        {"fetch_max_double_ns", fetch_max, 20000 / scale, false},
        {"get_ns", get, 20000 / scale, false},
        {"add_to_table_ns", add_to_table, 200000, false},
        {"put_to_table_ns", put_to_table, 200000, false},
        {"fetch_from_table_ns", fetch_from_table, 12800, false},
    };
    for (size_t i = 0; i < sizeof measures / sizeof measures[0]; i++)
        if (is_local || measures[i].loop != add_plain)
            run(&measures[i], batches);
    pgas_finalize();
    return 0;
}
