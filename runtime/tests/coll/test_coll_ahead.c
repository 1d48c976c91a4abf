/**
 * Collectives with a root in which a member goes on before others have come.
 *
 *   - Four in a row, blocking or in flight, are left by a root that sends, and by all that send to
 *     a root, while the others wait for that, outside of the team, before they come to the first
 *     one: every team, every root, and behind up to three to which all come. With more than two
 *     nodes only those go ahead that send to a root, but for the lowest of each node.
 *   - On one node, a root that sends four times while another member has not read yet what it
 * showed in the meeting before those.
 *   - At random, behind each other on the four lanes of a team: such ones, of few and many bytes,
 *     blocking and in flight, with meetings of all, barriers in two steps and teams that are freed
 *     between them. Members sleep now and then, and overwrite what they have sent at once.
 *
 * Usage: runtime_coll_ahead [ROUNDS]
 */
#include <stdlib.h>
#include <string.h>

#include <pgas/pgas.h>

#include "check.h"
#include "job_random.h"

#include "call_bytes.h"
#include "team_shapes.h"

enum {
    ROUNDS = 10000,
    LANES = 4,
    MOST = 5000,
    /* So many bytes of all members travel with a meeting, at the least. */
    TRAVEL = 4000,
    /* And so many of one of two members on a node. */
    FEW = 8
};

typedef enum kind {
    BROADCAST,
    SCATTER,
    GATHER,
    REDUCE,
    ROOTED,
    ALLREDUCE = ROOTED,
    BARRIER,
    SPLIT_BARRIER,
    FREED_TEAM,
    KINDS
} kind_t;

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
} call_t;

/* The number of the last run whose calls each thread has left ahead of others: one word of each. */
static pgas_ptr_t left;

/* Whether a thread has no progress thread. */
static bool one_polls;

static unsigned char src_memory[MOST_THREADS * MOST];
static unsigned char dst_memory[MOST_THREADS * MOST];

static bool is_root(const call_t *call)
{
    return call->rank == call->root;
}

/* What is sent to one goes to rank 0 in the pattern. */
static void prepare(call_t *call)
{
    memset(call->dst, 0xee, (size_t)call->size * call->nbytes);
    if (call->kind == BROADCAST && is_root(call))
        call_bytes_fill(call->dst, call->nbytes, call->seed, call->rank, 0);
    for (int to = 0; call->kind == SCATTER && is_root(call) && to < call->size; to++)
        call_bytes_fill(call->src + (size_t)to * call->nbytes, call->nbytes, call->seed, call->rank,
                        to);
    if (call->kind == GATHER || call->kind == REDUCE || call->kind == ALLREDUCE)
        call_bytes_fill(call->src, call->nbytes, call->seed, call->rank, 0);
}

static void run(call_t *call)
{
    switch (call->kind) {
    case BROADCAST:
        pgas_broadcast(call->team, call->dst, call->nbytes, call->root);
        break;
    case SCATTER:
        pgas_scatter(call->team, call->src, call->dst, call->nbytes, call->root);
        break;
    case GATHER:
        pgas_gather(call->team, call->src, call->dst, call->nbytes, call->root);
        break;
    case REDUCE:
        pgas_reduce(call->team, call->src, call->dst, call->nbytes, PGAS_UINT8, PGAS_SUM,
                    call->root);
        break;
    default:
        pgas_allreduce(call->team, call->src, call->dst, call->nbytes, PGAS_UINT8, PGAS_SUM);
    }
}

static pgas_handle_t start(call_t *call)
{
    switch (call->kind) {
    case BROADCAST:
        return pgas_broadcast_async(call->team, call->dst, call->nbytes, call->root);
    case SCATTER:
        return pgas_scatter_async(call->team, call->src, call->dst, call->nbytes, call->root);
    case GATHER:
        return pgas_gather_async(call->team, call->src, call->dst, call->nbytes, call->root);
    case REDUCE:
        return pgas_reduce_async(call->team, call->src, call->dst, call->nbytes, PGAS_UINT8,
                                 PGAS_SUM, call->root);
    default:
        return pgas_allreduce_async(call->team, call->src, call->dst, call->nbytes, PGAS_UINT8,
                                    PGAS_SUM);
    }
}

static void check(const call_t *call)
{
    switch (call->kind) {
    case BROADCAST:
        call_bytes_check(call->dst, call->nbytes, call->seed, call->root, 0);
        break;
    case SCATTER:
        call_bytes_check(call->dst, call->nbytes, call->seed, call->root, call->rank);
        break;
    case GATHER:
        for (int from = 0; is_root(call) && from < call->size; from++)
            call_bytes_check(call->dst + (size_t)from * call->nbytes, call->nbytes, call->seed,
                             from, 0);
        break;
    case REDUCE:
        if (is_root(call))
            call_bytes_check_sum(call->dst, call->nbytes, call->seed, call->size - 1);
        break;
    default:
        call_bytes_check_sum(call->dst, call->nbytes, call->seed, call->size - 1);
    }
    /* A buffer is the caller's again. */
    memset(call->src, 0x55, (size_t)call->size * call->nbytes);
    memset(call->dst, 0x55, (size_t)call->size * call->nbytes);
}

