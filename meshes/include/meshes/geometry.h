/**
 * A mesh of tetrahedra in memory.
 *
 * Points and cells are numbered from 0. A cell is four corners in positive orientation: the
 * vectors from corner 0 to the corners 1, 2 and 3 form a right-handed system. Face k of a cell is
 * the one opposite its corner k. Lengths are in centimetres where the mesh comes from
 * `fathom-mesh ventricle`, else in the unit of the imported file.
 */
#ifndef MESHES_GEOMETRY_H
#define MESHES_GEOMETRY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "meshes/error.h"

#ifdef __cplusplus
extern "C" {
#endif

/** The mesh. All zero is the empty mesh. Whoever made it frees it with mesh_geometry_free. */
typedef struct mesh_geometry {
    /** Number of points; below 2^31. */
    size_t points;
    /** Number of cells; below 2^29, so that 4 * cells fits an int32_t. */
    size_t cells;
    /** 3 * points coordinates. */
    double *xyz;
    /** 4 * cells point numbers. */
    int32_t *corners;
    /** 4 * cells: the cell behind face k, or -1 on the boundary. */
    int32_t *neighbours;
    /** `cells` volumes, all positive. */
    double *volumes;
    /** `cells` numbers the cells had in the file they came from. */
    int32_t *original;
} mesh_geometry_t;

/** Allocates all arrays, not initialised except `original`, which is 0, 1, 2, ... False when
 *  memory runs out or a count is 0 or too large. */
bool mesh_geometry_alloc(size_t points, size_t cells, mesh_geometry_t *mesh, mesh_error_t *error);

/** Frees the arrays and empties the mesh. Harmless on an empty one. */
void mesh_geometry_free(mesh_geometry_t *mesh);

/**
 * Fills `volumes` and `neighbours` from `xyz` and `corners` and checks the mesh: corners exist and
 * differ, no cell is flat, be it for rounding, or beyond doubles, no cell is there twice, no face
 * belongs to more than two cells, and two lie on either side of it. Cells of negative orientation
 * are turned by swapping two corners. The message of a failure names cells by the number they
 * have here, and `name`, the file they came from.
 */
bool mesh_geometry_complete(mesh_geometry_t *mesh, const char *name, mesh_error_t *error);

/** Centroid of a cell: the mean of its corners. */
void mesh_geometry_centroid(const mesh_geometry_t *mesh, size_t cell, double centroid[3]);

/** Sum of all volumes. */
double mesh_geometry_volume(const mesh_geometry_t *mesh);

#ifdef __cplusplus
}
#endif
#endif
