#include "lines.h"

#include <math.h>
#include <stdlib.h>

#include "common/large.h"
#include "common/product.h"
#include "common/timing.h"
#include "job.h"

enum {
    /* Rows of 16, among the widths of rates. */
    WIDTH = 1
};

/* In the order of the names. */
static const stream_kind_t kinds[STREAM_LINE_KINDS] = {
    {.place = REUSE_SEQUENCE},
    {.place = REUSE_SEQUENCE, .is_held = true},
    {.place = REUSE_CLOSE, .is_held = true},
    {.place = REUSE_CLOSE, .is_all = true, .is_held = true},
};

#define NAMES_OF(loop) \
    loop "_sequence_row", loop "_sequence_held", loop "_close_held_one", loop "_close_held_all"

const char *stream_line_name(int price)
{
    static const char *const names[STREAM_LINE_PRICES] = {NAMES_OF("product"), NAMES_OF("sliced")};
    return names[price];
}

/* Sets the columns of a matrix. */
static stream_rows_t make_rows(const stream_rates_t *rates, stream_kind_t kind, int32_t *J)
{
    size_t width = stream_widths[WIDTH];
    size_t count = stream_row_count(rates->nbytes, rates->caches, width, kind);
    stream_fill_columns(rates->nbytes, rates->caches, count, width, kind, J);
    return (stream_rows_t){rates->D, rates->A, J, count, width};
}

void stream_lines_create(stream_rates_t *rates, stream_lines_t *lines)
{
    size_t width = stream_widths[WIDTH];
    size_t most = stream_row_count(rates->nbytes, rates->caches, width, kinds[0]);
    *lines = (stream_lines_t){
        .rates = rates,
        .own_J = common_alloc("columns", most * width, sizeof(int32_t)),
    };
    stream_rates_fill(rates, width);
    for (int k = 0; k < STREAM_LINE_KINDS; k++) {
        double counts[REUSE_PLACES];
        stream_rows_t rows = make_rows(rates, kinds[k], rates->J);
        stream_count_lines(rates->nbytes, rates->caches, rows.count, rows.width, kinds[k], rates->J,
                           0, counts);
        lines->counts[k] = counts[kinds[k].place];
        lines->sliced[k] = stream_sliced_choose(&rows, rates->own_x, rates->y);
    }
}

void stream_lines_free(stream_lines_t *lines)
{
    free(lines->own_J);
    lines->own_J = NULL;
}

/* A matrix, and where its products go. */
typedef struct run {
    const stream_rates_t *rates;
    stream_rows_t rows;
    stream_sliced_t sliced;
} run_t;

static void multiply_rows(void *context, size_t count)
{
    const run_t *run = context;
    const stream_rows_t *rows = &run->rows;
    for (size_t i = 0; i < count; i++)
        common_product(rows->count, rows->width, rows->D, rows->A, rows->columns, run->rates->x, 0,
                       run->rates->y);
}

static void multiply_slices(void *context, size_t count)
{
    const run_t *run = context;
    for (size_t i = 0; i < count; i++)
        stream_sliced_multiply(&run->sliced, run->rates->own_x, run->rates->y);
}

/* In the order of the names. */
static const stream_loop_t loops[STREAM_TURN_LOOPS] = {multiply_rows, multiply_slices};

/* Of the second product: it finds in the caches what they hold of its own matrix. */
static double seconds_of(stream_loop_t multiply, run_t *run)
{
    stream_time(multiply, run, 1);
    return stream_time(multiply, run, 1);
}

/* Seconds per row that `other` takes more than `own`. */
static double added(stream_loop_t multiply, run_t *own, run_t *other)
{
    enum {
        TURNS = 15
    };
    double seconds[TURNS];
    for (int i = 0; i < TURNS; i++) {
        double without = seconds_of(multiply, own);
        seconds[i] = seconds_of(multiply, other) - without;
    }
    return common_spread(seconds, TURNS).median / (double)own->rows.count;
}

void stream_lines_measure(stream_lines_t *lines, double seconds[STREAM_LINE_PRICES])
{
    stream_rates_t *rates = lines->rates;
    stream_rates_fill(rates, stream_widths[WIDTH]);
    for (int k = 0; k < STREAM_LINE_KINDS; k++) {
        int columns = kinds[k].is_held;
        run_t own = {.rates = rates, .rows = make_rows(rates, stream_kinds[columns], lines->own_J)};
        run_t other = {.rates = rates, .rows = make_rows(rates, kinds[k], rates->J)};
        stream_sliced_create(&own.rows, rates->sliced[columns][WIDTH], &own.sliced);
        stream_sliced_create(&other.rows, lines->sliced[k], &other.sliced);
        for (int loop = 0; loop < STREAM_TURN_LOOPS; loop++) {
            double more = fmax(added(loops[loop], &own, &other), 0.0);
            stream_rates_note(rates, other.rows.count);
            seconds[loop * STREAM_LINE_KINDS + k] =
                lines->counts[k] > 0.0 ? more / lines->counts[k] : 0.0;
        }
        stream_sliced_free(&own.sliced);
        stream_sliced_free(&other.sliced);
    }
}
