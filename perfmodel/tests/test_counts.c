/* Counts agree with the definitions, written as loops over everything, on random matrices. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
/* cmocka.h needs some of the above. */
#include <cmocka.h>

#include "perfmodel/counts.h"
#include "support/reuse.h"

static const model_caches_t unknown = {0.0, 0.0, 0.0};

enum {
    ROWS = 413,
    WIDTH = 5,
    THREADS_MAX = 24,
    LANES = 8,
    WINDOW = 4096
};

static uint64_t seed;

static size_t below(size_t limit)
{
    seed = seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (size_t)(seed >> 33) % limit;
}

/* Most columns are near the diagonal, some anywhere, some are padding. */
static model_matrix_t random_matrix(void)
{
    model_matrix_t matrix = {.rows = ROWS, .row_nonzeros = WIDTH};
    matrix.J = malloc(sizeof(int32_t) * ROWS * WIDTH);
    assert_non_null(matrix.J);
    for (size_t i = 0; i < ROWS; i++)
        for (size_t k = 0; k < WIDTH; k++) {
            size_t kind = below(8);
            size_t column = kind == 0 ? below(ROWS) : kind == 1 ? i : (i + below(9)) % ROWS;
            matrix.J[i * WIDTH + k] = (int32_t)column;
        }
    return matrix;
}

static size_t owner(const model_layout_t *layout, size_t row)
{
    return row / layout->blocksize % layout->threads;
}

static model_place_t place(const model_layout_t *layout, size_t from, size_t to)
{
    if (from == to)
        return MODEL_OWN;
    return model_layout_node(layout, from) == model_layout_node(layout, to) ? MODEL_LOCAL
                                                                            : MODEL_REMOTE;
}

/* Whether all rows of a thread are boundary rows, since at most one in eight is not. */
static bool takes_all[THREADS_MAX];

/* How often that was so for a thread with other rows, and how often it was not. */
static size_t taken;
static size_t not_taken;

/* Whether a thread needs a value, and whether one of its boundary rows does. */
typedef struct needs {
    bool value[THREADS_MAX][ROWS];
    bool by_boundary[THREADS_MAX][ROWS];
} needs_t;

static void see_rows(const model_matrix_t *matrix, const model_layout_t *layout, needs_t *needs,
                     model_counts_t *counts)
{
    for (size_t i = 0; i < ROWS; i++) {
        size_t t = owner(layout, i);
        const int32_t *J = &matrix->J[i * WIDTH];
        bool is_boundary = false;
        counts[t].rows++;
        for (size_t k = 0; k < WIDTH; k++) {
            size_t from = owner(layout, (size_t)J[k]);
            counts[t].individual[place(layout, t, from)]++;
            needs->value[t][J[k]] = true;
            is_boundary |= from != t;
        }
        counts[t].boundary_rows += is_boundary;
        for (size_t k = 0; is_boundary && k < WIDTH; k++)
            needs->by_boundary[t][J[k]] = true;
    }
    for (size_t t = 0; t < layout->threads; t++) {
        uint64_t others = counts[t].rows - counts[t].boundary_rows;
        takes_all[t] = counts[t].boundary_rows > 0 && 8 * others <= counts[t].rows;
        taken += takes_all[t] && others > 0;
        not_taken += !takes_all[t] && counts[t].boundary_rows > 0;
        if (takes_all[t])
            counts[t].boundary_rows = counts[t].boundary_own_values = counts[t].rows;
    }
}

static void add_values(const model_layout_t *layout, const needs_t *needs, model_counts_t *counts)
{
    for (size_t t = 0; t < layout->threads; t++)
        for (size_t from = 0; from < layout->threads; from++) {
            model_place_t p = place(layout, t, from);
            size_t values = 0;
            for (size_t c = 0; c < ROWS; c++) {
                values += needs->value[t][c] && owner(layout, c) == from && from != t;
                counts[t].boundary_own_values +=
                    !takes_all[t] && needs->by_boundary[t][c] && owner(layout, c) == t && from == t;
            }
            counts[t].values_in[p] += values;
            counts[t].messages_in[p] += values > 0;
            counts[from].values_out[p] += values;
            counts[from].messages_out[p] += values > 0;
        }
}

