#include <pgas/lock.h>

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include <pgas/detail.h>
#include <pgas/heap.h>
#include <pgas/ptr.h>
#include <pgas/sync.h>

#include "base/in_job.h"
#include "lock/lock.h"
#include "lock/lock_home.h"
#include "net/net.h"
#include "node/segment.h"
#include "sync/collective.h"
#include "sync/wait.h"

/* What a thread of another node requests of the thread in whose segment the lock lies. */
typedef enum opcode {
    ATTEMPT,
    LOCK,
    RELEASE,
    /** Checks whether the lock may be freed. */
    CHECK_FREE
} opcode_t;

typedef struct request {
    uint64_t opcode;
    uint64_t offset;
} request_t;

typedef enum reply {
    /** The operation is complete. */
    DONE,
    /** Another thread holds the lock. After LOCK the caller is in the queue and will be granted it.
     */
    BUSY,
    /** The caller made a mistake: it holds the lock already, or does not hold it, or others wait.
     */
    REFUSED,
    /** No reply came: the request was malformed. */
    NOT_SERVED
} reply_t;

/* The lock that this thread waits for, for the watchdog. */
static pgas_ptr_t awaited;

static void describe(char *text, size_t size)
{
    snprintf(text, size, "the lock at thread %u, offset %" PRIu64, awaited.thread, awaited.offset);
}

/* Raised when this thread is granted a lock of another node that it has queued for. */
static pgasi_event_t granted;

/* Raised when a thread of this node must check the lock of this node that it has queued for. It may
 * be raised late, when the thread already waits for another lock. */
static pgasi_event_t *look_of(uint32_t thread)
{
    return &pgasi_header_of(thread)->look;
}

static _Atomic uint32_t *queue_links(void)
{
    return pgasi_node_memory.control->next_in_queue;
}

/* Notifies the thread that pgasi_lock_home_release has returned: its number + 1, or 0. */
static void notify(uint32_t thread)
{
    if (thread == 0)
        return;
    if (pgasi_job.peers[thread - 1].base != NULL)
        pgasi_event_raise(look_of(thread - 1), 1);
    else
        pgasi_net_send(thread - 1, PGASI_SERVICE_LOCK, "", 1);
}

static reply_t attempt_for(pgasi_lock_home_t *lock, uint32_t thread)
{
    return pgasi_lock_home_attempt(lock, thread) ? DONE : BUSY;
}

/* For a thread of another node. */
static reply_t lock_for(pgasi_lock_home_t *lock, uint32_t thread)
{
    if (pgasi_lock_home_held_by(lock, thread))
        return REFUSED;
    return pgasi_lock_home_take(lock, queue_links(), thread, true) ? DONE : BUSY;
}

static reply_t release_for(pgasi_lock_home_t *lock, uint32_t thread)
{
    if (!pgasi_lock_home_held_by(lock, thread))
        return REFUSED;
    notify(pgasi_lock_home_release(lock, queue_links(), thread));
    return DONE;
}

static reply_t perform(opcode_t opcode, pgasi_lock_home_t *lock, uint32_t thread)
{
    switch (opcode) {
    case ATTEMPT:
        return attempt_for(lock, thread);
    case LOCK:
        return lock_for(lock, thread);
    case RELEASE:
        return release_for(lock, thread);
    case CHECK_FREE:
        return pgasi_lock_home_is_wanted(lock) ? REFUSED : DONE;
    }
    return REFUSED;
}

static bool may_be_lock(uint64_t offset)
{
    return offset >= PGASI_HEAP_BEGIN && offset % sizeof(pgasi_lock_home_t) == 0 &&
           offset <= pgasi_node_memory.stride - sizeof(pgasi_lock_home_t);
}

static size_t serve(uint32_t source, const void *bytes, size_t nbytes, void *reply)
{
    if (reply == NULL) {
        if (nbytes == 1)
            pgasi_event_raise(&granted, 1);
        return 0;
    }
    request_t request;
    if (nbytes != sizeof request)
        return 0;
    memcpy(&request, bytes, sizeof request);
    if (request.opcode > CHECK_FREE || !may_be_lock(request.offset))
        return 0;
    pgasi_lock_home_t *lock = (void *)(pgasi_job.peers[pgasi_job.thread].base + request.offset);
    reply_t result = perform((opcode_t)request.opcode, lock, source);
    memcpy(reply, &result, sizeof result);
    return sizeof result;
}

void pgasi_lock_serve(void)
{
    pgasi_net_serve(PGASI_SERVICE_LOCK, serve);
}