static call_t call_of(pgas_team_t *team, kind_t kind, uint64_t seed, size_t nbytes, int root)
{
    return (call_t){.team = team,
                    .kind = kind,
                    .seed = seed,
                    .nbytes = nbytes,
                    .root = root,
                    .rank = pgas_team_rank(team),
                    .size = pgas_team_size(team),
                    .src = src_memory,
                    .dst = dst_memory};
}

/* ---- Who goes ahead ---- */

static int node_of_rank(const pgas_team_t *team, int rank)
{
    return pgas_node_of(pgas_team_thread(team, rank));
}

/* The lowest thread of a node's members. */
static int lowest_rank(const pgas_team_t *team, int node)
{
    int lowest = -1;
    for (int rank = 0; rank < pgas_team_size(team); rank++)
        if (node_of_rank(team, rank) == node &&
            (lowest < 0 || pgas_team_thread(team, rank) < pgas_team_thread(team, lowest)))
            lowest = rank;
    return lowest;
}

static int count_nodes(const pgas_team_t *team)
{
    int count = 0;
    for (int rank = 0; rank < pgas_team_size(team); rank++)
        count += rank == lowest_rank(team, node_of_rank(team, rank));
    return count;
}

/* Messages for a node come to its lowest member. That of the root's node waits with the root, and
 * with more than two nodes all do, since each passes on what others need. */
static bool goes_ahead(const call_t *call, int rank)
{
    int nodes = count_nodes(call->team);
    int node = node_of_rank(call->team, rank);
    if (call->kind == BROADCAST || call->kind == SCATTER)
        return rank == call->root && nodes <= 2;
    bool passes_on = nodes > 2 || (nodes > 1 && node == node_of_rank(call->team, call->root));
    return rank != call->root && !(passes_on && rank == lowest_rank(call->team, node));
}

/* Those who go ahead write the number of the run when they have left its calls. */
static void wait_until_left(const call_t *call, uint64_t run_number)
{
    for (int rank = 0; rank < call->size; rank++) {
        pgas_ptr_t at = pgas_ptr_on(left, pgas_team_thread(call->team, rank));
        while (goes_ahead(call, rank) && PGAS_READ(uint64_t, at) != run_number)
            pgas_poll();
    }
}

/* Those who do not go ahead come to some of the calls at once. */
static void go_ahead(pgas_team_t *team, kind_t kind, int root, bool in_flight, uint64_t *state)
{
    uint64_t run_number = random_next(state);
    int together = (int)random_below(state, LANES);
    call_t call = call_of(team, kind, 0, 0, root);
    bool goes = goes_ahead(&call, call.rank);
    for (int i = 0; i < together + LANES; i++) {
        size_t most = random_below(state, 2) == 0 ? FEW : TRAVEL / (size_t)call.size;
        size_t nbytes = 1 + random_below(state, most);
        call = call_of(team, kind, random_next(state), nbytes, root);
        if (!goes && i == together)
            wait_until_left(&call, run_number);
        prepare(&call);
        if (in_flight)
            pgas_waitsync(start(&call));
        else
            run(&call);
        check(&call);
    }
    if (goes)
        PGAS_WRITE(uint64_t, pgas_ptr_on(left, pgas_mythread()), run_number);
    pgas_team_barrier(team);
}

/* Between nodes all need a progress thread. */
static bool can_go_ahead(const pgas_team_t *team)
{
    return !one_polls || count_nodes(team) == 1;
}

static void go_ahead_everywhere(uint64_t seed)
{
    for (int shape = 0; shape < SHAPES; shape++) {
        pgas_team_t *team = shapes[shape];
        if (team == NULL || !can_go_ahead(team))
            continue;
        uint64_t state = shapes_seed(team, seed, (uint64_t)shape);
        for (int root = 0; root < pgas_team_size(team); root++)
            for (int i = 0; i < 2 * ROOTED; i++)
                go_ahead(team, (kind_t)(i % ROOTED), root, i < ROOTED, &state);
    }
}

/* ---- Who still reads ---- */

/* Where it is seen that the root has gone on, and what is there then; NULL: it is not waited for.
 */
static const volatile uint64_t *gone;
static uint64_t gone_run;

static void add_late(const void *in, void *inout, size_t count, pgas_datatype_t type)
{
    uint64_t *sums = inout;
    const uint64_t *terms = in;
    CHECK(type == PGAS_UINT64);
    while (gone != NULL && *gone != gone_run)
        pgas_poll();
    for (size_t i = 0; i < count; i++)
        sums[i] += terms[i];
}

