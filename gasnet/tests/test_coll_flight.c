/*
 * Collectives in flight. Nobody waits for others in an initiation: one node initiates all kinds,
 * and only then allows the others to. Random operations of all kinds, sizes and modes, several at
 * once, aggregated or not, are synchronised by each node in an order and in a way of its own, while
 * requests come: with IN_ALLSYNC another node writes the source after its owner has initiated, with
 * OUT_ALLSYNC whoever has synchronised reads the results of the next node. The function of
 * reductions and scans polls and sends.
 *
 * Usage: gasnet_coll_flight [ROUNDS [SEED]]; gasnet_coll_flight exit: ends with operations in
 * flight that not all nodes have initiated
 */
#include <pthread.h>
#include <string.h>
#include <time.h>

#include "coll_model.h"

enum {
    ROUNDS = 60,
    MOST = 10, /* operations at once */
    MOST_BYTES = 70000,
    WORD = 8 /* an element of reductions and scans, unless they have one */
};

static const gasnet_team_handle_t team = GASNET_TEAM_ALL;
static volatile unsigned allowed;

static void on_allowed(gasnet_token_t token)
{
    (void)token;
    allowed++;
}

static void on_request(gasnet_token_t token)
{
    (void)token;
}

static gasnet_handlerentry_t handlers[] = {{200, (void (*)())on_allowed},
                                           {201, (void (*)())on_request}};

/* What is the same on all nodes, and what is each node's own. */
static uint64_t shared_state;
static uint64_t own_state;

typedef struct operation {
    unsigned kind;
    unsigned in;
    unsigned out;
    gasnet_node_t root;
    size_t nbytes;
    size_t seed;
    /* In the segment of any node. */
    size_t dst;
    size_t src;
    int is_aggregated;
    int is_in_place;
    int is_synchronised;
    gasnet_coll_handle_t handle;
} operation_t;

static operation_t operations[MOST];
static unsigned count;

static gasnet_node_t next_of(gasnet_node_t node)
{
    return node + 1 < gasnet_nodes() ? node + 1 : 0;
}

static int is_from_root(const operation_t *op)
{
    return op->kind == BROADCAST || op->kind == SCATTER;
}

/* The seed of what `from` sends to `to`. */
static size_t seed_of(const operation_t *op, gasnet_node_t from, gasnet_node_t to)
{
    return op->seed + 17 * from + (op->kind == SCATTER || op->kind == EXCHANGE ? to : 0);
}

static gasnet_node_t sent_blocks(const operation_t *op, gasnet_node_t node)
{
    if (is_from_root(op) && node != op->root)
        return 0;
    return op->kind == SCATTER || op->kind == EXCHANGE ? gasnet_nodes() : 1;
}

static int is_computed(const operation_t *op)
{
    return op->kind == REDUCE || op->kind == SCAN;
}

static gasnet_node_t received_blocks(const operation_t *op, gasnet_node_t node)
{
    if ((op->kind == GATHER || op->kind == REDUCE) && node != op->root)
        return 0;
    return is_from_root(op) || is_computed(op) ? 1 : gasnet_nodes();
}

/* Reductions and scans: of the elements of all nodes, each node's after another, exclusive or. */
static size_t size_of_element(const operation_t *op)
{
    return op->nbytes % WORD == 0 ? WORD : op->nbytes;
}

static void combine_into(unsigned char *result, const unsigned char *element, size_t size)
{
    for (size_t i = 0; i < size; i++)
        result[i] ^= element[i];
}

/* What the function gets, while a thread ends. */
static const char *got_at_end;
static gasnet_node_t got_from;

