#include "field.h"

#include <stdlib.h>

#include "common/large.h"
#include "common/timing.h"
#include "heat2d/kernel.h"
#include "job.h"

enum {
    LINE = 64 / sizeof(double),
    /* As fathom-heat2d: a row begins with a line and has an odd number of lines, and one level lies
     * half a page from the other. */
    PITCH = STREAM_FIELD_COLUMNS + 3 * LINE,
    HALF_PAGE = 4096 / 2 / sizeof(double),
    LEAST_ROWS = 3,
    NARROW = 4
};

static const heat_coefficients_t coefficients = {.dx2i = 1.0, .dy2i = 1.0, .dt = 0.125};

static size_t level_values(const stream_field_t *field)
{
    return (field->rows + 2) * PITCH;
}

/* From one level's beginning to the other's. */
static size_t apart(const stream_field_t *field)
{
    size_t page = (size_t)2 * HALF_PAGE;
    return (level_values(field) + page - 1) / page * page + HALF_PAGE;
}

static double *row_of(const stream_field_t *field, int level, size_t row)
{
    return field->level[level] + row * PITCH;
}

static double *own_memory(const stream_field_t *field)
{
    return pgas_local(pgas_ptr_on(field->segment, pgas_mythread()));
}

void stream_field_create(size_t nbytes, stream_field_t *field)
{
    size_t rows = nbytes / 2 / sizeof(double) / PITCH;
    *field = (stream_field_t){.rows = rows < LEAST_ROWS ? LEAST_ROWS : rows};
    size_t values = apart(field) + level_values(field);
    if (pgas_all_alloc((size_t)pgas_threads(), values * sizeof(double), &field->segment) != PGAS_OK)
        pgas_exit(1);
    double *first = own_memory(field);
    field->level[0] = first + PITCH + LINE;
    field->level[1] = field->level[0] + apart(field);
    field->streams = stream_all(heat_row_choose(true) != NULL);
    field->column = common_alloc("a column", field->rows * NARROW, sizeof(double));
    for (size_t i = 0; i < values; i++)
        first[i] = 1.0;
    pgas_barrier();
}

void stream_field_free(stream_field_t *field)
{
    free(field->column);
    pgas_all_free(field->segment);
}

typedef struct sweep {
    stream_field_t *field;
    heat_row_t *row;
    bool streams;
} sweep_t;

static void run_sweep(void *context, size_t count)
{
    const sweep_t *sweep = context;
    stream_field_t *field = sweep->field;
    for (size_t i = 0; i < count; i++) {
        for (size_t row = 0; row < field->rows; row++)
            sweep->row(row_of(field, field->now, row), PITCH, row_of(field, 1 - field->now, row),
                       STREAM_FIELD_COLUMNS, &coefficients);
        if (sweep->streams)
            heat_row_finish();
        field->now = 1 - field->now;
    }
}

static pgas_ptr_t row_of_other(const stream_field_t *field, size_t row)
{
    int partner = stream_partner(pgas_mythread(), PGAS_LOCAL);
    ptrdiff_t values = row_of(field, field->now, row) - own_memory(field);
    return pgas_ptr_shift(pgas_ptr_on(field->segment, partner < 0 ? pgas_mythread() : partner),
                          values * (ptrdiff_t)sizeof(double));
}

/* Seconds of getting the first `count` values of a row of the other thread. */
static double get_row(stream_field_t *field, size_t from, size_t count, double *to)
{
    double start = common_seconds();
    pgas_memget(to, row_of_other(field, from), count * sizeof(double));
    return common_seconds() - start;
}

/* Gathers the first column of rows of `pitch` values, in the same memory; scatters it to the one
 * before it. */
static double move_column(stream_field_t *field, size_t pitch)
{
    double *first = row_of(field, field->now, 0);
    size_t count = field->rows * (PITCH / pitch);
    double start = common_seconds();
    for (size_t row = 0; row < count; row++)
        field->column[row] = first[row * pitch];
    for (size_t row = 0; row < count; row++)
        (first - 1)[row * pitch] = field->column[row];
    return (common_seconds() - start) / (double)(2 * count);
}

/* A step, and the seconds per point that it took. */
static double step(stream_field_t *field, heat_row_t *row, bool streams)
{
    sweep_t sweep = {field, row, streams};
    double points = (double)(field->rows * STREAM_FIELD_COLUMNS);
    return stream_time(run_sweep, &sweep, 1) / points;
}

/* What is measured once; in the order of stream_field_times_t. */
typedef enum what {
    POINT = 0,
    STREAMING_POINT,
    FIRST_ROW,
    LAST_ROW,
    FIRST_GET,
    COLUMN,
    NARROW_COLUMN,
    KINDS
} what_t;

/* One of these, right after a step of its own, as in the solver. */
static double measure_after_step(stream_field_t *field, what_t what)
{
    double *above = row_of(field, field->now, 0) - PITCH;
    double *below = row_of(field, field->now, field->rows);
    switch (what) {
    case FIRST_ROW:
        return get_row(field, 0, STREAM_FIELD_COLUMNS, below) / STREAM_FIELD_COLUMNS;
    case LAST_ROW:
        return get_row(field, field->rows - 1, STREAM_FIELD_COLUMNS, above) / STREAM_FIELD_COLUMNS;
    case FIRST_GET:
        return get_row(field, 0, LINE, below);
    case COLUMN:
        return move_column(field, PITCH);
    default:
        return move_column(field, PITCH / NARROW);
    }
}

static void measure_once(stream_field_t *field, double seconds[KINDS])
{
    heat_row_t *plain = heat_row_choose(false);
    seconds[POINT] = 0.0;
    for (int what = FIRST_ROW; what < KINDS; what++) {
        seconds[POINT] += step(field, plain, false) / (KINDS - FIRST_ROW);
        seconds[what] = measure_after_step(field, (what_t)what);
        pgas_barrier();
    }
    seconds[STREAMING_POINT] = field->streams ? step(field, heat_row_choose(true), true) : 0.0;
}

stream_field_times_t stream_field_measure(stream_field_t *field)
{
    enum {
        TIMES = 5
    };
    double seconds[TIMES][KINDS];
    double medians[KINDS];
    for (int i = 0; i < TIMES; i++)
        measure_once(field, seconds[i]);
    for (int what = 0; what < KINDS; what++) {
        double times[TIMES];
        for (int i = 0; i < TIMES; i++)
            times[i] = seconds[i][what];
        medians[what] = stream_largest(common_spread(times, TIMES).median);
    }
    return (stream_field_times_t){
        .point = medians[POINT],
        .streaming_point = medians[STREAMING_POINT],
        .first_row = medians[FIRST_ROW],
        .last_row = medians[LAST_ROW],
        .first_get = medians[FIRST_GET],
        .column = medians[COLUMN],
        .narrow_column = medians[NARROW_COLUMN],
    };
}

/* All values stay 1, the halo included. */
bool stream_field_check(const stream_field_t *field)
{
    bool right = true;
    for (size_t row = 0; row < field->rows + 2; row++)
        for (size_t k = 0; k < STREAM_FIELD_COLUMNS + 1; k++)
            right &= (row_of(field, field->now, row) - PITCH - 1)[k] == 1.0;
    return stream_all(right);
}