static void add_blocks(const model_layout_t *layout, const needs_t *needs, model_counts_t *counts)
{
    for (size_t t = 0; t < layout->threads; t++)
        for (size_t first = 0; first < ROWS; first += layout->blocksize) {
            size_t left = ROWS - first;
            size_t rows = left < layout->blocksize ? left : layout->blocksize;
            model_place_t p = place(layout, t, owner(layout, first));
            bool is_needed = p == MODEL_OWN;
            for (size_t c = first; c < first + rows; c++)
                is_needed |= needs->value[t][c];
            counts[t].blocks += p == MODEL_OWN;
            counts[t].needed_blocks[p] += is_needed;
            counts[t].needed_bytes[p] += is_needed ? rows * sizeof(double) : 0;
        }
}

static void add_lines(const model_layout_t *layout, const needs_t *needs, model_counts_t *counts)
{
    for (size_t t = 0; t < layout->threads; t++)
        for (size_t line = 0; line < ROWS; line += 8) {
            bool is_needed[MODEL_PLACES] = {false};
            for (size_t c = line; c < line + 8 && c < ROWS; c++)
                is_needed[place(layout, t, owner(layout, c))] |= needs->value[t][c];
            for (int p = MODEL_LOCAL; p < MODEL_PLACES; p++)
                counts[t].lines_in[p] += is_needed[p];
        }
}

static void add_nodes(const model_layout_t *layout, const needs_t *needs, model_counts_t *counts)
{
    for (size_t from = 0; from < layout->nodes; from++)
        for (size_t to = 0; to < layout->nodes; to++) {
            size_t values = 0;
            for (size_t t = 0; t < layout->threads; t++)
                for (size_t c = 0; c < ROWS; c++)
                    values += from != to && model_layout_node(layout, t) == to &&
                              model_layout_node(layout, owner(layout, c)) == from &&
                              needs->value[t][c];
            model_counts_t *leader = &counts[model_layout_leader(layout, from)];
            leader->node_messages_out += values > 0;
            leader->node_values_out += values;
        }
}

/* Number of off-diagonals before those at the end that pad the row. */
static size_t length_of(const model_matrix_t *matrix, size_t row)
{
    size_t width = matrix->row_nonzeros;
    size_t length = 0;
    for (size_t k = 0; k < width; k++)
        length = matrix->J[row * width + k] != (int32_t)row ? k + 1 : length;
    return length;
}

static int longest_first(const void *a, const void *b)
{
    size_t first = *(const size_t *)a;
    size_t second = *(const size_t *)b;
    return (first < second) - (first > second);
}

/* The sum of the slices' lengths. */
static size_t sum_of_slices(const size_t *lengths, size_t count)
{
    size_t sum = 0;
    for (size_t first = 0; first < count; first += LANES) {
        size_t longest = 0;
        for (size_t k = first; k < first + LANES && k < count; k++)
            longest = lengths[k] > longest ? lengths[k] : longest;
        sum += longest;
    }
    return sum;
}

/* Places of rows in slices (apps/spmv/local_matrix.h). `lengths` may come out sorted. */
static size_t entries_of(size_t *lengths, size_t count)
{
    size_t slices = (count + LANES - 1) / LANES;
    size_t longest = 0;
    size_t sum = sum_of_slices(lengths, count);
    for (size_t k = 0; k < count; k++)
        longest = lengths[k] > longest ? lengths[k] : longest;
    for (size_t first = 0; first < count; first += WINDOW)
        qsort(&lengths[first], count - first < WINDOW ? count - first : WINDOW, sizeof *lengths,
              longest_first);
    size_t sorted = sum_of_slices(lengths, count);
    sum = 4 * sum > 5 * sorted ? sorted : sum;
    return LANES * (sum >= slices * longest / 8 * 7 ? slices * longest : sum);
}

