/**
 * A second reading of the text files that the library reads, written apart from it: slow, by
 * regular expressions, strtod and lines cut into words. Tests and fuzz targets compare the two.
 */
#ifndef MESHES_TESTS_INDEPENDENT_H
#define MESHES_TESTS_INDEPENDENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** A decimal number, and a whole one, or false. The value is written only on success. */
bool independent_real(const char *word, size_t length, double *value);
bool independent_whole(const char *word, size_t length, int64_t *value);

/**
 * Reads a Matrix Market text with mesh_matrix_market_parse and again, and compares: whether it is
 * accepted, and every entry, padding included. Ends the process with abort and a line on standard
 * error if they differ. `rows_max` leaves out texts that announce more rows.
 *
 * @return whether the text was accepted.
 */
bool independent_check_market(const char *text, size_t nbytes, size_t max_row_nonzeros,
                              size_t rows_max);

/** The same for the two texts of a TetGen mesh and mesh_tetgen_parse: points, corners, and whether
 *  what is wrong is in the texts or in the mesh. */
bool independent_check_tetgen(const char *node, size_t node_nbytes, const char *ele,
                              size_t ele_nbytes);

#endif
