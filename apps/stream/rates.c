#include "rates.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/large.h"
#include "common/timing.h"
#include "job.h"

enum {
    LINE = 64 / sizeof(double),
    /* Shares of the last level that a matrix is larger than, in the form of v4 with 10 bytes of an
     * off-diagonal, too, in place of 12. */
    MATRIX_TIMES = 2,
    MATRIX_BYTES = 12,
    LEAST_BYTES = 10,
    /* One column in so many is another thread's where few are. */
    MIXED = 10
};

#define ROWS_OF(kernel) STREAM_WIDTHS_OF(kernel "_row"), STREAM_WIDTHS_OF(kernel "_held")
#define LINES_OF(name) STREAM_WIDTHS_OF(name "_one"), STREAM_WIDTHS_OF(name "_all")
#define COLUMNS_OF(kernel) \
    ROWS_OF(kernel), LINES_OF(kernel "_close"), LINES_OF(kernel "_near"), LINES_OF(kernel "_far")

const char *stream_rate_name(int rate)
{
    static const char *const names[STREAM_RATES] = {
        COLUMNS_OF("product"),     COLUMNS_OF("sliced"),      COLUMNS_OF("pointers"),
        ROWS_OF("shifts"),         ROWS_OF("pointers_turns"), ROWS_OF("shifts_turns"),
        ROWS_OF("pointers_mixed"), ROWS_OF("shifts_mixed"),   ROWS_OF("naive"),
    };
    return names[rate];
}

static size_t row_count(const stream_rates_t *rates, size_t width, stream_kind_t kind)
{
    return stream_row_count(rates->nbytes, rates->caches, width, kind);
}

/* Every product is 1 where x is, whatever the width. */
static void fill(stream_rates_t *rates)
{
    size_t rows = row_count(rates, stream_widths[0], stream_kinds[0]);
    for (size_t k = 0; k < rows; k++)
        rates->D[k] = 0.5;
    for (size_t k = 0; k < rates->x_count; k++)
        rates->x[k] = rates->own_x[k] = 1.0;
    for (size_t k = 0; k < rates->shifts_x.block; k++)
        rates->own_shifts_x[k] = 1.0;
}

void stream_rates_fill(const stream_rates_t *rates, size_t width)
{
    for (size_t e = 0; e < row_count(rates, width, stream_kinds[0]) * width; e++)
        rates->A[e] = 0.5 / (double)width;
}

stream_rows_t stream_rates_make_rows(const stream_rates_t *rates, size_t nbytes, size_t width,
                                     stream_kind_t kind, int32_t *J)
{
    size_t count = stream_row_count(nbytes, rates->caches, width, kind);
    stream_fill_columns(nbytes, rates->caches, count, width, kind, J);
    return (stream_rows_t){rates->D, rates->A, J, count, width};
}

stream_row_run_t stream_rates_run(const stream_rates_t *rates, stream_rows_t rows,
                                  const spmv_product_t *product)
{
    stream_row_run_t run = {.rows = rows, .x = rates->x, .own_x = rates->own_x, .y = rates->y};
    stream_sliced_create(&rows, product, &run.sliced);
    return run;
}

/* The lines of its rows, also where every second off-diagonal is the partner's. */
static void count_lines(stream_rates_t *rates, const stream_rows_t *rows, stream_kind_t kind,
                        int columns, int w)
{
    bool has_partner = stream_has_other(PGAS_LOCAL);
    stream_count_lines(rates->nbytes, rates->caches, rows->count, rows->width, kind, rates->J, 0,
                       rates->lines[columns][w]);
    stream_count_lines(rates->nbytes, rates->caches, rows->count, rows->width, kind, rates->J,
                       has_partner ? 2 : 0, rates->lines_in_turns[columns][w]);
}

/* Finds what must be known about a matrix before it is measured. */
static void survey(stream_rates_t *rates, int columns, int w)
{
    stream_kind_t kind = stream_kinds[columns];
    stream_rows_t rows =
        stream_rates_make_rows(rates, rates->nbytes, stream_widths[w], kind, rates->J);
    if (kind.place != REUSE_HELD)
        count_lines(rates, &rows, kind, columns, w);
    rates->sliced[columns][w] = stream_sliced_choose(&rows, rates->own_x, rates->y);
}

/* Creates an array with such a block for every thread; returns the own one. */
static void *create_blocks(size_t block, size_t elem_size, pgas_array_t *array)
{
    if (pgas_array_create(block * (size_t)pgas_threads(), elem_size, block, array) != PGAS_OK)
        pgas_exit(1);
    return pgas_array_mine(array);
}

