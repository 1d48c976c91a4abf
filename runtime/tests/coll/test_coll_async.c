/**
 * Collectives in flight, against a plain computation: many of every kind at once, on teams that
 * overlap, in forms that differ from member to member (blocking, with a handle, without, in an
 * access region), waited for in orders that differ too.
 *
 * Orders that must do no harm:
 *   - a member starts dozens before any other has started the first
 *   - all take a lock around the start, and around the wait; the members arrive one by one
 *   - a member waits for something else, a lock or a barrier, while the others need its part
 *   - a member whose own is complete overwrites its buffers while a slow one still reads
 *   - more are in flight on a team than have messages under way, so that some wait in a queue
 *   - handles of copies and of collectives are waited for together, or one of them
 *   - long collectives follow short ones on the same lane, and their stages are used again
 *   - the program's operation polls while it runs
 *   - what is left when pgas_finalize is called
 *
 * Usage: runtime_coll_async [ROUNDS]
 */
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "job_random.h"
#include "pause.h"

#include "flight.h"

enum {
    ROUNDS = 400,
    /* Words of a block: a slot of a board holds 512. */
    MOST = 700,
    SLOTS = 20,
    MANY = 40,
    BUFFER = MOST_THREADS * (MOST + 1)
};

typedef enum form {
    BLOCKING,
    EXPLICIT,
    IMPLICIT,
    REGION,
    FORMS
} form_t;

static flight_t flights[SLOTS];
static pgas_op_t affine;
static pgas_lock_t lock;

/* No other operation runs inside it, though it polls. */
static void apply(const void *in, void *inout, size_t count, pgas_datatype_t type)
{
    const uint64_t *low = in;
    uint64_t *high = inout;
    static bool is_inside;
    CHECK(type == PGAS_BYTES(8) && count > 0 && !is_inside);
    is_inside = true;
    for (size_t i = 0; i < count; i++) {
        high[i] = flight_compose(low[i], high[i]);
        if (i % 64 == 0)
            pgas_poll();
    }
    is_inside = false;
}

/* ---- Starting ---- */

/* A call in the form. */
#define IN_FORM(name, ...) \
    do { \
        if (form == BLOCKING) \
            name(__VA_ARGS__); \
        else if (form == EXPLICIT) \
            flight->handle = name##_async(__VA_ARGS__); \
        else \
            name##_asynci(__VA_ARGS__); \
    } while (0)

/* The lane may be busy. */
static void meet_in_halves(pgas_team_t *team)
{
    pgas_team_notify(team);
    pgas_poll();
    pgas_team_wait(team);
}

static void call(flight_t *flight, form_t form)
{
    pgas_team_t *team = flight->team;
    uint64_t *src = flight->src;
    uint64_t *dst = flight->dst;
    size_t count = flight->count;
    size_t nbytes = count * sizeof(uint64_t);
    int root = flight->root;
    int me = flight->rank;
    switch (flight->kind) {
    case BARRIER:
        if (form == BLOCKING && flight->round % 2 == 0)
            meet_in_halves(team);
        else
            IN_FORM(pgas_team_barrier, team);
        break;
    case BROADCAST:
        IN_FORM(pgas_broadcast, team, dst, nbytes, root);
        break;
    case SCATTER:
        IN_FORM(pgas_scatter, team, src, dst, nbytes, root);
        break;
    case SCATTERV:
        IN_FORM(pgas_scatterv, team, src, flight->counts[0], flight->displs[0], dst,
                flight->counts[0][me], root);
        break;
    case GATHER:
        IN_FORM(pgas_gather, team, src, dst, nbytes, root);
        break;
    case GATHERV:
        IN_FORM(pgas_gatherv, team, src, flight->counts[1][me], dst, flight->counts[1],
                flight->displs[1], root);
        break;
    case ALLGATHER:
        IN_FORM(pgas_allgather, team, src, dst, nbytes);
        break;
    case ALLGATHERV:
        IN_FORM(pgas_allgatherv, team, src, flight->counts[1][me], dst, flight->counts[1],
                flight->displs[1]);
        break;
    case ALLTOALL:
        IN_FORM(pgas_alltoall, team, src, dst, nbytes);
        break;
    case ALLTOALLV:
        IN_FORM(pgas_alltoallv, team, src, flight->counts[0], flight->displs[0], dst,
                flight->counts[1], flight->displs[1]);
        break;
    case REDUCE:
        IN_FORM(pgas_reduce, team, src, dst, count, PGAS_BYTES(8), affine, root);
        break;
    case ALLREDUCE:
        IN_FORM(pgas_allreduce, team, src, dst, count, PGAS_BYTES(8), affine);
        break;
    case REDUCE_SCATTER:
        IN_FORM(pgas_reduce_scatter, team, src, dst, flight->elements, PGAS_BYTES(8), affine);
        break;
    case INCLUSIVE:
        IN_FORM(pgas_scan_inclusive, team, src, dst, count, PGAS_BYTES(8), affine);
        break;
    default:
        IN_FORM(pgas_scan_exclusive, team, src, dst, count, PGAS_BYTES(8), affine);
    }
}

