/**
 * The boundary of a ventricle as triangles, and tetgen run on it.
 */
#ifndef MESHES_SRC_PLC_H
#define MESHES_SRC_PLC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "meshes/error.h"
#include "meshes/geometry.h"
#include "meshes/progress.h"
#include "meshes/ventricle.h"

/** A closed surface of triangles. */
typedef struct meshi_plc {
    size_t points;
    size_t triangles;
    /** 3 * points coordinates. */
    double *xyz;
    /** 3 * triangles point numbers. */
    int32_t *corners;
} meshi_plc_t;

/** About how many triangles the two walls get with edges of the given length: more than there can
 *  be where the wall is thin for its cells. */
double meshi_plc_triangles(const mesh_ventricle_t *shape, double edge);

/** Triangulates the boundary with edges of about the given length. The caller frees the surface
 *  with meshi_plc_free. */
bool meshi_plc_ventricle(const mesh_ventricle_t *shape, double edge, meshi_plc_t *plc,
                         mesh_error_t *error);

void meshi_plc_free(meshi_plc_t *plc);

/** Fills the inside of a surface with cells by running tetgen: cells no larger than
 *  `volume_limit`, and of bounded radius-edge ratio. */
bool meshi_tetgen_run(const char *tetgen, const meshi_plc_t *plc, double volume_limit,
                      const mesh_progress_t *progress, mesh_geometry_t *mesh, mesh_error_t *error);

#endif
