/**
 * A shared or a private address, so that one function does for memcpy, memput and memget.
 */
#ifndef PGASI_VIS_ADDRESS_H
#define PGASI_VIS_ADDRESS_H

#include <pgas/stats.h>

#include "copy/access_check.h"
#include "copy/transfer.h"
#include "vis/move.h"

typedef struct pgasi_address {
    bool is_shared;
    /** If it is shared. */
    pgas_ptr_t ptr;
    /** If it is private. */
    const void *pointer;
} pgasi_address_t;

static inline pgasi_address_t pgasi_shared_address(pgas_ptr_t ptr)
{
    return (pgasi_address_t){.is_shared = true, .ptr = ptr};
}

static inline pgasi_address_t pgasi_private_address(const void *pointer)
{
    return (pgasi_address_t){.is_shared = false, .pointer = pointer};
}

/** The address as an end to move from or to. Ends the job unless the `nbytes` bytes from `below`
 *  bytes before it on lie in a segment, in the debug build in one allocation of its heap, and if
 *  a private pointer is NULL. */
static inline pgasi_end_t pgasi_address_open(const char *call, const pgasi_address_t *at,
                                             size_t below, size_t nbytes)
{
    if (!at->is_shared) {
        pgasi_check_private(call, at->pointer);
        return pgasi_private_end(at->pointer);
    }
    pgas_ptr_t first = at->ptr;
    if (first.offset != 0 && below >= first.offset)
        pgasi_fatal(call, "the section begins %zu bytes before thread %u, offset %zu", below,
                    first.thread, (size_t)first.offset);
    first.offset -= first.offset != 0 ? below : 0;
    pgasi_check_segment(call, first, nbytes);
    pgasi_check_allocated(call, first, nbytes);
    return pgasi_shared_end(at->ptr);
}

/** Counts one condensed operation with the address's thread, if it is shared. */
static inline void pgasi_address_count(const pgasi_address_t *at, pgas_direction_t direction,
                                       size_t nbytes)
{
    if (!at->is_shared)
        return;
    if (direction == PGAS_FROM)
        pgasi_count_packed_get(at->ptr.thread, nbytes);
    else
        pgasi_count_packed_put(at->ptr.thread, nbytes);
}

/** memcpy, memput and memget: X(name, type of dst, its address, type of src, its address). */
#define PGASI_COPIES(X) \
    X(memcpy, pgas_ptr_t, pgasi_shared_address, pgas_ptr_t, pgasi_shared_address) \
    X(memput, pgas_ptr_t, pgasi_shared_address, const void *, pgasi_private_address) \
    X(memget, void *, pgasi_private_address, pgas_ptr_t, pgasi_shared_address)

#endif
