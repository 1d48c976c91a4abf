/**
 * The debug build's check that an access lies in an allocation of the heap, and within an element
 * of its array.
 *
 * The blocks that the heap has reported are remembered until the calling thread frees memory, or
 * synchronises with others by a fence, a barrier or a collective call (pgasi_sync_epoch). Behind
 * locks, signals, messages and handlers another thread may have freed one, so an access that would
 * be wrong by a remembered block is judged by what the heap says now; one that it makes right
 * passes. Other builds check nothing.
 */
#ifndef PGASI_COPY_ACCESS_CHECK_H
#define PGASI_COPY_ACCESS_CHECK_H

#include <stddef.h>

#include <pgas/array.h>
#include <pgas/types.h>

#ifdef PGAS_DEBUG

enum {
    PGASI_CHECKS_ALLOCATIONS = 1
};

/** Ends the job, in the name of `call`, unless `nbytes` (> 0) from `ptr` on, which are in a
 * segment, lie in one allocation. */
void pgasi_check_allocated(const char *call, pgas_ptr_t ptr, size_t nbytes);

/** Ends the job, in the name of `call`, if `nbytes` (> 0) from `a` on and from `b` on overlap, of
 * shared memory; or from `shared` on and from an address on. */
void pgasi_check_overlap(const char *call, pgas_ptr_t a, pgas_ptr_t b, size_t nbytes);
void pgasi_check_private_overlap(const char *call, pgas_ptr_t shared, const void *address,
                                 size_t nbytes);

/** Ends the job, in the name of `call`, if the access to a value reaches across the elements of its
 *  array. */
void pgasi_check_element(const char *call, pgas_ptr_t ptr, size_t nbytes);

/** An array has been created; the array at `offset` will be freed. */
void pgasi_access_check_array(const pgas_array_t *array);
void pgasi_access_check_no_array(uint64_t offset);

#else

enum {
    PGASI_CHECKS_ALLOCATIONS = 0
};

static inline void pgasi_check_allocated(const char *call, pgas_ptr_t ptr, size_t nbytes)
{
    (void)call;
    (void)ptr;
    (void)nbytes;
}

static inline void pgasi_check_overlap(const char *call, pgas_ptr_t a, pgas_ptr_t b, size_t nbytes)
{
    (void)call;
    (void)a;
    (void)b;
    (void)nbytes;
}

static inline void pgasi_check_private_overlap(const char *call, pgas_ptr_t shared,
                                               const void *address, size_t nbytes)
{
    (void)call;
    (void)shared;
    (void)address;
    (void)nbytes;
}

static inline void pgasi_check_element(const char *call, pgas_ptr_t ptr, size_t nbytes)
{
    (void)call;
    (void)ptr;
    (void)nbytes;
}

static inline void pgasi_access_check_array(const pgas_array_t *array)
{
    (void)array;
}

static inline void pgasi_access_check_no_array(uint64_t offset)
{
    (void)offset;
}

#endif

#endif
