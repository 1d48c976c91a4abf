#include <pgas/sync.h>

#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include <pgas/detail.h>

#include "base/clock.h"
#include "base/in_job.h"
#include "net/net.h"
#include "node/activity.h"
#include "node/node.h"
#include "node/segment.h"
#include "stats/collectives.h"
#include "sync/barrier.h"
#include "sync/barrier_watch.h"
#include "sync/collective.h"
#include "sync/wait.h"

/*
 * The barrier counts the arrivals of a node (shm/attendance.h); the last one starts the next
 * generation, which the others wait for. Each thread runs once per barrier, however many share a
 * core.
 *
 * In a job of several nodes the last thread to arrive starts a dissemination among the nodes
 * instead, and whichever thread of execution receives the last signal, often the leader's progress
 * thread, starts the generation. The state is in the node's control block. The generation is the
 * number of the last complete phase.
 *
 * The barrier also checks that all threads are in the same collective call: each arrival adds the
 * signature of its call to the count, so the last one needs to read no other memory.
 */
_Static_assert(sizeof(pgasi_signal_t) <= PGASI_NET_MESSAGE_MAX, "a signal is a message");

_Thread_local uint64_t pgasi_sync_epoch;

/* What a plain barrier exchanges: nothing. */
static const pgasi_exchange_t no_exchange;

static bool notified;
static int notified_id;
static uint32_t notified_generation;

/* A thread that waits for another's write in a loop of its own serves the others here. */
void pgas_fence(void)
{
    pgasi_require_way(__func__);
    atomic_thread_fence(memory_order_seq_cst);
    pgasi_sync_epoch++;
    pgasi_looked(pgasi_serve() > 0);
}

void pgas_poll(void)
{
    pgasi_require_job(__func__);
    pgasi_looked(pgasi_serve() > 0);
}

static pgasi_barrier_t *barrier_of_node(void)
{
    return &pgasi_node_memory.control->barrier;
}

static uint32_t thread_named(uint64_t named)
{
    return (uint32_t)named - 1;
}

static int id_named(uint64_t named)
{
    return (int)(uint32_t)(named >> 32);
}

static uint64_t name_of(int id)
{
    return (uint64_t)(uint32_t)id << 32 | (pgasi_job.thread + 1);
}

/* The first thread to name the phase records its id; the others compare. Returns the first name. */
static uint64_t record_name(pgasi_barrier_t *barrier, int id)
{
    uint64_t named = 0;
    if (atomic_compare_exchange_strong(&barrier->named, &named, name_of(id)))
        return name_of(id);
    return named;
}

static void name_phase(pgasi_barrier_t *barrier, int id)
{
    uint64_t named = record_name(barrier, id);
    if (id_named(named) != id)
        pgasi_fatal("pgas_notify", "barrier id %d, but thread %u named this phase %d", id,
                    thread_named(named), id_named(named));
}

/* Sends the signals of a step, or completes the phase. Not under the guard: sending may wait for
 * the target worker, and the thread that progresses that may wait for the guard. */
static void perform_step(const pgasi_step_t *step, uint64_t phase)
{
    for (uint32_t i = 0; i < step->count; i++)
        pgasi_net_send(pgasi_nodes.leaders[step->signals[i].node], PGASI_SERVICE_BARRIER,
                       &step->signals[i], sizeof step->signals[i]);
    if (step->is_complete)
        pgasi_event_set(&barrier_of_node()->generation, (uint32_t)phase);
}

/* Runs on the leader: receives signals, and replies to the watchdogs of other nodes. */
static size_t serve_signal(uint32_t source, const void *request, size_t nbytes, void *reply)
{
    (void)source;
    if (reply != NULL)
        return pgasi_barrier_reply(reply);
    pgasi_barrier_between_t *between = &pgasi_node_memory.control->between;
    pgasi_signal_t signal;
    pgasi_step_t step;
    if (nbytes != sizeof signal)
        return 0;
    memcpy(&signal, request, sizeof signal);
    if (signal.round >= pgasi_dissemination_rounds(pgasi_nodes.count))
        return 0;
    pgasi_guard_lock(&between->guard);
    pgasi_dissemination_receive(&between->state, pgasi_nodes.mine, pgasi_nodes.count, &signal,
                                &step);
    uint64_t phase = between->state.phase;
    pgasi_guard_unlock(&between->guard);
    perform_step(&step, phase);
    return 0;
}

