/**
 * Copies of scattered memory: lists of regions (indexed) and sections of arrays (strided).
 *
 * Each call is started by one thread and moves the bytes of all its source regions, in their order,
 * to its destination regions, in theirs. Not collective. Regions may have any alignment. For lists,
 * the number and the sizes of the regions need not agree, only their totals. The destination
 * regions must not overlap each other or a source region; source regions may overlap each other.
 *
 *   memcpy  from shared to shared memory
 *   memput  from private to shared memory
 *   memget  from shared to private memory
 *
 * each in three forms: blocking (complete when it returns, as in copy.h), `_async` (completed by
 * the handle it returns) and `_asynci` (completed by pgas_waitsynci or by the access region it
 * belongs to), as in async.h. Between two nodes the regions travel packed, many to a message, and
 * are unpacked at the target without its help; a memcpy between two other nodes passes through
 * private buffers and is done when its start returns, in every form. Lists and arrays of strides
 * and counts are the caller's: for `_async` and `_asynci` they must stay as they are until the copy
 * has been synchronised, as the source must.
 *
 * Counted as condensed traffic: per call one operation for each thread with which bytes are
 * exchanged, of all the bytes. A memcpy counts gets from its source's threads and puts to its
 * destination's.
 *
 * Checked in every build, and end the job: totals that differ, a product or a sum of lengths that
 * overflows, a region outside its owner's segment, a thread that does not exist, a null pointer to
 * a region that is not empty, and strides too small for what they step over. The debug build also
 * finds regions of two lists that overlap where they must not.
 *
 * After "Proposal for Extending the UPC Memory Copy Library Functions", sections 5 to 7. Where its
 * examples and its prototypes differ, the prototypes are followed: destination first.
 */
#ifndef PGAS_VIS_H
#define PGAS_VIS_H

#include <stddef.h>

#include <pgas/async.h>
#include <pgas/types.h>

PGAS_BEGIN_DECLS

/** A region of private memory: `len` bytes. With `len` 0 the entry is ignored, whatever `addr`. */
typedef struct pgas_pmemvec {
    void *addr;
    size_t len;
} pgas_pmemvec_t;

/** A region of one thread's shared memory: `len` contiguous bytes of its segment; no wrapping from
 *  thread to thread. With `len` 0 the entry is ignored, whatever `addr`. */
typedef struct pgas_smemvec {
    pgas_ptr_t addr;
    size_t len;
} pgas_smemvec_t;

/**
 * vlist: lists of regions of any size. The entries of a list may name different threads.
 *
 * `dstcount` and `srccount` are the numbers of entries. Both 0: nothing is done, and the lists may
 * be NULL. If all bytes add up to 0 on both sides, nothing is done either.
 */
PGAS_API void pgas_memcpy_vlist(size_t dstcount, const pgas_smemvec_t dstlist[], size_t srccount,
                                const pgas_smemvec_t srclist[]);
PGAS_API void pgas_memput_vlist(size_t dstcount, const pgas_smemvec_t dstlist[], size_t srccount,
                                const pgas_pmemvec_t srclist[]);
PGAS_API void pgas_memget_vlist(size_t dstcount, const pgas_pmemvec_t dstlist[], size_t srccount,
                                const pgas_smemvec_t srclist[]);
PGAS_API pgas_handle_t pgas_memcpy_vlist_async(size_t dstcount, const pgas_smemvec_t dstlist[],
                                               size_t srccount, const pgas_smemvec_t srclist[]);
PGAS_API pgas_handle_t pgas_memput_vlist_async(size_t dstcount, const pgas_smemvec_t dstlist[],
                                               size_t srccount, const pgas_pmemvec_t srclist[]);
PGAS_API pgas_handle_t pgas_memget_vlist_async(size_t dstcount, const pgas_pmemvec_t dstlist[],
                                               size_t srccount, const pgas_smemvec_t srclist[]);
PGAS_API void pgas_memcpy_vlist_asynci(size_t dstcount, const pgas_smemvec_t dstlist[],
                                       size_t srccount, const pgas_smemvec_t srclist[]);
