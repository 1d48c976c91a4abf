/**
 * What the runtime counts of collectives equals what the model says, member by member, to the last
 * message and byte: every collective at sizes around every limit, with every root.
 *
 * The argument names an algorithm, which all collectives that have it use; --list prints all names.
 */
#include <pgas/pgas.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../runtime/tests/check.h"
#include "coll/algorithm.h"
#include "perfmodel/collective.h"

enum {
    LARGEST = 700000,
    THREADS = 16
};

static char *send;
static char *receive;
static size_t counts[THREADS];
static size_t displacements[THREADS];

static void barrier(size_t nbytes, int root)
{
    (void)nbytes;
    (void)root;
    pgas_team_barrier(PGAS_TEAM_ALL);
}

static void broadcast(size_t nbytes, int root)
{
    pgas_broadcast(PGAS_TEAM_ALL, send, nbytes, root);
}

static void scatter(size_t nbytes, int root)
{
    pgas_scatter(PGAS_TEAM_ALL, send, receive, nbytes, root);
}

static void scatterv(size_t nbytes, int root)
{
    pgas_scatterv(PGAS_TEAM_ALL, send, counts, displacements, receive, nbytes, root);
}

static void gather(size_t nbytes, int root)
{
    pgas_gather(PGAS_TEAM_ALL, send, receive, nbytes, root);
}

static void gatherv(size_t nbytes, int root)
{
    pgas_gatherv(PGAS_TEAM_ALL, send, nbytes, receive, counts, displacements, root);
}

static void allgather(size_t nbytes, int root)
{
    (void)root;
    pgas_allgather(PGAS_TEAM_ALL, send, receive, nbytes);
}

static void allgatherv(size_t nbytes, int root)
{
    (void)root;
    pgas_allgatherv(PGAS_TEAM_ALL, send, nbytes, receive, counts, displacements);
}

static void alltoall(size_t nbytes, int root)
{
    (void)root;
    pgas_alltoall(PGAS_TEAM_ALL, send, receive, nbytes);
}

static void alltoallv(size_t nbytes, int root)
{
    (void)root;
    pgas_alltoallv(PGAS_TEAM_ALL, send, counts, displacements, receive, counts, displacements);
    (void)nbytes;
}

static void reduce(size_t nbytes, int root)
{
    pgas_reduce(PGAS_TEAM_ALL, send, receive, nbytes / 8, PGAS_UINT64, PGAS_ADD, root);
}

static void allreduce(size_t nbytes, int root)
{
    (void)root;
    pgas_allreduce(PGAS_TEAM_ALL, send, receive, nbytes / 8, PGAS_UINT64, PGAS_ADD);
}

static void reduce_scatter(size_t nbytes, int root)
{
    size_t threads = (size_t)pgas_threads();
    size_t slices[THREADS];
    (void)root;
    for (size_t t = 0; t < threads; t++)
        slices[t] = nbytes / 8 / threads + (t < nbytes / 8 % threads ? 1 : 0);
    pgas_reduce_scatter(PGAS_TEAM_ALL, send, receive, slices, PGAS_UINT64, PGAS_ADD);
}

static void scan(size_t nbytes, int root)
{
    (void)root;
    pgas_scan_inclusive(PGAS_TEAM_ALL, send, receive, nbytes / 8, PGAS_UINT64, PGAS_ADD);
}

static const struct {
    const char *name;
    /** As the statistics call it. */
    const char *counted;
    void (*run)(size_t nbytes, int root);
    bool has_root;
} collectives[] = {
    {"barrier", "pgas_team_barrier", barrier, false},
    {"broadcast", "pgas_broadcast", broadcast, true},
    {"scatter", "pgas_scatter", scatter, true},
    {"scatterv", "pgas_scatterv", scatterv, true},
    {"gather", "pgas_gather", gather, true},
    {"gatherv", "pgas_gatherv", gatherv, true},
    {"allgather", "pgas_allgather", allgather, false},
    {"allgatherv", "pgas_allgatherv", allgatherv, false},
    {"alltoall", "pgas_alltoall", alltoall, false},
    {"alltoallv", "pgas_alltoallv", alltoallv, false},
    {"reduce", "pgas_reduce", reduce, true},
    {"allreduce", "pgas_allreduce", allreduce, false},
    {"reduce_scatter", "pgas_reduce_scatter", reduce_scatter, false},
    {"scan", "pgas_scan_inclusive", scan, false},
};

