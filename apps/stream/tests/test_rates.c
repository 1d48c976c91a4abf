/* The rates of products: columns fetch the lines that they are to, all products are right,
 * and a wrong value is found wherever it is. */
#include <math.h>
#include <pgas/pgas.h>
#include <stdlib.h>
#include <string.h>

#include "../close_rows.h"
#include "../job.h"
#include "../kept_rows.h"
#include "../lines.h"
#include "../product.h"
#include "../rate_matrix.h"
#include "../rates.h"
#include "check.h"
#include "common/large.h"

/* A wrong element of the matrix, of the last row, is found. */
static void test_product(void)
{
    enum {
        ROWS = 4096,
        NEIGHBOURS = 16
    };
    stream_product_t product;
    stream_product_create((size_t)ROWS * 216 - 1, (reuse_caches_t){4096, 32768, 131072, true},
                          &product);
    CHECK(product.rows == ROWS);
    CHECK(product.own[(size_t)7 * NEIGHBOURS] == 7);
    /* Row 0 is in a corner of the cube, row 7 the opposite one of eight. */
    const int32_t *last = product.near + (size_t)7 * NEIGHBOURS;
    for (int j = 0; j < NEIGHBOURS; j++)
        CHECK(product.near[j] < 8);
    CHECK(last[0] == 6 && last[1] == 14);
    CHECK(last[6] == 4 && last[7] == 28);
    /* Each line at least once but for those that come in order, and not one for every access. */
    CHECK(product.lines > ROWS / 16 && product.lines < ROWS);
    stream_product_times_t times = stream_product_measure(&product);
    CHECK(times.bandwidth > 0.0 && times.line >= 0.0);
    CHECK(stream_product_check(&product));
    if (pgas_mythread() == pgas_threads() - 1)
        product.A[ROWS * NEIGHBOURS - 1] *= 2.0;
    stream_product_measure(&product);
    CHECK(!stream_product_check(&product));
    stream_product_free(&product);
}

/* Bytes of x that near lines come from, all of a row. */
static double near_bytes(size_t nbytes, size_t share)
{
    stream_kind_t kind = {.place = REUSE_NEAR, .is_all = true};
    reuse_caches_t caches = {4096, 65536, share, true};
    return (double)(stream_cached_values(nbytes, caches, 16, kind) * sizeof(double));
}

/* As large as x, between twice the second-level cache and an eighth of the share of the last. */
static void test_near_lines(void)
{
    size_t values = ((size_t)1 << 26) / 216 * (size_t)pgas_threads();
    double of_x = (double)(values * sizeof(double));
    double near = near_bytes((size_t)1 << 26, (size_t)1 << 32);
    CHECK(near <= of_x && near > of_x / 2);
    CHECK(near_bytes((size_t)1 << 20, (size_t)1 << 32) >= 131072.0);
    CHECK(near_bytes(4096, (size_t)1 << 32) == 131072.0);
    CHECK(near_bytes((size_t)1 << 30, (size_t)1 << 21) == 262144.0);
}

/* Close lines come from the second level, and hardly one from farther away. */
static void test_close_lines(void)
{
    const reuse_caches_t caches = {32768, 262144, (size_t)1 << 21, true};
    const size_t nbytes = (size_t)1 << 22;
    for (int w = 0; w < STREAM_WIDTHS; w++)
        for (int is_all = 0; is_all < 2; is_all++) {
            stream_kind_t kind = {.place = REUSE_CLOSE, .is_all = is_all};
            size_t width = stream_widths[w];
            size_t rows = stream_row_count(nbytes, caches, width, kind);
            int32_t *J = common_alloc("columns", rows * width, sizeof(int32_t));
            double lines[REUSE_PLACES];
            stream_fill_columns(nbytes, caches, rows, width, kind, J);
            stream_count_lines(nbytes, caches, rows, width, kind, J, 0, lines);
            CHECK(lines[REUSE_CLOSE] > 0.75 * (is_all ? (double)width : 1.0));
            CHECK(lines[REUSE_NEAR] + lines[REUSE_FAR] < 0.02 * lines[REUSE_CLOSE]);
            free(J);
        }
}

