#include "meshes/order.h"

#include <stdlib.h>
#include <string.h>

#include "fail.h"
#include "graph.h"

static size_t count_cells(const mesh_file_content_t *content)
{
    return content->mesh.cells > 0 ? content->mesh.cells : content->matrix.rows;
}

/* How many of `rows` rows each part has: part (i / block) % parts has row i. */
static void count_rows(size_t rows, size_t parts, size_t block, size_t *sizes)
{
    memset(sizes, 0, parts * sizeof *sizes);
    for (size_t first = 0; first < rows; first += block)
        sizes[first / block % parts] += rows - first < block ? rows - first : block;
}

/* Gives the cells of every part the rows of that part, in the sequence they have in `order`. `next`
 * has room for a number per part. */
static bool place_parts(size_t rows, size_t parts, size_t block, const size_t *sizes,
                        const int32_t *part, size_t *next, int32_t *order, mesh_error_t *error)
{
    int32_t *sorted = malloc(rows * sizeof *sorted);
    if (sorted == NULL)
        return meshi_fail_memory(error, "the order", rows * sizeof *sorted);
    size_t first = 0;
    for (size_t p = 0; p < parts; p++) {
        next[p] = first;
        first += sizes[p];
    }
    for (size_t i = 0; i < rows; i++)
        sorted[next[part[order[i]]]++] = order[i];
    for (size_t p = 0; p < parts; p++)
        next[p] -= sizes[p];
    for (size_t i = 0; i < rows; i++)
        order[i] = sorted[next[i / block % parts]++];
    free(sorted);
    return true;
}

static bool order_by_parts(const mesh_file_content_t *content, size_t parts, size_t block,
                           int32_t *order, mesh_error_t *error)
{
    meshi_graph_t graph;
    size_t rows = count_cells(content);
    size_t blocks = rows / block + (rows % block > 0);
    if (blocks < parts)
        parts = blocks;
    if (!meshi_graph_make_product(content, &graph, error))
        return false;
    size_t *sizes = calloc(parts + 1, 2 * sizeof *sizes);
    int32_t *part = malloc(rows * sizeof *part);
    bool done = sizes != NULL && part != NULL;
    if (done) {
        count_rows(rows, parts, block, sizes);
        done = meshi_metis_part(&graph, parts, sizes, part, error) &&
               place_parts(rows, parts, block, sizes, part, sizes + parts, order, error);
    } else {
        (void)meshi_fail_memory(error, "the partition", rows * sizeof *part);
    }
    free(part);
    free(sizes);
    meshi_graph_free(&graph);
    return done;
}

typedef bool make_graph_t(const mesh_file_content_t *content, meshi_graph_t *graph,
                          mesh_error_t *error);
typedef bool order_graph_t(const meshi_graph_t *graph, int32_t *order, mesh_error_t *error);

static bool order_graph(const mesh_file_content_t *content, make_graph_t *make,
                        order_graph_t *order_it, int32_t *order, mesh_error_t *error)
{
    meshi_graph_t graph;
    if (!make(content, &graph, error))
        return false;
    bool done = order_it(&graph, order, error);
    meshi_graph_free(&graph);
    return done;
}

static bool find_order(const mesh_file_content_t *content, mesh_order_method_t method, size_t parts,
                       size_t block, int32_t *order, mesh_error_t *error)
{
    switch (method) {
    case MESH_ORDER_NONE:
        return true;
    case MESH_ORDER_HILBERT:
        return meshi_order_hilbert(&content->mesh, order, error);
    case MESH_ORDER_METIS:
        return order_graph(content, meshi_graph_make, meshi_order_rcm, order, error) &&
               order_by_parts(content, parts, block, order, error);
    case MESH_ORDER_NESTED:
        return order_graph(content, meshi_graph_make, meshi_metis_dissect, order, error);
    case MESH_ORDER_NESTED_PRODUCT:
        return order_graph(content, meshi_graph_make_product, meshi_metis_dissect, order, error);
    default:
        return order_graph(content, meshi_graph_make, meshi_order_rcm, order, error);
    }
}

bool mesh_order_find(const mesh_file_content_t *content, mesh_order_method_t method, size_t parts,
                     size_t block, int32_t **order, mesh_error_t *error)
{
    size_t n = count_cells(content);
    if (method == MESH_ORDER_METIS && (parts == 0 || parts > n))
        return meshi_fail(error, "%zu cells cannot be parted in %zu: --parts", n, parts);
    if (method == MESH_ORDER_METIS && block == 0)
        block = n / parts + (n % parts > 0);
    int32_t *found = malloc((n + 1) * sizeof *found);
    if (found == NULL)
        return meshi_fail_memory(error, "the order", n * sizeof *found);
    for (size_t i = 0; i < n; i++)
        found[i] = (int32_t)i;
    if (!find_order(content, method, parts, block, found, error)) {
        free(found);
        return false;
    }
    *order = found;
    return true;
}

