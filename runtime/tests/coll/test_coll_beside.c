/**
 * Collectives that go on while their members compute: the progress thread runs the steps.
 *
 *   - all members start collectives of every kind, short and long, more than have messages under
 *     way at once, and make no call until all are complete: without a progress thread that steps
 *     that would be never
 *   - in flight on several teams, members do different things: compute, wait at once, sleep, read
 *     the statistics all the time, attach and detach; both threads want the turn then
 *   - all make blocking collectives, long ones too, while others are in flight
 *   - the program's own operations run in the main thread alone
 *   - the counts are those of members that wait at once
 *   - a team is freed as soon as its last collective is complete
 *   - members look at a collective just when the progress thread completes it: nobody has the turn
 *     afterwards, and who has nothing in flight has complete handles
 *   - one thread of a process waits, with nothing in flight any more, while what another one has
 *     started goes on
 *   - what is left when pgas_finalize is called
 *
 * Usage: runtime_coll_beside [ROUNDS]
 */
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>

#include "base/relax.h"
#include "base/turn.h"
#include "check.h"
#include "copy/handle_check.h"
#include "copy/in_flight.h"
#include "job_random.h"
#include "net/net.h"
#include "sync/background.h"

#include "coll_kind.h"
#include "team_shapes.h"

enum {
    ROUNDS = 150,
    /* Words of a block; of what is combined; and of a block of a long call. */
    MOST = 3000,
    MOST_COMBINED = 40000,
    SLOTS = 9,
    COUNTS = 200,
    COPIED = 4096,
    MEETINGS = 400
};

typedef struct flight {
    pgas_handle_t handle;
    kind_t kind;
    pgas_team_t *team;
    int rank;
    int size;
    uint64_t seed;
    size_t count;
    int root;
    pgas_op_t op;
    uint64_t *src;
    uint64_t *dst;
    size_t counts[MOST_THREADS];
    size_t displs[MOST_THREADS];
} flight_t;

static flight_t flights[SLOTS];
static size_t buffer_words;
static pgas_op_t own_sum;
static pthread_t main_thread;

static void add_up(const void *in, void *inout, size_t count, pgas_datatype_t type)
{
    const uint64_t *from = in;
    uint64_t *to = inout;
    CHECK(type == PGAS_UINT64 && pthread_equal(pthread_self(), main_thread));
    for (size_t i = 0; i < count; i++)
        to[i] += from[i];
}

static void prepare(flight_t *flight)
{
    size_t count = flight->count;
    uint64_t *src = flight->kind == BROADCAST ? flight->dst : flight->src;
    bool has_blocks = flight->kind == SCATTER || flight->kind == SCATTERV ||
                      flight->kind == ALLTOALL || flight->kind == ALLTOALLV ||
                      flight->kind == REDUCE_SCATTER;
    memset(flight->dst, 0, buffer_words * sizeof *flight->dst);
    for (int to = 0; to < (has_blocks ? flight->size : 1); to++)
        for (size_t i = 0; i < count; i++)
            src[(size_t)to * count + i] = coll_word(flight->seed, flight->rank, to, i);
    for (int rank = 0; rank < flight->size; rank++) {
        flight->counts[rank] = flight->kind == REDUCE_SCATTER ? count : count * sizeof(uint64_t);
        flight->displs[rank] = (size_t)rank * count * sizeof(uint64_t);
    }
}

