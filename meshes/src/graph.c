#include "graph.h"

#include <stdlib.h>
#include <string.h>

#include "fail.h"

static bool alloc_graph(size_t vertices, size_t edges, meshi_graph_t *graph, mesh_error_t *error)
{
    if (edges > INT32_MAX)
        return meshi_fail(error, "%zu adjacencies are more than METIS can count (%d)", edges,
                          INT32_MAX);
    graph->vertices = vertices;
    graph->start = calloc(vertices + 1, sizeof *graph->start);
    graph->adjacent = malloc((edges + 1) * sizeof *graph->adjacent);
    if (graph->start != NULL && graph->adjacent != NULL)
        return true;
    meshi_graph_free(graph);
    return meshi_fail_memory(error, "the graph of the cells", 4 * (vertices + edges));
}

void meshi_graph_free(meshi_graph_t *graph)
{
    free(graph->adjacent);
    free(graph->start);
    *graph = (meshi_graph_t){0};
}

static bool from_mesh(const mesh_geometry_t *mesh, meshi_graph_t *graph, mesh_error_t *error)
{
    int32_t count = 0;
    if (!alloc_graph(mesh->cells, 4 * mesh->cells, graph, error))
        return false;
    for (size_t i = 0; i < mesh->cells; i++) {
        for (size_t k = 0; k < 4; k++)
            if (mesh->neighbours[4 * i + k] >= 0)
                graph->adjacent[count++] = mesh->neighbours[4 * i + k];
        graph->start[i + 1] = count;
    }
    return true;
}

/* Appends a cell to the list that begins at `first`, unless it is there or is the list's own. */
static int32_t append_once(int32_t *list, int32_t first, int32_t count, int32_t cell, int32_t own)
{
    if (cell < 0 || cell == own)
        return count;
    for (int32_t e = first; e < count; e++)
        if (list[e] == cell)
            return count;
    list[count] = cell;
    return count + 1;
}

static bool from_mesh_twice(const mesh_geometry_t *mesh, meshi_graph_t *graph, mesh_error_t *error)
{
    int32_t count = 0;
    if (!alloc_graph(mesh->cells, 16 * mesh->cells, graph, error))
        return false;
    for (size_t i = 0; i < mesh->cells; i++) {
        int32_t first = count;
        for (size_t k = 0; k < 4; k++) {
            int32_t near = mesh->neighbours[4 * i + k];
            count = append_once(graph->adjacent, first, count, near, (int32_t)i);
            for (size_t l = 0; near >= 0 && l < 4; l++)
                count = append_once(graph->adjacent, first, count,
                                    mesh->neighbours[4 * (size_t)near + l], (int32_t)i);
        }
        graph->start[i + 1] = count;
    }
    return true;
}

static int compare_numbers(const void *left, const void *right)
{
    int32_t a = *(const int32_t *)left;
    int32_t b = *(const int32_t *)right;
    return a < b ? -1 : a > b;
}

/* Sorts every list and drops what it holds twice, closing the gaps. */
static void drop_duplicates(meshi_graph_t *graph)
{
    int32_t kept = 0;
    for (size_t i = 0; i < graph->vertices; i++) {
        int32_t first = graph->start[i];
        int32_t end = graph->start[i + 1];
        qsort(graph->adjacent + first, (size_t)(end - first), sizeof(int32_t), compare_numbers);
        graph->start[i] = kept;
        for (int32_t e = first; e < end; e++)
            if (kept == graph->start[i] || graph->adjacent[kept - 1] != graph->adjacent[e])
                graph->adjacent[kept++] = graph->adjacent[e];
    }
    graph->start[graph->vertices] = kept;
}

/* Adds every off-diagonal once for its row and once for its column. */
static void add_entries(const mesh_matrix_t *matrix, meshi_graph_t *graph, int32_t *next)
{
    for (size_t i = 0, e = 0; i < matrix->rows; i++)
        for (size_t k = 0; k < matrix->row_nonzeros; k++) {
            size_t j = (size_t)matrix->J[e++];
            if (i == j)
                continue;
            graph->adjacent[next[i]++] = (int32_t)j;
            graph->adjacent[next[j]++] = (int32_t)i;
        }
}

static bool from_matrix(const mesh_matrix_t *matrix, meshi_graph_t *graph, mesh_error_t *error)
{
    if (!alloc_graph(matrix->rows, 2 * mesh_matrix_offdiagonals(matrix), graph, error))
        return false;
    for (size_t i = 0, e = 0; i < matrix->rows; i++)
        for (size_t k = 0; k < matrix->row_nonzeros; k++) {
            size_t j = (size_t)matrix->J[e++];
            graph->start[i + 1] += i != j;
            graph->start[j + 1] += i != j;
        }
    for (size_t i = 0; i < matrix->rows; i++)
        graph->start[i + 1] += graph->start[i];
    int32_t *next = malloc((matrix->rows + 1) * sizeof *next);
    if (next == NULL) {
        meshi_graph_free(graph);
        return meshi_fail_memory(error, "the graph of the matrix", 4 * matrix->rows);
    }
    memcpy(next, graph->start, matrix->rows * sizeof *next);
    add_entries(matrix, graph, next);
    free(next);
    drop_duplicates(graph);
    return true;
}

bool meshi_graph_make(const mesh_file_content_t *content, meshi_graph_t *graph, mesh_error_t *error)
{
    if (content->mesh.cells > 0)
        return from_mesh(&content->mesh, graph, error);
    return from_matrix(&content->matrix, graph, error);
}

bool meshi_graph_make_product(const mesh_file_content_t *content, meshi_graph_t *graph,
                              mesh_error_t *error)
{
    if (content->matrix.rows > 0)
        return from_matrix(&content->matrix, graph, error);
    return from_mesh_twice(&content->mesh, graph, error);
}
