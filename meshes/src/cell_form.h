/**
 * What one cell contributes to the diffusion matrix: a bilinear form in the differences between
 * its neighbours' values and its own. Derived in meshes/README.md.
 */
#ifndef MESHES_SRC_CELL_FORM_H
#define MESHES_SRC_CELL_FORM_H

#include <stdbool.h>
#include <stddef.h>

#include "meshes/geometry.h"

/** The form: w^T entries u, where number k of u is the value of neighbour k less the value of the
 *  cell. */
typedef struct meshi_cell_form {
    /** How many faces have a neighbour, 0 to 4. */
    size_t neighbours;
    /** The cells behind them. */
    size_t cells[4];
    /** B; its symmetric part S is positive definite. */
    double entries[4][4];
    /** N = b S^-1 b^T / 2, the least symmetric N with b^T N^-1 b <= 2 S. */
    double bound[4][4];
    /** The form is that of a linear field: the neighbours are in general position, and nothing had
     *  to be taken away to keep the form positive. */
    bool exact;
} meshi_cell_form_t;

/** Computes the form of a cell from the centroids (3 per cell) and the geometry. */
void meshi_cell_form(const mesh_geometry_t *mesh, const double *centroids, size_t cell,
                     meshi_cell_form_t *form);

#endif
