#include "coll/run.h"

#include <stdlib.h>
#include <string.h>

#include <pgas/detail.h>

#include "am/progress.h"
#include "coll/library.h"
#include "copy/in_flight.h"
#include "sync/background.h"
#include "sync/wait.h"
#include "team/meet.h"
#include "team/watch.h"

_Static_assert(PGASI_COLL_ALGORITHM_COUNT <= (int)PGASI_COUNTED_ALGORITHMS, "each has counts");

/* Of the blocking ones, of which there is one at a time. */
static pgasi_coll_memory_t memory_now;

const void *pgasi_coll_context;

/* Of the next one. */
static pgasi_coll_extra_t added;

void pgasi_coll_add(const pgasi_coll_extra_t *extra)
{
    added = *extra;
}

/* Members that add different meetings are in different calls. */
static uint32_t sign_extra(uint32_t signature, const pgasi_coll_extra_t *extra)
{
    uint32_t meetings = (extra->meets_first ? 1U : 0U) | (extra->meets_last ? 2U : 0U);
    return signature ^ meetings << 29;
}

void pgasi_coll_begin(pgasi_coll_t *coll, pgas_team_t *team, pgasi_step_function_t *step)
{
    coll->extra = added;
    added = (pgasi_coll_extra_t){.context = NULL};
    coll->lane = coll->is_blocking ? pgasi_team_begin_now(coll->name, team, &coll->call)
                                   : pgasi_team_begin(coll->name, team, &coll->call);
    coll->call.signature = sign_extra(coll->call.signature, &coll->extra);
    coll->step = step;
    coll->algorithm = PGASI_ALGORITHM_LINEAR;
    coll->shown = NULL;
}

/* ---- Steps, with what was added ---- */

static pgasi_next_t copy_own(pgasi_coll_t *coll)
{
    const pgasi_coll_extra_t *extra = &coll->extra;
    if (extra->copy_bytes > 0)
        memcpy(extra->copy_dst, extra->copy_src, extra->copy_bytes);
    coll->step = coll->data_step;
    return coll->step(coll);
}

static pgasi_next_t meet_first(pgasi_coll_t *coll)
{
    coll->step = copy_own;
    return PGASI_NEXT_MEET;
}

/* When all that the call says is known. */
static void prepare(pgasi_coll_t *coll)
{
    coll->data_step = coll->step;
    if (coll->extra.meets_first)
        coll->step = meet_first;
    else if (coll->extra.copy_bytes > 0)
        coll->step = copy_own;
}

/* A meeting at the end is one that all come to when they have what they get. */
static pgasi_next_t take(pgasi_coll_t *coll)
{
    pgasi_coll_context = coll->extra.context;
    pgasi_next_t next = coll->step(coll);
    if (next == PGASI_NEXT_END && coll->extra.meets_last)
        next = PGASI_NEXT_LAST_MEETING;
    if (next == PGASI_NEXT_LAST_MEETING)
        pgasi_stage_carry_nothing(coll->lane);
    return next;
}

void pgasi_coll_run(pgasi_coll_t *coll)
{
    pgasi_next_t next = PGASI_NEXT_MEET;
    prepare(coll);
    coll->memory = &memory_now;
    coll->lane->call = coll->call.call;
    coll->lane->counted = pgasi_coll_count(coll->call.call, coll->algorithm);
    while (next != PGASI_NEXT_LAST_MEETING && next != PGASI_NEXT_END) {
        next = take(coll);
        if (next == PGASI_NEXT_READ)
            pgasi_group_wait(&memory_now.group);
        else if (next == PGASI_NEXT_LIBRARY)
            pgasi_library_wait(coll);
        else if (next != PGASI_NEXT_END)
            pgasi_team_meet(coll->lane, &coll->call);
    }
    pgasi_stage_end(coll->lane);
    pgasi_team_end();
}

/* ---- In flight ---- */

