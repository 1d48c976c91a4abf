/**
 * Meshes and files the tests of this folder are made of.
 */
#ifndef MESHES_TESTS_SAMPLE_H
#define MESHES_TESTS_SAMPLE_H

#include <stddef.h>
#include <stdint.h>

#include "meshes/meshes.h"

/** The unit cube, cut into side^3 cubes of 6 tetrahedra each. Points inside are moved at random by
 *  up to `shake` / 2 of a small cube's side along each axis. */
mesh_geometry_t sample_cube(size_t side, double shake, uint64_t seed);

/** The same before mesh_geometry_complete: points and corners only. Shaken too much, it is tangled.
 */
mesh_geometry_t sample_cube_incomplete(size_t side, double shake, uint64_t seed);

/** A matrix with random values, columns and row lengths. */
mesh_matrix_t sample_matrix(size_t rows, size_t row_nonzeros, uint64_t seed);

/** A random number in [0, 1); steps the seed. */
double sample_random(uint64_t *seed);

/** A seed of this run, printed so that a failure can be repeated: $MESHES_TEST_SEED or the time. */
uint64_t sample_seed(void);

/** A path in a directory of this process, made on first use and removed, with all it holds, at
 *  exit. The string is overwritten by the call after the next three. */
const char *sample_path(const char *name);

#endif