static void function(void *results, size_t result_count, const void *left_operands,
                     size_t left_count, const void *right_operands, size_t elem_size, int flags,
                     int arg)
{
    unsigned char *result = results;
    (void)flags;
    (void)arg;
    memset(result, 0, elem_size);
    for (size_t i = 0; i < left_count; i++)
        combine_into(result, (const unsigned char *)left_operands + i * elem_size, elem_size);
    for (size_t i = 0; i < result_count; i++) {
        if (i > 0)
            memcpy(result + i * elem_size, result + (i - 1) * elem_size, elem_size);
        combine_into(result + i * elem_size, (const unsigned char *)right_operands + i * elem_size,
                     elem_size);
    }
    if (got_at_end != NULL) {
        char byte;
        gasnet_get(&byte, got_from, got_at_end, 1);
    }
    if (random_below(&own_state, 3) == 0)
        CHECK(gasnet_AMPoll() == GASNET_OK);
    if (random_below(&own_state, 8) == 0)
        CHECK(gasnet_AMRequestShort0((gasnet_node_t)random_below(&own_state, gasnet_nodes()),
                                     201) == GASNET_OK);
}

static gasnet_coll_fn_entry_t functions[] = {{(gasnet_coll_fn_t)function, 0}};

/* Where the data lie on a node: the one block in its place of the others, or both apart. */
static size_t src_of(const operation_t *op, gasnet_node_t node)
{
    if (op->is_in_place && (op->kind == GATHER_ALL || (op->kind == GATHER && node == op->root)))
        return op->dst + node * op->nbytes;
    return op->src;
}

static size_t dst_of(const operation_t *op, gasnet_node_t node)
{
    if (!op->is_in_place || node != op->root)
        return op->dst;
    return op->kind == SCATTER     ? op->src + node * op->nbytes
           : op->kind == BROADCAST ? op->src
                                   : op->dst;
}

/* Writes what a node sends to it. */
static void write_source(const operation_t *op, gasnet_node_t node)
{
    static unsigned char block[MOST_BYTES];
    for (gasnet_node_t i = 0; i < sent_blocks(op, node); i++) {
        fill(block, seed_of(op, node, i), op->nbytes);
        gasnet_put_bulk(node, segment_of(node) + src_of(op, node) + i * op->nbytes, block,
                        op->nbytes);
    }
}

/* What a node has after a reduction or scan. */
static int is_computed_on(const operation_t *op, gasnet_node_t node)
{
    static unsigned char block[MOST_BYTES];
    static unsigned char received[MOST_BYTES];
    static unsigned char so_far[MOST_BYTES];
    const size_t size = size_of_element(op);
    const size_t got = op->kind == SCAN ? op->nbytes : size;
    memset(so_far, 0, size);
    gasnet_get_bulk(received, node, segment_of(node) + op->dst, got);
    for (gasnet_node_t from = 0; from < gasnet_nodes(); from++) {
        fill(block, seed_of(op, from, node), op->nbytes);
        for (size_t i = 0; i < op->nbytes; i += size) {
            combine_into(so_far, block + i, size);
            if (op->kind == SCAN && from == node && memcmp(so_far, received + i, size) != 0)
                return 0;
        }
    }
    return op->kind == SCAN || memcmp(so_far, received, size) == 0;
}

static int is_received(const operation_t *op, gasnet_node_t node)
{
    static unsigned char block[MOST_BYTES];
    if (is_computed(op))
        return received_blocks(op, node) == 0 || is_computed_on(op, node);
    for (gasnet_node_t i = 0; i < received_blocks(op, node); i++) {
        gasnet_node_t from = is_from_root(op) ? op->root : i;
        gasnet_get_bulk(block, node, segment_of(node) + dst_of(op, node) + i * op->nbytes,
                        op->nbytes);
        if (!is_filled(block, seed_of(op, from, node), op->nbytes))
            return 0;
    }
    return 1;
}

