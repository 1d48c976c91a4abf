/*
 * Collectives with several images per node, each against a plain computation. Random operations of
 * all kinds, sizes, roots and modes, several in flight, aggregated or not, by one address or a
 * list; each image comes late or early, with or without a handle, and synchronises in an order of
 * its own. With IN_ALLSYNC another image writes the source, perhaps of another node; with
 * OUT_ALLSYNC each image reads another one's results, too. Before that one image initiates more
 * than a ring has room for and synchronises, while the others of its node neither poll nor
 * synchronise; and at the end threads end with operations in flight.
 *
 * Usage: gasnet_coll_images IMAGES [ROUNDS [SEED]]; IMAGES are digits, those of node 0, node 1 and
 * so on, from the start again if they do not suffice: 213. ROUNDS exit: one image ends the job with
 * operations in flight that the others have not initiated
 */
#include "images_model.h"

#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <time.h>

enum {
    ROUNDS = 40,
    MOST = 6, /* operations at once, in random rounds */
    MANY = 40, /* by one image, before the others have any */
    ARGUMENT = 77
};

static const gasnet_team_handle_t team = GASNET_TEAM_ALL;

static int rounds = ROUNDS;
static int ends_in_flight;
static uint64_t first_seed;
static sem_t are_free;
static _Atomic unsigned allowed;

static void on_allowed(gasnet_token_t token)
{
    (void)token;
    allowed++;
}

static gasnet_handlerentry_t handlers[] = {{200, (void (*)())on_allowed}};

/* All images of the job, which serve requests meanwhile. */
static void meet_all(void)
{
    static _Atomic unsigned come;
    static _Atomic unsigned phase;
    const unsigned before = phase;
    if (++come < locals) {
        GASNET_BLOCKUNTIL(phase != before);
        return;
    }
    meet();
    come = 0;
    phase++;
}

static void function(void *results, size_t result_count, const void *left_operands,
                     size_t left_count, const void *right_operands, size_t elem_size, int flags,
                     int arg)
{
    const int is_ordered = flags == GASNET_COLL_NONCOMM;
    const pair_t *left = left_operands;
    const pair_t *right = right_operands;
    pair_t *result = results;
    CHECK(arg == ARGUMENT && elem_size == sizeof(pair_t) && (flags == 0 || is_ordered));
    if (left_count == result_count && left_count > 1) {
        for (size_t i = 0; i < result_count; i++)
            result[i] = combine(left[i], right[i], is_ordered);
        return;
    }
    pair_t so_far = left_count > 0 ? left[0] : right[0];
    for (size_t i = 1; i < left_count; i++)
        so_far = combine(so_far, left[i], is_ordered);
    for (size_t i = 0; i < result_count; i++) {
        if (i > 0 || left_count > 0)
            so_far = combine(so_far, right[i], is_ordered);
        result[i] = so_far;
    }
}

static const gasnet_coll_fn_entry_t functions[] = {
    {(gasnet_coll_fn_t)function, 0}, {(gasnet_coll_fn_t)function, GASNET_COLL_NONCOMM}};

/* What each image has of its own. */
typedef struct image {
    gasnet_image_t number;
    uint64_t state;
    char *memory;
    operation_t operations[MANY];
    unsigned count;
    int is_synchronised[MANY];
    gasnet_coll_handle_t handles[MANY];
} image_t;

/* Where a side is, in the segment or in the image's own memory. */
static size_t side_of(const operation_t *op, int is_src)
{
    return (2 * op->index + (size_t)is_src) * room;
}

static char *area(const image_t *me, const operation_t *op, int is_src)
{
    const int is_in_segment = is_src ? op->is_src_in_segment : op->is_dst_in_segment;
    const size_t slice = (me->number - firsts[gasnet_mynode()]) * 2 * MANY * room;
    return (is_in_segment ? own_segment() + slice : me->memory) + side_of(op, is_src);
}

static char *src_of(const image_t *me, const operation_t *op)
{
    if (is_in_place(op, me->number) && (op->kind == GATHER || op->kind == GATHER_ALL))
        return area(me, op, 0) + me->number * op->nbytes;
    return area(me, op, 1);
}

