/**
 * The shared heap: memory that every thread can read and write.
 *
 * Each thread owns a heap of PGAS_HEAP_SIZE bytes (job.h). Memory is aligned to 64 bytes; fresh
 * memory is zero, reused memory is not, and collectives and plans use memory, too. A call that
 * fails logs one line with the bytes requested, the bytes in use and the setting; it changes
 * neither its output nor the bytes in use. Of two allocations at the same time that do not fit
 * together, both may be refused.
 *
 * The system gives memory its pages when it is first touched. Freed blocks keep theirs for later
 * ones; those of 2 MiB and more give them back beyond 64 MiB, or a sixteenth of the heap, of a
 * thread's own and as much of what is allocated collectively.
 */
#ifndef PGAS_HEAP_H
#define PGAS_HEAP_H

#include <pgas/types.h>

PGAS_BEGIN_DECLS

/**
 * Allocates `nblocks` blocks of `nbytes` each, cyclically over the threads: block b belongs to
 * thread b mod pgas_threads(), and the blocks of a thread are contiguous. Collective: same
 * arguments on every thread; every thread gets the same pointer, to block 0 with phase 0. The
 * blocks of each thread begin at that pointer's offset in its segment (pgas_ptr_on). A product of 0
 * gives the null pointer. Includes a barrier: memory that any thread has freed before the call is
 * free.
 *
 * Returns PGAS_OK, PGAS_ERR_ARGUMENT if the product overflows, or PGAS_ERR_NO_MEMORY; the same
 * status on every thread.
 */
PGAS_API pgas_status_t pgas_all_alloc(size_t nblocks, size_t nbytes, pgas_ptr_t *ptr);

/** The same layout, allocated by the calling thread alone. Not collective. It sends a request to
 *  every node, one after the other. */
PGAS_API pgas_status_t pgas_global_alloc(size_t nblocks, size_t nbytes, pgas_ptr_t *ptr);

/** Allocates `nbytes` in the calling thread's own segment. Not collective. 0 bytes gives the null
 *  pointer. */
PGAS_API pgas_status_t pgas_alloc(size_t nbytes, pgas_ptr_t *ptr);

/**
 * Frees memory that one of the calls above allocated. Not collective: any one thread calls it,
 * once, when no thread uses the memory any more. The null pointer is ignored; a pointer to
 * anything but the begin of an allocation, or that was freed before, ends the job. Memory of an
 * array or a lock is an allocation, too: this cannot tell.
 */
PGAS_API void pgas_free(pgas_ptr_t ptr);

/** Frees memory that pgas_all_alloc allocated. Collective; begins and ends with a barrier. The null
 *  pointer is ignored. */
PGAS_API void pgas_all_free(pgas_ptr_t ptr);

/** The largest allocation, of any kind, that fits into an empty heap, in bytes per thread. The same
 *  on every thread. */
PGAS_API size_t pgas_heap_size(void);

/** Bytes of the calling thread's heap in use: its own allocations and its share of collective ones,
 *  with the allocator's overhead (64 bytes per allocation, and rounding to 64). In a full heap they
 *  are pgas_heap_size + 64, since that does not include the overhead of one allocation. */
PGAS_API size_t pgas_heap_used(void);

PGAS_END_DECLS

#endif
