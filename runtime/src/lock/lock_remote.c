#include "lock/lock_remote.h"

#include <stdlib.h>
#include <string.h>

#include <pgas/detail.h>
#include <pgas/ptr.h>
#include <pgas/sync.h>

#include "lock/lock_home.h"
#include "net/net.h"
#include "node/segment.h"
#include "shm/guard.h"

/* What a thread of another node requests of the thread in whose segment the lock lies, its home. */
typedef enum opcode {
    ATTEMPT,
    LOCK,
    /** Who holds the lock, and whether threads wait for it. */
    STATE,
    /** Of any thread: how many releases it has sent to the one whose number is in `offset`. */
    COUNT,
    /** How many releases of the caller, one after the other, the home has performed. */
    PERFORMED,
    /** A message. */
    RELEASE
} opcode_t;

typedef struct request {
    uint64_t opcode;
    uint64_t offset;
    /** How many releases the sender has sent to the home before: a release's number. */
    uint64_t sent;
} request_t;

typedef enum result {
    /** The operation is complete. */
    DONE,
    /** Another thread holds the lock. After LOCK the caller is in the queue and will be granted it.
     */
    BUSY,
    /** The caller holds the lock already. */
    HELD,
    /** The caller's release of the lock has not come yet. */
    EARLY,
    /** No reply came: the request was malformed. */
    NOT_SERVED
} result_t;

typedef struct reply {
    uint32_t result;
    /** Of STATE: a thread of another node than the lock's that holds it, + 1, or 0; and how many of
     *  its releases the home has performed. */
    uint32_t holder;
    /** Of STATE, COUNT and PERFORMED. */
    uint32_t count;
    uint32_t is_wanted;
} reply_t;

/* Messages of one byte to a thread that uses a lock of another node. */
enum {
    /** It has the lock for which it has queued. */
    GRANTED,
    /** It has released a lock that it did not hold. */
    NOT_HELD
};

/* Raised when this thread is granted a lock of another node that it has queued for. */
static pgasi_event_t granted;

/* Between `here`, a thread of this node, and one of another. */
static pgasi_releases_t *releases_between(uint32_t here, uint32_t there)
{
    size_t offset = (size_t)(pgasi_job.peers[here].base - pgasi_node_memory.segments);
    size_t place = offset / pgasi_node_memory.stride;
    return &pgasi_node_memory.releases[place * pgasi_job.threads + there];
}

static bool is_here(uint32_t thread)
{
    return pgasi_job.peers[thread].base != NULL;
}

bool pgasi_lock_may_be_at(uint64_t offset)
{
    return offset >= PGASI_HEAP_BEGIN && offset % sizeof(pgasi_lock_home_t) == 0 &&
           offset <= pgasi_node_memory.stride - sizeof(pgasi_lock_home_t);
}

/* At home. */

static void tell(uint32_t thread, unsigned char what)
{
    pgasi_net_send(thread, PGASI_SERVICE_LOCK, &what, sizeof what);
}

void pgasi_lock_notify(uint32_t thread)
{
    if (thread == 0)
        return;
    if (is_here(thread - 1))
        pgasi_event_raise(&pgasi_header_of(thread - 1)->look, 1);
    else
        tell(thread - 1, GRANTED);
}

static uint32_t performed_for(uint32_t home, uint32_t thread)
{
    return atomic_load_explicit(&releases_between(home, thread)->performed, memory_order_acquire);
}

/* For a thread that holds the lock, as far as is known here. It has released it if a release of
 * that thread is still to come. */
static result_t take_again(uint32_t thread, uint64_t sent)
{
    return performed_for(pgasi_job.thread, thread) == (uint32_t)sent ? HELD : EARLY;
}

static result_t take_for(pgasi_lock_home_t *lock, uint32_t thread, const request_t *request)
{
    if (pgasi_lock_home_held_by(lock, thread))
        return take_again(thread, request->sent);
    bool taken = request->opcode == ATTEMPT
                     ? pgasi_lock_home_attempt(lock, thread)
                     : pgasi_lock_home_take(lock, pgasi_lock_queue_links(), thread, true);
    return taken ? DONE : BUSY;
}