static char *dst_of(const image_t *me, const operation_t *op)
{
    if (is_in_place(op, me->number) && is_from_root(op))
        return area(me, op, 1) + (op->kind == SCATTER ? me->number * op->nbytes : 0);
    return area(me, op, 0);
}

/* With IN_ALLSYNC, that of the image before. */
static void write_source(const image_t *me, const operation_t *op)
{
    char *bytes = malloc(room);
    if (op->in == GASNET_COLL_IN_ALLSYNC) {
        const gasnet_image_t image = (me->number + total - 1) % total;
        const gasnet_node_t node = node_of(image);
        size_t place = (image - firsts[node]) * 2 * MANY * room;
        if (is_in_place(op, image) && (op->kind == GATHER || op->kind == GATHER_ALL))
            place += side_of(op, 0) + image * op->nbytes;
        else
            place += side_of(op, 1);
        memset(bytes, CLEAN, room);
        const size_t nbytes = make_source(op, image, bytes);
        gasnet_put_bulk(node, segment_of(node) + place, bytes, nbytes);
    } else {
        make_source(op, me->number, src_of(me, op));
    }
    free(bytes);
}

static void check_own(const image_t *me, const operation_t *op)
{
    char *bytes = malloc(room);
    const size_t nbytes = make_result(op, me->number, bytes);
    CHECK(memcmp(dst_of(me, op), bytes, nbytes) == 0);
    if (!is_in_place(op, me->number))
        CHECK(memcmp(dst_of(me, op), bytes, room) == 0);
    free(bytes);
}

/* With OUT_ALLSYNC the next image has its results. */
static void check_next(const image_t *me, const operation_t *op)
{
    const gasnet_image_t image = (me->number + 1) % total;
    const gasnet_node_t node = node_of(image);
    if (op->out != GASNET_COLL_OUT_ALLSYNC || is_in_place(op, image))
        return;
    char *bytes = malloc(room);
    char *found = malloc(room);
    const size_t nbytes = make_result(op, image, bytes);
    gasnet_get_bulk(found, node,
                    segment_of(node) + (image - firsts[node]) * 2 * MANY * room + side_of(op, 0),
                    nbytes);
    CHECK(memcmp(found, bytes, nbytes) == 0);
    free(found);
    free(bytes);
}

/* ---- Calls ---- */

