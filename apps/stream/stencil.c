#include "stencil.h"

#include <stdlib.h>

#include "common/large.h"
#include "common/timing.h"
#include "heat2d/kernel.h"
#include "job.h"

enum {
    LINE = 64 / sizeof(double),
    LEAST_ROWS = 4,
    /* Steps that are timed, half of them with the first row and a short read; and where reads from
     * other nodes are measured, whose times vary much more. */
    STEPS = 4,
    READ_STEPS = 16,
    /* The width with which reads from other nodes are measured. */
    READ_WIDTH = 1
};

typedef enum kind {
    POINT = 0,
    STREAMED,
    COLUMN,
    ROW
} kind_t;

static const size_t widths[STREAM_STENCIL_WIDTHS] = {512, 4096, 32768};

/* The field is the same everywhere, which no step changes. */
static const double field = 1.0;
static const heat_coefficients_t coefficients = {.dx2i = 1.0, .dy2i = 1.0, .dt = 0.125};

#define WIDTHS_OF(name) name "_512", name "_4096", name "_32768"

const char *stream_stencil_name(int rate)
{
    static const char *const names[STREAM_STENCIL_RATES] = {
        WIDTHS_OF("stencil_point"),
        WIDTHS_OF("stencil_streamed"),
        WIDTHS_OF("stencil_column"),
        WIDTHS_OF("stencil_row"),
    };
    return names[rate];
}

bool stream_stencil_can(const stream_stencil_t *stencil, int rate)
{
    switch ((kind_t)(rate / STREAM_STENCIL_WIDTHS)) {
    case STREAMED:
        return heat_row_choose(true) != NULL;
    case ROW:
        return stencil->has_neighbour;
    default:
        return true;
    }
}

/* `rows` rows of `width` points in a frame of one, an odd number of cache lines apart as in the
 * heat solver. */
typedef struct block {
    size_t width;
    size_t rows;
    size_t pitch;
} block_t;

static block_t block_of(const stream_stencil_t *stencil, int w)
{
    size_t rows = stencil->points / widths[w];
    return (block_t){widths[w], rows > LEAST_ROWS ? rows : LEAST_ROWS,
                     widths[w] + (size_t)3 * LINE};
}

static double *row_of(const block_t *block, double *level, size_t row)
{
    return level + row * block->pitch + LINE;
}

static size_t level_count(const stream_stencil_t *stencil)
{
    size_t most = 0;
    for (int w = 0; w < STREAM_STENCIL_WIDTHS; w++) {
        block_t block = block_of(stencil, w);
        size_t count = (block.rows + 2) * block.pitch;
        most = count > most ? count : most;
    }
    return most;
}

static size_t column_count(const stream_stencil_t *stencil)
{
    return (block_of(stencil, 0).rows / LINE + 1) * LINE;
}

void stream_stencil_create(size_t points, stream_stencil_t *stencil)
{
    *stencil = (stream_stencil_t){
        .points = points,
        .has_neighbour = stream_has_partners(PGAS_LOCAL),
        .has_remote = stream_has_partners(PGAS_REMOTE),
    };
    size_t level = level_count(stencil);
    size_t column = column_count(stencil);
    stencil->count = 2 * level + column;
    if (pgas_all_alloc((size_t)pgas_threads(), stencil->count * sizeof(double), &stencil->shared) !=
        PGAS_OK)
        pgas_exit(1);
    pgas_ptr_t mine = stencil->shared;
    mine.thread = (uint32_t)pgas_mythread();
    stencil->levels[0] = pgas_local(mine);
    stencil->levels[1] = stencil->levels[0] + level;
    stencil->column = stencil->levels[1] + level;
    stencil->received = common_alloc("a column", column, sizeof(double));
    for (size_t i = 0; i < stencil->count; i++)
        stencil->levels[0][i] = field;
    for (size_t i = 0; i < column; i++)
        stencil->received[i] = field;
}

void stream_stencil_free(stream_stencil_t *stencil)
{
    free(stencil->received);
    pgas_all_free(stencil->shared);
}

/* Where a thread has what the calling thread has at `mine`. */
static pgas_ptr_t of_thread(const stream_stencil_t *stencil, int thread, const double *mine)
{
    pgas_ptr_t ptr = stencil->shared;
    ptr.thread = (uint32_t)thread;
    ptr.offset += (uint64_t)((const char *)mine - (const char *)stencil->levels[0]);
    return ptr;
}

/* Steps with one width and one kernel, and the seconds of their parts. */
typedef struct run {
    const stream_stencil_t *stencil;
    block_t block;
    heat_row_t *kernel;
    double compute;
    double column;
    double row;
    /* The first read from another node, short and long. */
    double read[2];
} run_t;

