/**
 * UPC's names for Fathom's calls, for porting UPC programs.
 *
 * Not part of pgas.h: include it in addition. Every name here is a macro or an inline function
 * around a call of the header named with it. That header's contract holds; the comments here say
 * what differs from UPC. docs/from-upc.md describes the whole port, including what is not a call:
 * declarations, pointer arithmetic, accesses.
 *
 * What differs throughout:
 *
 *   shared T *p   is a pgas_ptr_t, by value: it knows neither T nor the block size. `&A[i]` is
 *                 pgas_array_at(&A, i); p + n is pgas_ptr_add(p, n, sizeof(T), block).
 *   NULL          is pgas_ptr_null(); `if (p)` is `if (!pgas_ptr_is_null(p))`; a == b is
 *                 pgas_ptr_equal(a, b).
 *   main          begins with pgas_init and ends with pgas_finalize.
 *   misuse        that UPC leaves undefined ends the job with a line that says why.
 *
 * The names from section 2 on are those of "Proposal for Extending the UPC Memory Copy Library
 * Functions", where a prototype implementation says bupc_.
 */
#ifndef PGAS_UPC_NAMES_H
#define PGAS_UPC_NAMES_H

#include <stdbool.h>
#include <stddef.h>

#include <pgas/array.h>
#include <pgas/async.h>
#include <pgas/copy.h>
#include <pgas/heap.h>
#include <pgas/job.h>
#include <pgas/lock.h>
#include <pgas/ptr.h>
#include <pgas/sync.h>
#include <pgas/tick.h>
#include <pgas/types.h>
#include <pgas/vis.h>

PGAS_BEGIN_DECLS

/* 1. The language and its library. */

/** The calling thread's number and the number of threads (job.h). Valid after pgas_init, of type
 *  int, and never constants: no array has THREADS in its declaration. */
#define MYTHREAD pgas_mythread()
#define THREADS pgas_threads()

/** The largest block of an array, in elements (array.h). */
#define UPC_MAX_BLOCK_SIZE 4294967295U

/**
 * upc_forall (int i = 0; i < n; i++, affinity) body
 *
 * A comma precedes the affinity, where UPC has its third semicolon; other commas in the head need
 * parentheses. The affinity is an integer or a pgas_ptr_t. Where UPC has `continue` or no affinity,
 * write a plain `for`. Every thread evaluates the head and the affinity of every iteration;
 * PGAS_FORALL (array.h) is the same, and declares its own counter.
 */
/* NOLINTBEGIN(bugprone-macro-parentheses) */
#define upc_forall(head, affinity) \
    for (head) \
        if (!PGASI_IS_MINE(affinity)) { \
        } else
/* NOLINTEND(bugprone-macro-parentheses) */

/** Statements without parentheses, as in UPC (sync.h). */
#define upc_barrier pgas_barrier()
#define upc_notify pgas_notify(PGAS_ANONYMOUS)
#define upc_wait pgas_wait(PGAS_ANONYMOUS)
#define upc_fence pgas_fence()

/** With an expression of type int: upc_barrier_id(3) for `upc_barrier 3`. Ids that differ end the
 *  job; PGAS_ANONYMOUS (INT_MIN) matches all. */
static inline void upc_barrier_id(int id)
{
    pgas_notify(id);
    pgas_wait(id);
}

#define upc_notify_id pgas_notify
#define upc_wait_id pgas_wait

/** Ends the job (job.h). `status` is 0 to 255, and the launcher ends with it. Other threads'
 *  buffers are not written out. */
PGAS_NORETURN static inline void upc_global_exit(int status)
{
    pgas_exit(status);
}

/** As in UPC, these return null for 0 bytes and on failure, which is also logged (heap.h). The
 *  status of the pgas_ calls tells the two apart. */
static inline pgas_ptr_t upc_all_alloc(size_t nblocks, size_t nbytes)
{
    pgas_ptr_t ptr = pgas_ptr_null();
    (void)pgas_all_alloc(nblocks, nbytes, &ptr);
    return ptr;
}

static inline pgas_ptr_t upc_global_alloc(size_t nblocks, size_t nbytes)
{
    pgas_ptr_t ptr = pgas_ptr_null();
    (void)pgas_global_alloc(nblocks, nbytes, &ptr);
    return ptr;
}

static inline pgas_ptr_t upc_alloc(size_t nbytes)
{
    pgas_ptr_t ptr = pgas_ptr_null();
    (void)pgas_alloc(nbytes, &ptr);
    return ptr;
}

/** upc_free is called by one thread, upc_all_free by all (with a barrier, and only for memory from
 *  upc_all_alloc). A second upc_free of the same memory ends the job. */
#define upc_free pgas_free
#define upc_all_free pgas_all_free