#define CALL(name, plain, list) \
    (is_list       ? is_blocking ? (gasnet_coll_##name##M list, GASNET_COLL_INVALID_HANDLE) \
                                 : gasnet_coll_##name##m_nb list \
     : is_blocking ? (gasnet_coll_##name plain, GASNET_COLL_INVALID_HANDLE) \
                   : gasnet_coll_##name##_nb plain)

static int flags_of(const operation_t *op)
{
    return (int)op->in | (int)op->out | (op->is_single ? GASNET_COLL_SINGLE : GASNET_COLL_LOCAL) |
           (op->is_aggregated ? GASNET_COLL_AGGREGATE : 0) |
           (op->is_src_in_segment && !op->is_in_place ? GASNET_COLL_SRC_IN_SEGMENT : 0) |
           (op->is_dst_in_segment && !op->is_in_place ? GASNET_COLL_DST_IN_SEGMENT : 0) |
           (op->kind != SCAN   ? 0
            : op->is_inclusive ? GASNET_COLL_INCLUSIVE_SCAN
                               : GASNET_COLL_EXCLUSIVE_SCAN);
}

/* Lists have the own address in its place, and none that may be used elsewhere. */
static gasnet_coll_handle_t call(const image_t *me, const operation_t *op, int is_list,
                                 int is_blocking)
{
    void *dsts[MOST_IMAGES] = {NULL};
    void *srcs[MOST_IMAGES] = {NULL};
    const int flags = flags_of(op);
    const gasnet_image_t place = op->is_single ? me->number : me->number - firsts[gasnet_mynode()];
    const int is_root = me->number == op->root;
    void *dst = dst_of(me, op);
    void *src = src_of(me, op);
    const gasnet_image_t root = op->root;
    const size_t nbytes = op->nbytes;
    dsts[place] = dst;
    srcs[place] = src;
    if (is_from_root(op) && !is_root)
        src = NULL;
    if ((op->kind == GATHER || op->kind == REDUCE) && !is_root)
        dst = NULL;
    switch (op->kind) {
    case BROADCAST:
        return CALL(broadcast, (team, dst, root, src, nbytes, flags),
                    (team, dsts, root, src, nbytes, flags));
    case SCATTER:
        return CALL(scatter, (team, dst, root, src, nbytes, flags),
                    (team, dsts, root, src, nbytes, flags));
    case GATHER:
        return CALL(gather, (team, root, dst, src, nbytes, flags),
                    (team, root, dst, srcs, nbytes, flags));
    case GATHER_ALL:
        return CALL(gather_all, (team, dst, src, nbytes, flags), (team, dsts, srcs, nbytes, flags));
    case EXCHANGE:
        return CALL(exchange, (team, dst, src, nbytes, flags), (team, dsts, srcs, nbytes, flags));
    case REDUCE:
        return CALL(reduce,
                    (team, root, dst, src, op->from.block, op->from.offset, sizeof(pair_t),
                     op->count, (gasnet_coll_fn_handle_t)op->is_ordered, ARGUMENT, flags),
                    (team, root, dst, srcs, op->from.block, op->from.offset, sizeof(pair_t),
                     op->count, (gasnet_coll_fn_handle_t)op->is_ordered, ARGUMENT, flags));
    default:
        return CALL(
            scan,
            (team, dst, op->to.block, op->to.offset, src, op->from.block, op->from.offset,
             sizeof(pair_t), op->count, (gasnet_coll_fn_handle_t)op->is_ordered, ARGUMENT, flags),
            (team, dsts, op->to.block, op->to.offset, srcs, op->from.block, op->from.offset,
             sizeof(pair_t), op->count, (gasnet_coll_fn_handle_t)op->is_ordered, ARGUMENT, flags));
    }
}

/* ---- Planning: the same in every image ---- */

static layout_t draw_layout(uint64_t *shared)
{
    layout_t layout = {0, random_below(shared, total)};
    if (random_below(shared, 4) == 0)
        return layout;
    layout.block = 1 + (random_below(shared, MOST_ELEMENTS / 4) >> random_below(shared, 9));
    layout.offset = random_below(shared, 2 * layout.block * total);
    return layout;
}

static operation_t plan(unsigned index, unsigned kind, uint64_t *shared)
{
    static const size_t sizes[] = {1, 8, 700, 5000, MOST_BYTES};
    static const unsigned ins[] = {GASNET_COLL_IN_NOSYNC, GASNET_COLL_IN_MYSYNC,
                                   GASNET_COLL_IN_ALLSYNC};
    static const unsigned outs[] = {GASNET_COLL_OUT_NOSYNC, GASNET_COLL_OUT_MYSYNC,
                                    GASNET_COLL_OUT_ALLSYNC};
    operation_t op = {.kind = kind, .index = index};
    CHECK(total > 0);
    op.in = ins[random_below(shared, 3)];
    op.out = outs[random_below(shared, 3)];
    op.root = (gasnet_image_t)random_below(shared, total);
    op.nbytes = sizes[random_below(shared, sizeof sizes / sizeof *sizes)];
    op.seed = random_below(shared, 1000000);
    op.from = draw_layout(shared);
    op.to = draw_layout(shared);
    if (kind == REDUCE && random_below(shared, 3) == 0)
        op.from = (layout_t){0, 0};
    op.count = random_below(shared, random_below(shared, 3) == 0 ? MOST_ELEMENTS : 200);
    op.is_ordered = random_below(shared, 2) == 0;
    op.is_inclusive = random_below(shared, 2) == 0;
    op.is_single = random_below(shared, 2) == 0;
    op.is_in_place = kind < EXCHANGE && random_below(shared, 3) == 0;
    op.is_src_in_segment = op.in == GASNET_COLL_IN_ALLSYNC || random_below(shared, 3) == 0;
    op.is_dst_in_segment = op.out == GASNET_COLL_OUT_ALLSYNC || random_below(shared, 3) == 0;
    /* In place both are in the one that the source's writer or the results' reader knows. */
    if (op.is_in_place)
        op.is_src_in_segment = op.is_dst_in_segment = 1;
    return op;
}

static void clean(const image_t *me)
{
    for (unsigned i = 0; i < me->count; i++)
        for (int is_src = 0; is_src < 2; is_src++)
            memset(area(me, &me->operations[i], is_src), CLEAN, room);
}

/* ---- Synchronisation ---- */

static void check_results(image_t *me, unsigned index)
{
    me->is_synchronised[index] = 1;
    check_own(me, &me->operations[index]);
    check_next(me, &me->operations[index]);
}

/* An operation is synchronised, and with it those that are aggregated with it. */
static void check_group(image_t *me, unsigned last)
{
    check_results(me, last);
    for (unsigned i = last; i > 0 && me->operations[i - 1].is_aggregated; i--)
        check_results(me, i - 1);
}

static void synchronise(image_t *me, unsigned last)
{
    CHECK(me->handles[last] != GASNET_COLL_INVALID_HANDLE);
    synchronise_handle(me->handles[last], &me->state);
    check_group(me, last);
}

static void initiate(image_t *me, unsigned index, int is_blocking)
{
    const operation_t *op = &me->operations[index];
    write_source(me, op);
    me->handles[index] = call(me, op, random_below(&me->state, 2) == 0, is_blocking);
    if (is_blocking)
        check_group(me, index);
    if (op->is_aggregated)
        CHECK(me->handles[index] == GASNET_COLL_INVALID_HANDLE);
}

static void synchronise_all(image_t *me)
{
    for (unsigned left = me->count; left > 0;) {
        unsigned i = (unsigned)random_below(&me->state, me->count);
        if (!me->operations[i].is_aggregated && !me->is_synchronised[i])
            synchronise(me, i);
        for (left = 0, i = 0; i < me->count; i++)
            left += !me->is_synchronised[i];
    }
}

/* ---- Tests ---- */

static void begin_round(image_t *me)
{
    memset(me->is_synchronised, 0, sizeof me->is_synchronised);
    clean(me);
    meet_all();
}

static void test_round(image_t *me, uint64_t *shared)
{
    me->count = 1 + (unsigned)random_below(shared, MOST);
    for (unsigned i = 0; i < me->count; i++) {
        me->operations[i] = plan(i, (unsigned)random_below(shared, KINDS), shared);
        me->operations[i].is_aggregated = i + 1 < me->count && random_below(shared, 4) == 0;
    }
    begin_round(me);
    for (unsigned i = 0; i < me->count; i++) {
        const int is_aggregated = me->operations[i].is_aggregated;
        if (random_below(&me->state, 5) == 0)
            usleep((useconds_t)random_below(&me->state, 1000));
        initiate(me, i, !is_aggregated && random_below(&me->state, 3) == 0);
        if (!is_aggregated && !me->is_synchronised[i] && random_below(&me->state, 5) == 0)
            synchronise(me, i);
    }
    synchronise_all(me);
    meet_all();
}

/* One image initiates all before any other has begun. Then it synchronises all, while the others of
 * its node have initiated, and do not come back to the library before it has. */
static void test_initiation(image_t *me, gasnet_image_t first, uint64_t *shared)
{
    const gasnet_node_t node = node_of(first);
    me->count = MANY;
    for (unsigned i = 0; i < MANY; i++) {
        operation_t *op = &me->operations[i];
        *op = plan(i, i % KINDS, shared);
        op->nbytes = op->nbytes > 700 ? 700 : op->nbytes;
    }
    allowed = 0;
    begin_round(me);
    if (me->number != first)
        GASNET_BLOCKUNTIL(allowed > 0);
    for (unsigned i = 0; i < MANY; i++)
        initiate(me, i, 0);
    if (me->number == first)
        for (gasnet_node_t i = 0; i < gasnet_nodes(); i++)
            CHECK(gasnet_AMRequestShort0(i, 200) == GASNET_OK);
    if (me->number != first && node == gasnet_mynode())
        while (sem_wait(&are_free) != 0)
            ;
    synchronise_all(me);
    for (gasnet_image_t i = 1; me->number == first && i < locals; i++)
        sem_post(&are_free);
    meet_all();
}

static void initiate_last(image_t *me, uint64_t *shared)
{
    me->count = 2;
    for (unsigned i = 0; i < 2; i++)
        me->operations[i] = plan(i, EXCHANGE, shared);
    begin_round(me);
    initiate(me, 0, 0);
    initiate(me, 1, 0);
}

static void end_in_flight(image_t *me, uint64_t *shared)
{
    me->count = KINDS;
    for (unsigned i = 0; i < KINDS; i++)
        me->operations[i] = plan(i, i, shared);
    begin_round(me);
    for (unsigned i = 0; i < KINDS && me->number < total - 1; i++)
        initiate(me, i, 0);
    if (me->number == 0)
        gasnet_exit(0);
    for (;;)
        gasnet_AMPoll();
}

static void *run_image(void *argument)
{
    image_t *me = argument;
    uint64_t shared = first_seed;
    me->state = first_seed + 99 * (uint64_t)(me->number + 1);
    gasnet_coll_init(images, me->number, functions, 2, 0);
    if (ends_in_flight)
        end_in_flight(me, &shared);
    /* The ring is not at its first place when it grows. */
    test_round(me, &shared);
    for (gasnet_image_t first = 0; first < total; first++)
        test_initiation(me, first, &shared);
    for (int i = 0; i < rounds; i++)
        test_round(me, &shared);
    initiate_last(me, &shared);
    return NULL;
}

int main(int argc, char **argv)
{
    CHECK(gasnet_init(&argc, &argv) == GASNET_OK);
    count_images(argc > 1 ? argv[1] : "213");
    ends_in_flight = argc > 2 && strcmp(argv[2], "exit") == 0;
    if (argc > 2)
        rounds = atoi(argv[2]);
    else if (getenv("FATHOM_TEST_SANITIZED") != NULL)
        rounds = ROUNDS / 8;
    const uintptr_t size = (4 * 2 * MANY * room / GASNET_PAGESIZE + 1) * GASNET_PAGESIZE;
    CHECK(gasnet_attach(handlers, 1, size, 0) == GASNET_OK);
    segments = malloc(gasnet_nodes() * sizeof *segments);
    CHECK(gasnet_getSegmentInfo(segments, (int)gasnet_nodes()) == GASNET_OK);
    first_seed = argc > 3 ? strtoull(argv[3], NULL, 10) : (uint64_t)time(NULL);
    if (gasnet_mynode() == 0)
        printf("seed %llu\n", (unsigned long long)first_seed);
    for (gasnet_node_t node = 0; gasnet_mynode() == 0 && node < gasnet_nodes(); node++)
        gasnet_put(node, segment_of(node), &first_seed, sizeof first_seed);
    meet();
    memcpy(&first_seed, own_segment(), sizeof first_seed);
    CHECK(sem_init(&are_free, 0, 0) == 0);
    image_t *own = calloc(locals, sizeof *own);
    pthread_t threads[16];
    for (gasnet_image_t i = 0; i < locals; i++) {
        own[i].number = firsts[gasnet_mynode()] + i;
        own[i].memory = malloc(2 * MANY * room);
        CHECK(pthread_create(&threads[i], NULL, run_image, &own[i]) == 0);
    }
    for (gasnet_image_t i = 0; i < locals; i++)
        CHECK(pthread_join(threads[i], NULL) == 0);
    /* Threads have completed what they had in flight, and their node's part of it. */
    for (gasnet_image_t i = 0; i < locals; i++)
        for (unsigned j = 0; j < 2; j++)
            check_own(&own[i], &own[i].operations[j]);
    meet();
    gasnet_exit(0);
}
