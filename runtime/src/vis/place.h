/**
 * Where one side of a strided copy begins, so that one function does for memcpy, memput and memget.
 */
#ifndef PGASI_VIS_PLACE_H
#define PGASI_VIS_PLACE_H

#include <pgas/stats.h>

#include "copy/access_check.h"
#include "copy/transfer.h"
#include "vis/move.h"

typedef struct pgasi_place {
    bool is_shared;
    /** Of shared memory. */
    pgas_ptr_t ptr;
    /** Of private memory. */
    const void *address;
} pgasi_place_t;

static inline pgasi_place_t pgasi_shared(pgas_ptr_t ptr)
{
    return (pgasi_place_t){.is_shared = true, .ptr = ptr};
}

static inline pgasi_place_t pgasi_private(const void *address)
{
    return (pgasi_place_t){.is_shared = false, .address = address};
}

/** The place as an end to move from or to. Ends the job unless the bytes from `below` bytes before
 *  it on, `nbytes` in all, lie in a segment, or the private pointer is not NULL. */
static inline pgasi_end_t pgasi_place_open(const char *call, const pgasi_place_t *place,
                                           size_t below, size_t nbytes)
{
    if (!place->is_shared) {
        pgasi_check_private(call, place->address);
        return pgasi_private_end(place->address);
    }
    pgas_ptr_t first = place->ptr;
    if (first.offset != 0 && below >= first.offset)
        pgasi_fatal(call, "the section begins %zu bytes before thread %u, offset %zu", below,
                    first.thread, (size_t)first.offset);
    first.offset -= first.offset != 0 ? below : 0;
    pgasi_check_segment(call, first, nbytes);
    pgas_ptr_t last = first;
    last.offset += nbytes - 1;
    pgasi_check_allocated(call, first, 1);
    pgasi_check_allocated(call, last, 1);
    return pgasi_shared_end(place->ptr);
}

/** Counts one packed operation with the place's thread, if it is shared. */
static inline void pgasi_place_count(const pgasi_place_t *place, pgas_direction_t direction,
                                     size_t nbytes)
{
    if (!place->is_shared)
        return;
    if (direction == PGAS_FROM)
        pgasi_count_packed_get(place->ptr.thread, nbytes);
    else
        pgasi_count_packed_put(place->ptr.thread, nbytes);
}

#endif
