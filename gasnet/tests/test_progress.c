/*
 * What makes progress although the program does not poll. Puts in flight arrive while their node
 * only tries syncs, of which none is left. Tries that do not poll run no handlers. A request to
 * oneself has run when the call returns, since those who wait for it may only put and get.
 */
#include "client.h"

#include <sched.h>
#include <time.h>

enum {
    MARK = 128,
    COUNT,
    QUEUED = 200, /* more than one poll runs, and fewer than there is room for */
    WAYS = 3,
    MOST_SECONDS = 20 /* of processor time */
};

static int marks;
static int counted;

static void mark(gasnet_token_t token, gasnet_handlerarg_t value)
{
    (void)token;
    marks += value;
}

static void count(gasnet_token_t token)
{
    (void)token;
    counted++;
}

/* A request to oneself behind many of others, that this node has not looked at. */
static void request_behind_others(void)
{
    gasnet_nodeinfo_t *nodes = malloc(gasnet_nodes() * sizeof *nodes);
    CHECK(gasnet_getNodeInfo(nodes, (int)gasnet_nodes()) == GASNET_OK);
    const bool has_other = gasnet_nodes() > 1 && nodes[1].supernode == nodes[0].supernode;
    volatile uint64_t *word = (uint64_t *)own_segment() + 6;
    free(nodes);
    if (gasnet_mynode() == 1 && has_other) {
        for (int i = 0; i < QUEUED; i++)
            CHECK(gasnet_AMRequestShort0(0, COUNT) == GASNET_OK);
        gasnet_put_val(0, (uint64_t *)segment_of(0) + 6, 1, 8);
    }
    if (gasnet_mynode() == 0) {
        while (has_other && *word == 0)
            sched_yield();
        int before = marks;
        CHECK(gasnet_AMRequestShort1(0, MARK, 100) == GASNET_OK);
        CHECK(marks == before + 100);
        CHECK(counted == (has_other ? QUEUED : 0));
    }
    meet();
}

static void try_nothing(int way)
{
    gasnet_handle_t none[2] = {GASNET_INVALID_HANDLE, GASNET_INVALID_HANDLE};
    if (way == 0)
        CHECK(gasnet_try_syncnb_some(none, 2) == GASNET_OK);
    else if (way == 1)
        CHECK(gasnet_try_syncnb_all(none, 2) == GASNET_OK);
    else
        CHECK(gasnet_try_syncnbi_all() == GASNET_OK);
}

/* The second put may wait until the first is acknowledged. */
static void put_and_try(int way)
{
    gasnet_node_t next = (gasnet_mynode() + 1) % gasnet_nodes();
    volatile uint64_t *mine = (uint64_t *)own_segment() + 2 * way;
    uint64_t *theirs = (uint64_t *)segment_of(next) + 2 * way;
    clock_t start = clock();
    gasnet_handle_t first = gasnet_put_nb_val(next, theirs, 1, 8);
    gasnet_handle_t second = gasnet_put_nb_val(next, theirs + 1, 1, 8);
    while (mine[0] == 0 || mine[1] == 0) {
        try_nothing(way);
        CHECK(clock() - start < (clock_t)MOST_SECONDS * CLOCKS_PER_SEC);
    }
    gasnet_wait_syncnb(first);
    gasnet_wait_syncnb(second);
    meet();
}

static void try_without_poll(gasnet_handle_t *handles)
{
    for (int i = 0; i < 100; i++) {
        CHECK(gasnet_try_syncnb_nopoll(handles[0]) == GASNET_OK);
        CHECK(gasnet_try_syncnb_all_nopoll(handles, 2) == GASNET_OK);
        CHECK(gasnet_try_syncnb_some_nopoll(handles, 2) == GASNET_OK);
    }
}

/* Node 0 has a request that it has not looked at, and tries. */
static void try_beside_request(void)
{
    const gasnet_node_t last = gasnet_nodes() - 1;
    volatile uint64_t *word = (uint64_t *)own_segment() + 7;
    gasnet_handle_t handles[2] = {GASNET_INVALID_HANDLE, NULL};
    const int before = marks;
    if (gasnet_mynode() == last && last > 0) {
        GASNET_BLOCKUNTIL(*word != 0); /* node 0 runs no handlers any more */
        CHECK(gasnet_AMRequestShort1(0, MARK, 1000) == GASNET_OK);
        gasnet_put_val(0, (uint64_t *)segment_of(0) + 7, 1, 8);
    }
    if (gasnet_mynode() == 0 && last > 0) {
        handles[0] = gasnet_put_nb_val(last, (uint64_t *)segment_of(last) + 7, 1, 8);
        while (gasnet_try_syncnb_nopoll(handles[0]) != GASNET_OK)
            ;
        handles[0] = GASNET_INVALID_HANDLE;
        while (*word == 0)
            sched_yield();
        try_without_poll(handles);
        uint64_t here = 0;
        handles[0] = gasnet_get_nb_bulk(&here, last, segment_of(last) + 64, 8);
        handles[1] = gasnet_put_nb_val(last, segment_of(last) + 72, 1, 8);
        while (gasnet_try_syncnb_some_nopoll(handles, 2) != GASNET_OK)
            ;
        while (gasnet_try_syncnb_all_nopoll(handles, 2) != GASNET_OK)
            ;
        CHECK(handles[0] == GASNET_INVALID_HANDLE && handles[1] == GASNET_INVALID_HANDLE);
        handles[0] = gasnet_put_nb_bulk(last, segment_of(last) + 72, &here, 8);
        while (gasnet_try_syncnb_nopoll(handles[0]) != GASNET_OK)
            ;
        CHECK(marks == before);
        while (marks == before)
            gasnet_try_syncnb_some(handles + 1, 1);
        CHECK(marks == before + 1000);
    }
    meet();
}

int main(int argc, char **argv)
{
    gasnet_handlerentry_t table[] = {{MARK, (void (*)())mark}, {COUNT, (void (*)())count}};
    CHECK(gasnet_init(&argc, &argv) == GASNET_OK);
    CHECK(gasnet_attach(table, 2, GASNET_PAGESIZE, 0) == GASNET_OK);
    segments = malloc(gasnet_nodes() * sizeof *segments);
    CHECK(gasnet_getSegmentInfo(segments, (int)gasnet_nodes()) == GASNET_OK);
    for (uint64_t *word = (uint64_t *)own_segment(); word < (uint64_t *)own_segment() + 10; word++)
        *word = 0;
    meet();
    for (int way = 0; way < WAYS; way++)
        put_and_try(way);
    CHECK(gasnet_AMRequestShort1(gasnet_mynode(), MARK, 1) == GASNET_OK);
    CHECK(marks == 1);
    CHECK(gasnet_AMRequestShort1(gasnet_mynode(), MARK, 10) == GASNET_OK);
    CHECK(marks == 11);
    meet();
    request_behind_others();
    try_beside_request();
    gasnet_exit(0);
}