/*
 * Releases that have been performed before an earlier one of the same thread: attached threads have
 * connections of their own. They count when the earlier one does, so that the count tells of each
 * release whether it has been performed.
 */
typedef struct early {
    uint32_t thread;
    uint32_t number;
} early_t;

static early_t *early;
static uint32_t early_count;
static uint32_t early_size;

static void add_early(uint32_t thread, uint32_t number)
{
    if (early_count == early_size) {
        uint32_t size = 2 * early_size + 8;
        early_t *grown = realloc(early, size * sizeof *grown);
        if (grown == NULL)
            pgasi_fatal("pgas_unlock", "no memory for %u releases of locks", size);
        early = grown;
        early_size = size;
    }
    early[early_count++] = (early_t){thread, number};
}

static bool take_early(uint32_t thread, uint32_t number)
{
    for (uint32_t i = 0; i < early_count; i++)
        if (early[i].thread == thread && early[i].number == number) {
            early[i] = early[--early_count];
            return true;
        }
    return false;
}

static void count_performed(uint32_t thread, uint32_t number)
{
    _Atomic uint32_t *performed = &releases_between(pgasi_job.thread, thread)->performed;
    uint32_t count = atomic_load_explicit(performed, memory_order_relaxed);
    if (number != count) {
        add_early(thread, number);
        return;
    }
    do
        count++;
    while (take_early(thread, count));
    atomic_store_explicit(performed, count, memory_order_release);
}

/* It counts when the lock's memory has been touched for the last time. */
static void release_for(pgasi_lock_home_t *lock, uint32_t thread, uint32_t number)
{
    if (!pgasi_lock_home_held_by(lock, thread)) {
        tell(thread, NOT_HELD);
        return;
    }
    uint32_t next = pgasi_lock_home_release(lock, pgasi_lock_queue_links(), thread);
    count_performed(thread, number);
    pgasi_lock_notify(next);
}

/* The holder is read before the count: a release in between is counted. */
static reply_t state_of(uint32_t home, const pgasi_lock_home_t *lock)
{
    reply_t reply = {.result = DONE, .is_wanted = pgasi_lock_home_is_wanted(lock)};
    uint32_t holder = pgasi_lock_home_holder(lock);
    if (holder == 0 || holder > pgasi_job.threads || is_here(holder - 1))
        return reply;
    reply.holder = holder;
    reply.count = performed_for(home, holder - 1);
    return reply;
}

static uint32_t count_of(uint32_t holder, uint32_t home)
{
    return atomic_load_explicit(&releases_between(holder, home)->sent, memory_order_acquire);
}

static reply_t perform(uint32_t source, const request_t *request)
{
    pgasi_lock_home_t *lock = (void *)(pgasi_job.peers[pgasi_job.thread].base + request->offset);
    if (request->opcode == COUNT)
        return (reply_t){.result = DONE,
                         .count = count_of(pgasi_job.thread, (uint32_t)request->offset)};
    if (request->opcode == PERFORMED)
        return (reply_t){.result = DONE, .count = performed_for(pgasi_job.thread, source)};
    if (request->opcode == STATE)
        return state_of(pgasi_job.thread, lock);
    return (reply_t){.result = take_for(lock, source, request)};
}

static bool is_sound(const request_t *request)
{
    if (request->opcode == COUNT)
        return request->offset < pgasi_job.threads && !is_here((uint32_t)request->offset);
    return request->opcode == PERFORMED || pgasi_lock_may_be_at(request->offset);
}

static void be_told(unsigned char what)
{
    if (what == NOT_HELD)
        pgasi_fatal("pgas_unlock", "this thread does not hold the lock");
    if (what == GRANTED)
        pgasi_event_raise(&granted, 1);
}