static double lines_of(const stream_rates_t *rates, int columns, int w)
{
    const double *lines = rates->lines[columns][w];
    return lines[REUSE_CLOSE] + lines[REUSE_NEAR] + lines[REUSE_FAR];
}

/* Where a second thread's x is used too, it is twice as large, and less of it is held. */
static void check_turns(const stream_rates_t *rates, int columns, int w)
{
    const double *alone = rates->lines[columns][w];
    const double *in_turns = rates->lines_in_turns[columns][w];
    bool is_near = stream_kinds[columns].place == REUSE_NEAR && stream_kinds[columns].is_all;
    bool has_partner = stream_has_other(PGAS_LOCAL);
    for (int place = 0; place < REUSE_PLACES; place++)
        CHECK(has_partner || in_turns[place] == alone[place]);
    CHECK(!has_partner || !is_near || in_turns[REUSE_NEAR] > 1.2 * alone[REUSE_NEAR]);
}

/* Columns out of order fetch lines by the rule, all products are right, and a wrong one is found.
 */
static void test_rates(void)
{
    double seconds[STREAM_RATES];
    stream_rates_t rates;
    stream_rates_create((size_t)1 << 21, (reuse_caches_t){4096, 65536, 524288, true}, &rates);
    CHECK(rates.nbytes == 1258284); /* 2 shares, of which 10 bytes are stored for 12 */
    for (int w = 0; w < STREAM_WIDTHS; w++) {
        CHECK(lines_of(&rates, 0, w) == 0.0 && lines_of(&rates, 1, w) == 0.0);
        for (int c = 2; c < STREAM_COLUMNS; c++) {
            double lines = lines_of(&rates, c, w);
            check_turns(&rates, c, w);
            /* Of the few close lines beside the widest rows many follow others, and so do those
             * of rows that need all they go round within three. */
            double least = c == 2 && w == STREAM_WIDTHS - 1 ? 0.1 : 0.2;
            double fewer = c == 3 && w == 2 ? 0.2 : lines_of(&rates, c - 1, w);
            CHECK(c % 2 == 0 ? lines > least && lines <= 1.0 : lines > fewer);
            /* Close is close, near is near, and far is far. */
            CHECK(rates.lines[c][w][REUSE_CLOSE + c / 2 - 1] > (c / 2 == 2 ? 0.3 : 0.6) * lines);
        }
    }
    stream_rates_measure(&rates, seconds);
    for (int r = 0; r < STREAM_RATES; r++)
        CHECK(seconds[r] >= 0.0 && isfinite(seconds[r]));
    /* A round says what it has measured, however fast an earlier one was; the best does not. */
    double best[STREAM_RATES];
    stream_rates_best(&rates, best);
    for (int r = 0; r < STREAM_RATES; r++)
        CHECK(best[r] == seconds[r]);
    rates.rounds[0][0][0][0] = 1e-30;
    stream_rates_measure(&rates, seconds);
    stream_rates_measure(&rates, seconds);
    stream_rates_best(&rates, best);
    CHECK(seconds[0] > 1e-12 && best[0] == 1e-30);
    for (int r = 0; r < STREAM_RATES; r++)
        CHECK(strncmp(stream_rate_name(r), "sliced_row_", 11) != 0 || best[r] <= seconds[r]);
    /* By pointers neither the least nor the greatest of three rounds counts. */
    const double *rounds = rates.rounds[0][0][STREAM_LOOPS - 1];
    double naive = best[STREAM_RATES - 2 * STREAM_WIDTHS];
    CHECK((rounds[0] < naive) + (rounds[1] < naive) + (rounds[2] < naive) <= 1);
    CHECK((rounds[0] > naive) + (rounds[1] > naive) + (rounds[2] > naive) <= 1);
    CHECK(strcmp(stream_rate_name(STREAM_RATES - 2 * STREAM_WIDTHS), "naive_row_4") == 0);
    /* By pointers to two threads the least does. */
    const int turns = 3 * STREAM_COLUMNS * STREAM_WIDTHS + STREAM_ROWS * STREAM_WIDTHS;
    CHECK(strcmp(stream_rate_name(turns), "pointers_turns_row_4") == 0);
    rates.rounds[0][0][STREAM_LINE_LOOPS + 1][1] = 1e-30;
    stream_rates_best(&rates, best);
    CHECK(best[turns] == 1e-30);
    CHECK(strcmp(stream_rate_name(0), "product_row_4") == 0);
    CHECK(strcmp(stream_rate_name(STREAM_RATES - 1), "naive_held_128") == 0);
    CHECK(stream_rates_check(&rates));
    if (pgas_mythread() == 0)
        rates.D[1] = 0.25;
    stream_rates_measure(&rates, seconds);
    CHECK(!stream_rates_check(&rates));
    stream_rates_free(&rates);
}

