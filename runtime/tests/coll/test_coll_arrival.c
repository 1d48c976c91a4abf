/**
 * Collectives whose bytes travel with the meeting, against a plain computation, of sizes around the
 * most that an arena holds, at random; and what must not do harm:
 *
 *   - the root, and all but one member, start a dozen before the last one starts the first, so that
 *     bytes lie in the arena of a member that has not begun, and three follow on each lane
 *   - a member is late, another one each time, while the others have left and begin the next ones
 *   - a member overwrites its buffers as soon as its call returns
 *   - calls that travel and calls that do not follow each other on one lane, and so do those with
 *     different roots and directions
 *   - overlapping teams, in flight at once
 *   - a team is freed right after, and its memory is used by the next one
 *   - long ones, which are read where they are by other nodes, more at once than can be lent
 *
 * Usage: runtime_coll_arrival [ROUNDS]
 */
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "coll/algorithm.h"
#include "job_random.h"
#include "pause.h"

#include "call_bytes.h"
#include "team_shapes.h"

enum {
    ROUNDS = 60,
    WINDOW = 12,
    LATE_US = 20000,
    LONG = 150000,
    /* Each has four lanes; the network lends 64 pieces of memory. */
    MANY_TEAMS = 20,
    MANY = 4 * MANY_TEAMS
};

typedef enum kind {
    BROADCAST,
    SCATTER,
    GATHER,
    ALLGATHER,
    ALLTOALL,
    REDUCE,
    ALLREDUCE,
    SCAN,
    KINDS
} kind_t;

static const pgasi_coll_kind_t names[KINDS] = {
    PGASI_KIND_OF_BROADCAST, PGASI_KIND_OF_SCATTER,  PGASI_KIND_OF_GATHER,
    PGASI_KIND_OF_ALLGATHER, PGASI_KIND_OF_ALLTOALL, PGASI_KIND_OF_REDUCE,
    PGASI_KIND_OF_ALLREDUCE, PGASI_KIND_OF_SCAN,
};

/* A call of this member. */
typedef struct call {
    pgas_team_t *team;
    kind_t kind;
    uint64_t seed;
    size_t nbytes;
    int root;
    int rank;
    int size;
    unsigned char *src;
    unsigned char *dst;
    pgas_handle_t handle;
} call_t;

static call_t calls[MANY];

static pgasi_coll_shape_t shape_of(pgas_team_t *team)
{
    uint32_t on_node[MOST_THREADS] = {0};
    pgasi_coll_shape_t shape = {
        .members = (uint32_t)pgas_team_size(team),
        .is_split = team != PGAS_TEAM_ALL && team != PGAS_TEAM_NODE && team != PGAS_TEAM_LEADERS,
    };
    for (int rank = 0; rank < pgas_team_size(team); rank++) {
        uint32_t *count = &on_node[pgas_node_of(pgas_team_thread(team, rank))];
        shape.nodes += *count == 0;
        if (++*count > shape.most_on_node)
            shape.most_on_node = *count;
    }
    return shape;
}

/* The largest size that travels; 0: none. */
static size_t most_of(pgasi_coll_kind_t kind, const pgasi_coll_shape_t *shape)
{
    size_t most = 0;
    for (size_t step = PGASI_ARENA_MOST; step > 0; step /= 2)
        if (pgasi_coll_carries(pgasi_coll_by_table(kind, most + step, shape)))
            most += step;
    return most;
}

static size_t size_around(pgasi_coll_kind_t kind, pgas_team_t *team, uint64_t *state)
{
    static const size_t small[] = {0, 1, 8, 15, 16, 17, 100};
    const pgasi_coll_shape_t shape = shape_of(team);
    size_t most = most_of(kind, &shape);
    switch (random_below(state, 5)) {
    case 4:
        return random_below(state, LONG);
    case 0:
        return small[random_below(state, sizeof small / sizeof small[0])];
    case 1:
        return most;
    case 2:
        return most + 1 + random_below(state, 32);
    default:
        return random_below(state, most + 64);
    }
}

static void alloc_call(call_t *call)
{
    size_t room = call->nbytes * (size_t)call->size + 1;
    call->src = malloc(room);
    call->dst = malloc(room);
    CHECK(call->src != NULL && call->dst != NULL);
    memset(call->dst, 0xa5, room);
    bool is_for_each = call->kind == SCATTER || call->kind == ALLTOALL;
    for (int to = 0; to < (is_for_each ? call->size : 1); to++)
        call_bytes_fill(call->src + (size_t)to * call->nbytes, call->nbytes, call->seed, call->rank,
                        to);
    if (call->kind == BROADCAST && call->rank == call->root)
        call_bytes_fill(call->dst, call->nbytes, call->seed, call->root, 0);
}

static void begin(call_t *call)
{
    pgas_team_t *team = call->team;
    size_t nbytes = call->nbytes;
    switch (call->kind) {
    case BROADCAST:
        call->handle = pgas_broadcast_async(team, call->dst, nbytes, call->root);
        break;
    case SCATTER:
        call->handle = pgas_scatter_async(team, call->src, call->dst, nbytes, call->root);
        break;
    case GATHER:
        call->handle = pgas_gather_async(team, call->src, call->dst, nbytes, call->root);
        break;
    case ALLGATHER:
        call->handle = pgas_allgather_async(team, call->src, call->dst, nbytes);
        break;
    case ALLTOALL:
        call->handle = pgas_alltoall_async(team, call->src, call->dst, nbytes);
        break;
    case REDUCE:
        call->handle =
            pgas_reduce_async(team, call->src, call->dst, nbytes, PGAS_UINT8, PGAS_SUM, call->root);
        break;
    case ALLREDUCE:
        call->handle =
            pgas_allreduce_async(team, call->src, call->dst, nbytes, PGAS_UINT8, PGAS_SUM);
        break;
    default:
        call->handle =
            pgas_scan_inclusive_async(team, call->src, call->dst, nbytes, PGAS_UINT8, PGAS_SUM);
    }
}