PGAS_API void pgas_memput_vlist_asynci(size_t dstcount, const pgas_smemvec_t dstlist[],
                                       size_t srccount, const pgas_pmemvec_t srclist[]);
PGAS_API void pgas_memget_vlist_asynci(size_t dstcount, const pgas_pmemvec_t dstlist[],
                                       size_t srccount, const pgas_smemvec_t srclist[]);

/**
 * ilist: lists of regions of one size per side. The entries of a list may name different threads.
 *
 * Every destination region has `dstlen` bytes, every source region `srclen`; both > 0, and they may
 * differ. Both counts 0: nothing is done, and the other arguments are ignored. One count 0: nothing
 * is done if the other side has 0 bytes too.
 */
PGAS_API void pgas_memcpy_ilist(size_t dstcount, const pgas_ptr_t dstlist[], size_t dstlen,
                                size_t srccount, const pgas_ptr_t srclist[], size_t srclen);
PGAS_API void pgas_memput_ilist(size_t dstcount, const pgas_ptr_t dstlist[], size_t dstlen,
                                size_t srccount, const void *const srclist[], size_t srclen);
PGAS_API void pgas_memget_ilist(size_t dstcount, void *const dstlist[], size_t dstlen,
                                size_t srccount, const pgas_ptr_t srclist[], size_t srclen);
PGAS_API pgas_handle_t pgas_memcpy_ilist_async(size_t dstcount, const pgas_ptr_t dstlist[],
                                               size_t dstlen, size_t srccount,
                                               const pgas_ptr_t srclist[], size_t srclen);
PGAS_API pgas_handle_t pgas_memput_ilist_async(size_t dstcount, const pgas_ptr_t dstlist[],
                                               size_t dstlen, size_t srccount,
                                               const void *const srclist[], size_t srclen);
PGAS_API pgas_handle_t pgas_memget_ilist_async(size_t dstcount, void *const dstlist[],
                                               size_t dstlen, size_t srccount,
                                               const pgas_ptr_t srclist[], size_t srclen);
PGAS_API void pgas_memcpy_ilist_asynci(size_t dstcount, const pgas_ptr_t dstlist[], size_t dstlen,
                                       size_t srccount, const pgas_ptr_t srclist[], size_t srclen);
PGAS_API void pgas_memput_ilist_asynci(size_t dstcount, const pgas_ptr_t dstlist[], size_t dstlen,
                                       size_t srccount, const void *const srclist[], size_t srclen);
PGAS_API void pgas_memget_ilist_asynci(size_t dstcount, void *const dstlist[], size_t dstlen,
                                       size_t srccount, const pgas_ptr_t srclist[], size_t srclen);

/**
 * fstrided: chunks of one size at one distance, per side.
 *
 * A side is `count` chunks of `chunklen` bytes, the start of each `chunkstride` bytes behind that
 * of the one before (>= `chunklen`), all in one thread's segment or in private memory. The number
 * and the length of the chunks of the two sides may differ, their products must not. Both products
 * 0: nothing is done, and the other arguments are ignored.
 */
PGAS_API void pgas_memcpy_fstrided(pgas_ptr_t dst, size_t dstchunklen, size_t dstchunkstride,
                                   size_t dstchunkcount, pgas_ptr_t src, size_t srcchunklen,
                                   size_t srcchunkstride, size_t srcchunkcount);
PGAS_API void pgas_memput_fstrided(pgas_ptr_t dst, size_t dstchunklen, size_t dstchunkstride,
                                   size_t dstchunkcount, const void *src, size_t srcchunklen,
                                   size_t srcchunkstride, size_t srcchunkcount);
PGAS_API void pgas_memget_fstrided(void *dst, size_t dstchunklen, size_t dstchunkstride,
                                   size_t dstchunkcount, pgas_ptr_t src, size_t srcchunklen,
                                   size_t srcchunkstride, size_t srcchunkcount);
PGAS_API pgas_handle_t pgas_memcpy_fstrided_async(pgas_ptr_t dst, size_t dstchunklen,
                                                  size_t dstchunkstride, size_t dstchunkcount,
                                                  pgas_ptr_t src, size_t srcchunklen,
                                                  size_t srcchunkstride, size_t srcchunkcount);
