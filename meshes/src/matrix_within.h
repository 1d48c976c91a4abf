/**
 * The matrix of a file that is open already.
 */
#ifndef MESHES_SRC_MATRIX_WITHIN_H
#define MESHES_SRC_MATRIX_WITHIN_H

#include <hdf5.h>
#include <stdbool.h>

#include "meshes/matrix_file.h"

/** As mesh_matrix_file_open, of the open file `within`, which its caller may close at any time;
 *  `path` is for messages. */
bool meshi_matrix_within(hid_t within, const char *path, mesh_matrix_file_t **file,
                         mesh_matrix_info_t *info, mesh_error_t *error);

#endif