void pgasi_sync_serve(void)
{
    pgasi_net_serve(PGASI_SERVICE_BARRIER, serve_signal);
}

/* All threads of the node have arrived, in the same call. Two names are a mismatch. */
static void start_between(uint64_t named, bool differs, const pgasi_call_t *call,
                          const pgasi_exchange_t *exchange)
{
    pgasi_barrier_between_t *between = &pgasi_node_memory.control->between;
    pgasi_gathered_t gathered = {.named = named, .call = *call};
    if (differs) {
        gathered.named = name_of(0);
        gathered.other = name_of(1);
    }
    gathered.has_word = pgasi_nodes.mine == 0;
    gathered.maximum = atomic_load(&exchange->maximum);
    gathered.word = exchange->word;
    pgasi_step_t step;
    pgasi_guard_lock(&between->guard);
    pgasi_dissemination_start(&between->state, pgasi_nodes.mine, pgasi_nodes.count, &gathered,
                              &step);
    uint64_t phase = between->state.phase;
    pgasi_guard_unlock(&between->guard);
    perform_step(&step, phase);
}

/* The signatures of the node's threads differ. A thread that has only notified may be in a call
 * further on. */
static void check_calls(const pgasi_call_t *call)
{
    for (uint32_t i = 0; i < pgasi_nodes.threads_count; i++) {
        uint32_t thread = pgasi_nodes.threads[i];
        const pgasi_activity_t *activity = pgasi_activity_of(thread);
        const pgasi_call_t plain = {.thread = thread + 1, .call = PGASI_BARRIER};
        uint32_t ahead = atomic_load_explicit(&activity->notified, memory_order_relaxed);
        bool has_gone_on = ahead == notified_generation + 1;
        const pgasi_call_t *other = has_gone_on ? &plain : &activity->call;
        if (other->signature != call->signature)
            pgasi_collective_differ(call, other);
    }
}

static void complete_node(uint32_t signatures, const pgasi_call_t *call,
                          const pgasi_exchange_t *exchange)
{
    pgasi_barrier_t *barrier = barrier_of_node();
    if (signatures != call->signature * pgasi_nodes.threads_count)
        check_calls(call);
    uint64_t named = atomic_load_explicit(&barrier->named, memory_order_relaxed);
    if (named != 0)
        atomic_store_explicit(&barrier->named, 0, memory_order_relaxed);
    bool differs = atomic_load_explicit(&barrier->differs, memory_order_relaxed) != 0;
    if (differs)
        atomic_store_explicit(&barrier->differs, 0, memory_order_relaxed);
    atomic_store_explicit(&barrier->differed, differs, memory_order_relaxed);
    atomic_store_explicit(&barrier->last_named, named, memory_order_relaxed);
    if (pgasi_nodes.count > 1)
        start_between(named, differs, call, exchange);
    else
        pgasi_event_set(&barrier->generation, notified_generation + 1);
}

/* Plain barriers. The leader of a node stands for it. */
static void count_barrier(void)
{
    pgasi_counted_t *counted = pgasi_count_call(PGASI_BARRIER, 0, "");
    pgasi_counter_add(&counted->meetings, 1);
    if (pgasi_nodes.count > 1 && pgasi_nodes.threads[0] == pgasi_job.thread)
        pgasi_counter_add(&counted->traffic[PGAS_REMOTE].operations,
                          pgasi_dissemination_rounds(pgasi_nodes.count));
}

/* `goes_on`: the thread does not wait in this call. */
static void arrive(const pgasi_exchange_t *exchange, bool goes_on)
{
    pgasi_barrier_t *barrier = barrier_of_node();
    pgasi_activity_t *activity = pgasi_activity_of(pgasi_job.thread);
    notified_generation = atomic_load_explicit(&barrier->generation.value, memory_order_relaxed);
    atomic_store_explicit(&activity->arrived, notified_generation + 1, memory_order_relaxed);
    if (goes_on)
        atomic_store_explicit(&activity->notified, notified_generation + 1, memory_order_relaxed);
    if (activity->call.call == PGASI_BARRIER) {
        pgasi_activity_barrier(activity);
        count_barrier();
    }
    const pgasi_attendant_t mine = {pgasi_nodes.place, pgasi_nodes.threads_count,
                                    activity->call.signature};
    uint32_t signatures;
    if (pgasi_attend(&barrier->attendance, &barrier->few, &mine, &signatures))
        complete_node(signatures, &activity->call, exchange);
}

