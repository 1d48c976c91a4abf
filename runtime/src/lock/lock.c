#include <pgas/lock.h>

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include <pgas/detail.h>
#include <pgas/heap.h>
#include <pgas/ptr.h>
#include <pgas/sync.h>

#include "base/in_job.h"
#include "copy/access_check.h"
#include "lock/lock_home.h"
#include "lock/lock_remote.h"
#include "node/segment.h"
#include "sync/collective.h"
#include "sync/wait.h"

/* The lock that this thread waits for, for the watchdog. */
static pgas_ptr_t awaited;

static void describe(char *text, size_t size)
{
    snprintf(text, size, "the lock at thread %u, offset %" PRIu64, awaited.thread, awaited.offset);
}

/* Raised when a thread of this node must check the lock of this node that it has queued for. It may
 * be raised late, when the thread already waits for another lock. */
static pgasi_event_t *look_of(uint32_t thread)
{
    return &pgasi_header_of(thread)->look;
}

/* The lock's memory, or NULL if it lies on another node. */
static pgasi_lock_home_t *home_of(const char *call, pgas_lock_t lock)
{
    const char *wrong = NULL;
    if (lock.state.offset == 0)
        wrong = "the lock is null";
    else if (lock.state.thread >= pgasi_job.threads || !pgasi_lock_may_be_at(lock.state.offset))
        wrong = "the handle is not one of a lock";
    if (wrong != NULL)
        pgasi_fatal(call, "%s", wrong);
    pgasi_check_allocated(call, lock.state, sizeof(pgasi_lock_home_t));
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
    home_of("pgas_lock_free", lock);
    if (!pgasi_lock_settle(lock.state))
        pgasi_fatal("pgas_lock_free", "threads wait for the lock");
    pgas_free(lock.state);
}

static PGAS_NORETURN void held_already(void)
{
    pgasi_fatal("pgas_lock", "this thread holds the lock already");
}

static void take(pgas_lock_t lock)
{
    pgasi_lock_home_t *home = home_of("pgas_lock", lock);
    if (home != NULL && pgasi_lock_home_attempt(home, pgasi_job.thread))
        return;
    if (home != NULL && pgasi_lock_home_held_by(home, pgasi_job.thread))
        held_already();
    awaited = lock.state;
    if (home == NULL && !pgasi_lock_remote_take(lock.state, describe))
        held_already();
    if (home != NULL)
        pgasi_lock_home_wait(home, pgasi_lock_queue_links(), pgasi_job.thread,
                             look_of(pgasi_job.thread), describe);
}

void pgas_lock(pgas_lock_t lock)
{
    pgasi_require_job(__func__);
    pgasi_alone_begin(__func__);
    take(lock);
    pgasi_alone_end();
}

bool pgas_lock_attempt(pgas_lock_t lock)
{
    pgasi_require_job(__func__);
    pgasi_alone_begin(__func__);
    pgasi_lock_home_t *home = home_of("pgas_lock_attempt", lock);
    bool taken = home != NULL ? pgasi_lock_home_attempt(home, pgasi_job.thread)
                              : pgasi_lock_remote_attempt(lock.state);
    pgasi_alone_end();
    if (!taken)
        pgas_fence(); /* a thread that tries in a loop serves those that would release the lock */
    return taken;
}

/* Once released, the lock's memory may be reused: nothing here touches it again. */
static void release(pgasi_lock_home_t *home)
{
    if (!pgasi_lock_home_held_by(home, pgasi_job.thread))
        pgasi_fatal("pgas_unlock", "this thread does not hold the lock");
    pgasi_lock_notify(pgasi_lock_home_release(home, pgasi_lock_queue_links(), pgasi_job.thread));
}

void pgas_unlock(pgas_lock_t lock)
{
    pgasi_require_job(__func__);
    pgasi_alone_begin(__func__);
    pgasi_lock_home_t *home = home_of("pgas_unlock", lock);
    if (home != NULL)
        release(home);
    else
        pgasi_lock_remote_release(lock.state);
    pgasi_alone_end();
}
