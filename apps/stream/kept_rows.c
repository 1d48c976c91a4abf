#include "kept_rows.h"

#include "common/timing.h"
#include "row_loops.h"

enum {
    /* Rows of 16, among the widths of rates. */
    WIDTH = 1,
    /* Of a share: the smallest matrix, and what each is larger than the one before. */
    STEP_PART = 2
};

const char *stream_kept_row_name(int size)
{
    static const char *const names[STREAM_KEPT_ROW_SIZES] = {
        "kept_row_half", "kept_row_one", "kept_row_three_halves", "kept_row_two"};
    return names[size];
}

static size_t bytes_of(const stream_rates_t *rates, int size)
{
    return rates->caches.share / STEP_PART * (size_t)(size + 1);
}

bool stream_kept_rows_fit(const stream_rates_t *rates)
{
    return rates->caches.share > 0 && bytes_of(rates, STREAM_KEPT_ROW_SIZES - 1) <= rates->nbytes;
}

/* Of a row in the third product: by then it finds of its matrix what it always does. */
static double seconds_of(const stream_rates_t *rates, stream_rows_t rows)
{
    stream_row_run_t run = {.rows = rows, .x = rates->x, .y = rates->y};
    stream_time(stream_multiply_rows, &run, 2);
    return stream_time(stream_multiply_rows, &run, 1) / (double)rows.count;
}

void stream_kept_rows_measure(stream_rates_t *rates, double seconds[STREAM_KEPT_ROW_SIZES])
{
    enum {
        TURNS = 7
    };
    const stream_kind_t own = stream_kinds[0];
    const int largest = STREAM_KEPT_ROW_SIZES - 1;
    double times[STREAM_KEPT_ROW_SIZES][TURNS];
    size_t width = stream_widths[WIDTH];
    stream_rates_fill(rates, width);
    stream_rows_t rows =
        stream_rates_make_rows(rates, bytes_of(rates, largest), width, own, rates->J);
    for (int i = 0; i < TURNS; i++)
        for (int size = 0; size < STREAM_KEPT_ROW_SIZES; size++) {
            rows.count = stream_row_count(bytes_of(rates, size), rates->caches, width, own);
            times[size][i] = seconds_of(rates, rows);
            stream_rates_note(rates, rows.count);
        }
    for (int size = 0; size < STREAM_KEPT_ROW_SIZES; size++)
        seconds[size] = common_spread(times[size], TURNS).median;
}