static void gather(run_t *run, double *level)
{
    double *column = run->stencil->column;
    double start = common_seconds();
    for (size_t i = 0; i < run->block.rows; i++)
        column[i] = *row_of(&run->block, level, i + 1);
    run->column += common_seconds() - start;
}

static void scatter(run_t *run, double *level)
{
    const double *column = run->stencil->received;
    double start = common_seconds();
    for (size_t i = 0; i < run->block.rows; i++)
        row_of(&run->block, level, i + 1)[-1] = column[i];
    run->column += common_seconds() - start;
}

static void sweep(run_t *run, double *from, double *to)
{
    const block_t *block = &run->block;
    double start = common_seconds();
    for (size_t i = 1; i <= block->rows; i++)
        run->kernel(row_of(block, from, i), block->pitch, row_of(block, to, i), block->width,
                    &coefficients);
    heat_row_finish();
    run->compute += common_seconds() - start;
}

/* The first row of the thread below or the last one of the thread above, into the frame. */
static void read_neighbour(run_t *run, double *level, bool is_last)
{
    const stream_stencil_t *stencil = run->stencil;
    const block_t *block = &run->block;
    int neighbour = stream_partner(pgas_mythread(), PGAS_LOCAL);
    double *row = row_of(block, level, is_last ? block->rows : 1);
    double *frame = row_of(block, level, is_last ? 0 : block->rows + 1);
    double start = common_seconds();
    pgas_memget(frame, of_thread(stencil, neighbour, row), block->width * sizeof(double));
    run->row += common_seconds() - start;
    pgas_memget(stencil->received, of_thread(stencil, neighbour, stencil->column),
                block->rows * sizeof(double));
}

static void read_remote(run_t *run, double *level, bool is_long)
{
    int partner = stream_partner(pgas_mythread(), PGAS_REMOTE);
    double *row = row_of(&run->block, level, 1);
    double start = common_seconds();
    pgas_memget(row, of_thread(run->stencil, partner, row),
                is_long ? STREAM_READ_BYTES : sizeof(double));
    run->read[is_long] += common_seconds() - start;
}

static void step(run_t *run, size_t s)
{
    double *now = run->stencil->levels[s % 2];
    bool is_second = s / 2 % 2 != 0;
    gather(run, now);
    pgas_barrier();
    if (run->stencil->has_remote)
        read_remote(run, now, is_second);
    if (run->stencil->has_neighbour)
        read_neighbour(run, now, is_second);
    scatter(run, now);
    sweep(run, now, run->stencil->levels[1 - s % 2]);
    pgas_barrier();
}

static run_t run_of(const stream_stencil_t *stencil, int w, bool streaming)
{
    return (run_t){
        .stencil = stencil, .block = block_of(stencil, w), .kernel = heat_row_choose(streaming)};
}

static size_t steps_of(const stream_stencil_t *stencil, int w)
{
    return w == READ_WIDTH && stencil->has_remote ? READ_STEPS : STEPS;
}

static run_t run_steps(const stream_stencil_t *stencil, int w, bool streaming)
{
    run_t warm = run_of(stencil, w, streaming);
    step(&warm, 0);
    step(&warm, 1);
    run_t run = run_of(stencil, w, streaming);
    for (size_t s = 0; s < steps_of(stencil, w); s++)
        step(&run, s);
    return run;
}

static double *rate_of(stream_stencil_times_t *times, kind_t kind, int w)
{
    return &times->rates[(int)kind * STREAM_STENCIL_WIDTHS + w];
}

static void measure_width(const stream_stencil_t *stencil, int w, stream_stencil_times_t *times)
{
    run_t run = run_steps(stencil, w, false);
    double steps = (double)steps_of(stencil, w);
    double rows = steps * (double)run.block.rows;
    double points = rows * (double)run.block.width;
    *rate_of(times, POINT, w) = stream_largest(run.compute) / points;
    *rate_of(times, COLUMN, w) = stream_largest(run.column) / (2.0 * rows);
    *rate_of(times, ROW, w) = stream_largest(run.row) / steps;
    if (w == READ_WIDTH) {
        times->short_read = 2.0 * stream_largest(run.read[0]) / steps;
        times->long_read = 2.0 * stream_largest(run.read[1]) / steps;
    }
    if (heat_row_choose(true) != NULL)
        *rate_of(times, STREAMED, w) = stream_largest(run_steps(stencil, w, true).compute) / points;
}

stream_stencil_times_t stream_stencil_measure(stream_stencil_t *stencil)
{
    stream_stencil_times_t times = {{0}, 0.0, 0.0};
    for (int w = 0; w < STREAM_STENCIL_WIDTHS; w++)
        measure_width(stencil, w, &times);
    return times;
}

bool stream_stencil_check(const stream_stencil_t *stencil)
{
    bool right = true;
    for (size_t i = 0; i < stencil->count; i++)
        right &= stencil->levels[0][i] == field;
    return stream_all(right);
}
