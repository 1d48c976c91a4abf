/**
 * The shared heap: memory that every thread can read and write.
 *
 * Each thread owns a heap of PGAS_HEAP_SIZE bytes (job.h). Memory is aligned to 64 bytes, fresh
 * memory is zero, reused memory is not. A call that fails logs one line with what was asked, what
 * is used and the setting, leaves its output untouched, and nothing counted. Of two allocations at
 * once that do not fit together, both may be refused.
 */
#ifndef PGAS_HEAP_H
#define PGAS_HEAP_H

#include <pgas/types.h>

PGAS_BEGIN_DECLS

/**
 * Allocates `nblocks` blocks of `nbytes` each, dealt out to the threads in turn: block b belongs to
 * thread b mod pgas_threads(), and a thread's blocks lie one behind the other. Collective: same
 * arguments on every thread; every thread gets the same pointer, which points to block 0 with phase
 * 0. Nothing to allocate (a product of 0) gives the null pointer. Includes a barrier: what any
 * thread has freed before the call is free.
 *
 * Returns PGAS_OK, PGAS_ERR_ARGUMENT if the product overflows, or PGAS_ERR_NO_MEMORY; the same
 * status on every thread.
 */
PGAS_API pgas_status_t pgas_all_alloc(size_t nblocks, size_t nbytes, pgas_ptr_t *ptr);

/** The same layout, allocated by the calling thread alone. Not collective. Asks every node, one
 *  after the other. */
PGAS_API pgas_status_t pgas_global_alloc(size_t nblocks, size_t nbytes, pgas_ptr_t *ptr);

/** Allocates `nbytes` in the calling thread's own segment. Not collective. 0 bytes gives the null
 *  pointer. */
PGAS_API pgas_status_t pgas_alloc(size_t nbytes, pgas_ptr_t *ptr);

/**
 * Frees what one of the calls above gave. Not collective: any one thread calls it, once, when
 * nobody uses the memory any more. The null pointer is ignored; a pointer that did not come from
 * these calls, or was freed before, ends the job.
 */
PGAS_API void pgas_free(pgas_ptr_t ptr);

/** Frees what pgas_all_alloc gave. Collective: waits by a barrier until every thread is done. */
PGAS_API void pgas_all_free(pgas_ptr_t ptr);

/** Bytes that one allocation, of any kind, can have of each thread's heap while nothing else is in
 *  it. The same on every thread. */
PGAS_API size_t pgas_heap_size(void);

/** Bytes of the calling thread's heap in use: its own and its share of collective allocations,
 *  with the allocator's overhead (64 bytes per allocation and rounding to 64). A full heap has 64
 *  more than pgas_heap_size, since the overhead of one allocation is not taken from that. */
PGAS_API size_t pgas_heap_used(void);

PGAS_END_DECLS

#endif
