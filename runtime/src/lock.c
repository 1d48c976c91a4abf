#include <pgas/lock.h>

#include <string.h>

#include <pgas/detail.h>
#include <pgas/heap.h>
#include <pgas/ptr.h>
#include <pgas/sync.h>

#include "wait.h"

static pgasi_mutex_t *mutex_of(const char *call, pgas_lock_t lock)
{
    pgasi_mutex_t *mutex = pgas_local(lock.state);
    if (mutex == NULL)
        pgasi_fatal(call, "%s",
                    pgas_ptr_is_null(lock.state) ? "the lock is null"
                                                 : "the lock is on another node");
    return mutex;
}

pgas_status_t pgas_all_lock_alloc(pgas_lock_t *lock)
{
    pgas_lock_t made;
    pgas_status_t status = pgas_all_alloc(1, sizeof(pgasi_mutex_t), &made.state);
    if (status != PGAS_OK)
        return status;
    if (pgasi_job.thread == 0)
        memset(pgas_local(made.state), 0, sizeof(pgasi_mutex_t));
    pgas_barrier();
    *lock = made;
    return PGAS_OK;
}

pgas_status_t pgas_global_lock_alloc(pgas_lock_t *lock)
{
    pgas_lock_t made;
    pgas_status_t status = pgas_alloc(sizeof(pgasi_mutex_t), &made.state);
    if (status != PGAS_OK)
        return status;
    memset(pgas_local(made.state), 0, sizeof(pgasi_mutex_t));
    *lock = made;
    return PGAS_OK;
}

void pgas_lock_free(pgas_lock_t lock)
{
    pgas_free(lock.state);
}

void pgas_lock(pgas_lock_t lock)
{
    pgasi_mutex_t *mutex = mutex_of("pgas_lock", lock);
    if (pgasi_mutex_held_by(mutex, pgasi_job.thread))
        pgasi_fatal("pgas_lock", "this thread holds the lock already");
    pgasi_mutex_lock(mutex, pgasi_job.thread);
}

bool pgas_lock_attempt(pgas_lock_t lock)
{
    return pgasi_mutex_attempt(mutex_of("pgas_lock_attempt", lock), pgasi_job.thread) != 0;
}

void pgas_unlock(pgas_lock_t lock)
{
    pgasi_mutex_t *mutex = mutex_of("pgas_unlock", lock);
    if (!pgasi_mutex_held_by(mutex, pgasi_job.thread))
        pgasi_fatal("pgas_unlock", "this thread does not hold the lock");
    pgasi_mutex_unlock(mutex);
}