static void add_entries(const model_matrix_t *matrix, const model_layout_t *layout,
                        model_counts_t *counts)
{
    for (size_t t = 0; t < layout->threads; t++) {
        size_t lengths[2][ROWS];
        size_t count[2] = {0};
        for (size_t i = 0; i < ROWS; i++) {
            bool is_boundary = takes_all[t];
            for (size_t k = 0; k < WIDTH; k++)
                is_boundary |= owner(layout, (size_t)matrix->J[i * WIDTH + k]) != t;
            if (owner(layout, i) == t)
                lengths[is_boundary][count[is_boundary]++] = length_of(matrix, i);
        }
        counts[t].interior_entries = entries_of(lengths[false], count[false]);
        counts[t].boundary_entries = entries_of(lengths[true], count[true]);
    }
}

/* Where a row lies in its owner's part. */
static size_t own_place(const model_layout_t *layout, size_t row)
{
    size_t block = row / layout->blocksize;
    return block / layout->threads * layout->blocksize + row % layout->blocksize;
}

static void add_wide(const model_matrix_t *matrix, const model_layout_t *layout,
                     model_counts_t *counts)
{
    for (size_t t = 0; t < layout->threads; t++) {
        size_t lanes = 0;
        size_t low = SIZE_MAX;
        size_t high = 0;
        for (size_t i = 0; i <= ROWS; i++) {
            bool is_interior = i < ROWS && owner(layout, i) == t && !takes_all[t];
            for (size_t k = 0; k < WIDTH && is_interior; k++)
                is_interior &= owner(layout, (size_t)matrix->J[i * WIDTH + k]) == t;
            size_t length = i < ROWS ? length_of(matrix, i) : 0;
            for (size_t k = 0; is_interior && (k < length || k == 0); k++) {
                size_t at = own_place(layout, (size_t)matrix->J[i * WIDTH + k]);
                low = at < low ? at : low;
                high = at > high ? at : high;
            }
            lanes += is_interior;
            if (lanes == LANES || (i == ROWS && lanes > 0)) {
                counts[t].wide_rows += high - low > UINT16_MAX ? lanes : 0;
                lanes = 0;
                low = SIZE_MAX;
                high = 0;
            }
        }
    }
}

static void book_line(reuse_place_t from, model_line_kind_t kind, model_counts_t *counts)
{
    counts->sequence_lines[kind] += from == REUSE_SEQUENCE;
    counts->close_lines[kind] += from == REUSE_CLOSE;
    counts->near_lines[kind] += from == REUSE_NEAR;
    counts->far_lines[kind] += from == REUSE_FAR;
}

static void book_row(reuse_place_t farthest, model_line_kind_t kind, model_counts_t *counts)
{
    counts->close_rows[kind] += farthest == REUSE_CLOSE;
    counts->near_rows[kind] += farthest == REUSE_NEAR;
    counts->far_rows[kind] += farthest == REUSE_FAR;
}

