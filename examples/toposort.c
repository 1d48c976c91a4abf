/* Sorts a triangular matrix whose rows and columns have been permuted: finds orders of both in
 * which it is triangular again. Without locks: what is left of a row, its number of entries and the
 * sum of their columns, is one word, and an atomic subtraction removes an entry; whoever leaves a
 * row with a single one goes on with that row. After bale's toposort.
 *
 *   fathom-run -n 4 ./toposort [ROWS [locks] [unchecked]]
 *
 * With "locks" each word is read and written under a lock instead, to see what that costs. With
 * "unchecked" nobody reads the result, so that PGAS_STATS has the traffic of the sort alone. */
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <pgas/pgas.h>

enum {
    PER_ROW = 10,
    COLUMN_MAX = 256,
    /* Rows that are taken at once. */
    AT_ONCE = 64
};

#define ONE_ENTRY ((uint64_t)1 << 32)

/* A column: the rows that have an entry in it. */
typedef struct column {
    uint32_t count;
    uint32_t rows[COLUMN_MAX];
} column_t;

static uint32_t size;
static uint32_t threads;
static uint32_t me;
static bool by_locks;
static bool is_checked = true;
/* Row and column i are at thread i % threads. */
static pgas_ptr_t words;
static pgas_ptr_t columns;
static pgas_ptr_t row_orders;
static pgas_ptr_t column_orders;
static pgas_ptr_t counter;
static pgas_lock_t *locks;
/* Rows with a single entry that this thread has found: each row is found once. */
static uint64_t *found;
static uint32_t *found_rows;
static uint32_t found_count;

static pgas_ptr_t element(pgas_ptr_t array, uint32_t i, size_t nbytes)
{
    return pgas_ptr_shift(pgas_ptr_on(array, (int)(i % threads)),
                          (ptrdiff_t)((i / threads) * nbytes));
}

static uint32_t random_below(uint32_t bound)
{
    static uint64_t state = 88172645463325252;
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return (uint32_t)((state >> 32) % bound);
}

static void *allocate(size_t count, size_t nbytes)
{
    void *memory = calloc(count, nbytes);
    if (memory == NULL)
        pgas_fail(1, "not enough memory for %u rows", size);
    return memory;
}

static pgas_ptr_t allocate_shared(size_t nbytes)
{
    pgas_ptr_t array;
    if (pgas_all_alloc(threads, nbytes * (size / threads + 1), &array) != PGAS_OK)
        exit(1);
    memset(pgas_local(pgas_ptr_on(array, (int)me)), 0, nbytes * (size / threads + 1));
    return array;
}

static uint32_t *permutation(void)
{
    uint32_t *order = allocate(size, sizeof *order);
    for (uint32_t i = 0; i < size; i++) {
        uint32_t k = random_below(i + 1);
        order[i] = order[k];
        order[k] = i;
    }
    return order;
}

/* Stores the parts of an entry that belong to this thread. */
static void add_entry(uint32_t row, uint32_t col)
{
    if (row % threads == me)
        *(uint64_t *)pgas_local(element(words, row, sizeof(uint64_t))) += ONE_ENTRY + col;
    if (col % threads != me)
        return;
    column_t *column = pgas_local(element(columns, col, sizeof *column));
    if (column->count == COLUMN_MAX)
        pgas_fail(1, "a column has more than %d entries", COLUMN_MAX);
    column->rows[column->count++] = row;
}

/* All threads draw the same matrix. */
static void make_matrix(void)
{
    uint32_t *rows = permutation();
    uint32_t *cols = permutation();
    uint32_t *taken = allocate(size, sizeof *taken);
    for (uint32_t i = 0; i < size; i++) {
        add_entry(rows[i], cols[i]);
        for (int k = 0; k < PER_ROW && i + 1 < size; k++) {
            uint32_t j = i + 1 + random_below(size - i - 1);
            if (taken[j] != i + 1)
                add_entry(rows[i], cols[j]);
            taken[j] = i + 1;
        }
    }
    free(rows);
    free(cols);
    free(taken);
}

static void push_if_single(uint32_t row, uint64_t word)
{
    if (word / ONE_ENTRY != 1)
        return;
    found[found_count] = word;
    found_rows[found_count++] = row;
}

/* The first of `count` numbers in a row. */
static uint64_t take_numbers_locked(uint32_t count)
{
    pgas_lock(locks[0]);
    uint64_t number = PGAS_READ(uint64_t, counter);
    PGAS_WRITE(uint64_t, counter, number + count);
    pgas_unlock(locks[0]);
    return number;
}

static void remove_locked(const column_t *column, uint32_t col)
{
    for (uint32_t i = 0; i < column->count; i++) {
        uint32_t row = column->rows[i];
        pgas_ptr_t at = element(words, row, sizeof(uint64_t));
        pgas_lock(locks[row % threads]);
        uint64_t left = PGAS_READ(uint64_t, at) - ONE_ENTRY - col;
        PGAS_WRITE(uint64_t, at, left);
        pgas_unlock(locks[row % threads]);
        push_if_single(row, left);
    }
}