/* A wrong value of x is found, whether the rows read it in private memory or in an array. */
static void check_wrong_x(stream_rates_t *rates, void (*measure)(void *), void *what)
{
    double *const xs[] = {rates->x, rates->own_x};
    for (int i = 0; i < 2; i++) {
        xs[i][100] = 0.0;
        measure(what);
        CHECK(!stream_rates_check(rates));
        xs[i][100] = 1.0;
        rates->right = true;
    }
}

static void measure_lines(void *lines)
{
    double seconds[STREAM_LINE_PRICES];
    stream_lines_measure(lines, seconds);
}

/* A quarter of the columns is in sequence, which the second level holds and the first does not; of
 * the close ones one of a row is out of order, or all. All products are right, and a wrong one is
 * found. Without the size of the first level no line comes in sequence. */
static void test_lines(void)
{
    double seconds[STREAM_LINE_PRICES];
    stream_rates_t rates;
    stream_lines_t lines;
    stream_rates_create((size_t)1 << 21, (reuse_caches_t){4096, 65536, 524288, true}, &rates);
    stream_lines_create(&rates, &lines);
    for (int k = 0; k < 2; k++)
        CHECK(lines.counts[k] > 0.4 && lines.counts[k] <= 0.5);
    CHECK(lines.counts[2] > 0.5 && lines.counts[2] <= 1.0);
    CHECK(lines.counts[3] > 8.0 && lines.counts[3] <= 16.0);
    stream_lines_measure(&lines, seconds);
    for (int p = 0; p < STREAM_LINE_PRICES; p++)
        CHECK(seconds[p] >= 0.0 && isfinite(seconds[p]));
    CHECK(strcmp(stream_line_name(0), "product_sequence_row") == 0);
    CHECK(strcmp(stream_line_name(STREAM_LINE_PRICES - 1), "sliced_close_held_all") == 0);
    CHECK(stream_rates_check(&rates));
    check_wrong_x(&rates, measure_lines, &lines);
    stream_lines_free(&lines);
    rates.caches.first_level = 0;
    stream_lines_create(&rates, &lines);
    stream_lines_measure(&lines, seconds);
    for (int p = 0; p < STREAM_LINE_PRICES; p++)
        CHECK(p % STREAM_LINE_KINDS >= 2 || seconds[p] == 0.0);
    stream_lines_free(&lines);
    stream_rates_free(&rates);
}

static void measure_close_rows(void *rows)
{
    double seconds[STREAM_CLOSE_ROW_RATES];
    stream_close_rows_measure(rows, seconds);
}

/* Rows that the second level holds, also where the arrays have room for less. All products are
 * right, and a wrong one is found, in either loop. */