static void initiate(operation_t *op)
{
    const gasnet_node_t me = gasnet_mynode();
    const int flags = GASNET_COLL_LOCAL | (int)op->in | (int)op->out |
                      (op->is_aggregated ? GASNET_COLL_AGGREGATE : 0);
    char *dst = received_blocks(op, me) > 0 ? own_segment() + dst_of(op, me) : NULL;
    char *src = sent_blocks(op, me) > 0 ? own_segment() + src_of(op, me) : NULL;
    const size_t size = size_of_element(op);
    const size_t in_block = op->nbytes / size;
    if (op->kind == BROADCAST)
        op->handle = gasnet_coll_broadcast_nb(team, dst, op->root, src, op->nbytes, flags);
    else if (op->kind == SCATTER)
        op->handle = gasnet_coll_scatter_nb(team, dst, op->root, src, op->nbytes, flags);
    else if (op->kind == GATHER)
        op->handle = gasnet_coll_gather_nb(team, op->root, dst, src, op->nbytes, flags);
    else if (op->kind == GATHER_ALL)
        op->handle = gasnet_coll_gather_all_nb(team, dst, src, op->nbytes, flags);
    else if (op->kind == EXCHANGE)
        op->handle = gasnet_coll_exchange_nb(team, dst, src, op->nbytes, flags);
    else if (op->kind == REDUCE)
        op->handle = gasnet_coll_reduce_nb(team, op->root, dst, src, in_block, 0, size,
                                           gasnet_nodes() * in_block, 0, 0, flags);
    else
        op->handle = gasnet_coll_scan_nb(team, dst, in_block, 0, src, in_block, 0, size,
                                         gasnet_nodes() * in_block, 0, 0,
                                         flags | GASNET_COLL_INCLUSIVE_SCAN);
    if (op->is_aggregated)
        CHECK(op->handle == GASNET_COLL_INVALID_HANDLE);
    else
        CHECK(op->handle != GASNET_COLL_INVALID_HANDLE);
}

static operation_t operation_at(unsigned index, unsigned kind, size_t nbytes)
{
    const size_t room = (gasnet_nodes() + (size_t)1) * MOST_BYTES;
    return (operation_t){.kind = kind,
                         .in = GASNET_COLL_IN_MYSYNC,
                         .out = GASNET_COLL_OUT_MYSYNC,
                         .nbytes = nbytes,
                         .seed = 1000 * (size_t)index + kind,
                         .dst = 2 * index * room,
                         .src = (2 * index + 1) * room};
}

/* ---- Nobody waits in an initiation ---- */

static void allow_others(void)
{
    for (gasnet_node_t node = 0; node < gasnet_nodes(); node++)
        if (node != gasnet_mynode())
            CHECK(gasnet_AMRequestShort0(node, 200) == GASNET_OK);
}

static void test_initiation(gasnet_node_t first, unsigned in, unsigned out)
{
    const gasnet_node_t me = gasnet_mynode();
    allowed = 0;
    count = KINDS;
    for (unsigned kind = 0; kind < KINDS; kind++) {
        operations[kind] = operation_at(kind, kind, 3000);
        operations[kind].root = first;
        operations[kind].in = in;
        operations[kind].out = out;
        write_source(&operations[kind], me);
    }
    meet();
    if (me != first)
        GASNET_BLOCKUNTIL(allowed >= 1);
    for (unsigned i = 0; i < count; i++)
        initiate(&operations[i]);
    if (me == first)
        allow_others();
    /* The others poll until the first has synchronised all. */
    if (me != first)
        GASNET_BLOCKUNTIL(allowed == 2);
    for (unsigned i = 0; i < count; i++) {
        gasnet_coll_wait_sync(operations[i].handle);
        CHECK(is_received(&operations[i], me));
    }
    if (me == first)
        allow_others();
    meet();
}

/* ---- Random operations ---- */

