#include "sample.h"

#include <dirent.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static char directory[64];

static _Noreturn void give_up(const char *what)
{
    fprintf(stderr, "sample: %s\n", what);
    abort();
}

double sample_random(uint64_t *seed)
{
    *seed += 0x9e3779b97f4a7c15U;
    uint64_t x = *seed;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9U;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebU;
    x ^= x >> 31;
    return (double)(x >> 11) * 0x1p-53;
}

uint64_t sample_seed(void)
{
    const char *given = getenv("MESHES_TEST_SEED");
    uint64_t seed = given != NULL ? strtoull(given, NULL, 10) : (uint64_t)time(NULL);
    printf("MESHES_TEST_SEED=%llu\n", (unsigned long long)seed);
    return seed;
}

static void place_points(mesh_geometry_t *mesh, size_t side, double shake, uint64_t seed)
{
    size_t across = side + 1;
    for (size_t p = 0; p < mesh->points; p++) {
        size_t at[3] = {p % across, p / across % across, p / across / across};
        for (size_t d = 0; d < 3; d++) {
            double moved = shake * (sample_random(&seed) - 0.5);
            int inside = at[d] > 0 && at[d] < side;
            mesh->xyz[3 * p + d] = ((double)at[d] + (inside ? moved : 0.0)) / (double)side;
        }
    }
}

mesh_geometry_t sample_cube_incomplete(size_t side, double shake, uint64_t seed)
{
    static const size_t paths[6][3] = {{0, 1, 2}, {0, 2, 1}, {1, 0, 2},
                                       {1, 2, 0}, {2, 0, 1}, {2, 1, 0}};
    mesh_geometry_t mesh;
    mesh_error_t error;
    size_t across = side + 1;
    size_t step[3] = {1, across, across * across};
    if (!mesh_geometry_alloc(across * across * across, 6 * side * side * side, &mesh, &error))
        give_up(error.text);
    place_points(&mesh, side, shake, seed);
    for (size_t i = 0; i < mesh.cells; i++) {
        size_t cube = i / 6;
        size_t point = cube % side + cube / side % side * step[1] + cube / side / side * step[2];
        mesh.corners[4 * i] = (int32_t)point;
        for (size_t k = 0; k < 3; k++) {
            point += step[paths[i % 6][k]];
            mesh.corners[4 * i + k + 1] = (int32_t)point;
        }
    }
    return mesh;
}

mesh_geometry_t sample_cube(size_t side, double shake, uint64_t seed)
{
    mesh_error_t error;
    mesh_geometry_t mesh = sample_cube_incomplete(side, shake, seed);
    if (!mesh_geometry_complete(&mesh, "cube", &error))
        give_up(error.text);
    return mesh;
}

mesh_matrix_t sample_matrix(size_t rows, size_t row_nonzeros, uint64_t seed)
{
    mesh_matrix_t matrix;
    mesh_error_t error;
    if (!mesh_matrix_alloc(rows, row_nonzeros, &matrix, &error))
        give_up(error.text);
    for (size_t i = 0; i < rows; i++) {
        size_t length = (size_t)(sample_random(&seed) * (double)(row_nonzeros + 1));
        matrix.D[i] = sample_random(&seed);
        for (size_t k = 0; k < length; k++) {
            int32_t column = (int32_t)(sample_random(&seed) * (double)rows);
            if ((size_t)column == i)
                continue;
            matrix.A[i * row_nonzeros + k] = sample_random(&seed) - 0.5;
            matrix.J[i * row_nonzeros + k] = column;
        }
    }
    return matrix;
}

static void remove_directory(void)
{
    char path[512];
    DIR *listing = opendir(directory);
    if (listing == NULL)
        return;
    for (struct dirent *entry; (entry = readdir(listing)) != NULL;) {
        snprintf(path, sizeof path, "%s/%s", directory, entry->d_name);
        unlink(path);
    }
    closedir(listing);
    rmdir(directory);
}

const char *sample_path(const char *name)
{
    static char paths[4][256];
    static size_t next;
    if (directory[0] == '\0') {
        snprintf(directory, sizeof directory, "/tmp/meshes-test-XXXXXX");
        if (mkdtemp(directory) == NULL)
            give_up("no temporary directory");
        atexit(remove_directory);
    }
    char *path = paths[next++ % 4];
    snprintf(path, sizeof paths[0], "%s/%s", directory, name);
    return path;
}