/* For the watchdog. */
static void describe(char *text, size_t size)
{
    const pgasi_call_t *call = &pgasi_activity_of(pgasi_job.thread)->call;
    char name[128] = "barrier";
    if (notified && notified_id != PGAS_ANONYMOUS)
        snprintf(name, sizeof name, "barrier %d", notified_id);
    else if (call->call != PGASI_BARRIER)
        pgasi_call_describe(call, name, sizeof name);
    pgasi_barrier_describe(name, text, size);
}

/* What the last phase has gathered. It is valid until all threads of the node have arrived at the
 * next one; the guard is for ThreadSanitizer, which sees no order made by another process. */
static pgasi_gathered_t gathered_last(void)
{
    pgasi_barrier_between_t *between = &pgasi_node_memory.control->between;
    pgasi_guard_lock(&between->guard);
    pgasi_gathered_t gathered = between->state.gathered;
    pgasi_guard_unlock(&between->guard);
    return gathered;
}

/* Two nodes are in different calls; all know the same two. */
static void check_gathered_calls(const pgasi_gathered_t *gathered)
{
    if (gathered->other_call.thread == 0)
        return;
    pgasi_collective_leave_to(gathered->call.thread - 1);
    pgasi_collective_differ(&gathered->call, &gathered->other_call);
}

/* The same, or two nodes have named the phase differently. */
static void check_nodes(const char *call)
{
    pgasi_gathered_t gathered = gathered_last();
    check_gathered_calls(&gathered);
    if (gathered.other == 0)
        return;
    uint32_t named = thread_named(gathered.named);
    pgasi_collective_leave_to(named);
    pgasi_fatal(call, "barrier id %d of thread %u, but thread %u named this phase %d",
                id_named(gathered.named), named, thread_named(gathered.other),
                id_named(gathered.other));
}

/* The arrival is sequentially consistent and the wait acquires: what any thread did before arriving
 * comes before what any does after leaving, without another fence. */
static void depart(const char *call)
{
    pgasi_event_wait_serving(&barrier_of_node()->generation, notified_generation, describe);
    if (pgasi_nodes.count > 1)
        check_nodes(call);
    pgasi_sync_epoch++;
}

static void meet(const pgasi_exchange_t *exchange)
{
    pgasi_alone_begin("pgas_barrier");
    if (notified)
        pgasi_fatal(pgasi_call_name(&pgasi_activity_of(pgasi_job.thread)->call),
                    "called between pgas_notify and pgas_wait");
    arrive(exchange, false);
    depart("pgas_barrier");
    pgasi_alone_end();
}

void pgas_barrier(void)
{
    pgasi_require_job(__func__);
    meet(&no_exchange);
}

void pgas_notify(int id)
{
    pgasi_require_job(__func__);
    pgasi_alone_begin(__func__);
    if (notified)
        pgasi_fatal("pgas_notify", "called twice without pgas_wait");
    if (id != PGAS_ANONYMOUS)
        name_phase(barrier_of_node(), id);
    arrive(&no_exchange, true);
    notified = true;
    notified_id = id;
    pgasi_alone_end();
}

void pgas_wait(int id)
{
    pgasi_require_job(__func__);
    pgasi_alone_begin(__func__);
    if (!notified)
        pgasi_fatal("pgas_wait", "called without pgas_notify");
    if (id != notified_id && id != PGAS_ANONYMOUS && notified_id != PGAS_ANONYMOUS)
        pgasi_fatal("pgas_wait", "barrier id %d, but this thread notified %d", id, notified_id);
    depart("pgas_wait");
    notified = false;
    pgasi_alone_end();
}

/* The last thread of the node to arrive publishes `differed` and `last_named`, which are valid
 * until all have arrived at the next phase. */
void pgasi_phase_notify(pgasi_phase_t phase, int id)
{
    pgasi_require_job(__func__);
    pgasi_barrier_t *barrier = barrier_of_node();
    bool differs = phase == PGASI_PHASE_MISMATCH ||
                   (phase == PGASI_PHASE_NAMED && id_named(record_name(barrier, id)) != id);
    if (differs)
        atomic_store_explicit(&barrier->differs, 1, memory_order_relaxed);
    arrive(&no_exchange, true);
    notified = true;
    notified_id = PGAS_ANONYMOUS;
}

