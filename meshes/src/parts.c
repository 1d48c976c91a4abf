/* Surplus vertices move towards parts that have too few, from part to adjacent part. Each part has
 * a distance, in parts, from the nearest one with too few; each in turn, the most distant first,
 * gives its surplus to parts that are nearer. */
#include "parts.h"

#include <stdlib.h>
#include <string.h>

#include "fail.h"

enum {
    ROUNDS_MAX = 64,
    DEGREE_MAX = 256 /* a vertex with more neighbours stays, and does not count as one */
};

/* A vertex that may move to another part, and by how much that reduces what the parts need from
 * each other. */
typedef struct candidate {
    int32_t gain;
    int32_t vertex;
    int32_t to;
} candidate_t;

typedef struct fit {
    const meshi_graph_t *graph;
    size_t parts;
    int32_t *part;
    int64_t *excess; /* vertices that a part has too many */
    size_t *first; /* of a part in `members`; ends with the total */
    int32_t *members; /* vertices by part, as they were when the round began */
    int32_t *distance; /* of a part from one with too few; -1 where no way leads */
    int32_t *queue; /* parts by distance */
    candidate_t *heap;
    size_t waiting; /* candidates in the heap */
    size_t room;
} fit_t;

size_t meshi_parts_foreign(const meshi_graph_t *graph, const int32_t *part)
{
    size_t foreign = 0;
    for (size_t i = 0; i < graph->vertices; i++)
        for (int32_t e = graph->start[i]; e < graph->start[i + 1]; e++) {
            int32_t other = part[graph->adjacent[e]];
            int32_t before = graph->start[i];
            while (before < e && part[graph->adjacent[before]] != other)
                before++;
            foreign += other != part[i] && before == e;
        }
    return foreign;
}

static int32_t degree(const meshi_graph_t *graph, size_t vertex)
{
    return graph->start[vertex + 1] - graph->start[vertex];
}

static int32_t touches(const fit_t *fit, size_t vertex, int32_t part, size_t except)
{
    const meshi_graph_t *graph = fit->graph;
    for (int32_t e = graph->start[vertex]; e < graph->start[vertex + 1]; e++)
        if (fit->part[graph->adjacent[e]] == part && (size_t)graph->adjacent[e] != except)
            return 1;
    return 0;
}

/* By how much meshi_parts_foreign falls when the vertex moves. */
static int32_t get_gain(const fit_t *fit, size_t vertex, int32_t to)
{
    const meshi_graph_t *graph = fit->graph;
    int32_t from = fit->part[vertex];
    int32_t gain = touches(fit, vertex, to, vertex) - touches(fit, vertex, from, vertex);
    for (int32_t e = graph->start[vertex]; e < graph->start[vertex + 1]; e++) {
        size_t near = (size_t)graph->adjacent[e];
        if (degree(graph, near) > DEGREE_MAX)
            continue;
        if (fit->part[near] != to)
            gain -= !touches(fit, near, to, vertex);
        if (fit->part[near] != from)
            gain += !touches(fit, near, from, vertex);
    }
    return gain;
}

static bool push(fit_t *fit, size_t vertex, int32_t to)
{
    if (fit->waiting == fit->room) {
        size_t room = 2 * fit->room + 1024;
        candidate_t *heap = realloc(fit->heap, room * sizeof *heap);
        if (heap == NULL)
            return false;
        fit->heap = heap;
        fit->room = room;
    }
    candidate_t added = {get_gain(fit, vertex, to), (int32_t)vertex, to};
    size_t place = fit->waiting++;
    for (; place > 0 && fit->heap[(place - 1) / 2].gain < added.gain; place = (place - 1) / 2)
        fit->heap[place] = fit->heap[(place - 1) / 2];
    fit->heap[place] = added;
    return true;
}

static candidate_t pop(fit_t *fit)
{
    candidate_t *heap = fit->heap;
    candidate_t best = heap[0];
    candidate_t last = heap[--fit->waiting];
    size_t place = 0;
    for (size_t child = 1; child < fit->waiting; child = 2 * place + 1) {
        if (child + 1 < fit->waiting && heap[child + 1].gain > heap[child].gain)
            child++;
        if (heap[child].gain <= last.gain)
            break;
        heap[place] = heap[child];
        place = child;
    }
    heap[place] = last;
    return best;
}

/* Parts with too few are at distance 0 and take no more than they lack. */
static bool may_take(const fit_t *fit, int32_t from, int32_t to)
{
    return fit->distance[to] >= 0 && fit->distance[to] < fit->distance[from] &&
           (fit->distance[to] > 0 || fit->excess[to] < 0);
}

/* Adds every part that the vertex may move to, once. */
static bool push_targets(fit_t *fit, size_t vertex)
{
    const meshi_graph_t *graph = fit->graph;
    int32_t first = graph->start[vertex];
    if (degree(graph, vertex) > DEGREE_MAX)
        return true;
    for (int32_t e = first; e < graph->start[vertex + 1]; e++) {
        int32_t to = fit->part[graph->adjacent[e]];
        int32_t before = first;
        if (!may_take(fit, fit->part[vertex], to))
            continue;
        while (before < e && fit->part[graph->adjacent[before]] != to)
            before++;
        if (before == e && !push(fit, vertex, to))
            return false;
    }
    return true;
}

