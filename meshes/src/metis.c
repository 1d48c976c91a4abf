#include <metis.h>
#include <stdlib.h>
#include <string.h>

#include "fail.h"
#include "graph.h"

_Static_assert(sizeof(idx_t) == sizeof(int32_t), "METIS built with 32-bit indices");

enum {
    SEED = 1
};

static void set_options(idx_t options[METIS_NOPTIONS])
{
    METIS_SetDefaultOptions(options);
    options[METIS_OPTION_SEED] = SEED;
    options[METIS_OPTION_NUMBERING] = 0;
}

static bool check_status(int status, mesh_error_t *error)
{
    if (status == METIS_OK)
        return true;
    if (status == METIS_ERROR_MEMORY)
        return meshi_fail(error, "METIS ran out of memory");
    return meshi_fail(error, "METIS failed with code %d", status);
}

/* Stable: cells of a part keep the sequence they have in `order`. */
static bool sort_by_part(size_t n, size_t parts, const idx_t *part, int32_t *order,
                         mesh_error_t *error)
{
    size_t *next = calloc(parts + 1, sizeof *next);
    int32_t *sorted = malloc(n * sizeof *sorted);
    bool done = next != NULL && sorted != NULL;
    if (!done) {
        (void)meshi_fail_memory(error, "the order", n * sizeof *sorted);
        goto free_arrays;
    }
    for (size_t i = 0; i < n; i++)
        next[part[i] + 1]++;
    for (size_t p = 0; p < parts; p++)
        next[p + 1] += next[p];
    for (size_t i = 0; i < n; i++)
        sorted[next[part[order[i]]]++] = order[i];
    memcpy(order, sorted, n * sizeof *sorted);
free_arrays:
    free(sorted);
    free(next);
    return done;
}

bool meshi_order_kway(const meshi_graph_t *graph, size_t parts, int32_t *order, mesh_error_t *error)
{
    idx_t options[METIS_NOPTIONS];
    idx_t vertices = (idx_t)graph->vertices;
    idx_t constraints = 1;
    idx_t wanted = (idx_t)parts;
    idx_t cut;
    if (parts == 0 || parts > graph->vertices)
        return meshi_fail(error, "%zu cells cannot be parted in %zu: --parts", graph->vertices,
                          parts);
    if (parts == 1)
        return true;
    idx_t *part = malloc(graph->vertices * sizeof *part);
    if (part == NULL)
        return meshi_fail_memory(error, "the partition", graph->vertices * sizeof *part);
    set_options(options);
    int status = METIS_PartGraphKway(&vertices, &constraints, graph->start, graph->adjacent, NULL,
                                     NULL, NULL, &wanted, NULL, NULL, options, &cut, part);
    bool done =
        check_status(status, error) && sort_by_part(graph->vertices, parts, part, order, error);
    free(part);
    return done;
}

bool meshi_order_nested(const meshi_graph_t *graph, int32_t *order, mesh_error_t *error)
{
    idx_t options[METIS_NOPTIONS];
    idx_t vertices = (idx_t)graph->vertices;
    idx_t *inverse = malloc(graph->vertices * sizeof *inverse);
    if (inverse == NULL)
        return meshi_fail_memory(error, "the order", graph->vertices * sizeof *inverse);
    set_options(options);
    int status =
        METIS_NodeND(&vertices, graph->start, graph->adjacent, NULL, options, order, inverse);
    free(inverse);
    return check_status(status, error);
}