static void start(flight_t *flight, form_t form)
{
    flight->handle = PGAS_HANDLE_COMPLETE;
    flight->is_implicit = form == IMPLICIT;
    flight->is_used = true;
    if (form == REGION)
        pgas_begin_accessregion();
    call(flight, form);
    if (form == REGION)
        flight->handle = pgas_end_accessregion();
}

/* Overwrites the buffers: nobody reads them any more. */
static void finish(flight_t *flight)
{
    flight_check(flight);
    memset(flight->src, 0xee, BUFFER / 4);
    memset(flight->dst, 0xdd, BUFFER / 4);
    flight->is_used = false;
}

/* ---- Waiting ---- */

static void finish_implicit(void)
{
    for (int i = 0; i < SLOTS; i++)
        if (flights[i].is_used && flights[i].is_implicit)
            finish(&flights[i]);
}

/* Handles of all that have one, by slot. */
static void collect(pgas_handle_t *handles)
{
    for (int i = 0; i < SLOTS; i++)
        handles[i] = flights[i].is_used ? flights[i].handle : PGAS_HANDLE_COMPLETE;
}

static void finish_complete(const pgas_handle_t *handles)
{
    for (int i = 0; i < SLOTS; i++) {
        flights[i].handle = handles[i];
        if (flights[i].is_used && !flights[i].is_implicit && pgas_handle_is_complete(handles[i]))
            finish(&flights[i]);
    }
}

static void wait_several(uint64_t *own)
{
    pgas_handle_t handles[SLOTS + 1];
    uint64_t here = 0;
    pgas_ptr_t far = flight_started;
    far.thread = (uint32_t)random_below(own, (size_t)pgas_threads());
    collect(handles);
    handles[SLOTS] = pgas_memget_async(&here, far, sizeof here);
    switch (random_below(own, 4)) {
    case 0:
        pgas_waitsync_all(handles, SLOTS + 1);
        break;
    case 1:
        pgas_waitsync_some(handles, SLOTS + 1);
        break;
    case 2:
        pgas_trysync_all(handles, SLOTS + 1);
        break;
    default:
        pgas_trysync_some(handles, SLOTS + 1);
    }
    pgas_waitsync(handles[SLOTS]);
    finish_complete(handles);
}

static void wait_one(flight_t *flight, uint64_t *own)
{
    if (!flight->is_used || flight->is_implicit)
        return;
    if (random_below(own, 3) == 0)
        while (!pgas_trysync(flight->handle))
            pgas_poll();
    else
        pgas_waitsync(flight->handle);
    finish(flight);
}

static void wait_implicit(uint64_t *own)
{
    if (random_below(own, 2) == 0)
        while (!pgas_trysynci())
            pgas_poll();
    else
        pgas_waitsynci();
    finish_implicit();
}

