#include "problem.h"

#include <math.h>
#include <string.h>

const char *const heat_start_names[] = {"spots", "sine", NULL};

enum {
    LINE = 64 / sizeof(double),
    PAGE = 4096 / sizeof(double)
};

static size_t round_up(size_t value, size_t unit)
{
    return (value + unit - 1) / unit * unit;
}

/* Points before part `part` when `points` are divided into `parts`. */
static size_t first_of(size_t points, size_t part, size_t parts)
{
    return points / parts * part + points % parts * part / parts;
}

static bool is_too_small(const heat_shape_t *shape)
{
    return (shape->M - 2) / shape->P < shape->depth || (shape->N - 2) / shape->Q < shape->depth;
}

/* Halo points that come from other threads: of the thread with the most, and of all together. */
typedef struct halo {
    size_t most;
    size_t all;
} halo_t;

static halo_t halo_of(const heat_shape_t *shape)
{
    halo_t halo = {0, 0};
    for (size_t p = 0; p < shape->P; p++)
        for (size_t q = 0; q < shape->Q; q++) {
            heat_block_t block = heat_block_of(shape, (int)(p * shape->Q + q));
            size_t vertical = (size_t)(p > 0) + (size_t)(p < shape->P - 1);
            size_t horizontal = (size_t)(q > 0) + (size_t)(q < shape->Q - 1);
            size_t corners = shape->depth > 1 ? vertical * horizontal * shape->depth : 0;
            size_t points =
                shape->depth * (vertical * block.cols + horizontal * block.rows + corners);
            halo.most = points > halo.most ? points : halo.most;
            halo.all += points;
        }
    return halo;
}

static bool is_less(halo_t a, halo_t b)
{
    return a.most < b.most || (a.most == b.most && a.all < b.all);
}

void heat_shape_choose_grid(heat_shape_t *shape)
{
    size_t threads = (size_t)pgas_threads();
    heat_shape_t best = *shape;
    halo_t best_halo = {SIZE_MAX, SIZE_MAX};
    best.P = 0;
    for (size_t p = 1; p <= threads; p++) {
        heat_shape_t tried = *shape;
        tried.P = p;
        tried.Q = threads / p;
        if (threads % p != 0 || is_too_small(&tried))
            continue;
        halo_t halo = halo_of(&tried);
        if (is_less(halo, best_halo)) {
            best = tried;
            best_halo = halo;
        }
    }
    if (best.P == 0)
        pgas_fail(
            1,
            "--size %zux%zu: too small for %zu threads in any grid: every thread needs at "
            "least %zu rows and columns of points (--steps-per-exchange), beside the boundary",
            shape->M, shape->N, threads, shape->depth);
    *shape = best;
}

void heat_shape_check(const heat_shape_t *shape)
{
    if (shape->P * shape->Q != (size_t)pgas_threads())
        pgas_fail(1, "--grid %zux%zu: needs %zu threads, the job has %d", shape->P, shape->Q,
                  shape->P * shape->Q, pgas_threads());
    if (is_too_small(shape))
        pgas_fail(1,
                  "--size %zux%zu: too small for a grid of %zux%zu: every thread needs at least "
                  "%zu rows and columns of points (--steps-per-exchange), beside the boundary",
                  shape->M, shape->N, shape->P, shape->Q, shape->depth);
}

heat_block_t heat_block_of(const heat_shape_t *shape, int thread)
{
    size_t p = (size_t)thread / shape->Q;
    size_t q = (size_t)thread % shape->Q;
    size_t top = first_of(shape->M - 2, p, shape->P);
    size_t left = first_of(shape->N - 2, q, shape->Q);
    heat_block_t block = {
        .top = top + 1,
        .left = left + 1,
        .rows = first_of(shape->M - 2, p + 1, shape->P) - top,
        .cols = first_of(shape->N - 2, q + 1, shape->Q) - left,
    };
    /* Point 0 of every row begins a cache line, and a row has an odd number of lines: so the points
     * of a column use all sets of a cache, which makes a column a third faster. */
    size_t lead = round_up(shape->depth, LINE);
    block.pitch = round_up(lead + block.cols + shape->depth, LINE);
    if (block.pitch / LINE % 2 == 0)
        block.pitch += LINE;
    block.origin = shape->depth * block.pitch + lead;
    return block;
}

/* The coefficients of a mesh, with a time step that is 0.8 of the largest stable one of a mesh with
 * equal distances. */
static heat_coefficients_t coefficients_of(const heat_shape_t *shape)
{
    double dy = 1.0 / (double)(shape->M - 1);
    double dx = 1.0 / (double)(shape->N - 1);
    double shorter = fmin(dx, dy);
    return (heat_coefficients_t){
        .dx2i = 1.0 / (dx * dx),
        .dy2i = 1.0 / (dy * dy),
        .dt = 0.2 * shorter * shorter,
    };
}

