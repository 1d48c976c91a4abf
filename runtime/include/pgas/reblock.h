/**
 * Copies between block-cyclic arrays of any block sizes, by one thread.
 *
 * Elements `first`, `first` + 1 and so on of one array go to as many of another, or of private
 * memory, in the order of their indexes, whatever blocks they lie in. Not collective. Each comes in
 * three forms: blocking, `_async` and `_asynci`, as in vis.h; the arrays' descriptions may be
 * discarded when the call returns. Counted as condensed traffic, one operation per thread and
 * direction. The ranges must not overlap.
 *
 * Checked in every build, and end the job: ranges beyond the end of an array, arrays whose elements
 * differ in size, a NULL pointer. With `count` 0 nothing is done.
 *
 * After "Proposal for Extending the UPC Memory Copy Library Functions", section 7, 1.
 */
#ifndef PGAS_REBLOCK_H
#define PGAS_REBLOCK_H

#include <pgas/array.h>
#include <pgas/async.h>

PGAS_BEGIN_DECLS

/** Copies `count` elements of `src`, starting at element `srcfirst` (0-based), to `dst`, starting
 * at element `dstfirst`. */
PGAS_API void pgas_reblock(const pgas_array_t *dst, size_t dstfirst, const pgas_array_t *src,
                           size_t srcfirst, size_t count);
PGAS_API pgas_handle_t pgas_reblock_async(const pgas_array_t *dst, size_t dstfirst,
                                          const pgas_array_t *src, size_t srcfirst, size_t count);
PGAS_API void pgas_reblock_asynci(const pgas_array_t *dst, size_t dstfirst, const pgas_array_t *src,
                                  size_t srcfirst, size_t count);

/** Copies `count` elements of an array, starting at element `first`, to private memory. */
PGAS_API void pgas_reblock_get(void *dst, const pgas_array_t *src, size_t first, size_t count);
PGAS_API pgas_handle_t pgas_reblock_get_async(void *dst, const pgas_array_t *src, size_t first,
                                              size_t count);
PGAS_API void pgas_reblock_get_asynci(void *dst, const pgas_array_t *src, size_t first,
                                      size_t count);

/** Copies `count` elements from private memory to an array, starting at its element `first`. */
PGAS_API void pgas_reblock_put(const pgas_array_t *dst, size_t first, const void *src,
                               size_t count);
PGAS_API pgas_handle_t pgas_reblock_put_async(const pgas_array_t *dst, size_t first,
                                              const void *src, size_t count);
PGAS_API void pgas_reblock_put_asynci(const pgas_array_t *dst, size_t first, const void *src,
                                      size_t count);

PGAS_END_DECLS

#if defined(PGAS_DEBUG) && !defined(PGASI_BUILDING)
#define pgas_reblock_async(...) PGASI_NOTED(pgas_reblock_async, __VA_ARGS__)
#define pgas_reblock_asynci(...) PGASI_NOTED(pgas_reblock_asynci, __VA_ARGS__)
#define pgas_reblock_get_async(...) PGASI_NOTED(pgas_reblock_get_async, __VA_ARGS__)
#define pgas_reblock_get_asynci(...) PGASI_NOTED(pgas_reblock_get_asynci, __VA_ARGS__)
#define pgas_reblock_put_async(...) PGASI_NOTED(pgas_reblock_put_async, __VA_ARGS__)
#define pgas_reblock_put_asynci(...) PGASI_NOTED(pgas_reblock_put_asynci, __VA_ARGS__)
#endif

#endif
