/**
 * Reading the matrix of a Fathom mesh file, part by part.
 *
 * Every thread of a job opens the file for itself and reads the rows it owns; nothing is read
 * twice and no thread needs room for the whole matrix. Several processes may have the same file
 * open at once: it is opened for reading only, without a lock. The format of the file is in
 * meshes/README.md, the layout of D, A and J in meshes/matrix.h.
 *
 * Rows and columns are 0-based. What is read is checked: it agrees with the checksums of the file,
 * if that has any (older ones have none), every column lies in [0, rows) and every value is finite.
 * Not collective. One open file serves one thread of execution at a time.
 */
#ifndef MESHES_MATRIX_FILE_H
#define MESHES_MATRIX_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "meshes/error.h"

#ifdef __cplusplus
extern "C" {
#endif

/** An open file. */
typedef struct mesh_matrix_file mesh_matrix_file_t;

/** What the file says about its matrix. */
typedef struct mesh_matrix_info {
    /** Number of rows and of columns, n in the paper. */
    size_t rows;
    /** Off-diagonals stored per row, r_nz in the paper. */
    size_t row_nonzeros;
    /** A digest of the sizes and of the checksums of D, A and J, by which processes find that they
     *  have opened different files under one name; without checksums, of the sizes alone. */
    uint64_t digest;
} mesh_matrix_info_t;

/**
 * Opens a file and checks its version and the shapes and types of its datasets, without reading
 * them.
 *
 * @param path  the file.
 * @param file  receives the open file; the caller closes it with mesh_matrix_file_close.
 * @param info  receives the sizes.
 * @param error receives the reason when the result is false.
 */
bool mesh_matrix_file_open(const char *path, mesh_matrix_file_t **file, mesh_matrix_info_t *info,
                           mesh_error_t *error);

/**
 * Reads the rows first .. first + count - 1.
 *
 * @param D receives `count` values.
 * @param A receives `count * row_nonzeros` values, row by row.
 * @param J receives `count * row_nonzeros` columns; they are those of the whole matrix.
 * Any of D, A and J may be NULL: that part is not read. Their content is undefined after a
 * failure. A count of 0 reads nothing.
 */
bool mesh_matrix_file_read_rows(mesh_matrix_file_t *file, size_t first, size_t count, double *D,
                                double *A, int32_t *J, mesh_error_t *error);

/**
 * Reads the rows that one thread owns in a block-cyclic distribution: blocks thread,
 * thread + threads, thread + 2 * threads, ... of `block` rows each, back to back. The last block
 * of the matrix may be short. A thread may own nothing.
 *
 * @param block   rows in a block; at least 1.
 * @param thread  0-based, below `threads`.
 * @param D, A, J as for mesh_matrix_file_read_rows, with mesh_matrix_file_cyclic_rows as the
 *                count.
 * Small blocks, a single row included, are no slower than reading the whole file once: whole pieces
 * are read, of 64 KiB each, since those have the checksums.
 */
bool mesh_matrix_file_read_cyclic(mesh_matrix_file_t *file, size_t block, size_t thread,
                                  size_t threads, double *D, double *A, int32_t *J,
                                  mesh_error_t *error);

/**
 * Reads the numbers that the rows had before any renumbering: row i of this file is row
 * original[i], 0-based, of what was imported, or its cell of the mesh that was made.
 *
 * @param is_known receives whether the file tells; older ones without a mesh do not.
 * @param original receives `rows` numbers if it does.
 */
bool mesh_matrix_file_read_original(mesh_matrix_file_t *file, bool *is_known, int32_t *original,
                                    mesh_error_t *error);

/** How many of `rows` rows a thread owns in that distribution. */
size_t mesh_matrix_file_cyclic_rows(size_t rows, size_t block, size_t thread, size_t threads);

/** Closes the file. NULL is allowed and does nothing. */
void mesh_matrix_file_close(mesh_matrix_file_t *file);

#ifdef __cplusplus
}
#endif
#endif
