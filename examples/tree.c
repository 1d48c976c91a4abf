/**
 * Counts the nodes of a tree that nobody knows beforehand: each node says how many children it has,
 * and each child is sent to a thread chosen by chance, as an active message. The end is noticed as
 * in Mattern's method of four counters: the threads add up again and again how many nodes they have
 * sent and visited, while they go on; all work is done when as many have been visited by one round
 * as have been sent by the next.
 *
 *   fathom-run -n 4 --nodes 2 tree DEPTH        about 1.6 to the power of DEPTH nodes
 */
#include <pgas/pgas.h>

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

typedef struct node {
    uint64_t seed;
    int depth;
} node_t;

/** Nodes that the thread has been sent and has not visited yet. */
static node_t *waiting;
static size_t count;
static size_t capacity;

/** Nodes that the thread has sent, and visited: a visit counts when the children have been sent. */
static int64_t sent;
static int64_t visited;

static pgas_am_t take;

static uint64_t scramble(uint64_t seed)
{
    seed = (seed ^ (seed >> 31)) * UINT64_C(0x9e3779b97f4a7c15);
    seed = (seed ^ (seed >> 29)) * UINT64_C(0xbf58476d1ce4e5b9);
    return seed ^ (seed >> 32);
}

static uint64_t child_seed(uint64_t seed, int child)
{
    return scramble(seed + (uint64_t)child);
}

/** 0 to 3, but none at the greatest depth; the root has 3. */
static int children(node_t node, int depth)
{
    static const int numbers[] = {0, 1, 1, 1, 2, 2, 3, 3};
    if (node.depth == depth)
        return 0;
    return node.depth == 0 ? 3 : numbers[scramble(~node.seed) % 8];
}

/* A handler must not send requests (pgas/am.h): it leaves the node for the loop. It runs in the
 * thread's own calls alone, PGAS_AM_POLL, so that nothing else changes the list meanwhile. */
static void take_node(pgas_am_token_t *token, const int32_t *args, unsigned nargs, void *payload,
                      size_t nbytes)
{
    (void)token;
    (void)nargs;
    (void)payload;
    (void)nbytes;
    if (count == capacity) {
        capacity = capacity > 0 ? 2 * capacity : 1024;
        waiting = realloc(waiting, capacity * sizeof *waiting);
        if (waiting == NULL)
            pgas_fail(1, "tree: not enough memory for %zu nodes", capacity);
    }
    waiting[count++] = (node_t){pgas_am_64(&args[0]), args[2]};
}

static void send_node(node_t node)
{
    int to = (int)(scramble(node.seed + 1) % (uint64_t)pgas_threads());
    sent++;
    pgas_am_request_short(to, take, PGAS_AM_ARGS(PGAS_AM_64(node.seed), node.depth));
}

/** Visits up to `most` of the waiting nodes: sends their children off. */
static void visit(size_t most, int depth)
{
    for (; most > 0 && count > 0; most--) {
        node_t node = waiting[--count];
        for (int child = children(node, depth); child > 0; child--)
            send_node((node_t){child_seed(node.seed, child), node.depth + 1});
        visited++;
    }
}

/** Works until no node is left anywhere; returns how many there were. */
static int64_t walk(int depth)
{
    int64_t visited_before = -1;
    for (;;) {
        int64_t mine[2] = {sent, visited};
        int64_t all[2];
        pgas_handle_t handle =
            pgas_allreduce_async(PGAS_TEAM_ALL, mine, all, 2, PGAS_INT64, PGAS_SUM);
        do {
            pgas_poll(); /* a try of what is complete already would run no handler */
            visit(100, depth);
        } while (!pgas_trysync(handle));
        if (all[0] == visited_before)
            return visited_before;
        visited_before = all[1];
    }
}

static int64_t count_alone(node_t node, int depth)
{
    int64_t nodes = 1;
    for (int child = children(node, depth); child > 0; child--)
        nodes += count_alone((node_t){child_seed(node.seed, child), node.depth + 1}, depth);
    return nodes;
}

int main(int argc, char **argv)
{
    take = pgas_am_register("take_node", take_node, PGAS_AM_POLL);
    if (pgas_init() != PGAS_OK)
        return 1;
    int depth = argc == 2 ? atoi(argv[1]) : 0;
    if (depth < 1 || depth > 60)
        pgas_fail(2, "usage: tree DEPTH, from 1 to 60");
    node_t root = {42, 0};
    if (pgas_mythread() == 0)
        send_node(root);
    int64_t nodes = walk(depth);
    printf("thread %d visited %lld of %lld nodes\n", pgas_mythread(), (long long)visited,
           (long long)nodes);
    if (pgas_mythread() == 0 && count_alone(root, depth) != nodes)
        pgas_fail(1, "tree: one thread alone counts others");
    free(waiting);
    pgas_finalize();
    return 0;
}
