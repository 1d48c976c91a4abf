/**
 * Reading TetGen's .node and .ele files.
 *
 * Numbers may start at 0 or at 1: the first point's number decides for both files. Comments from
 * '#' to the end of the line and empty lines are skipped, and so are attributes and boundary
 * markers, of which every line has as many as the header says. Nothing else may follow the
 * announced points or cells. Blanks, tabs and commas separate.
 * Second order cells (10 corners) are read by their four corners. Coordinates are decimal and
 * rounded to the nearest double, however many digits they have.
 */
#ifndef MESHES_TETGEN_FILE_H
#define MESHES_TETGEN_FILE_H

#include <stdbool.h>
#include <stddef.h>

#include "meshes/error.h"
#include "meshes/geometry.h"

#ifdef __cplusplus
extern "C" {
#endif

/**
 * Reads a mesh and completes it with mesh_geometry_complete.
 *
 * @param node_path, ele_path the two files.
 * @param mesh receives the mesh; the caller frees it with mesh_geometry_free.
 */
bool mesh_tetgen_read(const char *node_path, const char *ele_path, mesh_geometry_t *mesh,
                      mesh_error_t *error);

/** The same from text in memory; `node_name` and `ele_name` stand for the files in messages. The
 *  texts need no terminating zero. */
bool mesh_tetgen_parse(const char *node_name, const char *node_text, size_t node_nbytes,
                       const char *ele_name, const char *ele_text, size_t ele_nbytes,
                       mesh_geometry_t *mesh, mesh_error_t *error);

#ifdef __cplusplus
}
#endif
#endif
