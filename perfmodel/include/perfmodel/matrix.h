/**
 * What the model needs to know of a matrix: where its off-diagonals lie, not their values.
 */
#ifndef PERFMODEL_MATRIX_H
#define PERFMODEL_MATRIX_H

#include <meshes/error.h>
#include <meshes/progress.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/** The columns of a matrix. The caller frees it with model_matrix_free. */
typedef struct model_matrix {
    /** Number of rows and of columns. */
    size_t rows;
    /** Off-diagonals stored per row, padding included. */
    size_t row_nonzeros;
    /** `rows * row_nonzeros` columns, row by row, all in [0, rows). */
    int32_t *J;
} model_matrix_t;

/**
 * Reads only J of the matrix in a mesh file: 4 bytes of memory per off-diagonal.
 *
 * @param path     the file.
 * @param progress is told how many rows have been read; may be NULL.
 * @param matrix   receives the matrix.
 * @param error    receives the reason when the result is false.
 */
bool model_matrix_load(const char *path, const mesh_progress_t *progress, model_matrix_t *matrix,
                       mesh_error_t *error);

/** Frees the columns and empties the matrix. Harmless on an empty one. */
void model_matrix_free(model_matrix_t *matrix);

#ifdef __cplusplus
}
#endif
#endif
