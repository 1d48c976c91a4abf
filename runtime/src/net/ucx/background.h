/**
 * What the background worker has to do.
 *
 * Only the progressing thread sends through that worker (progress_lock.h). Any other thread defers
 * what it wants to send; pgasi_ucx_background_post (progress.h) chooses between the two.
 */
#ifndef PGASI_NET_UCX_BACKGROUND_H
#define PGASI_NET_UCX_BACKGROUND_H

#include <stdbool.h>
#include <stddef.h>

/** Keeps a copy of the `size` bytes at `what` for the progressing thread, which will call `post`
 *  with it. From any thread. */
void pgasi_ucx_background_defer(void (*post)(const void *what), const void *what, size_t size);

/** Whether something is deferred. */
bool pgasi_ucx_background_has_deferred(void);

/** Posts what is deferred, in the order in which it came; returns how many. For the progressing
 *  thread, as the following. */
unsigned pgasi_ucx_background_post_deferred(void);

/** What UCX calls sent may lie in part in its own buffer, because a socket had no room for more,
 * and leaves only while the worker is progressed: from this call on it has something to do until
 * all of it has left. Between the last message that is posted and the next sleep. */
void pgasi_ucx_background_flush(void);

/** Posts what is deferred and progresses the worker once if it has anything to do; 0 if nothing has
 *  happened. */
unsigned pgasi_ucx_background_progress(void);

#endif