static size_t serve(uint32_t source, const void *bytes, size_t nbytes, void *reply)
{
    request_t request;
    if (reply == NULL && nbytes == 1)
        be_told(*(const unsigned char *)bytes);
    if (nbytes != sizeof request)
        return 0;
    memcpy(&request, bytes, sizeof request);
    if (is_here(source) || request.opcode > RELEASE || !is_sound(&request) ||
        (request.opcode == RELEASE) != (reply == NULL))
        return 0;
    if (reply == NULL) {
        release_for((void *)(pgasi_job.peers[pgasi_job.thread].base + request.offset), source,
                    (uint32_t)request.sent);
        return 0;
    }
    const reply_t result = perform(source, &request);
    memcpy(reply, &result, sizeof result);
    return sizeof result;
}

void pgasi_lock_serve(void)
{
    pgasi_net_serve(PGASI_SERVICE_LOCK, serve);
}

/* At the thread that uses the lock. */

static reply_t call(uint32_t thread, opcode_t opcode, uint64_t offset)
{
    request_t request = {.opcode = opcode, .offset = offset};
    reply_t reply = {.result = NOT_SERVED};
    if (opcode != COUNT)
        request.sent = count_of(pgasi_job.thread, thread);
    do
        pgasi_net_call(thread, PGASI_SERVICE_LOCK, &request, sizeof request, &reply, sizeof reply);
    while (reply.result == EARLY);
    if (reply.result == NOT_SERVED)
        pgasi_fatal("lock", "thread %u does not serve request %d", thread, opcode);
    return reply;
}

/* The event is read before the call: the lock may be granted before the reply comes. */
bool pgasi_lock_remote_take(pgas_ptr_t lock, pgasi_describe_t *describe)
{
    uint32_t before = atomic_load(&granted.value);
    result_t result = call(lock.thread, LOCK, lock.offset).result;
    if (result == BUSY)
        pgasi_event_wait(&granted, before, describe);
    return result != HELD;
}

bool pgasi_lock_remote_attempt(pgas_ptr_t lock)
{
    return call(lock.thread, ATTEMPT, lock.offset).result == DONE;
}

void pgasi_lock_remote_release(pgas_ptr_t lock)
{
    request_t request = {.opcode = RELEASE, .offset = lock.offset};
    request.sent = atomic_fetch_add_explicit(&releases_between(pgasi_job.thread, lock.thread)->sent,
                                             1, memory_order_release);
    pgasi_net_send_direct(lock.thread, PGASI_SERVICE_LOCK, &request, sizeof request);
}

static uint32_t ask_count(uint32_t holder, uint32_t home)
{
    return is_here(holder) ? count_of(holder, home) : call(holder, COUNT, home).count;
}

/*
 * A lock that a thread of another node than the lock's has released may still look held. How many
 * releases that thread has sent to the home by now is a number that the home will have performed
 * soon. Releases of other locks may follow all the time, so the number is asked for once.
 */
bool pgasi_lock_settle(pgas_ptr_t lock)
{
    uint32_t holder = 0;
    uint32_t sent = 0;
    for (unsigned turn = 1;; turn++) {
        reply_t state = is_here(lock.thread) ? state_of(lock.thread, pgas_local(lock))
                                             : call(lock.thread, STATE, lock.offset);
        if (state.is_wanted || state.holder == 0)
            return !state.is_wanted;
        if (state.holder == holder && (int32_t)(state.count - sent) >= 0)
            return true;
        if (state.holder != holder)
            sent = ask_count(state.holder - 1, lock.thread);
        holder = state.holder;
        pgas_poll();
        pgasi_guard_pause(turn);
    }
}

/* One that the home refuses never counts, and the home says so by a message that ends the job. */
void pgasi_lock_finish(void)
{
    for (uint32_t home = 0; home < pgasi_job.threads; home++) {
        uint32_t sent = is_here(home) ? 0 : count_of(pgasi_job.thread, home);
        for (unsigned turn = 1; sent != 0 && call(home, PERFORMED, 0).count != sent; turn++) {
            pgas_poll();
            pgasi_guard_pause(turn);
        }
    }
}