/* Performs the operation here, or calls the lock's home if `home` is NULL. */
static reply_t call_home(pgas_lock_t lock, pgasi_lock_home_t *home, opcode_t opcode)
{
    if (home != NULL)
        return perform(opcode, home, pgasi_job.thread);
    request_t request = {.opcode = opcode, .offset = lock.state.offset};
    reply_t reply = NOT_SERVED;
    pgasi_net_call(lock.state.thread, PGASI_SERVICE_LOCK, &request, sizeof request, &reply,
                   sizeof reply);
    if (reply == NOT_SERVED)
        pgasi_fatal("lock", "thread %u does not serve request %d", lock.state.thread, opcode);
    return reply;
}

/* The lock's memory, or NULL if it lies on another node. */
static pgasi_lock_home_t *home_of(const char *call, pgas_lock_t lock)
{
    const char *wrong = NULL;
    pgasi_require_job(call);
    if (lock.state.offset == 0)
        wrong = "the lock is null";
    else if (lock.state.thread >= pgasi_job.threads || !may_be_lock(lock.state.offset))
        wrong = "the handle is not one of a lock";
    if (wrong != NULL)
        pgasi_fatal(call, "%s", wrong);
    return pgas_local(lock.state);
}

pgas_status_t pgas_all_lock_alloc(pgas_lock_t *lock)
{
    pgas_lock_t made;
    pgasi_collective_begin(PGASI_ALL_LOCK_ALLOC, 0, NULL);
    pgas_status_t status = pgas_all_alloc(1, sizeof(pgasi_lock_home_t), &made.state);
    if (status == PGAS_OK) {
        if (pgasi_job.thread == 0)
            memset(pgas_local(made.state), 0, sizeof(pgasi_lock_home_t));
        pgas_barrier();
        *lock = made;
    }
    pgasi_collective_end();
    return status;
}

pgas_status_t pgas_global_lock_alloc(pgas_lock_t *lock)
{
    pgas_lock_t made;
    pgasi_require_job(__func__);
    pgas_status_t status = pgas_alloc(sizeof(pgasi_lock_home_t), &made.state);
    if (status != PGAS_OK)
        return status;
    memset(pgas_local(made.state), 0, sizeof(pgasi_lock_home_t));
    *lock = made;
    return PGAS_OK;
}

void pgas_lock_free(pgas_lock_t lock)
{
    pgasi_require_job(__func__);
    if (lock.state.offset == 0)
        return;
    if (call_home(lock, home_of("pgas_lock_free", lock), CHECK_FREE) == REFUSED)
        pgasi_fatal("pgas_lock_free", "threads wait for the lock");
    pgas_free(lock.state);
}

static PGAS_NORETURN void held_already(void)
{
    pgasi_fatal("pgas_lock", "this thread holds the lock already");
}

/* The event is read before the call: the lock may be granted before the reply comes. */
static void wait_remote(pgas_lock_t lock)
{
    uint32_t before = atomic_load(&granted.value);
    reply_t reply = call_home(lock, NULL, LOCK);
    if (reply == REFUSED)
        held_already();
    if (reply == BUSY)
        pgasi_event_wait(&granted, before, describe);
}

static void take(pgas_lock_t lock)
{
    pgasi_lock_home_t *home = home_of("pgas_lock", lock);
    if (home != NULL && pgasi_lock_home_attempt(home, pgasi_job.thread))
        return;
    if (home != NULL && pgasi_lock_home_held_by(home, pgasi_job.thread))
        held_already();
    awaited = lock.state;
    if (home == NULL)
        wait_remote(lock);
    else
        pgasi_lock_home_wait(home, queue_links(), pgasi_job.thread, look_of(pgasi_job.thread),
                             describe);
}

void pgas_lock(pgas_lock_t lock)
{
    pgasi_alone_begin(__func__);
    take(lock);
    pgasi_alone_end();
}

bool pgas_lock_attempt(pgas_lock_t lock)
{
    pgasi_alone_begin(__func__);
    reply_t reply = call_home(lock, home_of("pgas_lock_attempt", lock), ATTEMPT);
    pgasi_alone_end();
    if (reply == DONE)
        return true;
    pgas_fence(); /* a thread that tries in a loop serves those that would release the lock */
    return false;
}

/* Once released, the lock's memory may be reused: nothing here touches it again. */
void pgas_unlock(pgas_lock_t lock)
{
    pgasi_alone_begin(__func__);
    if (call_home(lock, home_of("pgas_unlock", lock), RELEASE) == REFUSED)
        pgasi_fatal("pgas_unlock", "this thread does not hold the lock");
    pgasi_alone_end();
}