static void start(flight_t *flight)
{
    pgas_team_t *team = flight->team;
    uint64_t *src = flight->src;
    uint64_t *dst = flight->dst;
    size_t count = flight->count;
    size_t nbytes = count * sizeof(uint64_t);
    int root = flight->root;
    const size_t *counts = flight->counts;
    const size_t *displs = flight->displs;
    pgas_op_t op = flight->op;
    switch (flight->kind) {
    case BARRIER:
        flight->handle = pgas_team_barrier_async(team);
        break;
    case BROADCAST:
        flight->handle = pgas_broadcast_async(team, dst, nbytes, root);
        break;
    case SCATTER:
        flight->handle = pgas_scatter_async(team, src, dst, nbytes, root);
        break;
    case SCATTERV:
        flight->handle = pgas_scatterv_async(team, src, counts, displs, dst, nbytes, root);
        break;
    case GATHER:
        flight->handle = pgas_gather_async(team, src, dst, nbytes, root);
        break;
    case GATHERV:
        flight->handle = pgas_gatherv_async(team, src, nbytes, dst, counts, displs, root);
        break;
    case ALLGATHER:
        flight->handle = pgas_allgather_async(team, src, dst, nbytes);
        break;
    case ALLGATHERV:
        flight->handle = pgas_allgatherv_async(team, src, nbytes, dst, counts, displs);
        break;
    case ALLTOALL:
        flight->handle = pgas_alltoall_async(team, src, dst, nbytes);
        break;
    case ALLTOALLV:
        flight->handle = pgas_alltoallv_async(team, src, counts, displs, dst, counts, displs);
        break;
    case REDUCE:
        flight->handle = pgas_reduce_async(team, src, dst, count, PGAS_UINT64, op, root);
        break;
    case ALLREDUCE:
        flight->handle = pgas_allreduce_async(team, src, dst, count, PGAS_UINT64, op);
        break;
    case REDUCE_SCATTER:
        flight->handle = pgas_reduce_scatter_async(team, src, dst, counts, PGAS_UINT64, op);
        break;
    case INCLUSIVE:
        flight->handle = pgas_scan_inclusive_async(team, src, dst, count, PGAS_UINT64, op);
        break;
    default:
        flight->handle = pgas_scan_exclusive_async(team, src, dst, count, PGAS_UINT64, op);
    }
}

static void check_block(const flight_t *flight, int at, int from, int to)
{
    const uint64_t *block = flight->dst + (size_t)at * flight->count;
    for (size_t i = 0; i < flight->count; i++)
        CHECK(block[i] == coll_word(flight->seed, from, to, i));
}

static void check_all(const flight_t *flight, int to)
{
    for (int rank = 0; rank < flight->size; rank++)
        check_block(flight, rank, rank, to);
}

static void check_sum(const flight_t *flight, int last, int to)
{
    for (size_t i = 0; i < flight->count; i++) {
        uint64_t sum = 0;
        for (int rank = 0; rank <= last; rank++)
            sum += coll_word(flight->seed, rank, to, i);
        CHECK(flight->dst[i] == sum);
    }
}

static void check_result(const flight_t *flight)
{
    int me = flight->rank;
    bool is_root = me == flight->root;
    switch (flight->kind) {
    case BARRIER:
        break;
    case BROADCAST:
        check_block(flight, 0, flight->root, 0);
        break;
    case SCATTER:
    case SCATTERV:
        check_block(flight, 0, flight->root, me);
        break;
    case GATHER:
    case GATHERV:
        if (is_root)
            check_all(flight, 0);
        break;
    case ALLGATHER:
    case ALLGATHERV:
        check_all(flight, 0);
        break;
    case ALLTOALL:
    case ALLTOALLV:
        check_all(flight, me);
        break;
    case REDUCE:
    case ALLREDUCE:
        if (is_root || flight->kind == ALLREDUCE)
            check_sum(flight, flight->size - 1, 0);
        break;
    case REDUCE_SCATTER:
        check_sum(flight, flight->size - 1, me);
        break;
    case INCLUSIVE:
        check_sum(flight, me, 0);
        break;
    default:
        check_sum(flight, me - 1, 0);
    }
}

static void set(flight_t *flight, pgas_team_t *team, kind_t kind, size_t count, uint64_t seed)
{
    flight->team = team;
    flight->rank = pgas_team_rank(team);
    flight->size = pgas_team_size(team);
    flight->kind = kind;
    flight->seed = seed;
    flight->count = count;
    flight->root = (int)(seed % (uint64_t)flight->size);
    flight->op = PGAS_SUM;
    prepare(flight);
}

static bool combines(kind_t kind)
{
    return kind >= REDUCE && kind != REDUCE_SCATTER;
}