PGAS_API pgas_handle_t pgas_memput_fstrided_async(pgas_ptr_t dst, size_t dstchunklen,
                                                  size_t dstchunkstride, size_t dstchunkcount,
                                                  const void *src, size_t srcchunklen,
                                                  size_t srcchunkstride, size_t srcchunkcount);
PGAS_API pgas_handle_t pgas_memget_fstrided_async(void *dst, size_t dstchunklen,
                                                  size_t dstchunkstride, size_t dstchunkcount,
                                                  pgas_ptr_t src, size_t srcchunklen,
                                                  size_t srcchunkstride, size_t srcchunkcount);
PGAS_API void pgas_memcpy_fstrided_asynci(pgas_ptr_t dst, size_t dstchunklen, size_t dstchunkstride,
                                          size_t dstchunkcount, pgas_ptr_t src, size_t srcchunklen,
                                          size_t srcchunkstride, size_t srcchunkcount);
PGAS_API void pgas_memput_fstrided_asynci(pgas_ptr_t dst, size_t dstchunklen, size_t dstchunkstride,
                                          size_t dstchunkcount, const void *src, size_t srcchunklen,
                                          size_t srcchunkstride, size_t srcchunkcount);
PGAS_API void pgas_memget_fstrided_asynci(void *dst, size_t dstchunklen, size_t dstchunkstride,
                                          size_t dstchunkcount, pgas_ptr_t src, size_t srcchunklen,
                                          size_t srcchunkstride, size_t srcchunkcount);

/**
 * strided: a rectangular section of an array of any number of dimensions, per side in an array of
 * its own shape.
 *
 * `count` has `stridelevels` + 1 entries: count[0] is the number of contiguous *bytes* of a row,
 * count[1] the number of rows, count[2] the number of planes of rows, and so on. The strides have
 * `stridelevels` entries, in bytes: strides[0] is the distance of one row from the next, strides[1]
 * that of one plane from the next. So strides[i] is stepped over count[i + 1] times. They grow:
 * strides[0] >= count[0], and strides[i] >= count[i] * strides[i - 1] for the others.
 *
 * `stridelevels` 0: count[0] contiguous bytes, and the strides are ignored. Any count 0: nothing is
 * done, and the other arguments are ignored.
 *
 * A block of 2 x 3 x 4 from A[5][6][7] of double A[11][12][13] to B[8][9][10] of a shared
 * B[14][15][16] of one thread:
 *
 *   size_t count[] = {4 * sizeof(double), 3, 2};
 *   size_t srcstrides[] = {13 * sizeof(double), 12 * 13 * sizeof(double)};
 *   size_t dststrides[] = {16 * sizeof(double), 15 * 16 * sizeof(double)};
 *   pgas_memput_strided(at_b, dststrides, &A[5][6][7], srcstrides, count, 2);
 */
PGAS_API void pgas_memcpy_strided(pgas_ptr_t dst, const size_t dststrides[], pgas_ptr_t src,
                                  const size_t srcstrides[], const size_t count[],
                                  size_t stridelevels);
PGAS_API void pgas_memput_strided(pgas_ptr_t dst, const size_t dststrides[], const void *src,
                                  const size_t srcstrides[], const size_t count[],
                                  size_t stridelevels);
PGAS_API void pgas_memget_strided(void *dst, const size_t dststrides[], pgas_ptr_t src,
                                  const size_t srcstrides[], const size_t count[],
                                  size_t stridelevels);
PGAS_API pgas_handle_t pgas_memcpy_strided_async(pgas_ptr_t dst, const size_t dststrides[],
                                                 pgas_ptr_t src, const size_t srcstrides[],
                                                 const size_t count[], size_t stridelevels);
PGAS_API pgas_handle_t pgas_memput_strided_async(pgas_ptr_t dst, const size_t dststrides[],
                                                 const void *src, const size_t srcstrides[],
                                                 const size_t count[], size_t stridelevels);
PGAS_API pgas_handle_t pgas_memget_strided_async(void *dst, const size_t dststrides[],
                                                 pgas_ptr_t src, const size_t srcstrides[],
                                                 const size_t count[], size_t stridelevels);
