/**
 * Counted traffic: exact numbers for known traffic in every layout of nodes.
 */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "check.h"

enum {
    HOST_SIZE = 128
};

typedef struct triple {
    double values[3];
} triple_t;

/* The first thread of a thread's node: from the settings, else from the names of the hosts, which
 * the threads tell each other. */
static int expected_leader(pgas_ptr_t names, int thread)
{
    const char *nodes = getenv("PGAS_NODES");
    const char *size = getenv("PGAS_THREADS_PER_NODE");
    for (int leader = 0; leader < thread; leader++) {
        bool together;
        if (nodes != NULL) {
            int count = (int)strtol(nodes, NULL, 10);
            together = leader * count / pgas_threads() == thread * count / pgas_threads();
        } else if (size != NULL) {
            together = leader / (int)strtol(size, NULL, 10) == thread / (int)strtol(size, NULL, 10);
        } else {
            char a[HOST_SIZE];
            char b[HOST_SIZE];
            names.thread = (uint32_t)leader;
            pgas_memget(a, names, sizeof a);
            names.thread = (uint32_t)thread;
            pgas_memget(b, names, sizeof b);
            together = strcmp(a, b) == 0;
        }
        if (together)
            return leader;
    }
    return thread;
}

/* Nodes are numbered in the order of their first threads. */
static int expected_node(pgas_ptr_t names, int thread)
{
    int node = 0;
    for (int t = 0; t < expected_leader(names, thread); t++)
        node += expected_leader(names, t) == t;
    return node;
}

static void check_places(void)
{
    pgas_ptr_t names;
    char name[HOST_SIZE] = "";
    CHECK(gethostname(name, sizeof name - 1) == 0);
    CHECK(pgas_all_alloc((size_t)pgas_threads(), sizeof name, &names) == PGAS_OK);
    names.thread = (uint32_t)pgas_mythread();
    pgas_memput(names, name, sizeof name);
    pgas_barrier();
    int mine = expected_node(names, pgas_mythread());
    for (int thread = 0; thread < pgas_threads(); thread++) {
        int node = expected_node(names, thread);
        CHECK(pgas_node_of(thread) == node);
        CHECK(pgas_place_of(thread) == (thread == pgas_mythread() ? PGAS_OWN
                                        : node == mine            ? PGAS_LOCAL
                                                                  : PGAS_REMOTE));
    }
    names.thread = 0;
    pgas_all_free(names);
}

static void expect(pgas_stats_t *expected, pgas_traffic_t with[PGAS_MODES][PGAS_DIRECTIONS],
                   int thread, pgas_mode_t mode, pgas_direction_t direction, uint64_t operations,
                   uint64_t nbytes)
{
    pgas_traffic_t *sum = &expected->traffic[pgas_place_of(thread)][mode][direction];
    sum->operations += operations;
    sum->bytes += operations * nbytes;
    with[mode][direction].operations += operations;
    with[mode][direction].bytes += operations * nbytes;
}

/* Value accesses of every size class and an odd one: `times` each. */
static void access_values(pgas_ptr_t at, int times)
{
    for (int i = 0; i < times; i++) {
        PGAS_WRITE(char, at, 1);
        PGAS_WRITE(short, at, 2);
        PGAS_WRITE(int, at, 3);
        PGAS_WRITE(double, at, 4);
        PGAS_WRITE(pgas_ptr_t, at, at);
        PGAS_WRITE(triple_t, at, (triple_t){{0}});
        CHECK(PGAS_READ(triple_t, at).values[0] == 0.0);
        CHECK(PGAS_READ(double, at) == 0.0);
        CHECK(PGAS_READ(char, at) == 0);
    }
}

