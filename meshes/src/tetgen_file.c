#include "meshes/tetgen_file.h"

#include <stdio.h>
#include <stdlib.h>

#include "fail.h"
#include "read_file.h"
#include "scan.h"

/* "0 1 2 3 4\n" and "0 1 2 3\n": no line of these files is shorter than this. */
static const size_t line_bytes_min = 8;

/* The most attributes or markers. */
static const int64_t extras_max = 1000000;

/* The contents of a file's first line. */
typedef struct header {
    int64_t count; /* of points or cells */
    size_t extras; /* words of a line behind those that are read */
} header_t;

static bool check_count(const meshi_scan_t *scan, const char *what, int64_t count,
                        mesh_error_t *error)
{
    if ((size_t)count > meshi_scan_left(scan) / line_bytes_min + 1)
        return meshi_fail(error, "%s:%zu: announces %lld %s, but only %zu bytes follow", scan->name,
                          scan->line, (long long)count, what, meshi_scan_left(scan));
    return true;
}

static bool scan_header(meshi_scan_t *scan, const char *what, int64_t *count, mesh_error_t *error)
{
    if (!meshi_scan_start_line(scan))
        return meshi_fail(error, "%s: holds no header line", scan->name);
    char quantity[32];
    snprintf(quantity, sizeof quantity, "number of %s", what);
    return meshi_scan_whole(scan, quantity, 1, INT32_MAX, count, error) &&
           check_count(scan, what, *count, error);
}

/* The rest of a header: how many more words, `names`, each line has. None stands for 0. */
static bool scan_extras(meshi_scan_t *scan, const char *const names[2], size_t *extras,
                        mesh_error_t *error)
{
    *extras = 0;
    for (size_t n = 0; n < 2 && names[n] != NULL && meshi_scan_more(scan); n++) {
        int64_t count;
        if (!meshi_scan_whole(scan, names[n], 0, extras_max, &count, error))
            return false;
        *extras += (size_t)count;
    }
    return meshi_scan_end_line(scan, "the header", error);
}

static bool scan_node_header(meshi_scan_t *scan, header_t *header, mesh_error_t *error)
{
    static const char *const extras[2] = {"number of attributes", "number of boundary markers"};
    int64_t dimension;
    if (!scan_header(scan, "points", &header->count, error))
        return false;
    if (!meshi_scan_whole(scan, "dimension", 2, 3, &dimension, error))
        return false;
    if (dimension != 3)
        return meshi_fail(error, "%s:%zu: the mesh has %lld dimensions, not 3", scan->name,
                          scan->line, (long long)dimension);
    return scan_extras(scan, extras, &header->extras, error);
}

static bool scan_ele_header(meshi_scan_t *scan, header_t *header, mesh_error_t *error)
{
    static const char *const extras[2] = {"number of attributes", NULL};
    int64_t corners;
    if (!scan_header(scan, "cells", &header->count, error) ||
        !meshi_scan_whole(scan, "number of corners", 4, 10, &corners, error))
        return false;
    if (corners != 4 && corners != 10)
        return meshi_fail(error, "%s:%zu: cells of %lld corners are not tetrahedra", scan->name,
                          scan->line, (long long)corners);
    if (!scan_extras(scan, extras, &header->extras, error))
        return false;
    header->extras += (size_t)corners - 4;
    return true;
}

static bool start_item(meshi_scan_t *scan, const char *what, size_t done, size_t count,
                       mesh_error_t *error)
{
    if (!meshi_scan_start_line(scan))
        return meshi_fail(error, "%s:%zu: the file ends after %zu of %zu %s", scan->name,
                          scan->line, done, count, what);
    return true;
}

/* Comments and blank lines may follow the last item; tetgen ends its files with a comment. */
static bool end_items(meshi_scan_t *scan, const char *what, size_t count, mesh_error_t *error)
{
    if (meshi_scan_start_line(scan))
        return meshi_fail(error, "%s:%zu: more than the announced %zu %s", scan->name, scan->line,
                          count, what);
    return true;
}

/* Skips the rest of a line, which must have `extras` words: with one more or less, the words before
 * would not mean what they seem to. */