static void check_blocks(const call_t *call, int to)
{
    for (int from = 0; from < call->size; from++)
        call_bytes_check(call->dst + (size_t)from * call->nbytes, call->nbytes, call->seed, from,
                         to);
}

static void check_call(const call_t *call)
{
    bool is_root = call->rank == call->root;
    if (call->kind == BROADCAST)
        call_bytes_check(call->dst, call->nbytes, call->seed, call->root, 0);
    else if (call->kind == SCATTER)
        call_bytes_check(call->dst, call->nbytes, call->seed, call->root, call->rank);
    else if (call->kind == ALLGATHER || (call->kind == GATHER && is_root))
        check_blocks(call, 0);
    else if (call->kind == ALLTOALL)
        check_blocks(call, call->rank);
    else if (call->kind == SCAN)
        call_bytes_check_sum(call->dst, call->nbytes, call->seed, call->rank);
    else if (call->kind == ALLREDUCE || (call->kind == REDUCE && is_root))
        call_bytes_check_sum(call->dst, call->nbytes, call->seed, call->size - 1);
}

/* Completes it, and overwrites what others may have read from. */
static void end(call_t *call)
{
    pgas_waitsync(call->handle);
    check_call(call);
    memset(call->src, 0x5a, call->nbytes * (size_t)call->size + 1);
    memset(call->dst, 0x5a, call->nbytes * (size_t)call->size + 1);
    free(call->src);
    free(call->dst);
}

/* A window of calls on teams that overlap: the same sequence on all members of a team. */
static void run_window(uint64_t seed, uint64_t window, bool is_blocking)
{
    uint64_t common = seed + window;
    uint64_t late = seed + 1000003 * (uint64_t)pgas_mythread() + window;
    size_t count = 0;
    if (random_next(&common) % (uint64_t)pgas_threads() == (uint64_t)pgas_mythread())
        dawdle(&late);
    for (uint64_t i = 0; i < WINDOW; i++) {
        pgas_team_t *team = shapes[random_below(&common, SHAPES)];
        if (team == NULL)
            continue;
        call_t *call = &calls[count];
        *call = (call_t){.team = team, .rank = pgas_team_rank(team), .size = pgas_team_size(team)};
        uint64_t state = shapes_seed(team, seed, window * WINDOW + i);
        call->kind = (kind_t)random_below(&state, KINDS);
        call->seed = random_next(&state);
        call->root = (int)random_below(&state, (uint64_t)call->size);
        call->nbytes = size_around(names[call->kind], team, &state);
        alloc_call(call);
        begin(call);
        if (is_blocking)
            end(call);
        else
            count++;
    }
    while (count > 0)
        end(&calls[--count]);
}

/* All start a window on one team, one member later than the others. */
static void run_late(uint64_t seed, int who)
{
    pgas_team_t *team;
    CHECK(pgas_team_split(PGAS_TEAM_ALL, 0, -pgas_mythread(), &team) == PGAS_OK);
    if (pgas_mythread() == who)
        sleep_microseconds(LATE_US);
    for (int i = 0; i < WINDOW; i++) {
        call_t *call = &calls[i];
        uint64_t state = seed + (uint64_t)(i * 17 + who);
        *call = (call_t){.team = team, .rank = pgas_team_rank(team), .size = pgas_team_size(team)};
        call->kind = (kind_t)(i % KINDS);
        call->seed = random_next(&state);
        call->root = (who + i) % call->size;
        call->nbytes = size_around(names[call->kind], team, &state);
        alloc_call(call);
        begin(call);
    }
    for (int i = 0; i < WINDOW; i++)
        end(&calls[i]);
    pgas_team_free(team);
}

/* All lanes of many teams are busy with long calls, one member later than the others. */
static void run_many(uint64_t seed, int who)
{
    pgas_team_t *teams[MANY_TEAMS];
    for (int i = 0; i < MANY_TEAMS; i++)
        CHECK(pgas_team_split(PGAS_TEAM_ALL, 0, i, &teams[i]) == PGAS_OK);
    if (pgas_mythread() == who)
        sleep_microseconds(LATE_US);
    for (int i = 0; i < MANY; i++) {
        call_t *call = &calls[i];
        pgas_team_t *team = teams[i % MANY_TEAMS];
        *call = (call_t){.team = team, .rank = pgas_team_rank(team), .size = pgas_team_size(team)};
        call->kind = i % 3 == 0 ? ALLTOALL : i % 3 == 1 ? ALLGATHER : ALLREDUCE;
        call->seed = seed + (uint64_t)i;
        call->nbytes = (size_t)LONG / 2 + (size_t)i;
        alloc_call(call);
        begin(call);
    }
    for (int i = MANY; i-- > 0;)
        end(&calls[i]);
    for (int i = 0; i < MANY_TEAMS; i++)
        pgas_team_free(teams[i]);
}

int main(int argc, char **argv)
{
    CHECK(pgas_init() == PGAS_OK);
    CHECK(pgas_threads() <= MOST_THREADS);
    uint64_t rounds = argc > 1 ? strtoull(argv[1], NULL, 10) : ROUNDS;
    uint64_t seed = random_seed_of_job();
    shapes_create();
    for (uint64_t round = 0; round < rounds; round++)
        run_window(seed, round, round % 4 == 3);
    for (int who = 0; who < pgas_threads(); who++)
        run_late(seed, who);
    run_many(seed, pgas_threads() - 1);
    shapes_free();
    pgas_finalize();
    return 0;
}
