/**
 * Teams: members, ranks and translations of random splits against a plain computation, and barriers
 * that hold back nobody but members, and those until all have come.
 *
 * Orders that must do no harm:
 *   - a fast member enters the next barrier while a slow one has not left the last
 *   - a member signals on a new team while another is still in the split
 *   - members of several teams are between notify and wait on all of them, and wait in different
 *     orders
 *   - teams nest, interleave nodes, reverse ranks, have one member, or leave members out
 *   - a team is freed while a member is still leaving its last barrier, and its memory used again
 *   - the numbers of phases and rounds wrap
 *   - one member has no memory for a team: no member gets one, and the next split works
 *   - many teams at once, of memory in proportion
 *
 * And teams that a thread has at once have different numbers, whatever they were split off; and a
 * split sends no more than its two meetings do: members do not all read from all.
 */
#include <stdlib.h>
#include <string.h>

#include <pgas/stats.h>

#include "check.h"
#include "job_random.h"
#include "pause.h"

#include "team/types.h"

enum {
    MOST_THREADS = 16,
    SPLITS = 12,
    PHASES = 8,
    MOST_TEAMS = 6,
    REUSES = 60,
    MANY = 24,
    PIECES = 64,
    PREDEFINED = 3
};

/* A team as it must be. */
typedef struct model {
    int threads[MOST_THREADS];
    int size;
    pgas_team_t *team;
} model_t;

static int me;
static int threads;
/* What each thread has arrived at, in its segment. */
static pgas_ptr_t steps;

static int rank_in(const model_t *model, int thread)
{
    for (int rank = 0; rank < model->size; rank++)
        if (model->threads[rank] == thread)
            return rank;
    return -1;
}

static void check_team(const model_t *model)
{
    const pgas_team_t *team = model->team;
    CHECK(pgas_team_has_me(team));
    CHECK(pgas_team_size(team) == model->size);
    CHECK(pgas_team_rank(team) == rank_in(model, me));
    for (int rank = 0; rank < model->size; rank++) {
        int thread = model->threads[rank];
        CHECK(pgas_team_thread(team, rank) == thread);
        CHECK(pgas_team_translate(team, rank, PGAS_TEAM_ALL) == thread);
    }
    for (int thread = -1; thread <= threads; thread++)
        CHECK(pgas_team_rank_of(team, thread) == rank_in(model, thread));
}

static void check_predefined(void)
{
    model_t all = {.size = threads, .team = PGAS_TEAM_ALL};
    model_t node = {.team = PGAS_TEAM_NODE};
    model_t leaders = {.team = PGAS_TEAM_LEADERS};
    for (int thread = 0; thread < threads; thread++) {
        all.threads[thread] = thread;
        if (pgas_node_of(thread) == pgas_node_of(me))
            node.threads[node.size++] = thread;
        if (thread == 0 || pgas_node_of(thread) > pgas_node_of(leaders.threads[leaders.size - 1]))
            leaders.threads[leaders.size++] = thread;
    }
    check_team(&all);
    check_team(&node);
    CHECK(!pgas_team_has_me(NULL));
    CHECK(pgas_team_has_me(PGAS_TEAM_LEADERS) == (node.threads[0] == me));
    if (node.threads[0] == me) {
        check_team(&leaders);
        pgas_team_barrier(PGAS_TEAM_LEADERS);
    }
    for (int i = 0; i < PHASES; i++) {
        pgas_team_barrier(PGAS_TEAM_NODE);
        pgas_team_barrier(PGAS_TEAM_ALL);
    }
}

static uint64_t step_of(int thread)
{
    pgas_ptr_t at = steps;
    at.thread = (uint32_t)thread;
    return PGAS_READ(uint64_t, at);
}

static void set_step(uint64_t step)
{
    pgas_ptr_t at = steps;
    at.thread = (uint32_t)me;
    PGAS_WRITE(uint64_t, at, step);
}

static void dawdle(uint64_t *state)
{
    if (random_below(state, 10) == 0)
        sleep_microseconds(random_below(state, 1500));
}

/* Each barrier holds back every member until all have come, and none is two ahead. */
static void check_barriers(const model_t *model, uint64_t *own)
{
    set_step(0);
    pgas_team_barrier(model->team);
    for (uint64_t step = 1; step <= PHASES; step++) {
        dawdle(own);
        set_step(step);
        if (random_below(own, 3) > 0) {
            pgas_team_barrier(model->team);
        } else {
            pgas_team_notify(model->team);
            dawdle(own);
            pgas_team_wait(model->team);
        }
        for (int rank = 0; rank < model->size; rank++) {
            uint64_t other = step_of(model->threads[rank]);
            CHECK(other == step || other == step + 1);
        }
    }
    pgas_team_barrier(model->team);
}

