/**
 * Pointers into the global address space.
 *
 * A pointer has an owner thread, a phase and an offset; arithmetic takes the element size and the
 * block size as arguments, since C has no type to keep them in. None of these calls communicates.
 * Semantics follow UPC's pointers-to-shared and upc_threadof, upc_phaseof, upc_addrfield,
 * upc_resetphase, upc_affinitysize.
 */
#ifndef PGAS_PTR_H
#define PGAS_PTR_H

#include <stdbool.h>

#include <pgas/detail.h>
#include <pgas/types.h>

PGAS_BEGIN_DECLS

/** The null pointer. */
static inline pgas_ptr_t pgas_ptr_null(void)
{
    pgas_ptr_t null = {0, 0, 0};
    return null;
}

static inline bool pgas_ptr_is_null(pgas_ptr_t ptr)
{
    return ptr.offset == 0;
}

/** True if both name the same byte; the phase does not matter. */
static inline bool pgas_ptr_equal(pgas_ptr_t a, pgas_ptr_t b)
{
    return a.thread == b.thread && a.offset == b.offset;
}

/** The owner, 0-based. */
static inline int pgas_threadof(pgas_ptr_t ptr)
{
    return (int)ptr.thread;
}

/** Elements from the start of the block. */
static inline size_t pgas_phaseof(pgas_ptr_t ptr)
{
    return ptr.phase;
}

/** The local address part: bytes from the start of the owner's segment. Of two pointers with the
 *  same owner, the difference is their distance in bytes. */
static inline size_t pgas_addrfield(pgas_ptr_t ptr)
{
    return (size_t)ptr.offset;
}

/** The same place with phase 0. */
static inline pgas_ptr_t pgas_resetphase(pgas_ptr_t ptr)
{
    ptr.phase = 0;
    return ptr;
}

/** The same offset and phase in the segment of `thread` (0 to pgas_threads() - 1). What a
 * collective allocation gives begins at the same offset in every segment (heap.h), so this is the
 * same place in another thread's part of it. */
static inline pgas_ptr_t pgas_ptr_on(pgas_ptr_t ptr, int thread)
{
    ptr.thread = (uint32_t)thread;
    return ptr;
}

/** `nbytes` bytes further, or back, in the same segment; with phase 0. */
static inline pgas_ptr_t pgas_ptr_shift(pgas_ptr_t ptr, ptrdiff_t nbytes)
{
    ptr.phase = 0;
    ptr.offset += (uint64_t)nbytes;
    return ptr;
}

/**
 * A plain C pointer to the same memory where it is mapped into this process: in the segments of all
 * threads of the calling thread's node, its own among them. Else NULL, and NULL for the null
 * pointer. Through it memory is read and written by plain loads and stores, which nothing counts,
 * and passed to any C function, for as long as it is not freed; other threads see the writes as
 * they see puts (pgas.h, "Memory model"). What pgas_local gives for a thread, it gives for all of
 * its memory, and for all threads of its node: pgas_place_of (job.h) is not PGAS_REMOTE.
 */
static inline void *pgas_local(pgas_ptr_t ptr)
{
    char *base = pgasi_job.peers[ptr.thread].base;
    return base != NULL && ptr.offset != 0 ? base + ptr.offset : NULL;
}

/**
 * The way back from pgas_local: the pointer, with phase 0, to what lies at `address` in a heap of a
 * thread of the calling thread's node, its own among them. The null pointer for any other address,
 * NULL among them. A handler of a long message can so name its payload to other threads.
 */
PGAS_API pgas_ptr_t pgas_ptr_of(const void *address);

/**
 * The pointer `count` elements further (or back) in an array of blocks of `block` elements of
 * `elem_size` bytes each, distributed round-robin over the threads. `block` 0: no blocks, the
 * pointer stays with its owner; larger blocks than of 2^32 - 1 elements, which a phase cannot tell,
 * end the job. The result may be one past the end of the array.
 */
PGAS_API pgas_ptr_t pgas_ptr_add(pgas_ptr_t ptr, ptrdiff_t count, size_t elem_size, size_t block);

/**
 * Elements from `b` to `a` (a - b) under the layout described for pgas_ptr_add; both point into the
 * same array, of elements of at least one byte. With `block` 0 both have the same owner.
 */
PGAS_API ptrdiff_t pgas_ptr_diff(pgas_ptr_t a, pgas_ptr_t b, size_t elem_size, size_t block);

