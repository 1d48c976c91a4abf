/**
 * Renumbering the cells of a mesh, or the rows and columns of a matrix, for locality.
 *
 * An order is a list of the old numbers in their new sequence: order[new] = old, 0-based.
 */
#ifndef MESHES_ORDER_H
#define MESHES_ORDER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "meshes/error.h"
#include "meshes/mesh_file.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum mesh_order_method {
    /** The order stays as it is. */
    MESH_ORDER_NONE,
    /** Reverse Cuthill-McKee: small bandwidth. */
    MESH_ORDER_RCM,
    /** A METIS k-way partition for the threads of a product, RCM in each part. */
    MESH_ORDER_METIS,
    /** METIS nested dissection. */
    MESH_ORDER_NESTED,
    /** Along a Hilbert curve through the centroids; needs a mesh. */
    MESH_ORDER_HILBERT,
    /** METIS nested dissection of all that a product refers to. */
    MESH_ORDER_NESTED_PRODUCT,
} mesh_order_method_t;

/**
 * Finds an order.
 *
 * RCM and nested dissection take cells that share a face as adjacent, and without a mesh rows where
 * either refers to the other; MESH_ORDER_NESTED_PRODUCT takes such rows with a mesh too, so that
 * its separators are as thick as the matrix couples cells. The k-way partition is made for `parts`
 * threads that multiply the matrix and of which thread (i / block) % parts has row i, as in
 * mesh_matrix_foreign: the rows of a thread are exactly the cells of one part, and what
 * mesh_matrix_foreign counts is what is made small. Without a matrix the one of a diffusion step is
 * meant.
 *
 * METIS runs in a child process, which ends no later than the calling thread of execution.
 *
 * @param content a mesh, a matrix or both; only read.
 * @param method  how.
 * @param parts   for MESH_ORDER_METIS: number of parts, at least 1 and at most the number of cells.
 * @param block   for MESH_ORDER_METIS: rows in a block; 0 for one block for each part, the number
 *                of cells over `parts`, rounded up.
 * @param order   receives one number per cell; allocated, the caller frees it with free().
 */
bool mesh_order_find(const mesh_file_content_t *content, mesh_order_method_t method, size_t parts,
                     size_t block, int32_t **order, mesh_error_t *error);

/** Renumbers mesh and matrix, rows and columns alike. The off-diagonals of every row are sorted by
 *  their new columns. The list is checked to hold every number once. On failure the content is as
 *  it was. */
bool mesh_order_apply(mesh_file_content_t *content, const int32_t *order, mesh_error_t *error);

#ifdef __cplusplus
}
#endif
#endif