static void plan_round(void)
{
    static const size_t sizes[] = {1, 8, 700, 5000, 20000, MOST_BYTES};
    static const unsigned ins[] = {GASNET_COLL_IN_NOSYNC, GASNET_COLL_IN_MYSYNC,
                                   GASNET_COLL_IN_ALLSYNC};
    static const unsigned outs[] = {GASNET_COLL_OUT_NOSYNC, GASNET_COLL_OUT_MYSYNC,
                                    GASNET_COLL_OUT_ALLSYNC};
    count = 1 + (unsigned)random_below(&shared_state, MOST);
    for (unsigned i = 0; i < count; i++) {
        operation_t *op = &operations[i];
        *op = operation_at(i, (unsigned)random_below(&shared_state, KINDS),
                           sizes[random_below(&shared_state, sizeof sizes / sizeof *sizes)]);
        op->in = ins[random_below(&shared_state, 3)];
        op->out = outs[random_below(&shared_state, 3)];
        op->root = (gasnet_node_t)random_below(&shared_state, gasnet_nodes());
        op->seed = random_below(&shared_state, 1000000);
        op->is_aggregated = i + 1 < count && random_below(&shared_state, 4) == 0;
        op->is_in_place = op->kind < EXCHANGE && random_below(&shared_state, 3) == 0;
    }
}

/* Who writes what a node sends: with IN_ALLSYNC another one. */
static void write_sources(const operation_t *op)
{
    const gasnet_node_t me = gasnet_mynode();
    for (gasnet_node_t node = 0; node < gasnet_nodes(); node++)
        if (me == (op->in == GASNET_COLL_IN_ALLSYNC ? next_of(node) : node))
            write_source(op, node);
}

static void check_results(operation_t *op)
{
    const gasnet_node_t me = gasnet_mynode();
    op->is_synchronised = 1;
    CHECK(is_received(op, me));
    if (op->out == GASNET_COLL_OUT_ALLSYNC)
        CHECK(is_received(op, next_of(me)));
}

/* An operation is synchronised, and with it those that are aggregated with it. */
static void check_group(unsigned last)
{
    check_results(&operations[last]);
    for (unsigned i = last; i > 0 && operations[i - 1].is_aggregated; i--)
        check_results(&operations[i - 1]);
}

static void synchronise(unsigned last)
{
    synchronise_handle(operations[last].handle, &own_state);
    check_group(last);
}

/* Lists all that are left, in any order. */
static unsigned list_left(gasnet_coll_handle_t *handles)
{
    unsigned n = 0;
    for (unsigned i = 0; i < count; i++) {
        if (operations[i].is_aggregated || operations[i].is_synchronised)
            continue;
        size_t place = random_below(&own_state, n + 1);
        handles[n++] = handles[place];
        handles[place] = operations[i].handle;
    }
    return n;
}

static void synchronise_left(void)
{
    gasnet_coll_handle_t handles[MOST] = {GASNET_COLL_INVALID_HANDLE};
    unsigned n = list_left(handles);
    unsigned way = (unsigned)random_below(&own_state, 3);
    if (way == 0)
        gasnet_coll_wait_sync_all(handles, n);
    else if (way == 1)
        while (gasnet_coll_try_sync_all(handles, n) != GASNET_OK)
            gasnet_AMPoll();
    else
        for (unsigned i = 0; i < n; i++)
            while (handles[i] != GASNET_COLL_INVALID_HANDLE)
                gasnet_coll_wait_sync_some(handles, n);
    for (unsigned i = 0; i < count; i++)
        if (!operations[i].is_aggregated && !operations[i].is_synchronised)
            check_group(i);
}

static void disturb(void)
{
    if (random_below(&own_state, 4) == 0)
        usleep((useconds_t)random_below(&own_state, 300));
    if (random_below(&own_state, 3) == 0)
        CHECK(gasnet_AMRequestShort0((gasnet_node_t)random_below(&own_state, gasnet_nodes()),
                                     201) == GASNET_OK);
}

static void test_round(void)
{
    plan_round();
    for (gasnet_node_t i = 0; i < count; i++) {
        memset(own_segment() + operations[i].dst, 0, gasnet_nodes() * operations[i].nbytes);
        memset(own_segment() + operations[i].src, 0, gasnet_nodes() * operations[i].nbytes);
    }
    meet();
    for (unsigned i = 0; i < count; i++) {
        disturb();
        write_sources(&operations[i]);
        initiate(&operations[i]);
        /* Some are synchronised before the next is initiated, though not by all nodes. */
        if (!operations[i].is_aggregated && random_below(&own_state, 5) == 0)
            synchronise(i);
    }
    if (random_below(&own_state, 2) == 0)
        synchronise_left();
    for (unsigned left = count; left > 0;) {
        unsigned i = (unsigned)random_below(&own_state, count);
        disturb();
        if (!operations[i].is_aggregated && !operations[i].is_synchronised)
            synchronise(i);
        for (left = 0, i = 0; i < count; i++)
            left += !operations[i].is_synchronised;
    }
    meet();
}