/* ---- Waiting ---- */

/* Looks, and makes no progress. */
static bool is_over(pgas_handle_t handle)
{
    pgas_handle_t real = pgasi_handle_real(__func__, handle);
    return real.bits == 0 || pgasi_in_flight_is_done((pgasi_net_handle_t){real.bits});
}

/* Computes until the first `count` are complete: makes no call until then. */
static void compute(int count)
{
    for (int i = 0; i < count && pgasi_net_has_progress_thread(); i++)
        while (!is_over(flights[i].handle))
            sched_yield();
}

static void wait_all(int count)
{
    for (int i = count; i-- > 0;)
        pgas_waitsync(flights[i].handle);
}

static void finish(int count)
{
    for (int i = 0; i < count; i++) {
        check_result(&flights[i]);
        memset(flights[i].src, 0xee, flights[i].count * sizeof(uint64_t));
        memset(flights[i].dst, 0xdd, flights[i].count * sizeof(uint64_t));
    }
}

/* ---- All compute ---- */

static void all_compute(pgas_team_t *team, size_t count, uint64_t seed)
{
    for (int first = 0; team != NULL && first < KINDS; first += SLOTS) {
        int among = KINDS - first < SLOTS ? KINDS - first : SLOTS;
        for (int i = 0; i < among; i++)
            set(&flights[i], team, (kind_t)(first + i), count, seed + (uint64_t)i);
        for (int i = 0; i < among; i++)
            start(&flights[i]);
        compute(among);
        wait_all(among);
        finish(among);
    }
}

/* ---- Counts ---- */

typedef struct counts {
    pgas_collective_traffic_t list[COUNTS];
    size_t size;
    pgas_stats_t stats;
} counts_t;

static void count(counts_t *counts, bool computes, uint64_t seed)
{
    pgas_barrier();
    pgas_stats_reset();
    for (int kind = 0; kind < KINDS; kind++) {
        set(&flights[0], PGAS_TEAM_ALL, (kind_t)kind, 700, seed);
        start(&flights[0]);
        if (computes)
            compute(1);
        pgas_waitsync(flights[0].handle);
        finish(1);
    }
    counts->size = pgas_stats_collectives(counts->list, COUNTS);
    pgas_stats_get(&counts->stats);
}

static void compare_counts(uint64_t seed)
{
    static counts_t waiting;
    static counts_t computing;
    count(&waiting, false, seed);
    count(&computing, true, seed);
    CHECK(waiting.size == computing.size && waiting.size <= COUNTS);
    for (size_t i = 0; i < waiting.size; i++) {
        const pgas_collective_traffic_t *a = &waiting.list[i];
        const pgas_collective_traffic_t *b = &computing.list[i];
        CHECK(strcmp(a->collective, b->collective) == 0 && strcmp(a->algorithm, b->algorithm) == 0);
        CHECK(a->calls == b->calls && a->meetings == b->meetings);
        CHECK(memcmp(a->traffic, b->traffic, sizeof a->traffic) == 0);
    }
    CHECK(memcmp(&waiting.stats, &computing.stats, sizeof waiting.stats) == 0);
}

/* ---- Everything at once ---- */

static void gather_now(uint64_t seed)
{
    static flight_t now;
    now.src = calloc(buffer_words, sizeof(uint64_t));
    now.dst = calloc(buffer_words, sizeof(uint64_t));
    CHECK(now.src != NULL && now.dst != NULL);
    set(&now, PGAS_TEAM_ALL, ALLGATHER, 1 + seed % MOST, seed);
    pgas_allgather(PGAS_TEAM_ALL, now.src, now.dst, now.count * sizeof(uint64_t));
    check_result(&now);
    set(&now, PGAS_TEAM_ALL, ALLREDUCE, 1 + seed % MOST_COMBINED, seed + 1);
    pgas_allreduce(PGAS_TEAM_ALL, now.src, now.dst, now.count, PGAS_UINT64, PGAS_SUM);
    check_result(&now);
    free(now.src);
    free(now.dst);
}