/* One in flight; or one of the list of those that are free. */
typedef struct pgasi_flight {
    pgasi_coll_t coll;
    /* What its next step waits for. */
    pgasi_next_t next_waits;
    struct pgasi_flight *next;
    uint32_t index;
    /* Distinguishes a handle from the entry's earlier ones. */
    uint32_t generation;
} flight_t;

/* A handle: a mark that handles of the network and of groups do not have, a generation, an index.
 */
enum {
    INDEX_BITS = 24,
    GENERATION_BITS = 32
};

#define INDEX_MASK (((uint64_t)1 << INDEX_BITS) - 1)

static flight_t **flights;
static size_t flights_count;
static size_t flights_size;
static flight_t *free_flights;

/* Memory of those that run, of which there is one on a lane. */
static pgasi_coll_memory_t *free_memories;

/* The lanes that have something in flight. */
static pgasi_lane_t *busy;

static PGAS_NORETURN void out_of_memory(const char *name)
{
    pgasi_fatal(name, "no memory for more than %zu collectives in flight", flights_count);
}

static flight_t *create_flight(const char *name)
{
    if (flights_count == flights_size) {
        size_t size = flights_size == 0 ? 16 : 2 * flights_size;
        flight_t **grown = realloc(flights, size * sizeof(flight_t *));
        if (grown == NULL || size > INDEX_MASK)
            out_of_memory(name);
        flights = grown;
        flights_size = size;
    }
    flight_t *flight = calloc(1, sizeof *flight);
    if (flight == NULL)
        out_of_memory(name);
    flight->index = (uint32_t)flights_count;
    flights[flights_count++] = flight;
    return flight;
}

static flight_t *alloc_flight(const char *name)
{
    flight_t *flight = free_flights;
    if (flight == NULL)
        return create_flight(name);
    free_flights = flight->next;
    return flight;
}

static pgasi_coll_memory_t *alloc_memory(const char *name)
{
    pgasi_coll_memory_t *memory = free_memories;
    if (memory == NULL)
        memory = calloc(1, sizeof *memory);
    else
        free_memories = memory->next;
    if (memory == NULL)
        out_of_memory(name);
    return memory;
}

static uint64_t bits_of(const flight_t *flight)
{
    return PGASI_IN_FLIGHT_MARK | (uint64_t)flight->generation << INDEX_BITS | flight->index;
}

/* NULL if it is complete. */
static flight_t *flight_of(uint64_t bits)
{
    if (bits == 0)
        return NULL;
    flight_t *flight = flights[bits & INDEX_MASK];
    return bits_of(flight) == bits ? flight : NULL;
}

static bool is_ready(flight_t *flight)
{
    if (flight->next_waits == PGASI_NEXT_READ)
        return pgasi_group_is_done(&flight->coll.memory->group);
    if (flight->next_waits == PGASI_NEXT_LIBRARY)
        return pgasi_library_test(&flight->coll);
    return pgasi_team_has_met(flight->coll.lane);
}

static void take_step(flight_t *flight)
{
    pgasi_coll_t *coll = &flight->coll;
    flight->next_waits = take(coll);
    if (flight->next_waits == PGASI_NEXT_READ)
        pgasi_group_flush(&flight->coll.memory->group);
    else if (flight->next_waits != PGASI_NEXT_END && flight->next_waits != PGASI_NEXT_LIBRARY)
        pgasi_team_arrive(coll->lane, &coll->call);
}

/* As far as it goes; true if that is the end. */
static bool advance(flight_t *flight)
{
    while (flight->next_waits != PGASI_NEXT_END && is_ready(flight)) {
        if (flight->next_waits == PGASI_NEXT_READ)
            pgasi_group_wait(&flight->coll.memory->group);
        else if (flight->next_waits != PGASI_NEXT_LIBRARY)
            pgasi_team_depart(flight->coll.lane);
        if (flight->next_waits == PGASI_NEXT_LAST_MEETING)
            flight->next_waits = PGASI_NEXT_END;
        else
            take_step(flight);
    }
    return flight->next_waits == PGASI_NEXT_END;
}

