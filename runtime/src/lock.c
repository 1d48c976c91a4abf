#include <pgas/lock.h>

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include <pgas/detail.h>
#include <pgas/heap.h>
#include <pgas/ptr.h>
#include <pgas/sync.h>

#include "collective.h"
#include "in_job.h"
#include "lock_home.h"
#include "net.h"
#include "segment.h"
#include "serve.h"

/* What another node asks of the thread in whose segment the lock lies. */
typedef enum verb {
    ATTEMPT,
    LOCK,
    RELEASE
} verb_t;

typedef struct request {
    uint64_t verb;
    uint64_t offset;
} request_t;

typedef enum answer {
    /** The caller has the lock, or has had it. */
    DONE,
    /** Somebody else has it; a LOCK waits in the queue, and will be told. */
    BUSY,
    /** The caller has it already, or has it not: its mistake. */
    REFUSED
} answer_t;

/* Changes when a lock that this thread queues for is handed to it. */
static pgasi_event_t granted;

/* What this thread waits for, for the watchdog. */
static pgas_ptr_t awaited;

static void describe(char *text, size_t size)
{
    snprintf(text, size, "the lock at thread %u, offset %" PRIu64, awaited.thread, awaited.offset);
}

static uint32_t *queue_links(void)
{
    return pgasi_node_memory.control->next_in_queue;
}

/* Tells a thread of another node, given as number + 1, that it has the lock. */
static void tell(uint32_t thread)
{
    if (thread != 0)
        pgasi_net_send(thread - 1, PGASI_SERVICE_LOCK, "", 1);
}

static answer_t serve_lock(pgasi_lock_home_t *lock, uint32_t source)
{
    if (pgasi_lock_home_held_by(lock, source))
        return REFUSED;
    if (pgasi_lock_home_attempt(lock, source))
        return DONE;
    uint32_t thread = pgasi_lock_home_queue(lock, queue_links(), source);
    if (thread == source + 1)
        return DONE;
    tell(thread);
    return BUSY;
}

static answer_t serve_release(pgasi_lock_home_t *lock, uint32_t source)
{
    if (!pgasi_lock_home_held_by(lock, source))
        return REFUSED;
    tell(pgasi_lock_home_release(lock, queue_links()));
    return DONE;
}

static size_t serve(uint32_t source, const void *bytes, size_t nbytes, void *reply)
{
    (void)nbytes;
    if (reply == NULL) {
        pgasi_event_set(&granted, atomic_load(&granted.value) + 1);
        return 0;
    }
    request_t request;
    memcpy(&request, bytes, sizeof request);
    pgasi_lock_home_t *lock = (void *)(pgasi_job.peers[pgasi_job.thread].base + request.offset);
    answer_t answer = BUSY;
    if (request.verb == LOCK)
        answer = serve_lock(lock, source);
    else if (request.verb == RELEASE)
        answer = serve_release(lock, source);
    else if (pgasi_lock_home_attempt(lock, source))
        answer = DONE;
    memcpy(reply, &answer, sizeof answer);
    return sizeof answer;
}

void pgasi_lock_serve(void)
{
    pgasi_net_serve(PGASI_SERVICE_LOCK, serve);
}

static answer_t ask(pgas_lock_t lock, verb_t verb)
{
    request_t request = {.verb = verb, .offset = lock.state.offset};
    answer_t answer;
    pgasi_net_call(lock.state.thread, PGASI_SERVICE_LOCK, &request, sizeof request, &answer,
                   sizeof answer);
    return answer;
}

/* The lock's memory, or NULL if it lies on another node. */
static pgasi_lock_home_t *home_of(const char *call, pgas_lock_t lock)
{
    const char *wrong = NULL;
    pgasi_require_job(call);
    if (lock.state.offset == 0)
        wrong = "the lock is null";
    else if (lock.state.thread >= pgasi_job.threads ||
             lock.state.offset > pgasi_node_memory.stride - sizeof(pgasi_lock_home_t))
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
    pgas_free(lock.state);
}

static PGAS_NORETURN void held_already(void)
{
    pgasi_fatal("pgas_lock", "this thread holds the lock already");
}

/* The word is read first: the grant may come before the answer that announces it. */
static void lock_far(pgas_lock_t lock)
{
    uint32_t before = atomic_load(&granted.value);
    answer_t answer = ask(lock, LOCK);
    if (answer == REFUSED)
        held_already();
    if (answer == BUSY)
        pgasi_event_wait(&granted, before, describe);
}

void pgas_lock(pgas_lock_t lock)
{
    pgasi_lock_home_t *home = home_of("pgas_lock", lock);
    awaited = lock.state;
    if (home == NULL) {
        lock_far(lock);
        return;
    }
    if (pgasi_lock_home_held_by(home, pgasi_job.thread))
        held_already();
    pgasi_lock_home_wait(home, pgasi_job.thread, describe);
}

bool pgas_lock_attempt(pgas_lock_t lock)
{
    pgasi_lock_home_t *home = home_of("pgas_lock_attempt", lock);
    if (home == NULL)
        return ask(lock, ATTEMPT) == DONE;
    return pgasi_lock_home_attempt(home, pgasi_job.thread);
}

void pgas_unlock(pgas_lock_t lock)
{
    pgasi_lock_home_t *home = home_of("pgas_unlock", lock);
    bool held =
        home == NULL ? ask(lock, RELEASE) == DONE : pgasi_lock_home_held_by(home, pgasi_job.thread);
    if (!held)
        pgasi_fatal("pgas_unlock", "this thread does not hold the lock");
    if (home != NULL)
        tell(pgasi_lock_home_release(home, queue_links()));
}