/** Parts of a pointer (ptr.h). The address field counts bytes from the start of the owner's
 *  segment; it is the same on every thread. */
static inline size_t upc_threadof(pgas_ptr_t ptr)
{
    return (size_t)pgas_threadof(ptr);
}

#define upc_phaseof pgas_phaseof
#define upc_addrfield pgas_addrfield
#define upc_resetphase pgas_resetphase

/** Bytes of an object that belong to `thread` (ptr.h). */
static inline size_t upc_affinitysize(size_t totalsize, size_t nbytes, size_t thread)
{
    return pgas_affinitysize(totalsize, nbytes, (int)thread);
}

/** A plain pointer to own or local memory; NULL for remote memory (ptr.h). */
#define upc_cast pgas_local

/** What upc_cast can do for a thread's memory, by the call that it comes from. What UPC declares,
 *  UPC_CASTABLE_STATIC, is memory from an allocation here. */
#define UPC_CASTABLE_ALL_ALLOC 1
#define UPC_CASTABLE_GLOBAL_ALLOC 2
#define UPC_CASTABLE_ALLOC 4
#define UPC_CASTABLE_STATIC 8
#define UPC_CASTABLE_ALL \
    (UPC_CASTABLE_ALL_ALLOC | UPC_CASTABLE_GLOBAL_ALLOC | UPC_CASTABLE_ALLOC | UPC_CASTABLE_STATIC)

typedef struct upc_castability {
    int guaranteedCastable;
    int probablyCastable;
} upc_thread_info_t;

/** Both members are UPC_CASTABLE_ALL for threads of the calling one's node, and 0 for others; so
 *  also where there is no such thread. */
static inline upc_thread_info_t upc_thread_info(size_t thread)
{
    bool is_here = thread < (size_t)THREADS && pgas_place_of((int)thread) != PGAS_REMOTE;
    int castable = is_here ? UPC_CASTABLE_ALL : 0;
    upc_thread_info_t info = {castable, castable};
    return info;
}

/** Time (tick.h). */
typedef pgas_tick_t upc_tick_t;
#define UPC_TICK_MIN PGAS_TICK_MIN
#define UPC_TICK_MAX PGAS_TICK_MAX
#define upc_ticks_now pgas_ticks_now
#define upc_ticks_to_ns pgas_ticks_to_ns

/** A lock by value: `upc_lock_t lock` where UPC says `upc_lock_t *lock` (lock.h). A failed
 *  allocation is logged, and gives a lock for which pgas_ptr_is_null(lock.state) is true. */
typedef pgas_lock_t upc_lock_t;

/** Makes one lock for all threads. Collective. */
static inline upc_lock_t upc_all_lock_alloc(void)
{
    upc_lock_t lock = {pgas_ptr_null()};
    (void)pgas_all_lock_alloc(&lock);
    return lock;
}

/** Makes a lock. Not collective. */
static inline upc_lock_t upc_global_lock_alloc(void)
{
    upc_lock_t lock = {pgas_ptr_null()};
    (void)pgas_global_lock_alloc(&lock);
    return lock;
}

/** Frees a lock, held or not; does nothing for one that was never made. No thread may be waiting
 *  for it. Not collective. */
static inline void upc_lock_free(upc_lock_t lock)
{
    if (!pgas_ptr_is_null(lock.state))
        pgas_lock_free(lock);
}

/** Frees a lock when every thread has called it. Collective. */
static inline void upc_all_lock_free(upc_lock_t lock)
{
    pgas_barrier();
    if (pgas_mythread() == 0)
        upc_lock_free(lock);
}

/** upc_lock acquires the lock, upc_lock_attempt acquires it if it is free (non-zero: acquired),
 *  upc_unlock releases it. */
#define upc_lock pgas_lock
#define upc_unlock pgas_unlock

static inline int upc_lock_attempt(upc_lock_t lock)
{
    return pgas_lock_attempt(lock);
}

/** Blocking copies (copy.h). As in UPC, ranges must not overlap, and each lies within one thread's
 *  memory. */
#define upc_memcpy pgas_memcpy
#define upc_memget pgas_memget
#define upc_memput pgas_memput
#define upc_memset pgas_memset

/* 2. Copies with explicit handles (async.h). */

/** A struct: compare by pgas_handle_is_complete, not by `==`. */
typedef pgas_handle_t upc_handle_t;
#define UPC_COMPLETE_HANDLE PGAS_HANDLE_COMPLETE

/** The number of copies in flight that every thread can always have. More are possible while memory
 *  lasts. */
#define UPC_MAX_ASYNC_INFLIGHT 65535

#define upc_memcpy_async pgas_memcpy_async
#define upc_memget_async pgas_memget_async
#define upc_memput_async pgas_memput_async
#define upc_memset_async pgas_memset_async