/* The same, of no power of two. */
static void *create_array(size_t count, size_t elem_size, pgas_array_t *array)
{
    return create_blocks((count & (count - 1)) == 0 ? count + LINE : count, elem_size, array);
}

/* In blocks of a power of two, with what is renewed. */
static double *create_shifts_x(stream_rates_t *rates)
{
    size_t rows = row_count(rates, stream_widths[0], stream_kinds[0]);
    size_t renewed =
        stream_cached_values(rates->nbytes, rates->caches, stream_widths[0], stream_kinds[0]);
    size_t block = LINE;
    while (block < rows || block < renewed)
        block *= 2;
    return create_blocks(block, sizeof(double), &rates->shifts_x);
}

void stream_rates_create(size_t nbytes, reuse_caches_t caches, stream_rates_t *rates)
{
    *rates = (stream_rates_t){.nbytes = nbytes, .caches = caches, .right = true};
    size_t most = MATRIX_TIMES * caches.share / LEAST_BYTES * MATRIX_BYTES;
    if (rates->nbytes > most)
        rates->nbytes = most;
    size_t rows = row_count(rates, stream_widths[0], stream_kinds[0]);
    size_t elements = row_count(rates, STREAM_WIDEST, stream_kinds[0]) * STREAM_WIDEST;
    size_t far = stream_far_values(caches);
    rates->x_count = far > rows ? far : rows;
    rates->D = create_array(rows, sizeof(double), &rates->shared_D);
    rates->A = create_array(elements, sizeof(double), &rates->shared_A);
    rates->J = create_array(elements, sizeof(int32_t), &rates->shared_J);
    rates->own_x = create_array(rates->x_count, sizeof(double), &rates->shared_x);
    rates->y = create_array(rows, sizeof(double), &rates->shared_y);
    rates->own_shifts_x = create_shifts_x(rates);
    rates->x = common_alloc("x", rates->x_count, sizeof(double));
    fill(rates);
    for (int w = 0; w < STREAM_WIDTHS; w++) {
        stream_rates_fill(rates, stream_widths[w]);
        for (int c = 0; c < STREAM_COLUMNS; c++)
            survey(rates, c, w);
    }
}

void stream_rates_free(stream_rates_t *rates)
{
    free(rates->x);
    pgas_array_free(&rates->shifts_x);
    pgas_array_free(&rates->shared_y);
    pgas_array_free(&rates->shared_x);
    pgas_array_free(&rates->shared_J);
    pgas_array_free(&rates->shared_A);
    pgas_array_free(&rates->shared_D);
}

/* What all loops get: those that read no global addresses see its first member. */
typedef struct run {
    stream_row_run_t in_rows;
    const stream_rates_t *rates;
    const pgas_array_t *shared_x;
} run_t;

static size_t first_of(const pgas_array_t *array)
{
    return array->block * (size_t)pgas_mythread();
}

/* As in v1; columns index all threads' x. */
static void multiply_by_pointers(void *context, size_t count)
{
    const run_t *run = context;
    const stream_rows_t *rows = &run->in_rows.rows;
    const pgas_array_t *x = run->shared_x;
    const double *D = rows->D;
    const double *A = rows->A;
    const int32_t *J = rows->columns;
    double *y = run->in_rows.y;
    const size_t first = first_of(x);
    const size_t width = rows->width;
    for (size_t i = 0; i < count; i++)
        for (size_t k = 0; k < rows->count; k++) {
            double tmp = 0.0;
            for (size_t j = 0; j < width; j++)
                tmp += A[k * width + j] * PGAS_GET(double, x, (size_t)J[k * width + j]);
            y[k] = D[k] * PGAS_GET(double, x, first + k) + tmp;
        }
}

/* As in naive, without the loop's affinity test. */
static void multiply_naively(void *context, size_t count)
{
    const run_t *run = context;
    const stream_rates_t *r = run->rates;
    const pgas_array_t *x = &r->shared_x;
    const pgas_array_t *y = &r->shared_y;
    const pgas_array_t *D = &r->shared_D;
    const pgas_array_t *A = &r->shared_A;
    const pgas_array_t *J = &r->shared_J;
    const size_t first = first_of(x);
    const size_t first_row = first_of(D);
    const size_t first_A = first_of(A);
    const size_t width = run->in_rows.rows.width;
    for (size_t i = 0; i < count; i++)
        for (size_t k = 0; k < run->in_rows.rows.count; k++) {
            double tmp = 0.0;
            for (size_t j = 0; j < width; j++)
                tmp += PGAS_GET(double, A, first_A + k * width + j) *
                       PGAS_GET(double, x, (size_t)PGAS_GET(int32_t, J, first_A + k * width + j));
            PGAS_PUT(double, y, first_row + k,
                     PGAS_GET(double, D, first_row + k) * PGAS_GET(double, x, first + k) + tmp);
        }
}