/**
 * Bytes of an object of `total` bytes in blocks of `nbytes` each, as distributed by
 * pgas_all_alloc, that belong to `thread` (0 to pgas_threads() - 1). `nbytes` 0: all of it belongs
 * to thread 0.
 */
PGAS_API size_t pgas_affinitysize(size_t total, size_t nbytes, int thread);

/**
 * Reads (writes) a value of C type `type` through a pointer; counted as an individual access.
 *
 * An access through the null pointer, or less than 64 KiB behind it, ends the job in every build:
 * between nodes by a check, within a node by a fault that the runtime's SIGSEGV handler turns into
 * a line; so does one to a thread of a negative number. A handler of the program's own gets the
 * fault instead. What lies before the null pointer within a node is another thread's memory. The
 * debug build also ends the job for an access outside every allocation, as after a free, and for
 * one that is not within one element of its array (array.h).
 */
#define PGAS_READ(type, ptr) PGASI_READ(type, pgasi_locate(ptr), PGASI_UNIQUE(pgasi_v))
#define PGAS_WRITE(type, ptr, value) \
    PGASI_WRITE(type, pgasi_locate(ptr), value, PGASI_UNIQUE(pgasi_v))

/** Where a value lies. */
typedef struct pgasi_location {
    /** The owner's entry, which an access needs anyway, and which stands for its number. */
    pgasi_peer_t *peer;
    uint64_t offset;
} pgasi_location_t;

static inline pgasi_location_t pgasi_locate(pgas_ptr_t ptr)
{
    pgasi_location_t at = {&pgasi_peers[ptr.thread], ptr.offset};
    return at;
}

/* A type, or a name that is declared, cannot stand in parentheses. */
/* NOLINTBEGIN(bugprone-macro-parentheses) */
#define PGASI_READ(type, location, v) \
    __extension__({ \
        type v; \
        const pgasi_location_t PGASI_JOIN(v, l) = (location); \
        type const *PGASI_JOIN(v, a) = \
            (type const *)pgasi_value_get_address(PGASI_JOIN(v, l), sizeof(type)); \
        if (__builtin_expect(PGASI_JOIN(v, a) != NULL, 1)) \
            v = *PGASI_JOIN(v, a); \
        else \
            pgasi_remote_get(PGASI_JOIN(v, l), &v, sizeof(type)); \
        v; \
    })

#define PGASI_WRITE(type, location, value, v) \
    do { \
        type const v = (value); \
        const pgasi_location_t PGASI_JOIN(v, l) = (location); \
        type *PGASI_JOIN(v, a) = (type *)pgasi_value_put_address(PGASI_JOIN(v, l), sizeof(type)); \
        if (__builtin_expect(PGASI_JOIN(v, a) != NULL, 1)) \
            *PGASI_JOIN(v, a) = v; \
        else \
            pgasi_remote_put(PGASI_JOIN(v, l), &v, sizeof(type)); \
    } while (0)
/* NOLINTEND(bugprone-macro-parentheses) */

/** Value accesses to memory that is not mapped here; the slow half of the value macros. */
PGAS_API void pgasi_remote_get(pgasi_location_t src, void *value, size_t nbytes)
    __attribute__((cold));
PGAS_API void pgasi_remote_put(pgasi_location_t dst, const void *value, size_t nbytes)
    __attribute__((cold));

/** The debug build's check of a value access: ends the job unless it lies in an allocation, and
 *  within one element of an array. */
PGAS_API void pgasi_check_value(pgasi_location_t at, size_t nbytes);

/** Counts an individual access and returns the plain address, NULL where it is not mapped. */
static inline const void *pgasi_value_get_address(pgasi_location_t at, size_t nbytes)
{
#ifdef PGAS_DEBUG
    pgasi_check_value(at, nbytes);
#endif
    pgasi_count_value_get(at.peer, nbytes);
    return at.peer->base != NULL ? at.peer->base + at.offset : NULL;
}

static inline void *pgasi_value_put_address(pgasi_location_t at, size_t nbytes)
{
#ifdef PGAS_DEBUG
    pgasi_check_value(at, nbytes);
#endif
    pgasi_count_value_put(at.peer, nbytes);
    return at.peer->base != NULL ? at.peer->base + at.offset : NULL;
}

PGAS_END_DECLS

#endif