static bool invert(size_t n, const int32_t *order, int32_t *new_of, mesh_error_t *error)
{
    memset(new_of, -1, n * sizeof *new_of);
    for (size_t i = 0; i < n; i++) {
        if (order[i] < 0 || (size_t)order[i] >= n || new_of[order[i]] >= 0)
            return meshi_fail(error, "place %zu of the order holds %d, again or out of range", i,
                              order[i]);
        new_of[order[i]] = (int32_t)i;
    }
    return true;
}

static void move_mesh(const mesh_geometry_t *mesh, const int32_t *order, const int32_t *new_of,
                      mesh_geometry_t *moved)
{
    for (size_t i = 0; i < mesh->cells; i++) {
        size_t old = (size_t)order[i];
        memcpy(moved->corners + 4 * i, mesh->corners + 4 * old, 4 * sizeof *mesh->corners);
        for (size_t k = 0; k < 4; k++) {
            int32_t near = mesh->neighbours[4 * old + k];
            moved->neighbours[4 * i + k] = near < 0 ? -1 : new_of[near];
        }
        moved->volumes[i] = mesh->volumes[old];
        moved->original[i] = mesh->original[old];
    }
    memcpy(moved->xyz, mesh->xyz, 3 * mesh->points * sizeof *mesh->xyz);
}

/* Inserts by column. Padding is left out, because the new matrix is padded already; a value in the
 * row's own column, which a file of another program may have, is none. */
static void move_row(const mesh_matrix_t *matrix, size_t old, const int32_t *new_of, size_t row,
                     mesh_matrix_t *moved)
{
    size_t width = matrix->row_nonzeros;
    int32_t *J = moved->J + row * width;
    double *A = moved->A + row * width;
    size_t length = 0;
    for (size_t e = old * width; e < (old + 1) * width; e++) {
        if ((size_t)matrix->J[e] == old && matrix->A[e] == 0.0)
            continue;
        int32_t column = new_of[matrix->J[e]];
        size_t place = length++;
        for (; place > 0 && J[place - 1] > column; place--) {
            J[place] = J[place - 1];
            A[place] = A[place - 1];
        }
        J[place] = column;
        A[place] = matrix->A[e];
    }
    moved->D[row] = matrix->D[old];
}

static void move_original(const mesh_matrix_t *matrix, const int32_t *order, mesh_matrix_t *moved)
{
    for (size_t i = 0; matrix->original != NULL && i < matrix->rows; i++)
        moved->original[i] = matrix->original[order[i]];
    if (matrix->original != NULL)
        return;
    free(moved->original);
    moved->original = NULL;
}

bool mesh_order_apply(mesh_file_content_t *content, const int32_t *order, mesh_error_t *error)
{
    size_t n = count_cells(content);
    mesh_geometry_t mesh = {0};
    mesh_matrix_t matrix = {0};
    int32_t *new_of = malloc((n + 1) * sizeof *new_of);
    if (new_of == NULL)
        return meshi_fail_memory(error, "the order", n * sizeof *new_of);
    if (!invert(n, order, new_of, error))
        goto free_arrays;
    if (content->mesh.cells > 0 && !mesh_geometry_alloc(content->mesh.points, n, &mesh, error))
        goto free_arrays;
    if (content->matrix.rows > 0 &&
        !mesh_matrix_alloc(n, content->matrix.row_nonzeros, &matrix, error))
        goto free_mesh;
    if (mesh.cells > 0) {
        move_mesh(&content->mesh, order, new_of, &mesh);
        mesh_geometry_free(&content->mesh);
        content->mesh = mesh;
    }
    if (matrix.rows > 0) {
        for (size_t i = 0; i < n; i++)
            move_row(&content->matrix, (size_t)order[i], new_of, i, &matrix);
        move_original(&content->matrix, order, &matrix);
        matrix.time_step = content->matrix.time_step;
        mesh_matrix_free(&content->matrix);
        content->matrix = matrix;
    }
    free(new_of);
    return true;
free_mesh:
    mesh_geometry_free(&mesh);
free_arrays:
    free(new_of);
    return false;
}
