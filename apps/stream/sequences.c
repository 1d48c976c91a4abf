#include "sequences.h"

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

/* Like the rows of own columns among those of rates. */
static const stream_kind_t kinds[STREAM_SEQUENCE_PLACES] = {
    {.place = REUSE_SEQUENCE},
    {.place = REUSE_SEQUENCE, .is_held = true},
};

const char *stream_sequence_name(int price)
{
    static const char *const names[STREAM_SEQUENCE_PRICES] = {
        "product_sequence_row",
        "product_sequence_held",
        "sliced_sequence_row",
        "sliced_sequence_held",
    };
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

void stream_sequences_create(stream_rates_t *rates, stream_sequences_t *sequences)
{
    size_t width = stream_widths[WIDTH];
    size_t most = stream_row_count(rates->nbytes, rates->caches, width, kinds[0]);
    *sequences = (stream_sequences_t){
        .rates = rates,
        .own_J = common_alloc("columns", most * width, sizeof(int32_t)),
    };
    stream_rates_fill(rates, width);
    for (int place = 0; place < STREAM_SEQUENCE_PLACES; place++) {
        double lines[REUSE_PLACES];
        stream_rows_t rows = make_rows(rates, kinds[place], rates->J);
        stream_count_lines(rates->nbytes, rates->caches, rows.count, rows.width, kinds[place],
                           rates->J, 0, lines);
        sequences->lines[place] = lines[REUSE_SEQUENCE];
        sequences->sliced[place] = stream_sliced_choose(&rows, rates->own_x, rates->y);
    }
}

void stream_sequences_free(stream_sequences_t *sequences)
{
    free(sequences->own_J);
    sequences->own_J = NULL;
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
static const stream_loop_t loops[STREAM_SEQUENCE_LOOPS] = {multiply_rows, multiply_slices};

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

void stream_sequences_measure(stream_sequences_t *sequences, double seconds[STREAM_SEQUENCE_PRICES])
{
    stream_rates_t *rates = sequences->rates;
    stream_rates_fill(rates, stream_widths[WIDTH]);
    for (int place = 0; place < STREAM_SEQUENCE_PLACES; place++) {
        run_t own = {.rates = rates,
                     .rows = make_rows(rates, stream_kinds[place], sequences->own_J)};
        run_t other = {.rates = rates, .rows = make_rows(rates, kinds[place], rates->J)};
        double lines = sequences->lines[place];
        stream_sliced_create(&own.rows, rates->sliced[place][WIDTH], &own.sliced);
        stream_sliced_create(&other.rows, sequences->sliced[place], &other.sliced);
        for (int loop = 0; loop < STREAM_SEQUENCE_LOOPS; loop++) {
            double more = fmax(added(loops[loop], &own, &other), 0.0);
            stream_rates_note(rates, other.rows.count);
            seconds[loop * STREAM_SEQUENCE_PLACES + place] = lines > 0.0 ? more / lines : 0.0;
        }
        stream_sliced_free(&own.sliced);
        stream_sliced_free(&other.sliced);
    }
}
