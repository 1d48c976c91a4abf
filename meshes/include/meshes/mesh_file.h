/**
 * Writing a Fathom mesh file, and reading one as a whole.
 *
 * The file is HDF5: a mesh, a matrix or both. Its datasets, types and units are described in
 * meshes/README.md. Programs that want a part of the matrix only read it with
 * meshes/matrix_file.h.
 */
#ifndef MESHES_MESH_FILE_H
#define MESHES_MESH_FILE_H

#include <stdbool.h>

#include "meshes/error.h"
#include "meshes/geometry.h"
#include "meshes/matrix.h"

#ifdef __cplusplus
extern "C" {
#endif

/** The version of the format this library writes, and the only one it reads. */
#define MESH_FILE_VERSION 1

/** Room for the line that says where a file came from, the terminating zero included. */
#define MESH_FILE_SOURCE_SIZE 256

/** Everything a file holds. The part that is absent is empty (0 cells, 0 rows). */
typedef struct mesh_file_content {
    mesh_geometry_t mesh;
    mesh_matrix_t matrix;
    /** How the file was made, in words. */
    char source[MESH_FILE_SOURCE_SIZE];
    /** Set by mesh_file_read: the file has checksums, and they are right. */
    bool has_checksums;
} mesh_file_content_t;

/**
 * Writes a file. It is written under a temporary name in the same directory and renamed at the
 * end: `path` is either the complete new file or what it was before.
 *
 * @param content the mesh, the matrix or both; where both are present they have the same number
 *                of cells and rows. Only read. What a reader would refuse, such as values that are
 *                not finite or a content without either, is not written: the call fails.
 */
bool mesh_file_write(const char *path, const mesh_file_content_t *content, mesh_error_t *error);

/** Reads a whole file and checks all that it holds against its checksums, if it has them, and
 *  every number in it against the sizes. The caller frees the content with
 *  mesh_file_content_free. */
bool mesh_file_read(const char *path, mesh_file_content_t *content, mesh_error_t *error);

/** Frees what mesh_file_read allocated and empties the content. Harmless on an empty one. */
void mesh_file_content_free(mesh_file_content_t *content);

#ifdef __cplusplus
}
#endif
#endif