/* ---- Ends ---- */

#ifndef GASNET_SEQ

static void *initiate_and_end(void *unused)
{
    initiate(&operations[0]);
    return unused;
}

/* A thread that ends completes what it has initiated, and may call GASNet for it. */
static void test_end_of_thread(unsigned kind)
{
    pthread_t thread;
    operations[0] = operation_at(0, kind, MOST_BYTES);
    got_from = next_of(gasnet_mynode());
    got_at_end = segment_of(got_from);
    operations[0].in = GASNET_COLL_IN_ALLSYNC;
    operations[0].out = GASNET_COLL_OUT_ALLSYNC;
    write_source(&operations[0], gasnet_mynode());
    CHECK(pthread_create(&thread, NULL, initiate_and_end, NULL) == 0);
    CHECK(pthread_join(thread, NULL) == 0);
    CHECK(is_received(&operations[0], next_of(gasnet_mynode())));
    got_at_end = NULL;
    meet();
}

#endif

static void end_in_flight(void)
{
    for (unsigned i = 0; i < KINDS; i++) {
        operations[i] = operation_at(i, i, MOST_BYTES);
        operations[i].in = i % 2 == 0 ? GASNET_COLL_IN_ALLSYNC : GASNET_COLL_IN_MYSYNC;
        if (gasnet_mynode() == 0)
            initiate(&operations[i]);
    }
    gasnet_exit(0);
}

int main(int argc, char **argv)
{
    CHECK(gasnet_init(&argc, &argv) == GASNET_OK);
    const int ends = argc > 1 && strcmp(argv[1], "exit") == 0;
    const int rounds = argc > 1 && !ends ? atoi(argv[1]) : ROUNDS;
    const uint64_t seed = argc > 2 ? strtoull(argv[2], NULL, 10) : (uint64_t)time(NULL);
    const size_t room = (gasnet_nodes() + (size_t)1) * MOST_BYTES;
    const uintptr_t size =
        (2 * MOST * room + GASNET_PAGESIZE - 1) / GASNET_PAGESIZE * GASNET_PAGESIZE;
    CHECK(gasnet_attach(handlers, 2, size, 0) == GASNET_OK);
    segments = (gasnet_seginfo_t *)malloc(gasnet_nodes() * sizeof *segments);
    CHECK(gasnet_getSegmentInfo(segments, (int)gasnet_nodes()) == GASNET_OK);
    gasnet_coll_init(NULL, 0, functions, 1, 0);
    if (ends)
        end_in_flight();
    for (gasnet_node_t first = 0; first < gasnet_nodes(); first++) {
        test_initiation(first, GASNET_COLL_IN_MYSYNC, GASNET_COLL_OUT_MYSYNC);
        test_initiation(first, GASNET_COLL_IN_ALLSYNC, GASNET_COLL_OUT_ALLSYNC);
    }
#ifndef GASNET_SEQ
    test_end_of_thread(GATHER_ALL);
    test_end_of_thread(REDUCE);
#endif
    /* The seed of node 0 is everybody's. */
    shared_state = seed;
    gasnet_coll_broadcast(team, &shared_state, 0, &shared_state, sizeof shared_state,
                          GASNET_COLL_LOCAL | GASNET_COLL_IN_MYSYNC | GASNET_COLL_OUT_MYSYNC);
    own_state = shared_state + 99 * (uint64_t)(gasnet_mynode() + 1);
    if (gasnet_mynode() == 0)
        printf("seed %llu\n", (unsigned long long)shared_state);
    for (int i = 0; i < rounds; i++)
        test_round();
    gasnet_exit(0);
}
