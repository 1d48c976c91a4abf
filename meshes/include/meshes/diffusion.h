/**
 * The matrix of one explicit time step of the diffusion equation on a mesh of tetrahedra.
 *
 * du/dt = laplace(u) with a diffusivity of 1 and no flux through the boundary, u at the centroids
 * of the cells: v(t + time_step) = M v(t). A row holds the cell itself, its 4 face neighbours and
 * their 12 further neighbours. The scheme and the proofs of what is promised here are in
 * meshes/README.md.
 */
#ifndef MESHES_DIFFUSION_H
#define MESHES_DIFFUSION_H

#include <stdbool.h>
#include <stddef.h>

#include "meshes/error.h"
#include "meshes/geometry.h"
#include "meshes/matrix.h"
#include "meshes/progress.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Off-diagonals of a row. */
#define MESH_DIFFUSION_ROW_NONZEROS 16

/** What else is known of a diffusion matrix. */
typedef struct mesh_diffusion_report {
    /** The time step: length unit squared, as the diffusivity is 1. The largest one for which the
     *  proof in meshes/README.md holds, or a little less. */
    double time_step;
    /** For all steps k: max|v_k| <= norm_bound * max|v_0|. */
    double norm_bound;
    /** Cells away from the boundary: neither they nor their face neighbours have a face on it. */
    size_t inner_cells;
    /** Those of them where not every linear field is a steady state, since the cell or a neighbour
     *  is so bad that the correction had to be reduced which makes the scheme exact for them. */
    size_t unsteady_cells;
    /** The part of the inner cells' volume that the unsteady ones have, 0 to 1. */
    double unsteady_volume;
} mesh_diffusion_report_t;

/**
 * Makes the matrix. Its rows sum to 1 and it conserves the sum of volume times value, both to
 * rounding; no power of it makes the volume-weighted 2-norm grow. Every value is finite: where
 * cells are so large, small or thin that one would not be, the call fails.
 *
 * @param mesh     a complete mesh (mesh_geometry_complete); only read.
 * @param progress told of the progress; may be NULL.
 * @param matrix   receives the matrix; the caller frees it with mesh_matrix_free.
 * @param report   receives what else is known; may be NULL.
 */
bool mesh_diffusion_make(const mesh_geometry_t *mesh, const mesh_progress_t *progress,
                         mesh_matrix_t *matrix, mesh_diffusion_report_t *report,
                         mesh_error_t *error);

#ifdef __cplusplus
}
#endif
#endif
