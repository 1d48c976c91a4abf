/*
 * Collectives as programs for the releases of GASNet-1 use them, first of all its testcollperf:
 * each kind, blocking and with handles, by one address and by lists of local and of all addresses,
 * with each of the nine modes of synchronisation, several sizes and roots; every value is checked.
 * Reductions have 0 and 0 for block and offset, by which those releases combine the elements of all
 * images one by one, and a function that wants as many left operands as results.
 *
 * Usage: gasnet_coll_release [IMAGES], so many on each node; more than one in GASNET_PAR only
 */
#include <pthread.h>

#include <gasnet_tools.h>

#include "coll_model.h"

enum {
    TIMES = 3,
    MOST_INTS = 9000,
    MOST_IMAGES = 16,
    SUM = 0,
    GREATEST,
    LEAST,
    OPERATIONS
};

static const gasnet_team_handle_t team = GASNET_TEAM_ALL;
static gasnet_image_t locals = 1;
static gasnet_image_t total;
static size_t area; /* ints of one side of an image */
static size_t most_ints = MOST_INTS;

/* Of all images, and those of this node. */
static int *all_srcs[MOST_IMAGES];
static int *all_dsts[MOST_IMAGES];
static int **own_srcs;
static int **own_dsts;

/* What all images do. */
typedef struct operation {
    int kind;
    int flags;
    int is_list;
    int is_blocking;
    int arg;
    gasnet_image_t root;
    size_t n;
} operation_t;

static void combine_ints(void *results, size_t result_count, const void *left_operands,
                         size_t left_count, const void *right_operands, size_t elem_size, int flags,
                         int arg)
{
    int *result = results;
    const int *left = left_operands;
    const int *right = right_operands;
    CHECK(result_count == left_count && elem_size == sizeof(int) && flags == 0);
    CHECK(result != left && result != right);
    for (size_t i = 0; i < result_count; i++) {
        if (arg == SUM)
            result[i] = left[i] + right[i];
        else if (arg == GREATEST)
            result[i] = left[i] > right[i] ? left[i] : right[i];
        else
            result[i] = left[i] < right[i] ? left[i] : right[i];
    }
}

/* ---- Values ---- */

static int value(int time, gasnet_image_t from, gasnet_image_t to, size_t i)
{
    const uint32_t mixed =
        ((uint32_t)time * 977 + from * 7919 + to * 104729 + (uint32_t)i * 31 + 1) *
        UINT32_C(2654435761);
    return (int)(mixed >> 12);
}

static gasnet_image_t blocks_sent(int kind)
{
    return kind == SCATTER || kind == EXCHANGE ? total : 1;
}

static gasnet_image_t blocks_got(int kind)
{
    return kind == GATHER || kind == GATHER_ALL || kind == EXCHANGE ? total : 1;
}

static int reduced(const operation_t *op, int time, size_t i)
{
    int result = value(time, 0, 0, i);
    for (gasnet_image_t image = 1; image < total; image++) {
        const int so_far = result;
        const int next = value(time, image, 0, i);
        combine_ints(&result, 1, &so_far, 1, &next, sizeof next, 0, op->arg);
    }
    return result;
}

static int expected(const operation_t *op, gasnet_image_t me, int time, gasnet_image_t block,
                    size_t i)
{
    const int is_from_root = op->kind == BROADCAST || op->kind == SCATTER;
    const int is_to_root = op->kind == GATHER || op->kind == REDUCE;
    if (is_to_root && me != op->root)
        return -1;
    if (op->kind == REDUCE)
        return reduced(op, time, i);
    return value(time, is_from_root ? op->root : block, blocks_sent(op->kind) > 1 ? me : 0, i);
}

static void prepare(const operation_t *op, gasnet_image_t me)
{
    const size_t got = TIMES * blocks_got(op->kind) * op->n;
    int *src = all_srcs[me];
    for (int time = 0; time < TIMES; time++)
        for (gasnet_image_t block = 0; block < blocks_sent(op->kind); block++)
            for (size_t i = 0; i < op->n; i++)
                *src++ = value(time, me, block, i);
    for (size_t i = 0; i < got; i++)
        all_dsts[me][i] = -1;
}

static void check(const operation_t *op, gasnet_image_t me)
{
    const int *dst = all_dsts[me];
    for (int time = 0; time < TIMES; time++)
        for (gasnet_image_t block = 0; block < blocks_got(op->kind); block++)
            for (size_t i = 0; i < op->n; i++)
                CHECK(*dst++ == expected(op, me, time, block, i));
}

