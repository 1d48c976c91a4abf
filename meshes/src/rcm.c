#include <stdlib.h>

#include "fail.h"
#include "graph.h"

enum {
    ROOT_TRIALS = 4,
    INSERTION_MAX = 64
};

typedef struct search {
    const meshi_graph_t *graph;
    int32_t *queue; /* the vertices reached, in the order of reaching them */
    int32_t *level; /* of a vertex in the present search, -1 where it has not come */
} search_t;

static int32_t degree(const meshi_graph_t *graph, int32_t vertex)
{
    return graph->start[vertex + 1] - graph->start[vertex];
}

static int compare_degrees(const void *left, const void *right, void *graph)
{
    int32_t a = degree(graph, *(const int32_t *)left);
    int32_t b = degree(graph, *(const int32_t *)right);
    return a < b ? -1 : a > b;
}

/* Sorts the vertices just appended by degree; there are few of them, as a rule. */
static void sort_by_degree(const search_t *search, size_t first, size_t end)
{
    int32_t *queue = search->queue;
    if (end - first > INSERTION_MAX) {
        qsort_r(queue + first, end - first, sizeof *queue, compare_degrees, (void *)search->graph);
        return;
    }
    for (size_t i = first + 1; i < end; i++) {
        int32_t vertex = queue[i];
        size_t place = i;
        for (; place > first &&
               degree(search->graph, queue[place - 1]) > degree(search->graph, vertex);
             place--)
            queue[place] = queue[place - 1];
        queue[place] = vertex;
    }
}

/* Searches breadth first from a root into queue[first ...]; returns the end. */
static size_t spread(const search_t *search, int32_t root, size_t first)
{
    const meshi_graph_t *graph = search->graph;
    size_t end = first;
    search->queue[end++] = root;
    search->level[root] = 0;
    for (size_t at = first; at < end; at++) {
        int32_t vertex = search->queue[at];
        size_t appended = end;
        for (int32_t e = graph->start[vertex]; e < graph->start[vertex + 1]; e++) {
            int32_t near = graph->adjacent[e];
            if (search->level[near] >= 0)
                continue;
            search->level[near] = search->level[vertex] + 1;
            search->queue[end++] = near;
        }
        sort_by_degree(search, appended, end);
    }
    return end;
}

static void forget(const search_t *search, size_t first, size_t end)
{
    for (size_t i = first; i < end; i++)
        search->level[search->queue[i]] = -1;
}

/* Spreads from a vertex far from all others: the last one reached from the last one reached, as
 * long as that gives more levels. */
static size_t spread_from_edge(const search_t *search, int32_t root, size_t first)
{
    size_t end = spread(search, root, first);
    for (size_t trial = 0; trial < ROOT_TRIALS; trial++) {
        int32_t last = search->queue[end - 1];
        int32_t levels = search->level[last];
        forget(search, first, end);
        spread(search, last, first);
        if (search->level[search->queue[end - 1]] <= levels)
            break;
    }
    return end;
}

bool meshi_order_rcm(const meshi_graph_t *graph, int32_t *order, mesh_error_t *error)
{
    size_t n = graph->vertices;
    search_t search = {graph, order, malloc(n * sizeof *search.level)};
    if (search.level == NULL)
        return meshi_fail_memory(error, "the order", n * sizeof *search.level);
    for (size_t i = 0; i < n; i++)
        search.level[i] = -1;
    size_t end = 0;
    for (size_t i = 0; i < n; i++)
        if (search.level[i] < 0)
            end = spread_from_edge(&search, (int32_t)i, end);
    for (size_t i = 0; i < n / 2; i++) {
        int32_t vertex = order[i];
        order[i] = order[n - 1 - i];
        order[n - 1 - i] = vertex;
    }
    free(search.level);
    return true;
}