static void wait_all(uint64_t *own)
{
    wait_implicit(own);
    for (int i = 0; i < SLOTS; i++)
        wait_one(&flights[i], own);
}

/* Does something else now and then. */
static void act(uint64_t *own)
{
    dawdle(own);
    switch (random_below(own, 10)) {
    case 0:
        wait_several(own);
        break;
    case 1:
        wait_implicit(own);
        break;
    case 2:
        wait_one(&flights[random_below(own, SLOTS)], own);
        break;
    case 3:
        pgas_poll();
        break;
    case 4:
        pgas_lock(lock);
        dawdle(own);
        pgas_unlock(lock);
        break;
    default:
        break;
    }
}

static flight_t *find_slot(uint64_t *own)
{
    size_t first = random_below(own, SLOTS);
    for (size_t i = 0; i < SLOTS; i++) {
        flight_t *flight = &flights[(first + i) % SLOTS];
        if (!flight->is_used)
            return flight;
    }
    flight_t *flight = &flights[first];
    if (flight->is_implicit)
        wait_implicit(own);
    else
        wait_one(flight, own);
    return flight;
}

static size_t choose_count(uint64_t *common)
{
    static const size_t special[] = {0, 1, 8, 511, 512, 513};
    if (random_below(common, 2) == 0)
        return special[random_below(common, sizeof special / sizeof special[0])];
    return random_size(common, MOST);
}

static void set(flight_t *flight, pgas_team_t *team, uint64_t common, uint64_t *own)
{
    flight->team = team;
    flight->rank = pgas_team_rank(team);
    flight->size = pgas_team_size(team);
    flight->seed = common;
    flight->kind = (kind_t)random_below(&common, KINDS);
    flight->count = choose_count(&common);
    flight->root = (int)random_below(&common, (size_t)flight->size);
    flight->src = flight->memory[random_below(own, 2)];
    flight->dst = flight->memory[2 + random_below(own, 2)];
    flight_prepare(flight);
}

static void note_start(uint64_t round)
{
    pgas_ptr_t at = flight_started;
    at.thread = (uint32_t)pgas_mythread();
    PGAS_WRITE(uint64_t, at, round);
}

static void play(uint64_t round, uint64_t seed, pgas_team_t *team, uint64_t *own)
{
    flight_t *flight = find_slot(own);
    form_t form = (form_t)random_below(own, FORMS);
    bool locks = form != BLOCKING && random_below(own, 8) == 0;
    flight->round = round;
    set(flight, team, shapes_seed(team, seed, round), own);
    if (locks)
        pgas_lock(lock);
    note_start(round);
    start(flight, form);
    if (locks)
        pgas_unlock(lock);
    if (form == BLOCKING)
        finish(flight);
}

/* ---- Chosen orders ---- */

/* Thread 0 starts many before the others start any. */
static void start_ahead(void)
{
    pgas_handle_t handles[MANY];
    uint64_t values[MANY];
    bool is_first = pgas_mythread() == 0;
    if (!is_first)
        pgas_barrier();
    for (uint64_t i = 0; i < MANY; i++) {
        values[i] = is_first ? i : 0;
        handles[i] = pgas_broadcast_async(PGAS_TEAM_ALL, &values[i], sizeof values[i], 0);
    }
    if (is_first)
        pgas_barrier();
    for (uint64_t i = MANY; i-- > 0;) {
        pgas_waitsync(handles[i]);
        CHECK(values[i] == i);
    }
}

/* Figure 1 of the collectives' document: a lock around the start, a lock around the wait. */
static void lock_around(bool around_wait)
{
    int64_t sum = 1;
    if (!around_wait)
        pgas_lock(lock);
    pgas_handle_t sum_handle =
        pgas_allreduce_async(PGAS_TEAM_ALL, &sum, &sum, 1, PGAS_INT64, PGAS_SUM);
    pgas_handle_t barrier = pgas_team_barrier_async(PGAS_TEAM_ALL);
    if (!around_wait)
        pgas_unlock(lock);
    else
        pgas_lock(lock);
    pgas_waitsync(barrier);
    pgas_waitsync(sum_handle);
    if (around_wait)
        pgas_unlock(lock);
    CHECK(sum == pgas_threads());
}