/* Moves a vertex. Its neighbours in the old part may follow. */
static bool move(fit_t *fit, size_t vertex, int32_t to)
{
    const meshi_graph_t *graph = fit->graph;
    int32_t from = fit->part[vertex];
    fit->part[vertex] = to;
    fit->excess[from]--;
    fit->excess[to]++;
    for (int32_t e = graph->start[vertex]; e < graph->start[vertex + 1]; e++)
        if (fit->part[graph->adjacent[e]] == from && !push_targets(fit, (size_t)graph->adjacent[e]))
            return false;
    return true;
}

/* Gives away the surplus of part p, the best candidate first. Gains change as others move: a
 * candidate that has become worse is queued again. */
static bool hand_out(fit_t *fit, size_t p)
{
    fit->waiting = 0;
    for (size_t m = fit->first[p]; m < fit->first[p + 1]; m++)
        if ((size_t)fit->part[fit->members[m]] == p && !push_targets(fit, (size_t)fit->members[m]))
            return false;
    while (fit->excess[p] > 0 && fit->waiting > 0) {
        candidate_t best = pop(fit);
        size_t vertex = (size_t)best.vertex;
        if ((size_t)fit->part[vertex] != p || !may_take(fit, (int32_t)p, best.to))
            continue;
        bool worse = get_gain(fit, vertex, best.to) < best.gain;
        if (worse ? !push(fit, vertex, best.to) : !move(fit, vertex, best.to))
            return false;
    }
    return true;
}

static void sort_members(fit_t *fit)
{
    size_t n = fit->graph->vertices;
    memset(fit->first, 0, (fit->parts + 1) * sizeof *fit->first);
    for (size_t i = 0; i < n; i++)
        fit->first[fit->part[i]]++;
    for (size_t p = 1; p <= fit->parts; p++)
        fit->first[p] += fit->first[p - 1];
    for (size_t i = n; i-- > 0;)
        fit->members[--fit->first[fit->part[i]]] = (int32_t)i;
}

/* Searches breadth first from all parts with too few; returns how many parts it reached. */
static size_t find_distances(fit_t *fit)
{
    const meshi_graph_t *graph = fit->graph;
    size_t end = 0;
    for (size_t p = 0; p < fit->parts; p++) {
        fit->distance[p] = fit->excess[p] < 0 ? 0 : -1;
        if (fit->excess[p] < 0)
            fit->queue[end++] = (int32_t)p;
    }
    for (size_t at = 0; at < end; at++) {
        size_t p = (size_t)fit->queue[at];
        for (size_t m = fit->first[p]; m < fit->first[p + 1]; m++) {
            size_t vertex = (size_t)fit->members[m];
            for (int32_t e = graph->start[vertex]; e < graph->start[vertex + 1]; e++) {
                int32_t other = fit->part[graph->adjacent[e]];
                if (fit->distance[other] >= 0)
                    continue;
                fit->distance[other] = fit->distance[p] + 1;
                fit->queue[end++] = other;
            }
        }
    }
    return end;
}

static int64_t count_excess(const fit_t *fit)
{
    int64_t sum = 0;
    for (size_t p = 0; p < fit->parts; p++)
        sum += fit->excess[p] > 0 ? fit->excess[p] : 0;
    return sum;
}

/* Moves vertices between parts that no path joins, or where edges led nowhere. */
static void move_any(fit_t *fit)
{
    size_t to = 0;
    for (size_t i = 0; i < fit->graph->vertices; i++) {
        if (fit->excess[fit->part[i]] <= 0)
            continue;
        while (fit->excess[to] >= 0)
            to++;
        fit->excess[fit->part[i]]--;
        fit->excess[to]++;
        fit->part[i] = (int32_t)to;
    }
}

static bool fit_parts(fit_t *fit)
{
    int64_t before = INT64_MAX;
    int64_t excess = count_excess(fit);
    for (size_t round = 0; round < ROUNDS_MAX && excess > 0 && excess < before; round++) {
        sort_members(fit);
        for (size_t at = find_distances(fit); at-- > 0;)
            if (fit->excess[fit->queue[at]] > 0 && !hand_out(fit, (size_t)fit->queue[at]))
                return false;
        before = excess;
        excess = count_excess(fit);
    }
    if (excess > 0)
        move_any(fit);
    return true;
}

bool meshi_parts_fit(const meshi_graph_t *graph, size_t parts, const size_t *sizes, int32_t *part,
                     mesh_error_t *error)
{
    fit_t fit = {.graph = graph, .parts = parts};
    fit.part = part;
    fit.excess = malloc(parts * sizeof *fit.excess);
    fit.first = malloc((parts + 1) * sizeof *fit.first);
    fit.members = malloc(graph->vertices * sizeof *fit.members);
    fit.distance = malloc(parts * sizeof *fit.distance);
    fit.queue = malloc(parts * sizeof *fit.queue);
    bool done = fit.excess != NULL && fit.first != NULL && fit.members != NULL &&
                fit.distance != NULL && fit.queue != NULL;
    if (done) {
        for (size_t p = 0; p < parts; p++)
            fit.excess[p] = -(int64_t)sizes[p];
        for (size_t i = 0; i < graph->vertices; i++)
            fit.excess[part[i]]++;
        done = fit_parts(&fit);
    }
    if (!done)
        (void)meshi_fail_memory(error, "the partition",
                                4 * graph->vertices + 24 * parts + fit.room * sizeof *fit.heap);
    free(fit.heap);
    free(fit.queue);
    free(fit.distance);
    free(fit.members);
    free(fit.first);
    free(fit.excess);
    return done;
}