/* Bytes of a level: those of the largest block. */
static size_t level_bytes(const heat_shape_t *shape)
{
    size_t largest = 0;
    for (int thread = 0; thread < pgas_threads(); thread++) {
        heat_block_t block = heat_block_of(shape, thread);
        size_t nbytes = (block.rows + 2 * shape->depth) * block.pitch * sizeof(double);
        largest = nbytes > largest ? nbytes : largest;
    }
    return largest;
}

static pgas_ptr_t alloc_level(size_t nbytes)
{
    pgas_ptr_t ptr;
    if (pgas_all_alloc((size_t)pgas_threads(), nbytes, &ptr) != PGAS_OK) {
        if (pgas_mythread() == 0)
            pgas_exit(1);
        pgas_barrier(); /* meanwhile thread 0 ends the job */
    }
    return ptr;
}

/* Half a page from one level to the other. A processor compares loads with earlier stores by the
 * last twelve bits of the address: if they were equal, every load of a left neighbour would wait
 * for the store to that place in the other level, which made the kernel three times slower. */
static size_t gap_after(pgas_ptr_t first, pgas_ptr_t second)
{
    size_t page = PAGE * sizeof(double);
    size_t apart = (size_t)(second.offset - first.offset) % page;
    return (page + page / 2 - apart) % page;
}

void heat_problem_create(const heat_shape_t *shape, heat_problem_t *problem)
{
    *problem = (heat_problem_t){
        .shape = *shape,
        .coefficients = coefficients_of(shape),
        .mine = heat_block_of(shape, pgas_mythread()),
    };
    size_t nbytes = level_bytes(shape);
    size_t page = PAGE * sizeof(double);
    problem->allocated[0] = alloc_level(nbytes);
    problem->allocated[1] = alloc_level(nbytes + page);
    problem->level[0] = problem->allocated[0];
    problem->level[1] = pgas_ptr_shift(
        problem->allocated[1], (ptrdiff_t)gap_after(problem->level[0], problem->allocated[1]));
    for (int l = 0; l < 2; l++)
        problem->field[l] =
            pgas_local(heat_point(problem, pgas_mythread(), &problem->mine, l, 0, 0));
}

void heat_problem_free(heat_problem_t *problem)
{
    pgas_all_free(problem->allocated[1]);
    pgas_all_free(problem->allocated[0]);
}

/* A spot of height 1 and width `width` about (x0, y0). */
static double spot(double x, double y, double x0, double y0, double width)
{
    double squared = ((x - x0) * (x - x0) + (y - y0) * (y - y0)) / (width * width);
    return 1.0 / (1.0 + squared * squared);
}

double heat_start_value(const heat_shape_t *shape, heat_start_t start, size_t i, size_t k)
{
    double y = (double)i / (double)(shape->M - 1);
    double x = (double)k / (double)(shape->N - 1);
    bool is_boundary = i == 0 || k == 0 || i == shape->M - 1 || k == shape->N - 1;
    if (start == HEAT_SINE)
        return is_boundary ? 0.0 : sin(M_PI * y) * sin(2.0 * M_PI * x);
    double plate = 0.1 + 0.4 * x;
    if (is_boundary)
        return plate;
    return plate + spot(x, y, 0.3, 0.35, 0.12) + 0.7 * spot(x, y, 0.7, 0.6, 0.2) +
           0.5 * spot(x, y, 0.25, 0.8, 0.08);
}

void heat_problem_start(heat_problem_t *problem, heat_start_t start)
{
    const heat_shape_t *shape = &problem->shape;
    const heat_block_t *mine = &problem->mine;
    ptrdiff_t depth = (ptrdiff_t)shape->depth;
    ptrdiff_t pitch = (ptrdiff_t)mine->pitch;
    problem->start = start;
    problem->step = 0;
    problem->now = 0;
    for (ptrdiff_t i = -depth; i < (ptrdiff_t)mine->rows + depth; i++)
        for (ptrdiff_t k = -depth; k < (ptrdiff_t)mine->cols + depth; k++) {
            size_t row = mine->top + (size_t)i; /* wraps to a large number outside of the mesh */
            size_t col = mine->left + (size_t)k;
            double value =
                row < shape->M && col < shape->N ? heat_start_value(shape, start, row, col) : 0.0;
            problem->field[0][i * pitch + k] = value;
            problem->field[1][i * pitch + k] = value;
        }
    pgas_barrier();
}

int heat_neighbour(const heat_shape_t *shape, int rows, int cols)
{
    int me = pgas_mythread();
    int p = me / (int)shape->Q + rows;
    int q = me % (int)shape->Q + cols;
    if (p < 0 || q < 0 || p >= (int)shape->P || q >= (int)shape->Q)
        return -1;
    return p * (int)shape->Q + q;
}