/* The team of `parent` that the calling thread gets, from everybody's colours and keys by rank. */
static void model_split(const model_t *parent, const int *colours, const int *keys, model_t *child)
{
    int mine = rank_in(parent, me);
    int colour = mine >= 0 ? colours[mine] : PGAS_NO_TEAM;
    child->size = 0;
    for (int rank = 0; rank < parent->size && rank < MOST_THREADS; rank++) {
        if (colours[rank] != colour)
            continue;
        int at = child->size++;
        for (; at > 0; at--) {
            int before = rank_in(parent, child->threads[at - 1]);
            if (keys[before] <= keys[rank])
                break;
            child->threads[at] = child->threads[at - 1];
        }
        child->threads[at] = parent->threads[rank];
    }
}

static void choose_wishes(const model_t *parent, uint64_t *common, int *colours, int *keys)
{
    int kinds = 1 + (int)random_below(common, 4);
    bool leaves_out = random_below(common, 3) == 0;
    size_t order = random_below(common, 4);
    for (int rank = 0; rank < parent->size; rank++) {
        static const int colour_of[] = {-7, 0, INT_MAX, INT_MIN + 1};
        int random_key = (int)random_below(common, 5) - 2;
        colours[rank] = colour_of[random_below(common, (size_t)kinds)];
        if (leaves_out && random_below(common, 3) == 0)
            colours[rank] = PGAS_NO_TEAM;
        if (order == 0)
            colours[rank] = rank % kinds; /* interleaved */
        keys[rank] = order == 1 ? -rank : order == 2 ? INT_MIN + rank : random_key;
    }
}

/* Splits `parent`, by colours or by lists; false if the calling thread is in no team. All members
 * of the parent draw the same numbers from `common`. */
static bool split(const model_t *parent, uint64_t *common, model_t *child)
{
    int colours[MOST_THREADS] = {0};
    int keys[MOST_THREADS] = {0};
    int ranks[MOST_THREADS];
    choose_wishes(parent, common, colours, keys);
    bool by_list = random_below(common, 3) == 0;
    int mine = rank_in(parent, me);
    bool joins = colours[mine] != PGAS_NO_TEAM;
    model_split(parent, colours, keys, child);
    for (int rank = 0; rank < child->size; rank++)
        ranks[rank] = rank_in(parent, child->threads[rank]);
    child->team = PGAS_TEAM_ALL;
    size_t listed = joins ? (size_t)child->size : 0;
    pgas_status_t status =
        by_list ? pgas_team_create(parent->team, ranks, listed, &child->team)
                : pgas_team_split(parent->team, colours[mine], keys[mine], &child->team);
    CHECK(status == PGAS_OK);
    CHECK(joins || child->team == NULL);
    return joins;
}

/* Chains of splits; each team is used as soon as the thread has it. */
static void nest(const model_t *parent, uint64_t *common, uint64_t *own, int depth)
{
    model_t child;
    bool joins = split(parent, common, &child);
    if (joins) {
        uint64_t of_child = *common + (uint64_t)child.threads[0];
        check_team(&child);
        for (int rank = 0; rank < child.size; rank++)
            CHECK(pgas_team_translate(child.team, rank, parent->team) ==
                  rank_in(parent, child.threads[rank]));
        check_barriers(&child, own);
        if (depth > 0)
            nest(&child, &of_child, own, depth - 1);
        pgas_team_free(child.team);
    }
}

static void shuffle(uint64_t *state, int *order, int count)
{
    for (int i = 0; i < count; i++)
        order[i] = i;
    for (int i = count - 1; i > 0; i--) {
        int j = (int)random_below(state, (size_t)i + 1);
        int other = order[i];
        order[i] = order[j];
        order[j] = other;
    }
}

/* Several teams that overlap, all of them between notify and wait; orders differ by thread. */
static void interleave(const model_t *all, uint64_t *common, uint64_t *own)
{
    model_t models[MOST_TEAMS];
    bool joins[MOST_TEAMS];
    int order[MOST_TEAMS];
    for (int i = 0; i < MOST_TEAMS; i++)
        joins[i] = split(all, common, &models[i]);
    for (int phase = 0; phase < PHASES; phase++) {
        shuffle(own, order, MOST_TEAMS);
        for (int i = 0; i < MOST_TEAMS; i++)
            if (joins[order[i]]) {
                pgas_team_notify(models[order[i]].team);
                dawdle(own);
            }
        if (phase % 4 == 0)
            pgas_team_barrier(PGAS_TEAM_ALL);
        shuffle(own, order, MOST_TEAMS);
        for (int i = 0; i < MOST_TEAMS; i++)
            if (joins[order[i]])
                pgas_team_wait(models[order[i]].team);
    }
    for (int i = 0; i < MOST_TEAMS; i++)
        if (joins[i])
            pgas_team_free(models[i].team);
}