static void wrong(const void *in, void *inout, size_t count, pgas_datatype_t type)
{
    (void)in, (void)inout, (void)count, (void)type;
    CHECK(false);
}

/* An operation is freed, and its number given again, while collectives that have it are in flight.
 */
static void free_in_flight(void)
{
    pgas_op_t op;
    pgas_op_t spare;
    pgas_op_t next[2];
    uint64_t sum[MANY / 4];
    pgas_handle_t handles[MANY / 4];
    CHECK(pgas_op_create(apply, false, &op) == PGAS_OK);
    CHECK(pgas_op_create(apply, false, &spare) == PGAS_OK);
    for (int i = 0; i < MANY / 4; i++) {
        sum[i] = (uint64_t)1 << 32 | 1; /* x + 1 */
        handles[i] = pgas_allreduce_async(PGAS_TEAM_ALL, &sum[i], &sum[i], 1, PGAS_BYTES(8), op);
    }
    pgas_op_free(spare);
    pgas_op_free(op);
    CHECK(pgas_op_create(wrong, true, &next[0]) == PGAS_OK && next[0] == op);
    CHECK(pgas_op_create(wrong, true, &next[1]) == PGAS_OK && next[1] == spare);
    for (int i = 0; i < MANY / 4; i++) {
        pgas_waitsync(handles[i]);
        CHECK(sum[i] == ((uint64_t)1 << 32 | (uint64_t)pgas_threads()));
    }
    pgas_op_free(next[0]);
    pgas_op_free(next[1]);
}

static void alloc_memory(flight_t *flight)
{
    for (int i = 0; i < 4; i += 2) {
        pgas_ptr_t ptr;
        CHECK(pgas_alloc(BUFFER * sizeof(uint64_t), &ptr) == PGAS_OK);
        flight->memory[i] = pgas_local(ptr);
        flight->memory[i + 1] = malloc(BUFFER * sizeof(uint64_t));
        CHECK(flight->memory[i + 1] != NULL);
    }
}

int main(int argc, char **argv)
{
    CHECK(pgas_init() == PGAS_OK);
    CHECK(pgas_threads() <= MOST_THREADS);
    uint64_t rounds = argc > 1 ? strtoull(argv[1], NULL, 10) : ROUNDS;
    uint64_t seed = random_seed_of_job();
    uint64_t own = random_seed_of_thread(seed);
    uint64_t common = seed;
    CHECK(pgas_op_create(apply, false, &affine) == PGAS_OK);
    CHECK(pgas_all_lock_alloc(&lock) == PGAS_OK);
    CHECK(pgas_all_alloc((size_t)pgas_threads(), sizeof(uint64_t), &flight_started) == PGAS_OK);
    for (int i = 0; i < SLOTS; i++)
        alloc_memory(&flights[i]);
    shapes_create();
    start_ahead();
    lock_around(false);
    lock_around(true);
    free_in_flight();
    for (uint64_t i = 1; i <= rounds; i++) {
        pgas_team_t *team = shapes[random_below(&common, SHAPES)];
        if (random_below(&common, 50) == 0)
            pgas_barrier();
        act(&own);
        if (team != NULL)
            play(i, seed, team, &own);
    }
    wait_all(&own);
    shapes_free();
    uint64_t left = UINT64_C(3) << 32;
    pgas_allreduce_asynci(PGAS_TEAM_ALL, &left, &left, 1, PGAS_BYTES(8), affine);
    pgas_op_free(affine);
    uint64_t power = 1;
    for (int i = 0; i < pgas_threads(); i++)
        power *= 3;
    pgas_finalize();
    CHECK(left == power << 32);
    return 0;
}