/* A row's lines, with or without padding. */
static void add_row(const model_matrix_t *matrix, const model_layout_t *layout, size_t i,
                    bool is_padded, reuse_t *reuse, model_counts_t *counts)
{
    size_t t = owner(layout, i);
    size_t length = is_padded ? WIDTH : length_of(matrix, i);
    reuse_place_t farthest[2] = {REUSE_HELD, REUSE_HELD}; /* of all values, and of the node's */
    bool is_interior = !takes_all[t];
    for (size_t k = 0; k < WIDTH; k++)
        is_interior &= owner(layout, (size_t)matrix->J[i * WIDTH + k]) == t;
    model_line_kind_t kind = is_interior ? MODEL_INTERIOR_LINES : MODEL_BOUNDARY_LINES;
    reuse_next_row_of(reuse, length * 12 + 16);
    reuse_place_t own = reuse_use(reuse, (uint32_t)i, (uint32_t)i);
    book_line(own, is_padded ? MODEL_ALL_LINES : kind, counts);
    if (is_padded)
        book_line(own, MODEL_NODE_LINES, counts);
    for (size_t k = 0; k < length; k++) {
        size_t column = (size_t)matrix->J[i * WIDTH + k];
        size_t its_place = place(layout, t, owner(layout, column));
        reuse_place_t from = reuse_use(reuse, (uint32_t)i, (uint32_t)column);
        for (int of = 0; of < (its_place == MODEL_REMOTE ? 1 : 2); of++)
            farthest[of] = farthest[of] > from ? farthest[of] : from;
        if (!is_padded) {
            book_line(from, kind, counts);
            continue;
        }
        counts->x_lines[its_place] += from > REUSE_SEQUENCE;
        book_line(from, MODEL_ALL_LINES, counts);
        if (its_place != MODEL_REMOTE)
            book_line(from, MODEL_NODE_LINES, counts);
    }
    book_row(farthest[0], is_padded ? MODEL_ALL_LINES : kind, counts);
    if (is_padded)
        book_row(farthest[1], MODEL_NODE_LINES, counts);
}

/* Lines of all layouts. */
static uint64_t in_sequence;

/* A thread's rows one after another, by the rule of support/reuse.h, which has its own test. */
static void add_x_lines(const model_matrix_t *matrix, const model_layout_t *layout,
                        model_caches_t caches, model_counts_t *counts)
{
    for (size_t t = 0; t < layout->threads; t++)
        for (int is_padded = 0; is_padded < 2; is_padded++) {
            reuse_t reuse;
            reuse_caches_t sizes = {(size_t)caches.first_level, (size_t)caches.second_level,
                                    (size_t)caches.share, true};
            assert_true(reuse_init(&reuse, ROWS, WIDTH * 12 + 16, sizes));
            for (size_t i = 0; i < ROWS; i++)
                if (owner(layout, i) == t)
                    add_row(matrix, layout, i, is_padded == 1, &reuse, &counts[t]);
            in_sequence += counts[t].sequence_lines[MODEL_ALL_LINES];
            reuse_free(&reuse);
        }
}

static void check(const model_matrix_t *matrix, size_t threads, size_t nodes, size_t per_node,
                  size_t blocksize)
{
    static const model_caches_t caches[] = {
        {0.0, 36.0, 0.0}, {0.0, 220.0, 500.0}, {300.0, 1500.0, 4000.0}};
    static needs_t needs;
    mesh_error_t error;
    model_layout_t layout;
    model_counts_t counted[THREADS_MAX];
    model_counts_t expected[THREADS_MAX] = {{0}};
    model_counts_t without[THREADS_MAX];
    assert_true(
        model_layout_make(ROWS, WIDTH, threads, nodes, per_node, blocksize, &layout, &error));
    memset(&needs, 0, sizeof needs);
    see_rows(matrix, &layout, &needs, expected);
    add_values(&layout, &needs, expected);
    add_blocks(&layout, &needs, expected);
    add_lines(&layout, &needs, expected);
    add_nodes(&layout, &needs, expected);
    add_wide(matrix, &layout, expected);
    add_entries(matrix, &layout, expected);
    for (size_t workers = 0; workers < 3; workers++) {
        assert_true(model_count(matrix, &layout, unknown, workers, NULL, counted, &error));
        for (size_t t = 0; t < threads; t++)
            assert_memory_equal(&counted[t], &expected[t], sizeof expected[t]);
    }
    const model_counts_t *const bare = memcpy(without, expected, sizeof expected);
    for (size_t c = 0; c < sizeof caches / sizeof caches[0]; c++) {
        memcpy(expected, bare, sizeof expected);
        add_x_lines(matrix, &layout, caches[c], expected);
        assert_true(model_count(matrix, &layout, caches[c], c, NULL, counted, &error));
        for (size_t t = 0; t < threads; t++)
            assert_memory_equal(&counted[t], &expected[t], sizeof expected[t]);
    }
}

