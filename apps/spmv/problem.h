/**
 * The problem that all variants solve: v = M v, again and again.
 *
 * M is in the paper's modified EllPack form: the diagonal D, and r_nz off-diagonals per row with
 * values A and columns J. All five arrays are shared and distributed alike: x, y and D in blocks of
 * BLOCKSIZE rows, A and J in blocks of r_nz * BLOCKSIZE, so that a thread owns whole rows (Listing
 * 2).
 */
#ifndef SPMV_PROBLEM_H
#define SPMV_PROBLEM_H

#include <meshes/matrix_file.h>
#include <pgas/pgas.h>
#include <stddef.h>
#include <stdint.h>

struct spmv_product;

typedef struct spmv_problem {
    /** Rows of the matrix. */
    size_t n;
    /** Off-diagonals stored per row. */
    size_t r_nz;
    /** Rows per block. */
    size_t blocksize;
    /** Blocks in all, a short last one included. */
    size_t nblks;
    /** Blocks of the calling thread: formula (5). */
    size_t mythread_nblks;
    pgas_array_t D;
    pgas_array_t A;
    pgas_array_t J;
    /** The calling thread's part of the start values if a file gave them, else NULL. */
    double *start;
    /** On thread 0 the file that was read, open: what is wanted of it later is of that file, though
     *  another may have got its name since. NULL on the others. */
    mesh_matrix_file_t *file;
    /** On thread 0 the number that each row had before any renumbering, if it was asked for and the
     *  file tells; else NULL. */
    int32_t *original;
    /** The product that v4 and v5 use (local_product.h), or NULL: the fastest. */
    const struct spmv_product *product;
    /** The two time levels; `x` and `y` point to them and are swapped between iterations. */
    pgas_array_t level[2];
    const pgas_array_t *x;
    const pgas_array_t *y;
} spmv_problem_t;

/**
 * Allocates the five shared arrays and reads the matrix, each thread its own rows. Collective.
 *
 * `blocksize` 0: one block per thread, as even as possible. Bad input ends the job with one line.
 */
void spmv_problem_load(const char *path, size_t blocksize, spmv_problem_t *problem);

/** Reads start values from the dataset /x of a file (meshes/vector_file.h). Collective. Bad input
 *  ends the job with one line. */
void spmv_problem_load_start(const char *path, spmv_problem_t *problem);

/** Reads `original`. Collective. Bad input ends the job with one line. */
void spmv_problem_load_original(spmv_problem_t *problem);

/** Sets x to its start: values from a file, else pseudo-random values in [0, 1) that depend only on
 *  the index. Collective. */
void spmv_problem_start(spmv_problem_t *problem);

/** Copies all elements of x or y, in order, to `values` of the calling thread. Not collective; no
 *  thread may write to the array meanwhile. */
void spmv_problem_gather(const spmv_problem_t *problem, const pgas_array_t *array, double *values);

/** Makes the y of this iteration the x of the next. Every thread calls it, between barriers. */
void spmv_problem_swap(spmv_problem_t *problem);

/** The first row of the calling thread's block `mb` (0-based). */
static inline size_t spmv_block_offset(const spmv_problem_t *problem, size_t mb)
{
    return (mb * (size_t)pgas_threads() + (size_t)pgas_mythread()) * problem->blocksize;
}

/** Rows in the block that starts at row `offset`. */
static inline size_t spmv_block_rows(const spmv_problem_t *problem, size_t offset)
{
    size_t left = problem->n - offset;
    return left < problem->blocksize ? left : problem->blocksize;
}

/** Frees the arrays. Collective. */
void spmv_problem_free(spmv_problem_t *problem);

#endif