bool pgasi_phase_test(void)
{
    pgasi_event_t *generation = &barrier_of_node()->generation;
    if (pgasi_event_has_changed(generation, notified_generation))
        return true;
    pgasi_serve();
    bool is_over = pgasi_event_has_changed(generation, notified_generation);
    pgasi_looked(is_over);
    return is_over;
}

/* Of the waits with a limit that one phase takes together. */
static pgasi_watch_t phase_watch;

static void watch_phase(bool is_over)
{
    if (!is_over)
        pgasi_watch(&phase_watch, describe);
    else
        pgasi_watch_end(&phase_watch);
}

/* A wait that has a limit. */
enum {
    /* A sleep of a wait with a limit, which messages may begin anew. */
    LIMITED_SLEEP_MS = 10
};

typedef struct limited {
    const pgasi_event_t *generation;
    uint64_t limit;
} limited_t;

static bool has_changed_or_passed(const void *argument)
{
    const limited_t *limited = argument;
    return pgasi_event_has_changed(limited->generation, notified_generation) ||
           pgasi_milliseconds() >= limited->limit;
}

bool pgasi_phase_wait_for(unsigned milliseconds)
{
    pgasi_event_t *generation = &barrier_of_node()->generation;
    const limited_t limited = {generation, pgasi_milliseconds() + milliseconds};
    unsigned longest = milliseconds < LIMITED_SLEEP_MS ? milliseconds : LIMITED_SLEEP_MS;
    pgasi_wait(generation, has_changed_or_passed, &limited, longest * 1000, NULL);
    bool is_over = pgasi_event_has_changed(generation, notified_generation);
    watch_phase(is_over);
    return is_over;
}

static void publish_name(uint64_t named, bool *is_named, int *id)
{
    *is_named = named != 0;
    *id = id_named(named);
}

bool pgasi_phase_wait(bool *is_named, int *id)
{
    pgasi_barrier_t *barrier = barrier_of_node();
    pgasi_event_wait(&barrier->generation, notified_generation, describe);
    pgasi_sync_epoch++;
    notified = false;
    if (pgasi_nodes.count == 1) {
        publish_name(atomic_load_explicit(&barrier->last_named, memory_order_relaxed), is_named,
                     id);
        return atomic_load_explicit(&barrier->differed, memory_order_relaxed) == 0;
    }
    pgasi_gathered_t gathered = gathered_last();
    check_gathered_calls(&gathered);
    publish_name(gathered.named, is_named, id);
    return gathered.other == 0;
}

static void raise_to(_Atomic uint64_t *maximum, uint64_t value)
{
    uint64_t old = atomic_load(maximum);
    while (old < value && !atomic_compare_exchange_weak(maximum, &old, value))
        continue;
}

/*
 * Three slots are used in turn. That of exchange k is written before arriving at k, and read
 * between leaving k and arriving at k + 1. The slot of k + 1 was last used in k - 2: a thread that
 * has left k - 1 knows that all have arrived there, and so have read it. It clears the slot between
 * leaving k - 1 and arriving at k, before any thread can leave k and write to it.
 *
 * With several nodes the result is what the nodes have gathered: it is valid until all threads of
 * the node have arrived at the next barrier.
 */
void pgasi_sync_exchange(uint64_t contribution, uint64_t *maximum, uint64_t word,
                         uint64_t *word_of_thread_0)
{
    static unsigned next;
    pgasi_control_t *control = pgasi_node_memory.control;
    pgasi_exchange_t *exchange = &control->exchanges[next];
    next = (next + 1) % PGASI_EXCHANGES;
    if (pgasi_node_is_leader())
        atomic_store(&control->exchanges[next].maximum, 0);
    raise_to(&exchange->maximum, contribution);
    if (pgasi_job.thread == 0)
        exchange->word = word;
    meet(exchange);
    pgasi_gathered_t gathered = {.maximum = atomic_load(&exchange->maximum),
                                 .word = exchange->word};
    if (pgasi_nodes.count > 1)
        gathered = gathered_last();
    if (maximum != NULL)
        *maximum = gathered.maximum;
    if (word_of_thread_0 != NULL)
        *word_of_thread_0 = gathered.word;
}