static void definitions(void **state)
{
    (void)state;
    static const size_t blocksizes[] = {0, 1, 7, 8, 100, 413, 1000};
    static const size_t threads[] = {1, 2, 3, 5, 16, 24};
    model_matrix_t matrix = random_matrix();
    for (size_t b = 0; b < sizeof blocksizes / sizeof blocksizes[0]; b++)
        for (size_t t = 0; t < sizeof threads / sizeof threads[0]; t++) {
            check(&matrix, threads[t], 1, 0, blocksizes[b]);
            check(&matrix, threads[t], (threads[t] + 1) / 2, 0, blocksizes[b]);
            check(&matrix, threads[t], threads[t], 0, blocksizes[b]);
            check(&matrix, threads[t], 0, 3, blocksizes[b]);
        }
    model_matrix_free(&matrix);
    assert_true(taken > 0 && not_taken > 0 && in_sequence > 0);
}

/* Slices whose columns need 32 bits: one row in each block of eight has a distant column. */
static void wide_slices(void **state)
{
    (void)state;
    enum {
        N = 200000
    };
    mesh_error_t error;
    model_layout_t layout;
    model_counts_t counts;
    model_matrix_t matrix = {.rows = N, .row_nonzeros = 1};
    matrix.J = malloc(N * sizeof(int32_t));
    assert_non_null(matrix.J);
    for (int32_t i = 0; i < N; i++)
        matrix.J[i] = i;
    matrix.J[3] = 3 + 65535;
    matrix.J[16] = 70000;
    matrix.J[31] = 0;
    assert_true(model_layout_make(N, 1, 1, 1, 0, 0, &layout, &error));
    assert_true(model_count(&matrix, &layout, unknown, 1, NULL, &counts, &error));
    assert_int_equal(counts.wide_rows, 2 * LANES);
    assert_int_equal(counts.boundary_rows, 0);
    model_matrix_free(&matrix);
}

/* Nearly all rows of one length, rows of few lengths, and of many, through several windows. */
static void stored_entries(void **state)
{
    (void)state;
    enum {
        MOST = 10000,
        NZ = 40,
        CASES = 6 * 4
    };
    static size_t lengths[MOST];
    static const size_t counts_of_rows[] = {1, 7, 8, WINDOW, WINDOW + 3, MOST};
    static const size_t spreads[] = {0, 1, 4, NZ};
    model_matrix_t matrix = {.row_nonzeros = NZ, .J = malloc(sizeof(int32_t) * MOST * NZ)};
    assert_non_null(matrix.J);
    for (size_t c = 0; c < CASES; c++) {
        mesh_error_t error;
        model_layout_t layout;
        model_counts_t counts;
        size_t spread = spreads[c % 4];
        matrix.rows = counts_of_rows[c / 4];
        for (size_t i = 0; i < matrix.rows; i++) {
            lengths[i] = NZ - below(spread + 1) * below(spread + 1) / (spread + 1);
            for (size_t k = 0; k < NZ; k++)
                matrix.J[i * NZ + k] = (int32_t)(k < lengths[i] ? (i + 1) % matrix.rows : i);
        }
        if (matrix.rows == 1)
            lengths[0] = 0;
        assert_true(model_layout_make(matrix.rows, NZ, 1, 1, 0, 0, &layout, &error));
        assert_true(model_count(&matrix, &layout, unknown, 1, NULL, &counts, &error));
        assert_int_equal(counts.interior_entries, entries_of(lengths, matrix.rows));
        assert_int_equal(counts.boundary_entries, 0);
    }
    model_matrix_free(&matrix);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(definitions),
        cmocka_unit_test(wide_slices),
        cmocka_unit_test(stored_entries),
    };
    seed = (uint64_t)time(NULL);
    printf("seed: %llu\n", (unsigned long long)seed);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