/* ---- Calls ---- */

#define CALL(name, plain, list) \
    (op->is_list       ? op->is_blocking ? (gasnet_coll_##name##M list, GASNET_COLL_INVALID_HANDLE) \
                                         : gasnet_coll_##name##M_nb list \
     : op->is_blocking ? (gasnet_coll_##name plain, GASNET_COLL_INVALID_HANDLE) \
                       : gasnet_coll_##name##_nb plain)

/* Lists and what is in them belong to the call until it is synchronised. */
typedef struct lists {
    void *dsts[MOST_IMAGES];
    void *srcs[MOST_IMAGES];
} lists_t;

static gasnet_coll_handle_t call(const operation_t *op, gasnet_image_t me, int time, lists_t *lists)
{
    const int is_single = (op->flags & GASNET_COLL_SINGLE) != 0;
    const size_t from = (size_t)time * blocks_sent(op->kind) * op->n;
    const size_t to = (size_t)time * blocks_got(op->kind) * op->n;
    const size_t nbytes = op->n * sizeof(int);
    const gasnet_image_t root = op->root;
    const int flags = op->flags;
    for (gasnet_image_t i = 0; i < (is_single ? total : locals); i++) {
        lists->dsts[i] = (is_single ? all_dsts : own_dsts)[i] + to;
        lists->srcs[i] = (is_single ? all_srcs : own_srcs)[i] + from;
    }
    void *src = all_srcs[me] + from;
    void *dst = all_dsts[me] + to;
    /* What is one address with lists, too, is the root's. */
    void *roots_src = op->is_list ? all_srcs[root] + from : src;
    void *roots_dst = op->is_list ? all_dsts[root] + to : dst;
    switch (op->kind) {
    case BROADCAST:
        return CALL(broadcast, (team, dst, root, src, nbytes, flags),
                    (team, lists->dsts, root, roots_src, nbytes, flags));
    case SCATTER:
        return CALL(scatter, (team, dst, root, src, nbytes, flags),
                    (team, lists->dsts, root, roots_src, nbytes, flags));
    case GATHER:
        return CALL(gather, (team, root, dst, src, nbytes, flags),
                    (team, root, roots_dst, lists->srcs, nbytes, flags));
    case GATHER_ALL:
        return CALL(gather_all, (team, dst, src, nbytes, flags),
                    (team, lists->dsts, lists->srcs, nbytes, flags));
    case EXCHANGE:
        return CALL(exchange, (team, dst, src, nbytes, flags),
                    (team, lists->dsts, lists->srcs, nbytes, flags));
    default:
        return CALL(
            reduce, (team, root, dst, src, 0, 0, sizeof(int), op->n, 0, op->arg, flags),
            (team, root, roots_dst, lists->srcs, 0, 0, sizeof(int), op->n, 0, op->arg, flags));
    }
}

static pthread_barrier_t barrier_of_node;

static void meet_all(gasnet_image_t me)
{
    pthread_barrier_wait(&barrier_of_node);
    if (me % locals == 0)
        meet();
    pthread_barrier_wait(&barrier_of_node);
}

static void run(const operation_t *op, gasnet_image_t me)
{
    gasnet_coll_handle_t handles[TIMES];
    lists_t lists[TIMES];
    meet_all(me);
    prepare(op, me);
    if ((op->flags & GASNET_COLL_IN_NOSYNC) != 0)
        meet_all(me);
    for (int time = 0; time < TIMES; time++)
        handles[time] = call(op, me, time, &lists[time]);
    for (int time = TIMES - 1; time >= 0; time--)
        gasnet_coll_wait_sync(handles[time]);
    if ((op->flags & GASNET_COLL_OUT_NOSYNC) != 0)
        meet_all(me);
    check(op, me);
}

#ifdef __SANITIZE_THREAD__
static const int may_repeat = 0;
#else
static const int may_repeat = 1;
#endif

/* As a measurement does it: the same bytes again and again, to the same place before they are
 * there, which ThreadSanitizer takes for a race. */
static void run_again(const operation_t *op, gasnet_image_t me)
{
    gasnet_coll_handle_t handles[TIMES];
    lists_t lists;
    meet_all(me);
    prepare(op, me);
    meet_all(me);
    for (int time = 0; time < TIMES; time++)
        handles[time] = call(op, me, 0, &lists);
    gasnet_coll_wait_sync_all(handles, TIMES);
    meet_all(me);
}

static void run_all(gasnet_image_t me)
{
    static const int ins[] = {GASNET_COLL_IN_NOSYNC, GASNET_COLL_IN_MYSYNC, GASNET_COLL_IN_ALLSYNC};
    static const int outs[] = {GASNET_COLL_OUT_NOSYNC, GASNET_COLL_OUT_MYSYNC,
                               GASNET_COLL_OUT_ALLSYNC};
    static const size_t sizes[] = {1, 16, 700, MOST_INTS};
    for (int mode = 0; mode < 9; mode++)
        for (size_t size = 0; size < sizeof sizes / sizeof *sizes && sizes[size] <= most_ints;
             size++)
            for (int way = 0; way < 6; way++)
                for (int kind = BROADCAST; kind <= REDUCE; kind++) {
                    operation_t op = {.kind = kind,
                                      .n = sizes[size],
                                      .is_list = way >= 2,
                                      .is_blocking = way % 2,
                                      .arg = (mode + way) % OPERATIONS,
                                      .root = (gasnet_image_t)(mode + kind) % total};
                    /* One address that is the same everywhere would need aligned segments. */
                    op.flags = (way >= 4 ? GASNET_COLL_SINGLE : GASNET_COLL_LOCAL) | ins[mode / 3] |
                               outs[mode % 3] | GASNET_COLL_SRC_IN_SEGMENT |
                               GASNET_COLL_DST_IN_SEGMENT;
                    run(&op, me);
                    if (size == 0 && may_repeat)
                        run_again(&op, me);
                }
}

/* ---- Images ---- */

static void *run_image(void *argument)
{
    const gasnet_image_t me = *(const gasnet_image_t *)argument;
    const gasnet_coll_fn_entry_t table[] = {{(gasnet_coll_fn_t)combine_ints, 0}};
    gasnet_image_t images[MOST_IMAGES];
    for (gasnet_node_t node = 0; node < gasnet_nodes(); node++)
        images[node] = locals;
    gasnet_coll_init(locals > 1 ? images : NULL, me, table, 1, 0);
    run_all(me);
    gasnet_coll_dumpTuningState(NULL, team);
    gasnet_coll_dumpProfile(NULL, team);
    return NULL;
}

int main(int argc, char **argv)
{
    CHECK(gasnet_init(&argc, &argv) == GASNET_OK);
    if (argc > 1)
        locals = (gasnet_image_t)atoi(argv[1]);
    if (getenv("FATHOM_TEST_SANITIZED") != NULL)
        most_ints = 700;
    total = locals * gasnet_nodes();
    if (total > 4)
        most_ints = 700;
    CHECK(locals > 0 && total <= MOST_IMAGES);
    area = TIMES * total * (size_t)MOST_INTS;
    const uintptr_t size =
        (2 * locals * area * sizeof(int) / GASNET_PAGESIZE + 1) * GASNET_PAGESIZE;
    CHECK(gasnet_attach(NULL, 0, size, 0) == GASNET_OK);
    segments = malloc(gasnet_nodes() * sizeof *segments);
    CHECK(gasnet_getSegmentInfo(segments, (int)gasnet_nodes()) == GASNET_OK);
    for (gasnet_image_t i = 0; i < total; i++) {
        all_srcs[i] = (int *)(void *)segment_of(i / locals) + 2 * (i % locals) * area;
        all_dsts[i] = all_srcs[i] + area;
    }
    own_srcs = all_srcs + gasnet_mynode() * locals;
    own_dsts = all_dsts + gasnet_mynode() * locals;
    CHECK(pthread_barrier_init(&barrier_of_node, NULL, locals) == 0);
    pthread_t threads[MOST_IMAGES] = {0};
    gasnet_image_t numbers[MOST_IMAGES] = {0};
    for (gasnet_image_t i = 0; i < locals; i++)
        numbers[i] = gasnet_mynode() * locals + i;
    for (gasnet_image_t i = 1; i < locals; i++)
        CHECK(pthread_create(&threads[i], NULL, run_image, &numbers[i]) == 0);
    run_image(&numbers[0]);
    for (gasnet_image_t i = 1; i < locals; i++)
        CHECK(pthread_join(threads[i], NULL) == 0);
    meet();
    gasnet_exit(0);
}
