#include "product.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/large.h"
#include "common/product.h"
#include "job.h"
#include "support/reuse.h"

enum {
    NEIGHBOURS = 16,
    AXES = 3,
    LINE = 64 / sizeof(double),
    /* Formula (6). */
    ROW_BYTES = NEIGHBOURS * (sizeof(double) + sizeof(int32_t)) + 3 * sizeof(double)
};

/* Ten bits of a place are each of the three coordinates': every third one, the first axis's from
 * bit 0 on. */
static const uint32_t first_axis = 0x09249249;
static const size_t most_rows = (size_t)1 << 30;

/* Across the faces of a cell, and ten of its twelve edges. */
static const int neighbours[NEIGHBOURS][AXES] = {
    {-1, 0, 0},  {1, 0, 0},  {0, -1, 0}, {0, 1, 0},   {0, 0, -1}, {0, 0, 1},
    {-1, -1, 0}, {1, 1, 0},  {-1, 1, 0}, {1, -1, 0},  {-1, 0, 1}, {-1, 0, -1},
    {1, 0, 1},   {1, 0, -1}, {0, 1, 1},  {0, -1, -1},
};

/* A coordinate moved by -1, 0 or 1, the other bits being zero: a carry goes through the others if
 * they are all set, a borrow if they are not. A move out of the cube enters on the other side. */
static uint32_t moved(uint32_t place, uint32_t axis, int step)
{
    if (step > 0)
        return ((place | ~axis) + 1) & axis;
    return ((place & axis) - (step < 0)) & axis;
}

/* The place of a neighbour; the cell's own where there is none. */
static uint32_t neighbour_of(uint32_t place, const int steps[AXES], size_t rows)
{
    uint32_t neighbour = 0;
    for (int a = 0; a < AXES; a++) {
        uint32_t axis = first_axis << a;
        uint32_t now = moved(place, axis, steps[a]);
        if ((steps[a] > 0 && now == 0) || (steps[a] < 0 && now == axis))
            return place;
        neighbour |= now;
    }
    return neighbour < rows ? neighbour : place;
}

/* Every product is 1 where x is. */
static void fill(stream_product_t *product)
{
    for (size_t k = 0; k < product->rows; k++) {
        product->D[k] = 0.5;
        product->x[k] = 1.0;
        for (size_t j = 0; j < NEIGHBOURS; j++) {
            product->A[k * NEIGHBOURS + j] = 0.5 / NEIGHBOURS;
            product->own[k * NEIGHBOURS + j] = (int32_t)k;
            product->near[k * NEIGHBOURS + j] =
                (int32_t)neighbour_of((uint32_t)k, neighbours[j], product->rows);
        }
    }
}

static uint64_t count_lines(const stream_product_t *product, reuse_caches_t caches)
{
    reuse_t reuse;
    uint64_t lines = 0;
    if (caches.second_level == 0)
        return 0;
    if (!reuse_init(&reuse, product->rows, ROW_BYTES - sizeof(double), caches))
        pgas_fail(1, "calibrate: no memory for the lines of %zu rows", product->rows);
    for (size_t k = 0; k < product->rows; k++) {
        reuse_next_row(&reuse);
        reuse_use(&reuse, (uint32_t)k, (uint32_t)k);
        for (size_t j = 0; j < NEIGHBOURS; j++)
            lines += reuse_use(&reuse, (uint32_t)k, (uint32_t)product->near[k * NEIGHBOURS + j]) >
                     REUSE_SEQUENCE;
    }
    reuse_free(&reuse);
    return lines;
}

void stream_product_create(size_t nbytes, reuse_caches_t caches, stream_product_t *product)
{
    /* A number with which every array begins a cache line. */
    size_t rows = (nbytes / ROW_BYTES / LINE + 1) * LINE;
    rows = rows < most_rows ? rows : most_rows;
    size_t reals = rows * (NEIGHBOURS + 2);
    size_t columns = rows * NEIGHBOURS;
    *product = (stream_product_t){
        .rows = rows,
        .x = common_alloc("x", rows, sizeof(double)),
    };
    size_t held = reals * sizeof(double) + 2 * columns * sizeof(int32_t);
    if (pgas_all_alloc((size_t)pgas_threads(), held, &product->segment) != PGAS_OK)
        pgas_exit(1);
    product->D = pgas_local(pgas_ptr_on(product->segment, pgas_mythread()));
    product->y = product->D + rows;
    product->A = product->y + rows;
    product->own = (int32_t *)(void *)(product->A + columns);
    product->near = product->own + columns;
    fill(product);
    product->lines = count_lines(product, caches);
    stream_product_measure(product); /* the first time is slower */
}

void stream_product_free(stream_product_t *product)
{
    pgas_all_free(product->segment);
    free(product->x);
}

typedef struct run {
    const stream_product_t *product;
    const int32_t *J;
} run_t;

static void multiply(void *context, size_t count)
{
    const run_t *run = context;
    const stream_product_t *p = run->product;
    for (size_t i = 0; i < count; i++)
        common_product(p->rows, NEIGHBOURS, p->D, p->A, run->J, p->x, 0, p->y);
}

/* The vector of v2 and v3 has been copied just before. The least of some times: a disturbance of
 * one product would look like a difference between two. */
static double seconds_of(const stream_product_t *product, const int32_t *J)
{
    enum {
        TIMES = 4
    };
    run_t run = {product, J};
    double least = INFINITY;
    for (int i = 0; i < TIMES; i++) {
        least = fmin(least, stream_time(multiply, &run, 1));
        memcpy(product->x, product->y, product->rows * sizeof(double));
    }
    return least;
}

/* Differences of times, whose sign a disturbance may change. */
static double per_line(const stream_product_t *product, double near, double own)
{
    double lines = (double)product->lines;
    return lines > 0.0 ? fmax(near - own, 0.0) / lines : 0.0;
}

static bool is_right(const stream_product_t *product)
{
    bool right = true;
    for (size_t k = 0; k < product->rows; k++)
        right &= product->y[k] == 1.0;
    return right;
}

stream_product_times_t stream_product_measure(stream_product_t *product)
{
    double own = seconds_of(product, product->own);
    double near = seconds_of(product, product->near);
    return (stream_product_times_t){
        .bandwidth = (double)(product->rows * ROW_BYTES) / own,
        .line = per_line(product, near, own),
    };
}

bool stream_product_check(const stream_product_t *product)
{
    return stream_all(is_right(product));
}
