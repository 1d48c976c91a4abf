#include "field.h"

static size_t larger(size_t a, size_t b)
{
    return a > b ? a : b;
}

static size_t smaller(size_t a, size_t b)
{
    return a < b ? a : b;
}

size_t heat_band_rows(const heat_shape_t *shape)
{
    const size_t band_bytes = (size_t)4 << 20;
    size_t rows = band_bytes / (shape->N * sizeof(double));
    return smaller(larger(rows, 1), shape->M);
}

/* The part of a band of rows that lies in a block. */
typedef struct part {
    heat_block_t block;
    pgas_ptr_t at;
    /** Values from the start of the band. */
    size_t place;
    size_t rows;
} part_t;

/* False if the block has no part of the band. */
static bool find_part(const heat_problem_t *problem, int thread, size_t first, size_t count,
                      part_t *part)
{
    heat_block_t block = heat_block_of(&problem->shape, thread);
    size_t begin = larger(first, block.top);
    size_t end = smaller(first + count, block.top + block.rows);
    if (begin >= end)
        return false;
    *part = (part_t){
        .block = block,
        .at = heat_point(problem, thread, &block, problem->now, (ptrdiff_t)(begin - block.top), 0),
        .place = (begin - first) * problem->shape.N + block.left,
        .rows = end - begin,
    };
    return true;
}

static void set_boundary(const heat_problem_t *problem, size_t i, double *row)
{
    const heat_shape_t *shape = &problem->shape;
    size_t step = i == 0 || i == shape->M - 1 ? 1 : shape->N - 1;
    for (size_t k = 0; k < shape->N; k += step)
        row[k] = heat_start_value(shape, problem->start, i, k);
}

void heat_field_get(const heat_problem_t *problem, size_t first, size_t count, double *rows)
{
    size_t N = problem->shape.N;
    part_t part;
    for (int thread = 0; thread < pgas_threads(); thread++)
        if (find_part(problem, thread, first, count, &part))
            pgas_memget_2d(&rows[part.place], N * sizeof(double), part.at,
                           part.block.pitch * sizeof(double), part.block.cols * sizeof(double),
                           part.rows);
    for (size_t i = 0; i < count; i++)
        set_boundary(problem, first + i, &rows[i * N]);
}

void heat_field_put(const heat_problem_t *problem, size_t first, size_t count, const double *rows)
{
    size_t N = problem->shape.N;
    part_t part;
    for (int thread = 0; thread < pgas_threads(); thread++)
        if (find_part(problem, thread, first, count, &part))
            pgas_memput_2d(part.at, part.block.pitch * sizeof(double), &rows[part.place],
                           N * sizeof(double), part.block.cols * sizeof(double), part.rows);
}
