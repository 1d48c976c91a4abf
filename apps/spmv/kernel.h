/**
 * The product of a thread's own rows with a private copy of x: the last loop of Listings 4 and 5.
 */
#ifndef SPMV_KERNEL_H
#define SPMV_KERNEL_H

#include "problem.h"

/** Computes all of the calling thread's rows of y. `x_copy` has problem->n elements, of which those
 *  that the rows use are set. Not collective. */
void spmv_kernel(const spmv_problem_t *problem, const double *x_copy);

#endif