static void read_counts(int among)
{
    pgas_stats_t stats;
    for (int i = 0; i < among && pgasi_net_has_progress_thread(); i++)
        while (!is_over(flights[i].handle))
            pgas_stats_get(&stats);
}

static void behave(int among, bool may_compute, uint64_t *own)
{
    size_t what = random_below(own, 7);
    if (may_compute && what == 0)
        compute(among);
    else if (may_compute && what == 1)
        read_counts(among);
    else if (what == 2)
        dawdle(own);
    else if (what == 3)
        pgas_poll();
    else if (what == 4)
        pgas_waitsync_all((pgas_handle_t[]){PGAS_HANDLE_COMPLETE}, 1);
    if (what == 5) {
        CHECK(pgas_attach_thread() == PGAS_OK);
        if (may_compute)
            compute(among);
        pgas_detach_thread();
    }
}

static size_t choose_count(uint64_t *common, kind_t kind)
{
    static const size_t special[] = {0, 1, 8, 511, 512, 513, MOST};
    if (combines(kind) && random_below(common, 8) == 0)
        return MOST_COMBINED;
    return special[random_below(common, sizeof special / sizeof special[0])];
}

static void play(uint64_t *common, uint64_t *own)
{
    int among = 0;
    bool has_own = random_below(common, 4) == 0;
    bool gathers = random_below(common, 3) == 0;
    size_t wanted = 1 + random_below(common, SLOTS);
    for (size_t i = 0; i < wanted; i++) {
        kind_t kind = (kind_t)random_below(common, KINDS);
        size_t words = choose_count(common, kind);
        uint64_t seed = random_next(common);
        pgas_team_t *team = shapes[random_below(common, SHAPES)];
        if (team == NULL)
            continue;
        flight_t *flight = &flights[among++];
        set(flight, team, kind, words, shapes_seed(team, seed, i));
        flight->op = has_own ? own_sum : PGAS_SUM;
        start(flight);
        if (random_below(own, 8) == 0)
            dawdle(own);
    }
    uint64_t seed = random_next(common);
    if (gathers)
        gather_now(seed);
    behave(among, !has_own, own);
    wait_all(among);
    finish(among);
}

/* The last collective of a team, and its end. */
static void free_at_once(uint64_t seed)
{
    pgas_team_t *team;
    CHECK(pgas_team_split(PGAS_TEAM_ALL, 0, pgas_mythread(), &team) == PGAS_OK);
    set(&flights[0], team, ALLGATHER, 600, seed);
    start(&flights[0]);
    compute(1);
    pgas_waitsync(flights[0].handle);
    pgas_team_free(team);
    check_result(&flights[0]);
}

/* ---- Both threads at the end of a collective ---- */

/* Completes the first: by polls, tries, or a wait. */
static void complete_first(uint64_t how)
{
    while (how % 3 == 0 && !is_over(flights[0].handle)) {
        pgas_poll();
        CHECK(pgasi_background_count > 0 || is_over(flights[0].handle));
    }
    if (how % 3 == 1)
        while (!pgas_trysync(flights[0].handle))
            continue;
    else
        pgas_waitsync(flights[0].handle);
}

static bool has_turn(void)
{
    if (!pgasi_turn_is_shared)
        return false;
    bool had_it = !pgasi_turn_take();
    pgasi_turn_leave();
    return had_it;
}

static void meet_at_the_end(uint64_t *own)
{
    for (int i = 0; i < MEETINGS; i++) {
        flights[0].handle = pgas_team_barrier_async(PGAS_TEAM_ALL);
        for (size_t left = random_below(own, 20000); left > 0; left--)
            pgasi_relax();
        complete_first(random_next(own));
        CHECK(!has_turn());
    }
}

/* ---- Several threads of a process ---- */

static pgas_ptr_t signals;

static pgas_ptr_t own_signal(void)
{
    return (pgas_ptr_t){.thread = (uint32_t)pgas_mythread(), .offset = signals.offset};
}