/* The heap holds no team that was freed, and the places of freed ones are used again. */
static void reuse(uint64_t *own)
{
    pgas_team_barrier(PGAS_TEAM_ALL);
    size_t used = pgas_heap_used();
    for (int i = 0; i < REUSES; i++) {
        pgas_team_t *team;
        CHECK(pgas_team_split(PGAS_TEAM_ALL, i % 2 == 0 ? 0 : me % 2, -me, &team) == PGAS_OK);
        if (i % 8 == 0)
            dawdle(own);
        pgas_team_free(team);
    }
    CHECK(pgas_heap_used() == used);
}

/* Nothing of this size or more is left; returns how many pieces that took. */
static size_t fill_heap(pgas_ptr_t *pieces, size_t least)
{
    size_t count = 0;
    size_t nbytes = pgas_heap_size() - pgas_heap_used();
    while (nbytes >= least) {
        if (count < PIECES && pgas_alloc(nbytes, &pieces[count]) == PGAS_OK)
            count++;
        else
            nbytes = nbytes / 2;
    }
    CHECK(count < PIECES);
    return count;
}

/* Each thread in turn has no room for what a member keeps. */
static void exhaust(void)
{
    pgas_ptr_t pieces[PIECES];
    for (int poor = 0; poor < threads; poor++) {
        size_t count = poor == me ? fill_heap(pieces, 1024) : 0;
        pgas_team_t *team = PGAS_TEAM_ALL;
        pgas_barrier();
        size_t used = pgas_heap_used();
        CHECK(pgas_team_split(PGAS_TEAM_ALL, 0, -me, &team) == PGAS_ERR_NO_MEMORY);
        CHECK(team == PGAS_TEAM_ALL && pgas_heap_used() == used);
        int rank = me;
        CHECK(pgas_team_create(PGAS_TEAM_ALL, &rank, 1, &team) == PGAS_ERR_NO_MEMORY);
        CHECK(team == PGAS_TEAM_ALL && pgas_heap_used() == used);
        while (count > 0)
            pgas_free(pieces[--count]);
        pgas_team_barrier(PGAS_TEAM_ALL);
        CHECK(pgas_team_split(PGAS_TEAM_ALL, 0, -me, &team) == PGAS_OK);
        pgas_team_barrier(team);
        pgas_team_free(team);
    }
}

/* The n-th takes what the first has taken. */
static void many(const model_t *all, uint64_t *common)
{
    model_t models[MANY];
    bool joins[MANY];
    size_t used[2] = {pgas_heap_used(), 0};
    for (int i = 0; i < MANY; i++) {
        uint64_t same = 7;
        joins[i] = split(all, &same, &models[i]);
        if (i == 0)
            used[1] = pgas_heap_used();
    }
    CHECK(pgas_heap_used() - used[0] == MANY * (used[1] - used[0]));
    size_t least = (size_t)PGASI_LANES * sizeof(pgasi_team_board_t);
    CHECK(!joins[0] || used[1] - used[0] >= least);
    CHECK(used[1] - used[0] < 2 * least + (600 << 10));
    int order[MANY];
    shuffle(common, order, MANY);
    for (int phase = 0; phase < 3; phase++)
        for (int i = 0; i < MANY; i++)
            if (joins[order[i]])
                pgas_team_barrier(models[order[i]].team);
    for (int i = 0; i < MANY; i++)
        if (joins[order[i]])
            pgas_team_free(models[order[i]].team);
    CHECK(pgas_heap_used() == used[0]);
}

static void check_numbers(void)
{
    pgas_team_t *const parents[PREDEFINED] = {PGAS_TEAM_ALL, PGAS_TEAM_NODE, PGAS_TEAM_LEADERS};
    pgas_team_t *teams[PREDEFINED * PHASES];
    int count = 0;
    for (int i = 0; i < PREDEFINED * PHASES; i++)
        if (pgas_team_has_me(parents[i / PHASES]))
            CHECK(pgas_team_split(parents[i / PHASES], 0, me, &teams[count++]) == PGAS_OK);
    for (int i = 0; i < count; i++)
        for (int j = 0; j < i; j++)
            CHECK(teams[i]->id != teams[j]->id);
    for (int i = 0; i < count; i++)
        pgas_team_free(teams[i]);
}