static void overtake(pgas_team_t *team, pgas_op_t op, uint64_t *state)
{
    const pgas_ptr_t mark = pgas_ptr_on(left, pgas_team_thread(team, 0));
    uint64_t size = (uint64_t)pgas_team_size(team);
    bool is_root = pgas_team_rank(team) == 0;
    gone = is_root ? NULL : pgas_local(mark);
    gone_run = random_next(state);
    uint64_t first = random_next(state);
    uint64_t value = first + (uint64_t)pgas_team_rank(team);
    uint64_t sum = 0;
    pgas_allreduce(team, &value, &sum, 1, PGAS_UINT64, op);
    CHECK(sum == size * first + size * (size - 1) / 2);
    for (int i = 0; i < LANES; i++) {
        uint64_t seed = random_next(state);
        call_t call = call_of(team, BROADCAST, seed, 1 + random_below(state, FEW), 0);
        prepare(&call);
        run(&call);
        check(&call);
    }
    if (is_root)
        PGAS_WRITE(uint64_t, mark, gone_run);
    pgas_team_barrier(team);
}

static void overtake_everywhere(uint64_t seed)
{
    pgas_op_t op;
    CHECK(pgas_op_create(add_late, true, &op) == PGAS_OK);
    for (int shape = 0; shape < SHAPES; shape++) {
        pgas_team_t *team = shapes[shape];
        if (team == NULL || count_nodes(team) > 1)
            continue;
        uint64_t state = shapes_seed(team, seed, (uint64_t)shape);
        for (int i = 0; i < 2 * LANES; i++)
            overtake(team, op, &state);
    }
    pgas_op_free(op);
}

/* ---- At random ---- */

/* Of all members of the team, in another order. */
static void free_behind(pgas_team_t *team, uint64_t *state)
{
    pgas_team_t *mine = NULL;
    CHECK(pgas_team_split(team, 0, -pgas_team_rank(team), &mine) == PGAS_OK);
    for (int i = 0; i < LANES; i++) {
        call_t call =
            call_of(mine, (kind_t)random_below(state, ROOTED), random_next(state),
                    random_below(state, 300), (int)random_below(state, 64) % pgas_team_size(mine));
        prepare(&call);
        run(&call);
        check(&call);
    }
    pgas_team_free(mine);
}

static void run_in_a_form(call_t *call, uint64_t *own)
{
    prepare(call);
    /* A member may use another form than the others. */
    if (random_below(own, 4) == 0)
        pgas_waitsync(start(call));
    else
        run(call);
    check(call);
}

static size_t few_or_many(uint64_t *state)
{
    size_t kind = random_below(state, 8);
    return random_below(state, kind == 0 ? MOST : 1 + kind * 30);
}

static void run_one(pgas_team_t *team, uint64_t *state, uint64_t *own)
{
    kind_t kind = (kind_t)random_below(state, KINDS + 2 * ROOTED);
    kind = kind >= KINDS ? (kind_t)(kind % ROOTED) : kind;
    uint64_t seed = random_next(state);
    size_t nbytes = few_or_many(state);
    int root = (int)random_below(state, (size_t)pgas_team_size(team));
    if (kind == BARRIER) {
        pgas_team_barrier(team);
    } else if (kind == SPLIT_BARRIER) {
        pgas_team_notify(team);
        dawdle(own);
        pgas_team_wait(team);
    } else if (kind == FREED_TEAM) {
        if (seed % 8 == 0)
            free_behind(team, state);
    } else {
        call_t call = call_of(team, kind, seed, nbytes, root);
        run_in_a_form(&call, own);
    }
}

static void run_at_random(uint64_t seed, size_t rounds)
{
    uint64_t job = seed;
    uint64_t own = seed + (uint64_t)pgas_mythread() * 7919;
    for (size_t round = 0; round < rounds; round++) {
        int shape = (int)random_below(&job, 2 * (size_t)SHAPES);
        pgas_team_t *team = shapes[shape < SHAPES ? shape : 0];
        if (team == NULL)
            continue;
        uint64_t state = shapes_seed(team, seed, round);
        run_one(team, &state, &own);
        if (random_below(&own, 16) == 0)
            dawdle(&own);
    }
}

int main(int argc, char **argv)
{
    if (pgas_init() != PGAS_OK)
        return 1;
    size_t rounds = argc > 1 ? strtoull(argv[1], NULL, 10) : ROUNDS;
    uint64_t seed = random_seed_of_job();
    CHECK(pgas_threads() <= MOST_THREADS);
    const char *progress = getenv("PGAS_PROGRESS");
    int polls = progress != NULL && strcmp(progress, "poll") == 0;
    one_polls = pgas_allreduce_int32(PGAS_TEAM_ALL, polls, PGAS_MAX) != 0;
    shapes_create();
    CHECK(pgas_all_alloc((size_t)pgas_threads(), sizeof(uint64_t), &left) == PGAS_OK);
    pgas_barrier();
    go_ahead_everywhere(seed);
    overtake_everywhere(seed);
    run_at_random(seed, rounds);
    pgas_barrier();
    pgas_all_free(left);
    shapes_free();
    pgas_finalize();
    return 0;
}
