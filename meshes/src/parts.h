/**
 * Parts of a graph whose sizes are given.
 */
#ifndef MESHES_SRC_PARTS_H
#define MESHES_SRC_PARTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "graph.h"
#include "meshes/error.h"

/** Counts, over all vertices, the parts other than the vertex's own that have a vertex adjacent to
 *  it: what parts need from each other where every vertex needs the value of its neighbours. */
size_t meshi_parts_foreign(const meshi_graph_t *graph, const int32_t *part);

/**
 * Moves vertices between parts until part p has exactly sizes[p]. Vertices go from part to adjacent
 * part, those first that add least to meshi_parts_foreign; between parts that no path of edges
 * joins, any do.
 *
 * @param graph symmetric.
 * @param parts number of parts.
 * @param sizes wanted vertices of every part; they add up to the graph's.
 * @param part  the part of every vertex, 0-based; changed. On failure some vertices may have moved.
 */
bool meshi_parts_fit(const meshi_graph_t *graph, size_t parts, const size_t *sizes, int32_t *part,
                     mesh_error_t *error);

#endif
