/**
 * What every kind of copy does before it moves bytes: checks its arguments, counts itself.
 */
#ifndef PGASI_COPY_TRANSFER_H
#define PGASI_COPY_TRANSFER_H

#include <pgas/detail.h>
#include <pgas/types.h>

/** Ends the job unless `nbytes` (> 0) from `ptr` on lie in a segment; in the debug build, in one
 *  allocation. */
void pgasi_check_shared(const char *call, pgas_ptr_t ptr, size_t nbytes);

/** Ends the job unless they lie in a segment, in every build: for memory of which not all is used.
 */
void pgasi_check_segment(const char *call, pgas_ptr_t ptr, size_t nbytes);

/** Ends the job for a NULL pointer. */
void pgasi_check_private(const char *call, const void *ptr);

/** Reads a byte of every page of private memory that a message is going to be sent from, `nbytes`
 *  (> 0) of it. What is not mapped is a crash here then, of the thread and in the call that are at
 *  fault; the network would find it later, and take the connection for lost. */
void pgasi_touch_source(const void *src, size_t nbytes);

/** Copies where at least one side is on another node; complete when it returns. */
void pgasi_copy_far(pgas_ptr_t dst, pgas_ptr_t src, size_t nbytes);

static inline void pgasi_count(pgasi_count_t *counter, size_t nbytes)
{
    counter->operations++;
    counter->bytes += nbytes;
}

static inline void pgasi_count_get(uint32_t thread, size_t nbytes)
{
    pgasi_count(&pgasi_job.peers[thread].bulk_gets, nbytes);
}

static inline void pgasi_count_put(uint32_t thread, size_t nbytes)
{
    pgasi_count(&pgasi_job.peers[thread].bulk_puts, nbytes);
}

static inline void pgasi_count_packed_get(uint32_t thread, size_t nbytes)
{
    pgasi_count(&pgasi_job.peers[thread].packed_gets, nbytes);
}

static inline void pgasi_count_packed_put(uint32_t thread, size_t nbytes)
{
    pgasi_count(&pgasi_job.peers[thread].packed_puts, nbytes);
}

#endif
