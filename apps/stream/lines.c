#include "lines.h"

#include <math.h>
#include <stdlib.h>

#include "common/large.h"
#include "common/timing.h"

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

static stream_rows_t make_rows(const stream_rates_t *rates, stream_kind_t kind, int32_t *J)
{
    return stream_rates_make_rows(rates, rates->nbytes, stream_widths[WIDTH], kind, J);
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

/* Of the second product: it finds in the caches what they hold of its own matrix. */
static double seconds_of(stream_loop_t multiply, stream_row_run_t *run)
{
    stream_time(multiply, run, 1);
    return stream_time(multiply, run, 1);
}

/* Seconds per row that `other` takes more than `own`. */
static double added(stream_loop_t multiply, stream_row_run_t *own, stream_row_run_t *other)
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
        stream_row_run_t own =
            stream_rates_run(rates, make_rows(rates, stream_kinds[columns], lines->own_J),
                             rates->sliced[columns][WIDTH]);
        stream_row_run_t other =
            stream_rates_run(rates, make_rows(rates, kinds[k], rates->J), lines->sliced[k]);
        for (int loop = 0; loop < STREAM_ROW_LOOPS; loop++) {
            double more = fmax(added(stream_row_loops[loop], &own, &other), 0.0);
            stream_rates_note(rates, other.rows.count);
            seconds[loop * STREAM_LINE_KINDS + k] =
                lines->counts[k] > 0.0 ? more / lines->counts[k] : 0.0;
        }
        stream_sliced_free(&own.sliced);
        stream_sliced_free(&other.sliced);
    }
}
