/**
 * Which cells are adjacent, in the form METIS takes, and orders computed from it.
 */
#ifndef MESHES_SRC_GRAPH_H
#define MESHES_SRC_GRAPH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "meshes/error.h"
#include "meshes/mesh_file.h"

/** An undirected graph without loops: the vertices adjacent to i are adjacent[start[i]] up to
 *  adjacent[start[i + 1]]. */
typedef struct meshi_graph {
    size_t vertices;
    int32_t *start;
    int32_t *adjacent;
} meshi_graph_t;

/** From the mesh where there is one, else from the matrix, made symmetric. The caller frees it with
 *  meshi_graph_free. */
bool meshi_graph_make(const mesh_file_content_t *content, meshi_graph_t *graph,
                      mesh_error_t *error);

/** What a product needs: the graph of the matrix, made symmetric, or where there is only a mesh, of
 *  the matrix that a diffusion step on it has, cells at most two faces apart. The caller frees it
 *  with meshi_graph_free. */
bool meshi_graph_make_product(const mesh_file_content_t *content, meshi_graph_t *graph,
                              mesh_error_t *error);

void meshi_graph_free(meshi_graph_t *graph);

/** Reverse Cuthill-McKee, component by component, each from a vertex at its edge. */
bool meshi_order_rcm(const meshi_graph_t *graph, int32_t *order, mesh_error_t *error);

/** METIS's nested dissection. METIS runs in a child process, so its memory comes on top and its
 *  signal handlers are not this process's. */
bool meshi_metis_dissect(const meshi_graph_t *graph, int32_t *order, mesh_error_t *error);

/** METIS's k-way partition, with parts of exactly the given sizes: `part` receives the part of
 * every vertex. The parts need few vertices from each other, where every vertex needs those
 * adjacent to it. METIS runs as above.
 *
 *  @param sizes vertices of every part, each at least 1; they add up to the graph's. */
bool meshi_metis_part(const meshi_graph_t *graph, size_t parts, const size_t *sizes, int32_t *part,
                      mesh_error_t *error);

/** Along a Hilbert curve in the bounding box of the centroids, 2^20 steps along each axis. */
bool meshi_order_hilbert(const mesh_geometry_t *mesh, int32_t *order, mesh_error_t *error);

#endif