static void remove_atomic(const column_t *some, const uint32_t *cols, uint32_t count)
{
    static uint64_t old[AT_ONCE][COLUMN_MAX];
    for (uint32_t k = 0; k < count; k++)
        for (uint32_t i = 0; i < some[k].count; i++)
            PGAS_ATOMIC_FETCH_ASYNCI(uint64_t, &old[k][i], PGAS_SUB,
                                     element(words, some[k].rows[i], sizeof(uint64_t)),
                                     ONE_ENTRY + cols[k], PGAS_ACQ_REL);
    pgas_waitsynci();
    for (uint32_t k = 0; k < count; k++)
        for (uint32_t i = 0; i < some[k].count; i++)
            push_if_single(some[k].rows[i], old[k][i] - ONE_ENTRY - cols[k]);
}

/* A row with its only column comes before all that have been taken. Those that have been found by
 * now do not depend on each other: they are taken together, in any order, and so what they read and
 * change travels together. */
static void take_found(void)
{
    static column_t some[AT_ONCE];
    uint32_t cols[AT_ONCE];
    uint32_t count = found_count < AT_ONCE ? found_count : AT_ONCE;
    uint64_t number;
    found_count -= count;
    const uint32_t *rows = &found_rows[found_count];
    for (uint32_t k = 0; k < count; k++) {
        cols[k] = (uint32_t)found[found_count + k];
        pgas_memget_asynci(&some[k], element(columns, cols[k], sizeof some[k]), sizeof some[k]);
    }
    if (by_locks)
        number = take_numbers_locked(count);
    else
        PGAS_ATOMIC_FETCH_ASYNCI(uint64_t, &number, PGAS_ADD, counter, count, PGAS_ACQ_REL);
    pgas_waitsynci();
    for (uint32_t k = 0; k < count; k++) {
        uint32_t order = size - 1 - (uint32_t)number - k;
        pgas_put_val_asynci(element(row_orders, rows[k], sizeof order), order, sizeof order);
        pgas_put_val_asynci(element(column_orders, cols[k], sizeof order), order, sizeof order);
    }
    for (uint32_t k = 0; k < count && by_locks; k++)
        remove_locked(&some[k], cols[k]);
    if (!by_locks)
        remove_atomic(some, cols, count);
}

static double sort(void)
{
    for (uint32_t row = me; row < size; row += threads)
        push_if_single(row, *(uint64_t *)pgas_local(element(words, row, sizeof(uint64_t))));
    pgas_stats_reset();
    pgas_barrier();
    pgas_tick_t begin = pgas_ticks_now();
    while (found_count > 0)
        take_found();
    pgas_waitsynci();
    pgas_barrier();
    return 1e-9 * (double)pgas_ticks_to_ns(pgas_ticks_now() - begin);
}

/* In the new order all entries are on or above the diagonal, and every place is taken once. */
static bool is_sorted(void)
{
    bool sorted = PGAS_READ(uint64_t, counter) == size;
    bool *taken = allocate(size, sizeof *taken);
    for (uint32_t col = 0; col < size; col++) {
        uint32_t at = PGAS_READ(uint32_t, element(column_orders, col, sizeof at));
        column_t column;
        pgas_memget(&column, element(columns, col, sizeof column), sizeof column);
        for (uint32_t i = 0; i < column.count; i++)
            if (PGAS_READ(uint32_t, element(row_orders, column.rows[i], sizeof at)) > at)
                sorted = false;
        sorted = sorted && at < size && !taken[at];
        if (at < size)
            taken[at] = true;
    }
    free(taken);
    return sorted;
}

static void read_arguments(int argc, char **argv)
{
    size = argc > 1 ? (uint32_t)strtoul(argv[1], NULL, 10) : 2000;
    for (int i = 2; i < argc; i++) {
        by_locks |= strcmp(argv[i], "locks") == 0;
        is_checked &= strcmp(argv[i], "unchecked") != 0;
    }
}

int main(int argc, char **argv)
{
    read_arguments(argc, argv);
    if (pgas_init() != PGAS_OK)
        return 1;
    if (size == 0 || size > 60000)
        pgas_fail(2, "usage: toposort [ROWS [locks] [unchecked]], with 1 to 60000 rows");
    threads = (uint32_t)pgas_threads();
    me = (uint32_t)pgas_mythread();
    words = allocate_shared(sizeof(uint64_t));
    columns = allocate_shared(sizeof(column_t));
    row_orders = allocate_shared(sizeof(uint32_t));
    column_orders = allocate_shared(sizeof(uint32_t));
    counter = allocate_shared(sizeof(uint64_t));
    locks = allocate(threads, sizeof *locks);
    for (uint32_t i = 0; i < threads; i++)
        if (pgas_all_lock_alloc(&locks[i]) != PGAS_OK)
            return 1;
    found = allocate(size, sizeof *found);
    found_rows = allocate(size, sizeof *found_rows);
    make_matrix();
    pgas_barrier();
    double took = sort();
    if (me == 0) {
        bool sorted = !is_checked || is_sorted();
        printf("%u rows sorted by %u threads on %d nodes, by %s, in %.2f ms: %s\n", size, threads,
               pgas_node_of((int)threads - 1) + 1, by_locks ? "locks" : "atomic operations",
               took * 1e3,
               !is_checked ? "unchecked"
               : sorted    ? "right"
                           : "wrong");
        if (!sorted)
            pgas_fail(1, "the matrix is not triangular");
    }
    pgas_finalize();
    return 0;
}