/* Where x lies. */
typedef enum place {
    PRIVATE_X,
    OWN_X, /* the own part of an array */
    SHARED_X,
    SHIFTS_X /* in blocks of a power of two */
} place_t;

enum {
    BY_POINTERS = 2,
    POINTERS_IN_TURNS = 4
};

/* In the order of the names. */
static const struct {
    stream_loop_t multiply;
    place_t place;
    uint32_t others; /* one column in so many is another thread's; 0: none */
} loops[STREAM_LOOPS] = {
    {stream_multiply_rows, PRIVATE_X, 0},
    {stream_multiply_slices, OWN_X, 0},
    [BY_POINTERS] = {multiply_by_pointers, SHARED_X, 0},
    {multiply_by_pointers, SHIFTS_X, 0},
    [POINTERS_IN_TURNS] = {multiply_by_pointers, SHARED_X, 2},
    {multiply_by_pointers, SHIFTS_X, 2},
    {multiply_by_pointers, SHARED_X, MIXED},
    {multiply_by_pointers, SHIFTS_X, MIXED},
    {multiply_naively, SHARED_X, 0},
};

/* As if x had just been written, from its start to its end. What is far is in no cache then. */
static void renew_x(const stream_rates_t *rates, int loop, size_t width, stream_kind_t kind)
{
    double *shared = loops[loop].place == SHIFTS_X ? rates->own_shifts_x : rates->own_x;
    volatile double *x = loops[loop].place == PRIVATE_X ? rates->x : shared;
    size_t count = kind.place == REUSE_FAR
                       ? 0
                       : stream_cached_values(rates->nbytes, rates->caches, width, kind);
    for (size_t k = 0; k < count; k++)
        x[k] = 1.0;
}

void stream_rates_note(stream_rates_t *rates, size_t rows)
{
    for (size_t k = 0; k < rows; k++)
        rates->right &= fabs(rates->y[k] - 1.0) < 1e-12;
}

/* The median of several times, as of a job that makes many products: the least would be a lucky
 * moment of memory, or of what the core guesses about the counters of accesses by pointers. Loops
 * that keep the memory busy vary most and are the quickest. */
static double usual_seconds(stream_rates_t *rates, int loop, run_t *run, stream_kind_t kind)
{
    enum {
        TIMES = 3,
        TIMES_FROM_MEMORY = 9
    };
    double times[TIMES_FROM_MEMORY];
    size_t count = loops[loop].place < SHARED_X ? TIMES_FROM_MEMORY : TIMES;
    for (size_t i = 0; i < count; i++) {
        renew_x(rates, loop, run->in_rows.rows.width, kind);
        times[i] = stream_time(loops[loop].multiply, run, 1);
    }
    stream_rates_note(rates, run->in_rows.rows.count);
    return common_spread(times, count).median / (double)run->in_rows.rows.count;
}

/* The loops that are measured with such columns. */
static int loops_with(int columns)
{
    return columns < STREAM_ROWS ? STREAM_LOOPS : STREAM_LINE_LOOPS;
}

/* From an own element to the same of another thread of the node, if there is one. */
static int32_t distance_of_partner(const pgas_array_t *x)
{
    int partner = stream_partner(pgas_mythread(), PGAS_LOCAL);
    return partner < 0 ? 0 : (partner - pgas_mythread()) * (int32_t)x->block;
}

/* Lines by pointers are measured where accesses go to two threads in turns: as long as all go to
 * one, a row takes now so long and now twice that, and no difference of two is the lines'. */
static uint32_t others_of(int loop, int columns)
{
    return columns >= STREAM_ROWS && loop == BY_POINTERS ? 2 : loops[loop].others;
}

/* Turns columns of the own part into columns of all threads' x. `times` -1 restores them. */
static void move_columns(const stream_rates_t *rates, const run_t *run, int loop, uint32_t others,
                         int32_t times)
{
    if (loops[loop].place < SHARED_X)
        return;
    int32_t own = times * (int32_t)first_of(run->shared_x);
    int32_t other = own + times * distance_of_partner(run->shared_x);
    for (size_t e = 0; e < run->in_rows.rows.count * run->in_rows.rows.width; e++)
        rates->J[e] += stream_goes_to_partner(e, others) ? other : own;
}

