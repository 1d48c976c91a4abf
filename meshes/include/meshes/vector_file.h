/**
 * Vectors in HDF5 files: what a product is computed from, and what comes out.
 *
 * A vector is a dataset of 64-bit reals with one dimension, stored contiguously, in the order of
 * the rows of the matrix file that it belongs to. Any program may write one: attributes are not
 * asked for, nor are checksums (meshes/README.md), unless the file has a group /checksums, which
 * then has those of the vector, too.
 */
#ifndef MESHES_VECTOR_FILE_H
#define MESHES_VECTOR_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "meshes/error.h"

#ifdef __cplusplus
extern "C" {
#endif

/** The version of the format that mesh_product_write writes. */
#define MESH_PRODUCT_VERSION 1

/**
 * Reads the elements of the dataset /x that one thread owns in a block-cyclic distribution, as
 * mesh_matrix_file_read_cyclic reads rows.
 *
 * @param count  elements that the vector must have.
 * @param values receives mesh_matrix_file_cyclic_rows of them, all finite.
 * @param digest receives a digest of all `count` elements, by which processes find that they have
 *               opened different files under one name. Where the file has no checksums, all
 *               elements are read for it.
 */
bool mesh_vector_read_cyclic(const char *path, size_t count, size_t block, size_t thread,
                             size_t threads, double *values, uint64_t *digest, mesh_error_t *error);

/** y = M^products x. All arrays are the caller's and have `rows` elements in the order of the rows
 * of the matrix file. */
typedef struct mesh_product {
    size_t rows;
    size_t products;
    const double *x;
    const double *y;
    /** The number of each row before any renumbering; NULL: not known. */
    const int32_t *original;
    /** How the file was made, in words. */
    const char *source;
} mesh_product_t;

/**
 * Writes the datasets /x, /y and, if known, /original, and the attributes "format"
 * ("fathom-product"), "version", "source" and "products". Everything must be finite. Written under
 * a temporary name and renamed: `path` is either the complete new file or what it was before.
 */
bool mesh_product_write(const char *path, const mesh_product_t *product, mesh_error_t *error);

#ifdef __cplusplus
}
#endif
#endif