static void end_first(pgasi_lane_t *lane)
{
    flight_t *flight = lane->first;
    pgasi_stage_end(lane);
    lane->first = flight->next;
    if (lane->first == NULL)
        lane->last = NULL;
    flight->coll.memory->next = free_memories;
    free_memories = flight->coll.memory;
    flight->generation++;
    flight->next = free_flights;
    free_flights = flight;
    pgasi_team_flight_end(lane->team);
    pgasi_background_count--;
}

/* Begins what is first in the lane's queue, and if that ends at once, the next. */
static void begin_first(pgasi_lane_t *lane)
{
    while (lane->first != NULL) {
        pgasi_coll_t *coll = &lane->first->coll;
        coll->memory = alloc_memory(coll->name);
        lane->call = coll->call.call;
        lane->counted = pgasi_coll_count(coll->call.call, coll->algorithm);
        take_step(lane->first);
        if (!advance(lane->first))
            return;
        end_first(lane);
    }
}

/* Returns 0 if there is nothing to do yet. */
static unsigned continue_lane(pgasi_lane_t *lane)
{
    if (!is_ready(lane->first))
        return 0;
    if (advance(lane->first)) {
        end_first(lane);
        begin_first(lane);
    }
    return 1;
}

static unsigned progress(bool before_sleep)
{
    unsigned count = 0;
    pgasi_lane_t *lane;
    for (pgasi_lane_t **link = &busy; (lane = *link) != NULL;) {
        if (before_sleep && lane->first->next_waits == PGASI_NEXT_READ)
            pgasi_group_wait(&lane->first->coll.memory->group);
        count += continue_lane(lane);
        if (lane->first == NULL)
            *link = lane->next_busy;
        else
            link = &lane->next_busy;
    }
    return count;
}

/* ---- Behind handles ---- */

static bool is_done(uint64_t bits)
{
    return flight_of(bits) == NULL;
}

static bool is_complete(const void *argument)
{
    const uint64_t *bits = argument;
    return is_done(*bits);
}

static void wait_for(uint64_t bits)
{
    const flight_t *flight = flight_of(bits);
    if (flight == NULL)
        return;
    pgasi_team_watch(flight->coll.lane);
    pgasi_wait(&flight->coll.lane->part->phase, is_complete, &bits, 0, pgasi_team_describe);
}

static bool test(uint64_t bits)
{
    if (is_done(bits))
        return true;
    pgasi_am_progress();
    pgasi_background_progress(false);
    return is_done(bits);
}

static void install(void)
{
    static const pgasi_in_flight_client_t client = {wait_for, test, is_done};
    pgasi_in_flight_install(&client);
    pgasi_background_install(progress);
}

pgas_handle_t pgasi_coll_start(const pgasi_coll_t *coll)
{
    pgasi_lane_t *lane = coll->lane;
    flight_t *flight = alloc_flight(coll->name);
    if (flights_count == 1)
        install();
    flight->coll = *coll;
    prepare(&flight->coll);
    flight->next = NULL;
    uint64_t bits = bits_of(flight);
    bool was_free = lane->first == NULL;
    if (was_free)
        lane->first = flight;
    else
        lane->last->next = flight;
    lane->last = flight;
    pgasi_team_flight_begin(lane->team);
    pgasi_background_count++;
    if (was_free)
        begin_first(lane);
    if (was_free && lane->first != NULL) {
        lane->next_busy = busy;
        busy = lane;
    }
    pgasi_team_end();
    return (pgas_handle_t){is_done(bits) ? 0 : bits};
}

void pgasi_coll_wait(pgas_handle_t handle)
{
    wait_for(handle.bits);
}

static bool is_all_complete(const void *argument)
{
    (void)argument;
    return pgasi_background_count == 0;
}

void pgasi_coll_wait_all(void)
{
    if (pgasi_background_count == 0)
        return;
    pgasi_team_watch(busy);
    pgasi_wait(&busy->part->phase, is_all_complete, NULL, 0, pgasi_team_describe);
}
