#include "product_trial.h"

#include <math.h>
#include <pgas/pgas.h>
#include <stdlib.h>
#include <string.h>

#include "common/gather.h"
#include "common/large.h"
#include "common/timing.h"
#include "support/slices.h"

enum {
    PIECE_ROWS = SLICES_WINDOW,
    PIECES_MAX = 16,
    PIECES_SHARE = 4, /* one row in so many is tried */
    /* In a round: off-diagonals, and measurements; whichever comes first, but two measurements. */
    ROUND_ENTRIES = 1 << 18,
    TIMES_MOST = 8,
    TIMES_LEAST = 2,
    ROUNDS = 4,
    FORMS = 4
};

/* How much slower than the fastest a product may be and still be tried again, by round. */
static const double behind[ROUNDS] = {1.4, 1.2, 1.1, 1.1};

/* Some of the rows of a local matrix, in every form: form f is by row if f & 1, narrow if f & 2. */
typedef struct sample {
    const double *x;
    size_t pieces;
    size_t piece_slices;
    /* Rows that each row of the sample stands for. */
    double weight;
    spmv_local_matrix_t matrix[FORMS];
    /* Least seconds by product and piece. */
    double least[SPMV_PRODUCTS][PIECES_MAX];
} sample_t;

/* What all products take. */
typedef struct times {
    double seconds[SPMV_PRODUCTS];
} times_t;

static void copy_piece(const spmv_rows_t *from, size_t first, size_t count, spmv_rows_t *rows)
{
    memcpy(&rows->places[rows->count], &from->places[first], count * sizeof(uint32_t));
    memcpy(&rows->lengths[rows->count], &from->lengths[first], count * sizeof(uint32_t));
    memcpy(&rows->columns[rows->count * rows->r_nz], &from->columns[first * rows->r_nz],
           count * rows->r_nz * sizeof(uint32_t));
    rows->count += count;
}

/* Copies pieces of the rows, evenly spread, one after the other. */
static void take_rows(const spmv_rows_t *from, const sample_t *sample, spmv_rows_t *rows)
{
    size_t piece = sample->piece_slices * SPMV_LANES;
    size_t count = piece * sample->pieces < from->count ? piece * sample->pieces : from->count;
    *rows = (spmv_rows_t){
        .r_nz = from->r_nz,
        .places = common_alloc("trial: rows", count, sizeof(uint32_t)),
        .lengths = common_alloc("trial: lengths", count, sizeof(uint32_t)),
        .columns = common_alloc("trial: columns", count * from->r_nz, sizeof(uint32_t)),
        .reads_own = from->reads_own,
    };
    for (size_t p = 0; rows->count < count; p++) {
        size_t first = sample->pieces > 1 ? p * (from->count - piece) / (sample->pieces - 1) : 0;
        copy_piece(from, first, piece < count ? piece : count, rows);
    }
}

static void sample_create(const spmv_trial_data_t *data, const spmv_trial_part_t *part,
                          sample_t *sample)
{
    size_t count = part->rows->count;
    size_t pieces = count / PIECE_ROWS / PIECES_SHARE;
    size_t slices = (count + SPMV_LANES - 1) / SPMV_LANES;
    spmv_rows_t rows;
    *sample = (sample_t){
        .x = part->x,
        .pieces = pieces < 1            ? 1
                  : pieces < PIECES_MAX ? pieces
                                        : PIECES_MAX,
        .piece_slices = slices < PIECE_ROWS / SPMV_LANES ? slices : PIECE_ROWS / SPMV_LANES,
    };
    take_rows(part->rows, sample, &rows);
    sample->weight = rows.count > 0 ? (double)count / (double)rows.count : 0.0;
    for (int f = 0; f < FORMS; f++) {
        spmv_form_t form = {.is_by_row = f & 1, .is_narrow = f & 2, .fetches = true};
        spmv_local_matrix_create(data->D, data->A, &rows, form, &sample->matrix[f]);
    }
    for (size_t p = 0; p < SPMV_PRODUCTS; p++)
        for (size_t piece = 0; piece < sample->pieces; piece++)
            sample->least[p][piece] = HUGE_VAL;
    free(rows.columns);
    free(rows.lengths);
    free(rows.places);
}

static void sample_free(sample_t *sample)
{
    for (int f = 0; f < FORMS; f++)
        spmv_local_matrix_free(&sample->matrix[f]);
}

static int form_of(const spmv_product_t *product)
{
    return product->form.is_by_row + 2 * product->form.is_narrow;
}