static bool skip_extras(meshi_scan_t *scan, const char *what, size_t extras, mesh_error_t *error)
{
    meshi_word_t word;
    for (size_t e = 0; e < extras; e++)
        if (!meshi_scan_word(scan, &word))
            return meshi_fail(error,
                              "%s:%zu: %s lacks some of the %zu words that the header says "
                              "come last",
                              scan->name, scan->line, what, extras);
    return meshi_scan_end_line(scan, what, error);
}

static bool scan_points(meshi_scan_t *scan, size_t extras, mesh_geometry_t *mesh, int64_t *base,
                        mesh_error_t *error)
{
    *base = 0;
    for (size_t i = 0; i < mesh->points; i++) {
        int64_t number;
        int64_t least = i == 0 ? 0 : *base + (int64_t)i;
        int64_t most = i == 0 ? 1 : least;
        if (!start_item(scan, "points", i, mesh->points, error) ||
            !meshi_scan_whole(scan, "point number", least, most, &number, error))
            return false;
        if (i == 0)
            *base = number;
        for (size_t d = 0; d < 3; d++)
            if (!meshi_scan_real(scan, "coordinate", &mesh->xyz[3 * i + d], error))
                return false;
        if (!skip_extras(scan, "a point", extras, error))
            return false;
    }
    return end_items(scan, "points", mesh->points, error);
}

static bool scan_cells(meshi_scan_t *scan, size_t extras, int64_t base, mesh_geometry_t *mesh,
                       mesh_error_t *error)
{
    for (size_t i = 0; i < mesh->cells; i++) {
        int64_t number;
        int64_t expected = base + (int64_t)i;
        int64_t last = base + (int64_t)mesh->points - 1;
        if (!start_item(scan, "cells", i, mesh->cells, error) ||
            !meshi_scan_whole(scan, "cell number", expected, expected, &number, error))
            return false;
        for (size_t k = 0; k < 4; k++) {
            int64_t corner;
            if (!meshi_scan_whole(scan, "corner", base, last, &corner, error))
                return false;
            mesh->corners[4 * i + k] = (int32_t)(corner - base);
        }
        if (!skip_extras(scan, "a cell", extras, error))
            return false;
    }
    return end_items(scan, "cells", mesh->cells, error);
}

bool mesh_tetgen_parse(const char *node_name, const char *node_text, size_t node_nbytes,
                       const char *ele_name, const char *ele_text, size_t ele_nbytes,
                       mesh_geometry_t *mesh, mesh_error_t *error)
{
    meshi_scan_t node = {node_name, node_text, node_text + node_nbytes, 1, '#', ','};
    meshi_scan_t ele = {ele_name, ele_text, ele_text + ele_nbytes, 1, '#', ','};
    header_t points;
    header_t cells;
    int64_t base;
    mesh_geometry_t read;
    if (!scan_node_header(&node, &points, error) || !scan_ele_header(&ele, &cells, error) ||
        !mesh_geometry_alloc((size_t)points.count, (size_t)cells.count, &read, error))
        return false;
    if (!scan_points(&node, points.extras, &read, &base, error) ||
        !scan_cells(&ele, cells.extras, base, &read, error) ||
        !mesh_geometry_complete(&read, ele_name, error)) {
        mesh_geometry_free(&read);
        return false;
    }
    *mesh = read;
    return true;
}

bool mesh_tetgen_read(const char *node_path, const char *ele_path, mesh_geometry_t *mesh,
                      mesh_error_t *error)
{
    bool done = false;
    char *node_text;
    char *ele_text;
    size_t node_nbytes;
    size_t ele_nbytes;
    if (!meshi_read_file(node_path, &node_text, &node_nbytes, error))
        return false;
    if (!meshi_read_file(ele_path, &ele_text, &ele_nbytes, error))
        goto free_node;
    done = mesh_tetgen_parse(node_path, node_text, node_nbytes, ele_path, ele_text, ele_nbytes,
                             mesh, error);
    free(ele_text);
free_node:
    free(node_text);
    return done;
}