/* Each thread has a room in every segment; k determines the amount of traffic with thread k. */
static void check_traffic(pgas_ptr_t rooms)
{
    char bytes[512] = "";
    pgas_stats_t expected;
    pgas_stats_t stats;
    memset(&expected, 0, sizeof expected);
    pgas_traffic_t with[64][PGAS_MODES][PGAS_DIRECTIONS];
    memset(with, 0, sizeof with);
    CHECK(pgas_threads() <= 64);
    for (int k = 0; k < pgas_threads(); k++) {
        uint64_t times = (uint64_t)k + 1;
        pgas_ptr_t at = rooms;
        at.thread = (uint32_t)k;
        at.offset += (uint64_t)pgas_mythread() * 1024;
        pgas_ptr_t further = at;
        further.offset += 512;
        access_values(at, (int)times);
        for (size_t n = 1; n <= 6; n++)
            expect(&expected, with[k], k, PGAS_INDIVIDUAL, PGAS_TO, times,
                   n == 6 ? 24 : (uint64_t)1 << (n - 1));
        expect(&expected, with[k], k, PGAS_INDIVIDUAL, PGAS_FROM, times, 24);
        expect(&expected, with[k], k, PGAS_INDIVIDUAL, PGAS_FROM, times, 8);
        expect(&expected, with[k], k, PGAS_INDIVIDUAL, PGAS_FROM, times, 1);
        pgas_memget(bytes, at, 100 + times);
        expect(&expected, with[k], k, PGAS_CONTIGUOUS, PGAS_FROM, 1, 100 + times);
        pgas_memput(at, bytes, 200 + times);
        expect(&expected, with[k], k, PGAS_CONTIGUOUS, PGAS_TO, 1, 200 + times);
        pgas_memcpy(further, at, 300);
        expect(&expected, with[k], k, PGAS_CONTIGUOUS, PGAS_FROM, 1, 300);
        expect(&expected, with[k], k, PGAS_CONTIGUOUS, PGAS_TO, 1, 300);
        pgas_memset(at, 0, 400);
        expect(&expected, with[k], k, PGAS_CONTIGUOUS, PGAS_TO, 1, 400);
        pgas_memget(bytes, at, 0); /* copies of 0 bytes are not counted */
        CHECK(pgas_local(at) == NULL || *(char *)pgas_local(at) == 0); /* nor are plain loads */
    }
    pgas_stats_get(&stats);
    CHECK(memcmp(&stats, &expected, sizeof stats) == 0);
    for (int k = 0; k < pgas_threads(); k++)
        for (int mode = 0; mode < PGAS_MODES; mode++)
            for (int direction = 0; direction < PGAS_DIRECTIONS; direction++) {
                pgas_traffic_t got =
                    pgas_stats_with(k, (pgas_mode_t)mode, (pgas_direction_t)direction);
                CHECK(memcmp(&got, &with[k][mode][direction], sizeof got) == 0);
            }
}

static void check_arrays(void)
{
    size_t count = 100;
    pgas_array_t array;
    pgas_stats_t stats;
    CHECK(pgas_array_create(count, sizeof(double), 7, &array) == PGAS_OK);
    pgas_stats_reset();
    for (size_t i = 0; i < count; i++)
        CHECK(PGAS_GET(double, &array, i) == PGAS_GET(double, &array, i));
    for (int thread = 0; thread < pgas_threads(); thread++) {
        pgas_traffic_t from = pgas_stats_with(thread, PGAS_INDIVIDUAL, PGAS_FROM);
        CHECK(from.operations == 2 * pgas_array_owned(&array, thread));
        CHECK(from.bytes == 8 * from.operations);
    }
    pgas_stats_reset();
    pgas_stats_get(&stats);
    pgas_stats_t zeros;
    memset(&zeros, 0, sizeof zeros);
    CHECK(memcmp(&stats, &zeros, sizeof stats) == 0);
    pgas_array_free(&array);
}

int main(void)
{
    CHECK(pgas_init() == PGAS_OK);
    check_places();
    pgas_ptr_t rooms;
    size_t threads = (size_t)pgas_threads();
    CHECK(pgas_all_alloc(threads, threads * 1024, &rooms) == PGAS_OK);
    pgas_stats_reset();
    for (int round = 0; round < 2; round++) {
        check_traffic(rooms);
        pgas_stats_reset();
    }
    check_arrays();
    pgas_all_free(rooms);
    pgas_finalize();
    return 0;
}
