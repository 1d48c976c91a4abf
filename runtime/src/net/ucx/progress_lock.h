/**
 * Which thread progresses the target and the background worker: the one that holds this lock.
 *
 * Two at once would be slow even if UCX allowed it: the two threads would wake each other for every
 * message (docs/decisions.md, 20). The holder is called the progressing thread.
 */
#ifndef PGASI_NET_UCX_PROGRESS_LOCK_H
#define PGASI_NET_UCX_PROGRESS_LOCK_H

#include <stdbool.h>
#include <stdint.h>

typedef enum pgasi_ucx_progress_holder {
    PGASI_UCX_HELD_BY_NOBODY,
    PGASI_UCX_HELD_BY_MAIN_THREAD,
    PGASI_UCX_HELD_BY_PROGRESS_THREAD
} pgasi_ucx_progress_holder_t;

/** Takes the lock for the calling thread, which is `who`; false if another one holds it. */
bool pgasi_ucx_progress_trylock(pgasi_ucx_progress_holder_t who);

/** Takes the lock for the main thread, for which the progress thread gives way; false: not until
 *  then (pgasi_milliseconds), since the progress thread ends the job, or stands still. */
bool pgasi_ucx_progress_lock_until(uint64_t limit);

/** Gives the lock back; sequentially consistent: what another thread has deferred before it found
 *  the lock held is visible to the caller afterwards. */
void pgasi_ucx_progress_unlock(void);

/** The same where no other thread defers: without the fence, for which a message that has just been
 *  written to another core would have to arrive first. */
void pgasi_ucx_progress_leave(void);

/** Whether the calling OS thread holds the lock. */
bool pgasi_ucx_progress_is_mine(void);

/** Who holds it. */
pgasi_ucx_progress_holder_t pgasi_ucx_progress_holder(void);

/** Whether the main thread waits in pgasi_ucx_progress_lock_until. */
bool pgasi_ucx_progress_is_wanted(void);

#endif
