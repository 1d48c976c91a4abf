/**
 * What every kind of copy does before it moves bytes: checks its arguments, counts itself.
 */
#ifndef PGASI_COPY_TRANSFER_H
#define PGASI_COPY_TRANSFER_H

#include <pgas/detail.h>
#include <pgas/types.h>
#include <pgas/word.h>

#include "base/in_job.h"
#include "copy/access_check.h"
#include "copy/domain_check.h"

/** Ends the job with a line on `nbytes` bytes from `ptr` on, which do not lie in a segment. */
PGAS_NORETURN void pgasi_outside_segment(const char *call, pgas_ptr_t ptr, size_t nbytes)
    __attribute__((cold));

/** Ends the job unless `nbytes` (> 0) from `ptr` on lie in a segment. For memory of which not all
 * is used. */
static inline void pgasi_check_segment(const char *call, pgas_ptr_t ptr, size_t nbytes)
{
#ifdef PGAS_DEBUG
    if (pgasi_restriction != PGASI_UNRESTRICTED) /* handlers do not copy (pgas/am.h) */
        pgasi_outside_job(call);
#endif
    if (!pgasi_is_in_heap(ptr, nbytes))
        pgasi_outside_segment(call, ptr, nbytes);
}

/** The same, and in the debug build, unless they lie in one allocation. */
static inline void pgasi_check_shared(const char *call, pgas_ptr_t ptr, size_t nbytes)
{
    pgasi_check_segment(call, ptr, nbytes);
    pgasi_check_allocated(call, ptr, nbytes);
    pgasi_check_no_domain(call, ptr, nbytes);
}

/** Ends the job unless `op` can be executed on a word of `type` at `at` with that memory order. */
void pgasi_check_word(const char *call, pgas_atomic_op_t op, pgas_type_t type, pgas_ptr_t at,
                      pgas_order_t order);

/** Ends the job for a NULL pointer. */
void pgasi_check_private(const char *call, const void *ptr);

static inline void pgasi_count(pgasi_count_t *counter, size_t nbytes)
{
    pgasi_counter_add(&counter->operations, 1);
    pgasi_counter_add(&counter->bytes, nbytes);
}

static inline void pgasi_count_get(uint32_t thread, size_t nbytes)
{
    pgasi_count(&pgasi_peers[thread].bulk_gets, nbytes);
}

static inline void pgasi_count_put(uint32_t thread, size_t nbytes)
{
    pgasi_count(&pgasi_peers[thread].bulk_puts, nbytes);
}

static inline void pgasi_count_packed_get(uint32_t thread, size_t nbytes)
{
    pgasi_count(&pgasi_peers[thread].packed_gets, nbytes);
}

static inline void pgasi_count_packed_put(uint32_t thread, size_t nbytes)
{
    pgasi_count(&pgasi_peers[thread].packed_puts, nbytes);
}

#endif
