/**
 * Copies that are started now and completed later.
 *
 * A copy is in flight from its start until it is synchronised, by its handle (`_async`) or together
 * with others (`_asynci`). Meanwhile its destination is undefined and its source must not change.
 * Copies in flight complete in any order; neither barriers nor fences complete them. What has been
 * synchronised is visible as pgas.h says. Counted and checked as the blocking copies of copy.h. A
 * copy within a node is complete when its start returns.
 *
 * Any number may be in flight (at least 65,535). Memory for messages is limited to some megabytes,
 * whatever the number and the sizes, and at the owner of what is got in large pieces to some 40 MiB
 * for each thread that gets: a start returns quickly, but waits for the progress of earlier
 * copies while that much is in flight. A copy to a thread of another node is sent at once if the
 * caller has none in flight to it; small ones that follow are aggregated. The very first small one
 * to a thread leaves when the two are connected, which needs the caller's next calls. Large ones
 * (above 96 KiB) progress while the calling thread computes, unless PGAS_PROGRESS=poll.
 *
 * The debug build ends the job for a handle that no call has returned to the calling thread, or
 * that is synchronised twice. At pgas_finalize it reports, by file and line, the calls whose
 * handles were never synchronised, for all copies and for values (value.h). It sees the handles of
 * copies that were in flight, not the complete handle. Of copies without a handle it reports all
 * that have not been synchronised, wherever the memory lies, and an access region without an end.
 *
 * After "Proposal for Extending the UPC Memory Copy Library Functions", sections 2 to 4.
 */
#ifndef PGAS_ASYNC_H
#define PGAS_ASYNC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <pgas/copy.h>
#include <pgas/types.h>

PGAS_BEGIN_DECLS

/** A copy in flight. Belongs to the thread that started it. All bits zero: the complete handle,
 * which any start may return and every synchronisation accepts. */
typedef struct pgas_handle {
    uint64_t bits;
} pgas_handle_t;

#ifdef __cplusplus
#define PGAS_HANDLE_COMPLETE (pgas_handle_t())
#else
#define PGAS_HANDLE_COMPLETE ((pgas_handle_t){0})
#endif

/** True for the complete handle. Makes no progress: a copy in flight that has finished is not known
 *  to be complete until it is synchronised. */
static inline bool pgas_handle_is_complete(pgas_handle_t handle)
{
    return handle.bits == 0;
}

/** Copies from shared memory to shared memory. Where both sides are on other nodes, the source's
 *  thread sends to the destination's. */
PGAS_API pgas_handle_t pgas_memcpy_async(pgas_ptr_t dst, pgas_ptr_t src, size_t nbytes);

/** Copies from shared memory to private memory. */
PGAS_API pgas_handle_t pgas_memget_async(void *dst, pgas_ptr_t src, size_t nbytes);

/** Copies from private memory to shared memory. */
PGAS_API pgas_handle_t pgas_memput_async(pgas_ptr_t dst, const void *src, size_t nbytes);

/** Sets every byte to `value` (converted to unsigned char). */
PGAS_API pgas_handle_t pgas_memset_async(pgas_ptr_t dst, int value, size_t nbytes);

/** Waits until the copy is complete. The handle is invalid then and must not be synchronised again;
 *  the complete handle may. */
PGAS_API void pgas_waitsync(pgas_handle_t handle);

/** True if the copy is complete: the handle is invalid then. False: still in flight. */
PGAS_API bool pgas_trysync(pgas_handle_t handle);

/**
 * The same for `count` handles. Handles of copies that are complete are overwritten with the
 * complete handle, also when a try returns false; complete handles are ignored. _all: waits, or
 * tries, for all. _some: for at least one that was not complete at the call. With no such handle, a
 * wait returns at once and a try returns true.
 */
PGAS_API void pgas_waitsync_all(pgas_handle_t *handles, size_t count);
PGAS_API bool pgas_trysync_all(pgas_handle_t *handles, size_t count);
PGAS_API void pgas_waitsync_some(pgas_handle_t *handles, size_t count);
PGAS_API bool pgas_trysync_some(pgas_handle_t *handles, size_t count);

/** The same copies without a handle: pgas_waitsynci completes all of them, or, in an access region,
 *  the region's handle does. */
PGAS_API void pgas_memcpy_asynci(pgas_ptr_t dst, pgas_ptr_t src, size_t nbytes);
PGAS_API void pgas_memget_asynci(void *dst, pgas_ptr_t src, size_t nbytes);
PGAS_API void pgas_memput_asynci(pgas_ptr_t dst, const void *src, size_t nbytes);
PGAS_API void pgas_memset_asynci(pgas_ptr_t dst, int value, size_t nbytes);