/* By colours and by lists. */
static uint64_t traffic_of_splits(pgas_place_t place)
{
    pgas_collective_traffic_t list[PIECES];
    size_t count = pgas_stats_collectives(list, PIECES);
    uint64_t sum = 0;
    CHECK(count <= PIECES);
    for (size_t i = 0; i < count; i++)
        if (strcmp(list[i].collective, "pgas_team_split") == 0 ||
            strcmp(list[i].collective, "pgas_team_create") == 0)
            sum += list[i].traffic[place].operations;
    return sum;
}

static uint64_t messages_of_splits(void)
{
    return traffic_of_splits(PGAS_REMOTE);
}

/* The lowest member of each node sends a message in each round of a meeting; each member reads its
 * own bytes once in each of the two, wherever they are. */
static void check_messages(void)
{
    pgas_team_t *team;
    uint64_t expected = 0;
    for (int nodes = 1; nodes < (int)PGAS_TEAM_ALL->nodes; nodes *= 2)
        expected += 2;
    uint64_t before = messages_of_splits();
    uint64_t own = traffic_of_splits(PGAS_OWN);
    CHECK(pgas_team_split(PGAS_TEAM_ALL, me % 2, -me, &team) == PGAS_OK);
    CHECK(traffic_of_splits(PGAS_OWN) - own == 2);
    CHECK(messages_of_splits() - before == (pgas_team_rank(PGAS_TEAM_NODE) == 0 ? expected : 0));
    pgas_team_free(team);
}

/* As if the team had so many members that nothing travels with a meeting. */
static void split_without_room(const model_t *model, uint64_t *common, uint64_t *own)
{
    uint32_t arenas[PGASI_LANES];
    bool is_lowest = pgas_team_rank(PGAS_TEAM_NODE) == 0;
    pgasi_lane_t *lanes = model->team->lanes;
    uint64_t before = messages_of_splits();
    pgas_barrier();
    for (int i = 0; i < PGASI_LANES && is_lowest; i++) {
        arenas[i] = lanes[i].part->arena;
        lanes[i].part->arena = 16;
    }
    pgas_barrier();
    for (int i = 0; i < PGASI_LANES; i++)
        nest(model, common, own, 0);
    CHECK(model->team->nodes == 1 || messages_of_splits() > before);
    pgas_barrier();
    for (int i = 0; i < PGASI_LANES && is_lowest; i++)
        lanes[i].part->arena = arenas[i];
    pgas_barrier();
}

/* As if as many phases and rounds had passed. */
static void wrap(const model_t *model, uint64_t *own)
{
    enum {
        BEFORE = 5
    };
    pgas_team_t *team = model->team;
    pgas_team_barrier(team);
    pgas_barrier();
    for (int i = 0; i < PGASI_LANES; i++) {
        pgasi_lane_t *lane = &team->lanes[i];
        lane->rounds = UINT64_MAX - BEFORE;
        atomic_store(&lane->part->phase.value, UINT32_MAX - BEFORE);
        if (lane->part->nodes > 1)
            lane->part->state.phase = UINT32_MAX - BEFORE;
    }
    pgas_barrier();
    for (int i = 0; i < PGASI_LANES; i++)
        check_barriers(model, own);
    for (int i = 0; i < PGASI_LANES * BEFORE; i++) {
        uint64_t common = (uint64_t)i;
        nest(model, &common, own, 0);
    }
}

int main(void)
{
    CHECK(pgas_init() == PGAS_OK);
    me = pgas_mythread();
    threads = pgas_threads();
    CHECK(threads <= MOST_THREADS);
    uint64_t common = random_seed_of_job();
    uint64_t own = random_seed_of_thread(common);
    CHECK(pgas_all_alloc((size_t)threads, sizeof(uint64_t), &steps) == PGAS_OK);
    model_t all = {.size = threads, .team = PGAS_TEAM_ALL};
    for (int thread = 0; thread < threads; thread++)
        all.threads[thread] = thread;
    check_predefined();
    check_numbers();
    check_messages();
    check_barriers(&all, &own);
    for (int i = 0; i < SPLITS; i++)
        nest(&all, &common, &own, 2);
    interleave(&all, &common, &own);
    split_without_room(&all, &common, &own);
    wrap(&all, &own);
    reuse(&own);
    many(&all, &common);
    exhaust();
    pgas_barrier();
    pgas_all_free(steps);
    pgas_finalize();
    return 0;
}