/* The job as the model has it; false if threads are not placed in blocks as even as possible. */
static bool make_layout(model_layout_t *layout)
{
    mesh_error_t error;
    size_t nodes = (size_t)pgas_node_of(pgas_threads() - 1) + 1;
    CHECK(model_layout_make(1, 1, (size_t)pgas_threads(), nodes, 0, 0, layout, &error));
    for (int t = 0; t < pgas_threads(); t++)
        if (model_layout_node(layout, (size_t)t) != (size_t)pgas_node_of(t))
            return false;
    return true;
}

static void check(size_t c, size_t nbytes, int root, const model_layout_t *layout)
{
    pgas_collective_traffic_t list[2];
    model_collective_call_t call = {
        .layout = *layout, .bytes = (double)nbytes, .element_bytes = 8.0, .root = (size_t)root};
    pgas_barrier();
    pgas_stats_reset();
    collectives[c].run(nbytes, root);
    CHECK(pgas_stats_collectives(list, 2) == 1 && list[0].calls == 1);
    CHECK(strcmp(list[0].collective, collectives[c].counted) == 0);
    const model_collective_t *entry = model_collective_find(collectives[c].name, list[0].algorithm);
    CHECK(entry != NULL);
    model_collective_counts_t expected =
        model_collective_count(entry, &call, (size_t)pgas_mythread());
    bool same = (double)list[0].meetings == expected.meetings;
    for (int place = 0; place < PGAS_PLACES; place++)
        same = same && (double)list[0].traffic[place].operations == expected.messages[place] &&
               (double)list[0].traffic[place].bytes == expected.bytes[place];
    if (same)
        return;
    for (int place = 0; place < PGAS_PLACES; place++)
        fprintf(stderr, "place %d: %.0f messages, %.0f bytes expected, %lu and %lu counted\n",
                place, expected.messages[place], expected.bytes[place],
                (unsigned long)list[0].traffic[place].operations,
                (unsigned long)list[0].traffic[place].bytes);
    pgas_fail(1, "thread %d: %s by %s, %zu bytes, root %d: %lu meetings, %.0f expected",
              pgas_mythread(), collectives[c].name, list[0].algorithm, nbytes, root,
              (unsigned long)list[0].meetings, expected.meetings);
}

static int list_algorithms(void)
{
    for (int a = 0; a < PGASI_COLL_ALGORITHM_COUNT; a++)
        if (a != PGASI_ALGORITHM_LIBRARY) /* somebody else's */
            puts(pgasi_coll_algorithm_name((pgasi_coll_algorithm_t)a));
    return 0;
}

/* The setting by which all collectives that have the algorithm use it. */
static void force(const char *algorithm)
{
    char rules[512] = "";
    size_t used = 0;
    for (int a = 0; a < PGASI_COLL_ALGORITHM_COUNT; a++)
        for (int kind = 0; kind < PGASI_COLL_KIND_COUNT; kind++)
            if (strcmp(pgasi_coll_algorithm_name((pgasi_coll_algorithm_t)a), algorithm) == 0 &&
                pgasi_coll_has((pgasi_coll_kind_t)kind, (pgasi_coll_algorithm_t)a))
                used += (size_t)snprintf(rules + used, sizeof rules - used, "%s%s=%s",
                                         used > 0 ? "," : "",
                                         pgasi_coll_kind_name((pgasi_coll_kind_t)kind), algorithm);
    if (used == 0 || setenv("PGAS_COLL", rules, 1) != 0)
        exit(2);
}

int main(int argc, char **argv)
{
    static const size_t sizes[] = {0, 8, 24, 2048, 4096, 4104, 30000, 40000, LARGEST};
    model_layout_t layout;
    if (argc != 2)
        return 2;
    if (strcmp(argv[1], "--list") == 0)
        return list_algorithms();
    force(argv[1]);
    CHECK(pgas_init() == PGAS_OK && pgas_threads() <= THREADS);
    send = calloc(THREADS, LARGEST);
    receive = calloc(THREADS, LARGEST);
    CHECK(send != NULL && receive != NULL);
    if (!make_layout(&layout)) {
        pgas_finalize();
        return 77;
    }
    for (size_t c = 0; c < sizeof collectives / sizeof collectives[0]; c++)
        for (size_t s = 0; s < sizeof sizes / sizeof sizes[0]; s++)
            for (int root = 0; root < (collectives[c].has_root ? pgas_threads() : 1); root++) {
                for (size_t t = 0; t < THREADS; t++) {
                    counts[t] = sizes[s];
                    displacements[t] = t * sizes[s];
                }
                check(c, sizes[s], root, &layout);
            }
    free(send);
    free(receive);
    pgas_finalize();
    return 0;
}