static void try_piece(const spmv_trial_data_t *data, sample_t *sample, size_t p, size_t piece)
{
    const spmv_product_t *product = &spmv_products[p];
    spmv_local_matrix_t matrix = sample->matrix[form_of(product)];
    size_t begin = piece * sample->piece_slices;
    size_t end = begin + sample->piece_slices;
    matrix.form.fetches = product->form.fetches;
    end = end < matrix.slice_count ? end : matrix.slice_count;
    double start = common_seconds();
    product->multiply(&matrix, begin, end, sample->x, data->own_x, data->own_y);
    sample->least[p][piece] = fmin(sample->least[p][piece], common_seconds() - start);
}

static void read_form(const spmv_local_matrix_t *matrix)
{
    double sum = 0.0;
    for (size_t i = 0; i < matrix->entries; i += 64 / sizeof *matrix->A)
        sum += matrix->A[i];
    __asm__ volatile("" : : "r"(sum));
}

/* A product must find in the caches what it would find there in a run: little of a large matrix,
 * and all of a small one. So memory of the sample is read in between: in total as much as the rows
 * have that it stands for, or, if they are more than all forms have, more than the caches hold. */
static void try_product(const spmv_trial_data_t *data, sample_t *sample, size_t p)
{
    int form = form_of(&spmv_products[p]);
    for (size_t piece = 0; piece < sample->pieces; piece++)
        try_piece(data, sample, p, piece);
    for (int other = 1; other < FORMS && (double)other < sample->weight; other++)
        read_form(&sample->matrix[(form + other) % FORMS]);
}

/* Long pieces need fewer measurements than short ones, which a clock's step disturbs more. */
static size_t passes_of(const sample_t *sample)
{
    size_t passes = ROUND_ENTRIES / (sample->matrix[0].entries + 1);
    size_t least = (TIMES_LEAST + sample->pieces - 1) / sample->pieces;
    size_t most = (TIMES_MOST + sample->pieces - 1) / sample->pieces;
    return passes < least ? least : passes < most ? passes : most;
}

static void try_all(const spmv_trial_data_t *data, sample_t *sample, const times_t *times)
{
    size_t passes = passes_of(sample);
    for (size_t i = 0; i < passes; i++)
        for (size_t p = 0; p < SPMV_PRODUCTS; p++)
            if (times->seconds[p] < HUGE_VAL)
                try_product(data, sample, p);
}

/* The median of the pieces counts: another program may have had the processor during one of
 * them. */
static double seconds_of(const sample_t *sample, size_t p)
{
    double seconds[PIECES_MAX];
    memcpy(seconds, sample->least[p], sample->pieces * sizeof *seconds);
    return common_spread(seconds, sample->pieces).median * (double)sample->pieces * sample->weight;
}

/* The slowest thread's times; HUGE_VAL for products that are no longer tried. Returns the best. */
static size_t compare(const sample_t *samples, double margin, times_t *times)
{
    times_t mine;
    size_t best = 0;
    for (size_t p = 0; p < SPMV_PRODUCTS; p++)
        mine.seconds[p] = times->seconds[p] < HUGE_VAL
                              ? seconds_of(&samples[0], p) + seconds_of(&samples[1], p)
                              : HUGE_VAL;
    times_t *all = common_gather(&mine, sizeof mine);
    for (size_t p = 0; p < SPMV_PRODUCTS; p++) {
        for (int thread = 0; thread < pgas_threads(); thread++)
            mine.seconds[p] = fmax(mine.seconds[p], all[thread].seconds[p]);
        best = mine.seconds[p] < mine.seconds[best] ? p : best;
    }
    for (size_t p = 0; p < SPMV_PRODUCTS; p++)
        times->seconds[p] =
            mine.seconds[p] <= mine.seconds[best] * margin ? mine.seconds[p] : HUGE_VAL;
    free(all);
    return best;
}

const spmv_product_t *spmv_product_try(const spmv_trial_data_t *data,
                                       const spmv_trial_part_t parts[SPMV_TRIAL_PARTS])
{
    sample_t *samples = common_alloc("trial", SPMV_TRIAL_PARTS, sizeof *samples);
    times_t times;
    size_t best = 0;
    for (size_t part = 0; part < SPMV_TRIAL_PARTS; part++)
        sample_create(data, &parts[part], &samples[part]);
    for (size_t p = 0; p < SPMV_PRODUCTS; p++)
        times.seconds[p] = spmv_product_runs(&spmv_products[p]) ? 0.0 : HUGE_VAL;
    for (size_t round = 0; round < ROUNDS; round++) {
        pgas_barrier(); /* all threads at once, as later */
        for (size_t part = 0; part < SPMV_TRIAL_PARTS; part++)
            try_all(data, &samples[part], &times);
        best = compare(samples, behind[round], &times);
    }
    for (size_t part = 0; part < SPMV_TRIAL_PARTS; part++)
        sample_free(&samples[part]);
    free(samples);
    return &spmv_products[best];
}
