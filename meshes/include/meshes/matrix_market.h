/**
 * Reading Matrix Market files.
 *
 * Coordinate matrices, real, integer or pattern (every value is 1), general, symmetric or
 * skew-symmetric (the other half is added, of the latter with the opposite sign; the half that is
 * listed may be either, but not both). The matrix must be square; a skew-symmetric one has no
 * diagonal but zeros. The file may be compressed by gzip. Entries given more than once are added
 * up, and a missing diagonal entry is 0. Rows of different lengths are padded to the longest; there
 * may be fewer entries than rows, or none.
 *
 * Numbers are decimal and rounded to the nearest double, however many digits they have; those of an
 * integer matrix are whole, and no larger than 2^53, up to where doubles are exact. A word too many
 * in a line is refused, and so is anything else that is not a number where one has to be. Comments,
 * from '%' to the end of the line, and empty lines may stand anywhere behind the first line.
 */
#ifndef MESHES_MATRIX_MARKET_H
#define MESHES_MATRIX_MARKET_H

#include <stdbool.h>
#include <stddef.h>

#include "meshes/error.h"
#include "meshes/matrix.h"

#ifdef __cplusplus
extern "C" {
#endif

/**
 * Reads a matrix.
 *
 * @param max_row_nonzeros the most off-diagonals a row may have. The EllPack form pads every row
 *                         to the longest, so one full row would make it as large as a dense
 *                         matrix.
 * @param matrix           receives the matrix; the caller frees it with mesh_matrix_free.
 */
bool mesh_matrix_market_read(const char *path, size_t max_row_nonzeros, mesh_matrix_t *matrix,
                             mesh_error_t *error);

/** The same from text in memory; `name` stands for the file in messages. The text needs no
 *  terminating zero. */
bool mesh_matrix_market_parse(const char *name, const char *text, size_t nbytes,
                              size_t max_row_nonzeros, mesh_matrix_t *matrix, mesh_error_t *error);

#ifdef __cplusplus
}
#endif
#endif
