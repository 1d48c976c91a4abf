/* Which cells share a face, and whether the cells make a mesh at all. Faces are put into one
 * bucket per smallest corner by counting, and sorted within their bucket: linear in the number of
 * cells as long as no point has very many of them. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "fail.h"
#include "meshes/geometry.h"

typedef struct face {
    int32_t middle;
    int32_t largest;
    int32_t number;
} face_t;

/* Six times the signed volume. `rounding` receives a bound of its error (Shewchuk 1997, for this
 * order of operations): a smaller one may have either sign. */
static double determinant(const mesh_geometry_t *mesh, const int32_t corners[4], double *rounding)
{
    const double relative = 7.8e-16;
    const double *p[4];
    double e[3][3];
    double sum = 0.0;
    double size = 0.0;
    for (size_t k = 0; k < 4; k++)
        p[k] = mesh->xyz + 3 * (size_t)corners[k];
    for (size_t k = 0; k < 3; k++)
        for (size_t d = 0; d < 3; d++)
            e[k][d] = p[k + 1][d] - p[0][d];
    for (size_t d = 0; d < 3; d++) {
        size_t d1 = (d + 1) % 3;
        size_t d2 = (d + 2) % 3;
        double plus = e[1][d1] * e[2][d2];
        double minus = e[1][d2] * e[2][d1];
        sum += e[0][d] * (plus - minus);
        size += fabs(e[0][d]) * (fabs(plus) + fabs(minus));
    }
    *rounding = relative * size;
    return sum;
}

static bool check_corners(const mesh_geometry_t *mesh, size_t cell, const char *name,
                          mesh_error_t *error)
{
    const int32_t *corners = mesh->corners + 4 * cell;
    for (size_t k = 0; k < 4; k++) {
        if (corners[k] < 0 || (size_t)corners[k] >= mesh->points)
            return meshi_fail(error, "%s: cell %zu (0-based) has corner %d of a mesh of %zu points",
                              name, cell, corners[k], mesh->points);
        for (size_t l = 0; l < k; l++)
            if (corners[k] == corners[l])
                return meshi_fail(error, "%s: cell %zu (0-based) has point %d twice", name, cell,
                                  corners[k]);
    }
    return true;
}

static bool orient_cells(mesh_geometry_t *mesh, const char *name, mesh_error_t *error)
{
    for (size_t i = 0; i < mesh->cells; i++) {
        if (!check_corners(mesh, i, name, error))
            return false;
        int32_t *corners = mesh->corners + 4 * i;
        double rounding;
        double volume = determinant(mesh, corners, &rounding) / 6.0;
        if (!isfinite(volume) || !isfinite(rounding))
            return meshi_fail(error, "%s: cell %zu (0-based) is too large: its volume is %g", name,
                              i, fabs(volume));
        if (volume < 0.0) {
            int32_t corner = corners[2];
            corners[2] = corners[3];
            corners[3] = corner;
            volume = -volume;
        }
        if (volume <= rounding / 6.0)
            return meshi_fail(error,
                              "%s: cell %zu (0-based) is flat: its volume is %g, which rounding "
                              "alone may make",
                              name, i, volume);
        mesh->volumes[i] = volume;
    }
    return true;
}

static void sorted_face(const int32_t corners[4], size_t k, int32_t face[3])
{
    size_t n = 0;
    for (size_t l = 0; l < 4; l++)
        if (l != k)
            face[n++] = corners[l];
    for (size_t i = 1; i < 3; i++)
        for (size_t j = i; j > 0 && face[j] < face[j - 1]; j--) {
            int32_t corner = face[j];
            face[j] = face[j - 1];
            face[j - 1] = corner;
        }
}

/* Whether the corners of a positively oriented cell but its corner k, as seen from outside, come
 * in ascending order or, else, in descending order when they are turned round. */
static bool is_ascending(const int32_t corners[4], size_t k)
{
    static const size_t faces[4][3] = {{1, 2, 3}, {0, 3, 2}, {0, 1, 3}, {0, 2, 1}};
    int32_t a = corners[faces[k][0]];
    int32_t b = corners[faces[k][1]];
    int32_t c = corners[faces[k][2]];
    return (a < b) + (b < c) + (c < a) == 2;
}