#define upc_waitsync pgas_waitsync
#define upc_waitsync_all pgas_waitsync_all
#define upc_waitsync_some pgas_waitsync_some

/** Non-zero: complete. */
static inline int upc_trysync(upc_handle_t handle)
{
    return pgas_trysync(handle);
}

static inline int upc_trysync_all(upc_handle_t *handles, size_t count)
{
    return pgas_trysync_all(handles, count);
}

static inline int upc_trysync_some(upc_handle_t *handles, size_t count)
{
    return pgas_trysync_some(handles, count);
}

/* 3. Copies with the implicit handle (async.h). */

#define upc_memcpy_asynci pgas_memcpy_asynci
#define upc_memget_asynci pgas_memget_asynci
#define upc_memput_asynci pgas_memput_asynci
#define upc_memset_asynci pgas_memset_asynci

#define upc_waitsynci pgas_waitsynci

/** Non-zero: all complete. */
static inline int upc_trysynci(void)
{
    return pgas_trysynci();
}

/* 4. Access regions (async.h). */

#define upc_begin_accessregion pgas_begin_accessregion
#define upc_end_accessregion pgas_end_accessregion

/* 5. Lists of regions (vis.h). The implicit forms here and in section 6 are an addition to the
 * proposal. */

typedef pgas_pmemvec_t upc_pmemvec_t;
typedef pgas_smemvec_t upc_smemvec_t;

#define upc_memcpy_vlist pgas_memcpy_vlist
#define upc_memput_vlist pgas_memput_vlist
#define upc_memget_vlist pgas_memget_vlist
#define upc_memcpy_vlist_async pgas_memcpy_vlist_async
#define upc_memput_vlist_async pgas_memput_vlist_async
#define upc_memget_vlist_async pgas_memget_vlist_async
#define upc_memcpy_vlist_asynci pgas_memcpy_vlist_asynci
#define upc_memput_vlist_asynci pgas_memput_vlist_asynci
#define upc_memget_vlist_asynci pgas_memget_vlist_asynci

/** Lists of addresses: `pgas_ptr_t list[]` for `shared void *list[]`. */
#define upc_memcpy_ilist pgas_memcpy_ilist
#define upc_memput_ilist pgas_memput_ilist
#define upc_memget_ilist pgas_memget_ilist
#define upc_memcpy_ilist_async pgas_memcpy_ilist_async
#define upc_memput_ilist_async pgas_memput_ilist_async
#define upc_memget_ilist_async pgas_memget_ilist_async
#define upc_memcpy_ilist_asynci pgas_memcpy_ilist_asynci
#define upc_memput_ilist_asynci pgas_memput_ilist_asynci
#define upc_memget_ilist_asynci pgas_memget_ilist_asynci

/* 6. Strided copies (vis.h), destination first. */

#define upc_memcpy_fstrided pgas_memcpy_fstrided
#define upc_memput_fstrided pgas_memput_fstrided
#define upc_memget_fstrided pgas_memget_fstrided
#define upc_memcpy_fstrided_async pgas_memcpy_fstrided_async
#define upc_memput_fstrided_async pgas_memput_fstrided_async
#define upc_memget_fstrided_async pgas_memget_fstrided_async
#define upc_memcpy_fstrided_asynci pgas_memcpy_fstrided_asynci
#define upc_memput_fstrided_asynci pgas_memput_fstrided_asynci
#define upc_memget_fstrided_asynci pgas_memget_fstrided_asynci

#define upc_memcpy_strided pgas_memcpy_strided
#define upc_memput_strided pgas_memput_strided
#define upc_memget_strided pgas_memget_strided
#define upc_memcpy_strided_async pgas_memcpy_strided_async
#define upc_memput_strided_async pgas_memput_strided_async
#define upc_memget_strided_async pgas_memget_strided_async
#define upc_memcpy_strided_asynci pgas_memcpy_strided_asynci
#define upc_memput_strided_asynci pgas_memput_strided_asynci
#define upc_memget_strided_asynci pgas_memget_strided_asynci

/* 7. The copies of sections 2 and 3 by the names of UPC 1.3, upc_nb.h. */

#define upc_memcpy_nb pgas_memcpy_async
#define upc_memget_nb pgas_memget_async
#define upc_memput_nb pgas_memput_async
#define upc_memset_nb pgas_memset_async
#define upc_sync pgas_waitsync
#define upc_sync_attempt upc_trysync

#define upc_memcpy_nbi pgas_memcpy_asynci
#define upc_memget_nbi pgas_memget_asynci
#define upc_memput_nbi pgas_memput_asynci
#define upc_memset_nbi pgas_memset_asynci
#define upc_synci pgas_waitsynci
#define upc_synci_attempt upc_trysynci

PGAS_END_DECLS

#endif