/** Waits for all copies without a handle that this thread has started outside access regions. Ends
 *  the job inside an access region. */
PGAS_API void pgas_waitsynci(void);

/** True if all of them are complete, or there are none. False: none counts as synchronised. Ends
 *  the job inside an access region. */
PGAS_API bool pgas_trysynci(void);

/** Begins an access region: the copies without a handle that this thread starts until its end
 * belong to it. Regions are not nested; that ends the job. */
PGAS_API void pgas_begin_accessregion(void);

/** Ends the access region and returns the one handle of all its copies. */
PGAS_API pgas_handle_t pgas_end_accessregion(void);

/** The same as pgas_trysync, but no handler of active messages (am.h) runs in it. */
PGAS_API bool pgasi_trysync_quietly(pgas_handle_t handle);

/** Records the call site of the next call of `call`. In the debug build, this header and those of
 *  other copies wrap their functions in macros of the same names that call it. */
PGAS_API void pgasi_call_site(const char *call, const char *file, int line);

/* Within the node, as the blocking copies of copy.h. */

static inline pgas_handle_t pgasi_memput_async(pgas_ptr_t dst, const void *src, size_t nbytes)
{
    return pgasi_has_put(dst, src, nbytes) ? PGAS_HANDLE_COMPLETE
                                           : pgas_memput_async(dst, src, nbytes);
}

static inline pgas_handle_t pgasi_memget_async(void *dst, pgas_ptr_t src, size_t nbytes)
{
    return pgasi_has_got(dst, src, nbytes) ? PGAS_HANDLE_COMPLETE
                                           : pgas_memget_async(dst, src, nbytes);
}

static inline void pgasi_memput_asynci(pgas_ptr_t dst, const void *src, size_t nbytes)
{
    if (!pgasi_has_put(dst, src, nbytes))
        pgas_memput_asynci(dst, src, nbytes);
}

static inline void pgasi_memget_asynci(void *dst, pgas_ptr_t src, size_t nbytes)
{
    if (!pgasi_has_got(dst, src, nbytes))
        pgas_memget_asynci(dst, src, nbytes);
}

static inline void pgasi_waitsync(pgas_handle_t handle)
{
    if (!pgas_handle_is_complete(handle))
        pgas_waitsync(handle);
}

static inline bool pgasi_trysync(pgas_handle_t handle)
{
    return pgas_handle_is_complete(handle) || pgas_trysync(handle);
}

PGAS_END_DECLS

/** A call with its call site. */
#define PGASI_NOTED(call, ...) (pgasi_call_site(#call, __FILE__, __LINE__), call(__VA_ARGS__))

#if !defined(PGAS_DEBUG) && !defined(PGASI_BUILDING)
#define pgas_memget_async(...) pgasi_memget_async(__VA_ARGS__)
#define pgas_memput_async(...) pgasi_memput_async(__VA_ARGS__)
#define pgas_memget_asynci(...) pgasi_memget_asynci(__VA_ARGS__)
#define pgas_memput_asynci(...) pgasi_memput_asynci(__VA_ARGS__)
#define pgas_waitsync(...) pgasi_waitsync(__VA_ARGS__)
#define pgas_trysync(...) pgasi_trysync(__VA_ARGS__)
#endif

#if defined(PGAS_DEBUG) && !defined(PGASI_BUILDING)
#define pgas_memcpy_async(...) PGASI_NOTED(pgas_memcpy_async, __VA_ARGS__)
#define pgas_memget_async(...) PGASI_NOTED(pgas_memget_async, __VA_ARGS__)
#define pgas_memput_async(...) PGASI_NOTED(pgas_memput_async, __VA_ARGS__)
#define pgas_memset_async(...) PGASI_NOTED(pgas_memset_async, __VA_ARGS__)
#define pgas_memcpy_asynci(...) PGASI_NOTED(pgas_memcpy_asynci, __VA_ARGS__)
#define pgas_memget_asynci(...) PGASI_NOTED(pgas_memget_asynci, __VA_ARGS__)
#define pgas_memput_asynci(...) PGASI_NOTED(pgas_memput_asynci, __VA_ARGS__)
#define pgas_memset_asynci(...) PGASI_NOTED(pgas_memset_asynci, __VA_ARGS__)
#define pgas_begin_accessregion() \
    (pgasi_call_site("pgas_begin_accessregion", __FILE__, __LINE__), pgas_begin_accessregion())
#define pgas_end_accessregion() \
    (pgasi_call_site("pgas_end_accessregion", __FILE__, __LINE__), pgas_end_accessregion())
#endif

#endif
