#include "meshes/geometry.h"

#include <stdlib.h>

#include "fail.h"
#include "memory.h"

static const size_t cells_max = (size_t)1 << 29;

bool mesh_geometry_alloc(size_t points, size_t cells, mesh_geometry_t *mesh, mesh_error_t *error)
{
    if (points == 0 || points > INT32_MAX)
        return meshi_fail(error, "a mesh of %zu points: from 1 to %d are possible", points,
                          INT32_MAX);
    if (cells == 0 || cells >= cells_max)
        return meshi_fail(error, "a mesh of %zu cells: from 1 to %zu are possible", cells,
                          cells_max - 1);
    const size_t nbytes = 24 * points + 44 * cells;
    mesh_geometry_t made = {.points = points, .cells = cells};
    if (!meshi_memory_exists(nbytes))
        return meshi_fail_memory(error, "the mesh", nbytes);
    made.xyz = malloc(3 * points * sizeof *made.xyz);
    made.corners = malloc(4 * cells * sizeof *made.corners);
    made.neighbours = malloc(4 * cells * sizeof *made.neighbours);
    made.volumes = malloc(cells * sizeof *made.volumes);
    made.original = malloc(cells * sizeof *made.original);
    if (made.xyz == NULL || made.corners == NULL || made.neighbours == NULL ||
        made.volumes == NULL || made.original == NULL) {
        mesh_geometry_free(&made);
        return meshi_fail_memory(error, "the mesh", nbytes);
    }
    for (size_t i = 0; i < cells; i++)
        made.original[i] = (int32_t)i;
    *mesh = made;
    return true;
}

void mesh_geometry_free(mesh_geometry_t *mesh)
{
    free(mesh->original);
    free(mesh->volumes);
    free(mesh->neighbours);
    free(mesh->corners);
    free(mesh->xyz);
    *mesh = (mesh_geometry_t){0};
}

void mesh_geometry_centroid(const mesh_geometry_t *mesh, size_t cell, double centroid[3])
{
    const int32_t *corners = mesh->corners + 4 * cell;
    for (size_t d = 0; d < 3; d++) {
        double sum = 0.0;
        for (size_t k = 0; k < 4; k++)
            sum += mesh->xyz[3 * (size_t)corners[k] + d];
        centroid[d] = 0.25 * sum;
    }
}

double mesh_geometry_volume(const mesh_geometry_t *mesh)
{
    double sum = 0.0;
    for (size_t i = 0; i < mesh->cells; i++)
        sum += mesh->volumes[i];
    return sum;
}