/* Seconds of a row with every one of these, and the least ones so far. */
static void measure_rows(stream_rates_t *rates, int columns, int w, double seconds[STREAM_LOOPS])
{
    stream_kind_t kind = stream_kinds[columns];
    stream_rows_t rows =
        stream_rates_make_rows(rates, rates->nbytes, stream_widths[w], kind, rates->J);
    run_t run = {.in_rows = stream_rates_run(rates, rows, rates->sliced[columns][w]),
                 .rates = rates};
    for (int loop = 0; loop < loops_with(columns); loop++) {
        run.shared_x = loops[loop].place == SHIFTS_X ? &rates->shifts_x : &rates->shared_x;
        move_columns(rates, &run, loop, others_of(loop, columns), 1);
        seconds[loop] = usual_seconds(rates, loop, &run, kind);
        move_columns(rates, &run, loop, others_of(loop, columns), -1);
        if (rates->round_count < STREAM_KEPT_ROUNDS)
            rates->rounds[columns][w][loop][rates->round_count] = seconds[loop];
    }
    stream_sliced_free(&run.in_rows.sliced);
}

/* Where the rates of a loop begin. */
static int first_rate(int loop)
{
    int columns = loop < STREAM_LINE_LOOPS ? loop * STREAM_COLUMNS
                                           : STREAM_LINE_LOOPS * STREAM_COLUMNS +
                                                 (loop - STREAM_LINE_LOOPS) * STREAM_ROWS;
    return columns * STREAM_WIDTHS;
}

/* Seconds that a line of the matrix adds, whose price is not known yet, where `added` seconds come
 * from all lines of a row. The other lines cost what matrices with as many columns out of order
 * have shown. */
static double price_of(const double lines[REUSE_PLACES], int columns, double added,
                       const double prices[STREAM_COLUMNS])
{
    stream_kind_t kind = stream_kinds[columns];
    for (int c = 0; c < columns; c++)
        if (stream_kinds[c].place > REUSE_SEQUENCE && stream_kinds[c].is_all == kind.is_all)
            added -= lines[stream_kinds[c].place] * prices[c];
    return lines[kind.place] > 0.0 ? fmax(added, 0.0) / lines[kind.place] : 0.0;
}

/* The loop whose rows have no lines beside those of a loop that have. */
static int row_of_lines(int loop)
{
    return loop == BY_POINTERS ? POINTERS_IN_TURNS : loop;
}

/* All rates at one width, from the seconds of rows. */
static void price(const stream_rates_t *rates, int w, double rows[STREAM_COLUMNS][STREAM_LOOPS],
                  double seconds[STREAM_RATES])
{
    for (int k = 0; k < STREAM_LOOPS; k++) {
        double found[STREAM_COLUMNS];
        for (int c = 0; c < STREAM_COLUMNS && k < loops_with(c); c++) {
            bool is_row = stream_kinds[c].place == REUSE_HELD;
            double added = rows[c][k] - rows[0][is_row ? k : row_of_lines(k)];
            const double *lines =
                k == BY_POINTERS ? rates->lines_in_turns[c][w] : rates->lines[c][w];
            found[c] = is_row ? rows[c][k] : price_of(lines, c, added, found);
            seconds[first_rate(k) + c * STREAM_WIDTHS + w] = found[c];
        }
    }
}

void stream_rates_measure(stream_rates_t *rates, double seconds[STREAM_RATES])
{
    for (int w = 0; w < STREAM_WIDTHS; w++) {
        double rows[STREAM_COLUMNS][STREAM_LOOPS];
        stream_rates_fill(rates, stream_widths[w]);
        for (int c = 0; c < STREAM_COLUMNS; c++)
            measure_rows(rates, c, w, rows[c]);
        price(rates, w, rows, seconds);
    }
    rates->round_count++;
}

/* Seconds of a row in all rounds; see stream_rates_best. */
static double of_rounds(const stream_rates_t *rates, int columns, int w, int loop)
{
    double times[STREAM_KEPT_ROUNDS];
    size_t count =
        rates->round_count < STREAM_KEPT_ROUNDS ? rates->round_count : STREAM_KEPT_ROUNDS;
    memcpy(times, rates->rounds[columns][w][loop], count * sizeof times[0]);
    common_spread_t spread = common_spread(times, count);
    bool is_guessed = loops[loop].place >= SHARED_X && others_of(loop, columns) == 0;
    return is_guessed ? spread.median : spread.min;
}

void stream_rates_best(const stream_rates_t *rates, double seconds[STREAM_RATES])
{
    for (int w = 0; w < STREAM_WIDTHS; w++) {
        double rows[STREAM_COLUMNS][STREAM_LOOPS];
        for (int c = 0; c < STREAM_COLUMNS; c++)
            for (int k = 0; k < loops_with(c); k++)
                rows[c][k] = of_rounds(rates, c, w, k);
        price(rates, w, rows, seconds);
    }
}

bool stream_rates_check(const stream_rates_t *rates)
{
    return stream_all(rates->right);
}