PGAS_API void pgas_memcpy_strided_asynci(pgas_ptr_t dst, const size_t dststrides[], pgas_ptr_t src,
                                         const size_t srcstrides[], const size_t count[],
                                         size_t stridelevels);
PGAS_API void pgas_memput_strided_asynci(pgas_ptr_t dst, const size_t dststrides[], const void *src,
                                         const size_t srcstrides[], const size_t count[],
                                         size_t stridelevels);
PGAS_API void pgas_memget_strided_asynci(void *dst, const size_t dststrides[], pgas_ptr_t src,
                                         const size_t srcstrides[], const size_t count[],
                                         size_t stridelevels);

PGAS_END_DECLS

#if defined(PGAS_DEBUG) && !defined(PGASI_BUILDING)
#define pgas_memcpy_vlist_async(...) PGASI_NOTED(pgas_memcpy_vlist_async, __VA_ARGS__)
#define pgas_memput_vlist_async(...) PGASI_NOTED(pgas_memput_vlist_async, __VA_ARGS__)
#define pgas_memget_vlist_async(...) PGASI_NOTED(pgas_memget_vlist_async, __VA_ARGS__)
#define pgas_memcpy_vlist_asynci(...) PGASI_NOTED(pgas_memcpy_vlist_asynci, __VA_ARGS__)
#define pgas_memput_vlist_asynci(...) PGASI_NOTED(pgas_memput_vlist_asynci, __VA_ARGS__)
#define pgas_memget_vlist_asynci(...) PGASI_NOTED(pgas_memget_vlist_asynci, __VA_ARGS__)
#define pgas_memcpy_ilist_async(...) PGASI_NOTED(pgas_memcpy_ilist_async, __VA_ARGS__)
#define pgas_memput_ilist_async(...) PGASI_NOTED(pgas_memput_ilist_async, __VA_ARGS__)
#define pgas_memget_ilist_async(...) PGASI_NOTED(pgas_memget_ilist_async, __VA_ARGS__)
#define pgas_memcpy_ilist_asynci(...) PGASI_NOTED(pgas_memcpy_ilist_asynci, __VA_ARGS__)
#define pgas_memput_ilist_asynci(...) PGASI_NOTED(pgas_memput_ilist_asynci, __VA_ARGS__)
#define pgas_memget_ilist_asynci(...) PGASI_NOTED(pgas_memget_ilist_asynci, __VA_ARGS__)
#define pgas_memcpy_fstrided_async(...) PGASI_NOTED(pgas_memcpy_fstrided_async, __VA_ARGS__)
#define pgas_memput_fstrided_async(...) PGASI_NOTED(pgas_memput_fstrided_async, __VA_ARGS__)
#define pgas_memget_fstrided_async(...) PGASI_NOTED(pgas_memget_fstrided_async, __VA_ARGS__)
#define pgas_memcpy_fstrided_asynci(...) PGASI_NOTED(pgas_memcpy_fstrided_asynci, __VA_ARGS__)
#define pgas_memput_fstrided_asynci(...) PGASI_NOTED(pgas_memput_fstrided_asynci, __VA_ARGS__)
#define pgas_memget_fstrided_asynci(...) PGASI_NOTED(pgas_memget_fstrided_asynci, __VA_ARGS__)
#define pgas_memcpy_strided_async(...) PGASI_NOTED(pgas_memcpy_strided_async, __VA_ARGS__)
#define pgas_memput_strided_async(...) PGASI_NOTED(pgas_memput_strided_async, __VA_ARGS__)
#define pgas_memget_strided_async(...) PGASI_NOTED(pgas_memget_strided_async, __VA_ARGS__)
#define pgas_memcpy_strided_asynci(...) PGASI_NOTED(pgas_memcpy_strided_asynci, __VA_ARGS__)
#define pgas_memput_strided_asynci(...) PGASI_NOTED(pgas_memput_strided_asynci, __VA_ARGS__)
#define pgas_memget_strided_asynci(...) PGASI_NOTED(pgas_memget_strided_asynci, __VA_ARGS__)
#endif

#endif