/* Computes until its collective is complete, and tells the main thread. */
static void *follow(void *unused)
{
    CHECK(pgas_attach_thread() == PGAS_OK);
    start(&flights[0]);
    compute(1);
    pgas_waitsync(flights[0].handle);
    pgas_put_signal(own_signal(), NULL, 0, own_signal(), PGAS_SIGNAL_SET, 1);
    pgas_detach_thread();
    return unused;
}

/* The copy makes the try look at the collective without progress. */
static void complete_without_progress(uint64_t seed)
{
    char copied[COPIED];
    int other = (pgas_mythread() + pgas_threads() / 2) % pgas_threads();
    pgas_ptr_t from = {.thread = (uint32_t)other, .offset = signals.offset};
    set(&flights[0], PGAS_TEAM_ALL, ALLGATHER, 600, seed);
    start(&flights[0]);
    compute(1);
    pgas_handle_t handles[] = {pgas_memget_async(copied, from, COPIED), flights[0].handle};
    pgas_trysync_all(handles, 2);
    CHECK(pgas_handle_is_complete(handles[1]));
    pgas_waitsync(handles[0]);
    finish(1);
}

static void wait_beside_another(uint64_t seed)
{
    pthread_t thread;
    pgas_signal_t *mine = pgas_local(own_signal());
    if (!pgasi_net_has_progress_thread())
        return;
    pgas_signal_set(mine, 0);
    CHECK(pgas_attach_thread() == PGAS_OK);
    complete_without_progress(seed);
    set(&flights[0], PGAS_TEAM_ALL, ALLREDUCE, MOST_COMBINED, seed + 1);
    CHECK(pthread_create(&thread, NULL, follow, NULL) == 0);
    pgas_signal_wait(mine, PGAS_EQ, 1);
    CHECK(pthread_join(thread, NULL) == 0);
    finish(1);
    pgas_detach_thread();
}

static void alloc_memory(flight_t *flight)
{
    pgas_ptr_t ptr;
    CHECK(pgas_alloc(buffer_words * sizeof(uint64_t), &ptr) == PGAS_OK);
    flight->src = pgas_local(ptr);
    flight->dst = malloc(buffer_words * sizeof(uint64_t));
    CHECK(flight->dst != NULL);
}

int main(int argc, char **argv)
{
    main_thread = pthread_self();
    CHECK(pgas_init() == PGAS_OK);
    CHECK(pgas_threads() <= MOST_THREADS);
    uint64_t rounds = argc > 1 ? strtoull(argv[1], NULL, 10) : ROUNDS;
    uint64_t seed = random_seed_of_job();
    uint64_t own = random_seed_of_thread(seed);
    uint64_t common = seed;
    buffer_words = MOST * (size_t)pgas_threads();
    if (buffer_words < MOST_COMBINED)
        buffer_words = MOST_COMBINED;
    CHECK(pgas_op_create(add_up, true, &own_sum) == PGAS_OK);
    for (int i = 0; i < SLOTS; i++)
        alloc_memory(&flights[i]);
    CHECK(pgas_all_alloc((size_t)pgas_threads(), COPIED, &signals) == PGAS_OK);
    shapes_create();
    compare_counts(seed);
    for (int i = 0; i < SHAPES; i++) {
        all_compute(shapes[i], 1, shapes[i] != NULL ? shapes_seed(shapes[i], seed, 1) : 0);
        all_compute(shapes[i], MOST, shapes[i] != NULL ? shapes_seed(shapes[i], seed, 2) : 0);
    }
    for (uint64_t i = 0; i < rounds; i++) {
        if (i % 16 == 0) {
            free_at_once(random_next(&common));
            wait_beside_another(random_next(&common));
            meet_at_the_end(&own);
        }
        play(&common, &own);
    }
    shapes_free();
    uint64_t left = 1;
    pgas_allreduce_asynci(PGAS_TEAM_ALL, &left, &left, 1, PGAS_UINT64, PGAS_SUM);
    uint64_t threads = (uint64_t)pgas_threads();
    pgas_finalize();
    CHECK(left == threads);
    return 0;
}
