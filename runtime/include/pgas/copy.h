/**
 * Blocking bulk copies.
 *
 * A copy moves `nbytes` contiguous bytes of one thread's segment, at any alignment. It is complete
 * when the call returns: the caller may use source and destination again, and written memory is
 * visible as pgas.h says. Source and destination must not overlap. A copy of 0 bytes does nothing,
 * whatever the pointers. Copies count as contiguous traffic.
 *
 * In every build, a null pointer, a thread that does not exist or a range outside the heap of
 * the owner's segment ends the job. Private memory that is not mapped crashes the caller; with
 * UCX's transport cma a large get into such memory takes its owner for lost. The debug build also
 * ends the job if the bytes are not all in one allocation of the heap, which holds for the copies
 * of other headers too, and if source and destination overlap, which holds for lists (vis.h).
 */
#ifndef PGAS_COPY_H
#define PGAS_COPY_H

#include <stdbool.h>
#include <stddef.h>

#include <pgas/detail.h>
#include <pgas/types.h>

PGAS_BEGIN_DECLS

/** Copies from shared memory to private memory. */
PGAS_API void pgas_memget(void *dst, pgas_ptr_t src, size_t nbytes);

/** Copies from private memory to shared memory. */
PGAS_API void pgas_memput(pgas_ptr_t dst, const void *src, size_t nbytes);

/** Copies from shared memory to shared memory; counts as a get from `src` and a put to `dst`. */
PGAS_API void pgas_memcpy(pgas_ptr_t dst, pgas_ptr_t src, size_t nbytes);

/** Sets every byte to `value` (converted to unsigned char). */
PGAS_API void pgas_memset(pgas_ptr_t dst, int value, size_t nbytes);

/*
 * Copies within the node are inline: what the functions do there, a few comparisons, the counters
 * and a memcpy. The functions do the rest, and find the mistakes.
 */

/** Where `nbytes` bytes are mapped here; NULL if they are not, and for 0 bytes. */
static inline char *pgasi_reach(pgas_ptr_t ptr, size_t nbytes)
{
    if (__builtin_expect(!pgasi_is_in_heap(ptr, nbytes) || pgasi_peers == PGASI_NO_PEERS, 0))
        return NULL;
    char *base = pgasi_peers[ptr.thread].base;
    return base != NULL ? base + ptr.offset : NULL;
}

/* As at a call, the compiler moves nothing across. */
#define PGASI_CALL_ORDER() __asm__ volatile("" ::: "memory")

static inline bool pgasi_has_put(pgas_ptr_t dst, const void *src, size_t nbytes)
{
    char *to = pgasi_reach(dst, nbytes);
    if (to == NULL || src == NULL)
        return false;
    pgasi_counter_add(&pgasi_peers[dst.thread].bulk_puts.operations, 1);
    PGASI_CALL_ORDER();
    pgasi_copy(to, src, nbytes);
    PGASI_CALL_ORDER();
    pgasi_counter_add(&pgasi_peers[dst.thread].bulk_puts.bytes, nbytes);
    return true;
}

static inline bool pgasi_has_got(void *dst, pgas_ptr_t src, size_t nbytes)
{
    const char *from = pgasi_reach(src, nbytes);
    if (from == NULL || dst == NULL)
        return false;
    pgasi_counter_add(&pgasi_peers[src.thread].bulk_gets.operations, 1);
    PGASI_CALL_ORDER();
    pgasi_copy(dst, from, nbytes);
    PGASI_CALL_ORDER();
    pgasi_counter_add(&pgasi_peers[src.thread].bulk_gets.bytes, nbytes);
    return true;
}

static inline void pgasi_memput(pgas_ptr_t dst, const void *src, size_t nbytes)
{
    if (!pgasi_has_put(dst, src, nbytes))
        pgas_memput(dst, src, nbytes);
}

static inline void pgasi_memget(void *dst, pgas_ptr_t src, size_t nbytes)
{
    if (!pgasi_has_got(dst, src, nbytes))
        pgas_memget(dst, src, nbytes);
}

PGAS_END_DECLS

#if !defined(PGAS_DEBUG) && !defined(PGASI_BUILDING)
#define pgas_memput(...) pgasi_memput(__VA_ARGS__)
#define pgas_memget(...) pgasi_memget(__VA_ARGS__)
#endif

#endif