static int compare_faces(const void *left, const void *right)
{
    const face_t *a = left;
    const face_t *b = right;
    if (a->middle != b->middle)
        return a->middle < b->middle ? -1 : 1;
    if (a->largest != b->largest)
        return a->largest < b->largest ? -1 : 1;
    return a->number < b->number ? -1 : a->number > b->number;
}

static void fill_buckets(const mesh_geometry_t *mesh, uint32_t *bucket_end, face_t *faces)
{
    for (size_t i = 0; i < mesh->cells; i++)
        for (size_t k = 0; k < 4; k++) {
            int32_t face[3];
            sorted_face(mesh->corners + 4 * i, k, face);
            bucket_end[face[0] + 1]++;
        }
    for (size_t p = 1; p <= mesh->points; p++)
        bucket_end[p] += bucket_end[p - 1];
    for (size_t i = 0; i < mesh->cells; i++)
        for (size_t k = 0; k < 4; k++) {
            int32_t face[3];
            sorted_face(mesh->corners + 4 * i, k, face);
            face_t *place = faces + bucket_end[face[0]]++;
            *place = (face_t){face[1], face[2], (int32_t)(4 * i + k)};
        }
}

/* Two cells that lie on either side of a face see its corners turn in opposite senses. */
static bool check_sides(const mesh_geometry_t *mesh, size_t smallest, const face_t *a,
                        const face_t *b, const char *name, mesh_error_t *error)
{
    int32_t cells[2] = {a->number / 4, b->number / 4};
    if (mesh->corners[a->number] == mesh->corners[b->number])
        return meshi_fail(error, "%s: cells %d and %d (0-based) have the same corners", name,
                          cells[0], cells[1]);
    if (is_ascending(mesh->corners + 4 * (size_t)cells[0], (size_t)a->number % 4) ==
        is_ascending(mesh->corners + 4 * (size_t)cells[1], (size_t)b->number % 4))
        return meshi_fail(error,
                          "%s: cells %d and %d (0-based) lie on the same side of their common "
                          "face, that of the points %zu, %d and %d: the mesh is tangled",
                          name, cells[0], cells[1], smallest, a->middle, a->largest);
    return true;
}

static bool match_bucket(mesh_geometry_t *mesh, size_t smallest, face_t *faces, size_t count,
                         const char *name, mesh_error_t *error)
{
    qsort(faces, count, sizeof *faces, compare_faces);
    for (size_t f = 0; f + 1 < count; f++) {
        const face_t *a = faces + f;
        const face_t *b = a + 1;
        if (a->middle != b->middle || a->largest != b->largest)
            continue;
        if (f + 2 < count && b[1].middle == a->middle && b[1].largest == a->largest)
            return meshi_fail(error,
                              "%s: the face with the points %zu, %d and %d (0-based) belongs to "
                              "more than two cells, among them %d, %d and %d",
                              name, smallest, a->middle, a->largest, a->number / 4, b->number / 4,
                              b[1].number / 4);
        if (!check_sides(mesh, smallest, a, b, name, error))
            return false;
        mesh->neighbours[a->number] = b->number / 4;
        mesh->neighbours[b->number] = a->number / 4;
        f++;
    }
    return true;
}

static bool find_neighbours(mesh_geometry_t *mesh, const char *name, mesh_error_t *error)
{
    bool found = false;
    uint32_t *bucket_end = calloc(mesh->points + 1, sizeof *bucket_end);
    face_t *faces = malloc(4 * mesh->cells * sizeof *faces);
    if (bucket_end == NULL || faces == NULL) {
        (void)meshi_fail_memory(error, "the faces of the mesh", 4 * mesh->cells * sizeof *faces);
        goto free_faces;
    }
    fill_buckets(mesh, bucket_end, faces);
    memset(mesh->neighbours, -1, 4 * mesh->cells * sizeof *mesh->neighbours);
    size_t first = 0;
    for (size_t p = 0; p < mesh->points; p++) {
        size_t end = bucket_end[p];
        if (!match_bucket(mesh, p, faces + first, end - first, name, error))
            goto free_faces;
        first = end;
    }
    found = true;
free_faces:
    free(faces);
    free(bucket_end);
    return found;
}

bool mesh_geometry_complete(mesh_geometry_t *mesh, const char *name, mesh_error_t *error)
{
    return orient_cells(mesh, name, error) && find_neighbours(mesh, name, error);
}