static void test_close_rows(void)
{
    double seconds[STREAM_CLOSE_ROW_RATES];
    const size_t second_levels[] = {65536, (size_t)1 << 22};
    for (int i = 0; i < 2; i++) {
        stream_rates_t rates;
        stream_close_rows_t rows;
        stream_rates_create((size_t)1 << 20,
                            (reuse_caches_t){4096, second_levels[i], (size_t)1 << 23, true},
                            &rates);
        stream_close_rows_create(&rates, &rows);
        stream_close_rows_measure(&rows, seconds);
        for (int r = 0; r < STREAM_CLOSE_ROW_RATES; r++)
            CHECK(seconds[r] > 0.0 && isfinite(seconds[r]));
        CHECK(stream_rates_check(&rates));
        check_wrong_x(&rates, measure_close_rows, &rows);
        stream_rates_free(&rates);
    }
    CHECK(strcmp(stream_close_row_name(0), "product_close_row_4") == 0);
    CHECK(strcmp(stream_close_row_name(STREAM_CLOSE_ROW_RATES - 1), "sliced_close_row_128") == 0);
}

/* Matrices of a half to two shares, if the arrays have room for them, as they have where nothing
 * limits them. All products are right, and a wrong one is found. */
static void test_kept_rows(void)
{
    double seconds[STREAM_KEPT_ROW_SIZES];
    const reuse_caches_t caches = {4096, 65536, 524288, true};
    stream_rates_t rates = {.nbytes = (size_t)1 << 20, .caches = caches};
    CHECK(stream_kept_rows_fit(&rates));
    rates.nbytes--;
    CHECK(!stream_kept_rows_fit(&rates));
    stream_rates_create((size_t)1 << 30, caches, &rates);
    CHECK(stream_kept_rows_fit(&rates));
    stream_kept_rows_measure(&rates, seconds);
    for (int size = 0; size < STREAM_KEPT_ROW_SIZES; size++)
        CHECK(seconds[size] > 0.0 && isfinite(seconds[size]));
    CHECK(stream_rates_check(&rates));
    rates.x[100] = 0.0;
    stream_kept_rows_measure(&rates, seconds);
    CHECK(!stream_rates_check(&rates));
    stream_rates_free(&rates);
    CHECK(strcmp(stream_kept_row_name(0), "kept_row_half") == 0);
    CHECK(strcmp(stream_kept_row_name(STREAM_KEPT_ROW_SIZES - 1), "kept_row_two") == 0);
}

/* The loops read x where they must: v2 and v3 from a private copy, the others from the arrays. A
 * wrong value in any of the three is found. */
static void test_rates_by_pointers(void)
{
    double seconds[STREAM_RATES];
    stream_rates_t rates;
    stream_rates_create((size_t)1 << 20, (reuse_caches_t){2048, 8192, 131072, true}, &rates);
    for (size_t k = 0; k < rates.x_count; k++)
        rates.x[k] = 0.0;
    stream_rates_measure(&rates, seconds);
    CHECK(!stream_rates_check(&rates));
    for (size_t k = 0; k < rates.x_count; k++)
        rates.x[k] = 1.0;
    rates.right = true;
    stream_rates_measure(&rates, seconds);
    CHECK(stream_rates_check(&rates));
    double *const shared[] = {rates.own_x, rates.own_shifts_x};
    for (int i = 0; i < 2; i++) {
        shared[i][3000] = 0.0; /* x is renewed at its start */
        stream_rates_measure(&rates, seconds);
        CHECK(!stream_rates_check(&rates));
        shared[i][3000] = 1.0;
        rates.right = true;
    }
    stream_rates_free(&rates);
}

int main(void)
{
    if (pgas_init() != PGAS_OK)
        return 1;
    stream_job_begin();
    test_product();
    test_near_lines();
    test_close_lines();
    test_rates();
    test_lines();
    test_close_rows();
    test_kept_rows();
    test_rates_by_pointers();
    stream_job_end();
    pgas_finalize();
    return 0;
}
