/**
 * Sparse products on synthetic matrices, all threads at once: limited by reading the matrix from
 * memory, and with lines of x out of order.
 */
#ifndef STREAM_PRODUCT_H
#define STREAM_PRODUCT_H

#include <pgas/pgas.h>
#include <stdbool.h>
#include <stdint.h>

#include "rates.h"

typedef struct stream_product {
    size_t rows;
    /** What D, A, the two J and y of all threads lie in. */
    pgas_ptr_t segment;
    double *D;
    double *A;
    double *y;
    /** Columns that are the row's own, and those of neighbours in space. */
    int32_t *own;
    int32_t *near;
    /** Private, as in v2 and v3. */
    double *x;
    /** Lines of x that the second is predicted to fetch out of order (support/reuse.h). */
    uint64_t lines;
} stream_product_t;

/** The cost of a product. */
typedef struct stream_product_times {
    /** Bytes/s per thread of a product with own columns, as formula (6) counts. */
    double bandwidth;
    /** Seconds that a line of x out of order adds; 0 if there are none. */
    double line;
} stream_product_times_t;

/**
 * Makes the matrices: rows of 16 off-diagonals, about `nbytes` (formula (6)) in whole cache lines,
 * per thread. In the second the rows are cells of a cube in Morton order, as far as there are rows,
 * each with the neighbours across its faces and ten of its twelve edges: an unstructured mesh in a
 * good order is like that. The cell itself stands in for a missing neighbour.
 *
 * @param caches of a thread; a second level of 0 is not known: no lines are counted.
 *
 * Collective.
 */
void stream_product_create(size_t nbytes, reuse_caches_t caches, stream_product_t *product);

/** Frees them. Collective. */
void stream_product_free(stream_product_t *product);

/** Multiplies with both matrices in turn, with a new x each time. Collective. */
stream_product_times_t stream_product_measure(stream_product_t *product);

/** True if all products on all threads were right. Collective. */
bool stream_product_check(const stream_product_t *product);

#endif
