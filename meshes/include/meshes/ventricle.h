/**
 * A mesh of the left ventricle of the heart, idealised.
 *
 * The wall lies between two half ellipsoids of revolution around the z axis with a common centre
 * at the origin. The apex points down (negative z), and a plane above the equator cuts the base
 * off. The boundary is triangulated here with the edge length that suits the wanted number of
 * cells; the inside is meshed by the program `tetgen`, run on files in a private directory under
 * $TMPDIR (else /tmp) that is removed afterwards. TetGen is not linked.
 */
#ifndef MESHES_VENTRICLE_H
#define MESHES_VENTRICLE_H

#include <stdbool.h>
#include <stddef.h>

#include "meshes/error.h"
#include "meshes/geometry.h"
#include "meshes/progress.h"

#ifdef __cplusplus
extern "C" {
#endif

/** The shape, in centimetres. */
typedef struct mesh_ventricle {
    /** Half axis of the outer ellipsoid across. */
    double outer_radius;
    /** Half axis of the outer ellipsoid along z. */
    double outer_height;
    /** The same of the inner ellipsoid, each smaller than the outer one. */
    double inner_radius;
    double inner_height;
    /** Height of the base above the centre, below inner_height; may be negative. */
    double cut;
} mesh_ventricle_t;

/** The shape used when nothing else is said: 3.5, 8.5, 2.5, 7.5 and 2.5 cm. */
extern const mesh_ventricle_t mesh_ventricle_default;

/** How a mesh came about. */
typedef struct mesh_ventricle_report {
    /** Edge length of the surface triangles, cm. */
    double edge;
    /** Largest volume of a cell that tetgen was allowed, cm^3. */
    double volume_limit;
    /** How often tetgen ran to come near the wanted number of cells. */
    size_t runs;
} mesh_ventricle_report_t;

/** Volume between the ellipsoids below the cut, in cm^3. */
double mesh_ventricle_volume(const mesh_ventricle_t *shape);

/**
 * Makes the mesh.
 *
 * @param shape    the shape.
 * @param cells    wanted number of cells, at least 1000. The result is within 10 % of it, else the
 *                 call fails.
 * @param tetgen   the program to run, looked up in PATH when it has no slash.
 * @param progress told of the progress; may be NULL.
 * @param mesh     receives the mesh, cells in tetgen's order; the caller frees it with
 *                 mesh_geometry_free.
 * @param report   receives how it came about.
 */
bool mesh_ventricle_make(const mesh_ventricle_t *shape, size_t cells, const char *tetgen,
                         const mesh_progress_t *progress, mesh_geometry_t *mesh,
                         mesh_ventricle_report_t *report, mesh_error_t *error);

#ifdef __cplusplus
}
#endif
#endif
