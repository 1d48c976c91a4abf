#include "close_rows.h"

#include "common/timing.h"

enum {
    /* Of the second level: a matrix, so that nothing else drives it out. */
    CLOSE_PART = 2
};

const char *stream_close_row_name(int rate)
{
    static const char *const names[STREAM_CLOSE_ROW_RATES] = {STREAM_WIDTHS_OF("product_close_row"),
                                                              STREAM_WIDTHS_OF("sliced_close_row")};
    return names[rate];
}

/* No more than the arrays have room for. */
static stream_rows_t make_rows(const stream_rates_t *rates, int w)
{
    size_t close = rates->caches.second_level / CLOSE_PART;
    size_t nbytes = close < rates->nbytes ? close : rates->nbytes;
    stream_rates_fill(rates, stream_widths[w]);
    return stream_rates_make_rows(rates, nbytes, stream_widths[w], stream_kinds[0], rates->J);
}

void stream_close_rows_create(stream_rates_t *rates, stream_close_rows_t *rows)
{
    *rows = (stream_close_rows_t){.rates = rates};
    for (int w = 0; w < STREAM_WIDTHS; w++) {
        stream_rows_t made = make_rows(rates, w);
        rows->sliced[w] = stream_sliced_choose(&made, rates->own_x, rates->y);
    }
}

/* Of one product: a single one would be short beside the meeting that ends it. */
static double usual_seconds(stream_loop_t multiply, stream_row_run_t *run)
{
    enum {
        AT_ONCE = 16,
        TIMES = 5
    };
    double seconds[TIMES];
    stream_time(multiply, run, 2); /* brings everything into the cache */
    for (int i = 0; i < TIMES; i++)
        seconds[i] = stream_time(multiply, run, AT_ONCE) / AT_ONCE;
    return common_spread(seconds, TIMES).median;
}

void stream_close_rows_measure(const stream_close_rows_t *rows,
                               double seconds[STREAM_CLOSE_ROW_RATES])
{
    for (int w = 0; w < STREAM_WIDTHS; w++) {
        stream_row_run_t run =
            stream_rates_run(rows->rates, make_rows(rows->rates, w), rows->sliced[w]);
        for (int loop = 0; loop < STREAM_ROW_LOOPS; loop++) {
            double product = usual_seconds(stream_row_loops[loop], &run);
            stream_rates_note(rows->rates, run.rows.count);
            seconds[loop * STREAM_WIDTHS + w] = product / (double)run.rows.count;
        }
        stream_sliced_free(&run.sliced);
    }
}
