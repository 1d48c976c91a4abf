#include <math.h>
#include <stdlib.h>

#include "fail.h"
#include "graph.h"

enum {
    BITS = 20
};

typedef struct place {
    uint64_t key;
    int32_t cell;
} place_t;

/* Skilling's transformation: coordinates to the bits of the Hilbert index, transposed. "Programming
 * the Hilbert curve", AIP Conference Proceedings 707 (2004). */
static void to_transposed_index(uint32_t x[3])
{
    for (uint32_t bit = 1U << (BITS - 1); bit > 1; bit >>= 1)
        for (size_t d = 0; d < 3; d++) {
            uint32_t low = bit - 1;
            if (x[d] & bit) {
                x[0] ^= low;
            } else {
                uint32_t swap = (x[0] ^ x[d]) & low;
                x[0] ^= swap;
                x[d] ^= swap;
            }
        }
    for (size_t d = 1; d < 3; d++)
        x[d] ^= x[d - 1];
    uint32_t flip = 0;
    for (uint32_t bit = 1U << (BITS - 1); bit > 1; bit >>= 1)
        if (x[2] & bit)
            flip ^= bit - 1;
    for (size_t d = 0; d < 3; d++)
        x[d] ^= flip;
}

static uint64_t hilbert_key(const double centroid[3], const double low[3], double width)
{
    uint32_t x[3];
    uint64_t key = 0;
    for (size_t d = 0; d < 3; d++) {
        double part = width > 0.0 ? (centroid[d] - low[d]) / width : 0.0;
        x[d] = (uint32_t)(part * ((1U << BITS) - 1));
    }
    to_transposed_index(x);
    for (int bit = BITS - 1; bit >= 0; bit--)
        for (size_t d = 0; d < 3; d++)
            key = key << 1 | ((x[d] >> bit) & 1U);
    return key;
}

static int compare_places(const void *left, const void *right)
{
    const place_t *a = left;
    const place_t *b = right;
    if (a->key != b->key)
        return a->key < b->key ? -1 : 1;
    return a->cell < b->cell ? -1 : a->cell > b->cell;
}

/* Lowest corner and longest side of the box around all centroids. */
static double get_box(const mesh_geometry_t *mesh, double low[3])
{
    double high[3];
    double width = 0.0;
    for (size_t i = 0; i < mesh->cells; i++) {
        double centroid[3];
        mesh_geometry_centroid(mesh, i, centroid);
        for (size_t d = 0; d < 3; d++) {
            low[d] = i == 0 ? centroid[d] : fmin(low[d], centroid[d]);
            high[d] = i == 0 ? centroid[d] : fmax(high[d], centroid[d]);
        }
    }
    for (size_t d = 0; d < 3; d++)
        width = fmax(width, high[d] - low[d]);
    return width;
}

bool meshi_order_hilbert(const mesh_geometry_t *mesh, int32_t *order, mesh_error_t *error)
{
    if (mesh->cells == 0)
        return meshi_fail(error, "the file has no mesh, only a matrix: --method hilbert needs the "
                                 "positions of cells (rcm and metis do not)");
    double low[3] = {0.0};
    double width = get_box(mesh, low);
    if (!isfinite(width))
        return meshi_fail(error, "--method hilbert: cells are farther apart than numbers can tell");
    place_t *places = malloc(mesh->cells * sizeof *places);
    if (places == NULL)
        return meshi_fail_memory(error, "the order", mesh->cells * sizeof *places);
    for (size_t i = 0; i < mesh->cells; i++) {
        double centroid[3];
        mesh_geometry_centroid(mesh, i, centroid);
        places[i] = (place_t){hilbert_key(centroid, low, width), (int32_t)i};
    }
    qsort(places, mesh->cells, sizeof *places, compare_places);
    for (size_t i = 0; i < mesh->cells; i++)
        order[i] = places[i].cell;
    free(places);
    return true;
}
