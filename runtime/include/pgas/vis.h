/**
 * Copies of scattered memory: lists of regions (indexed) and sections of arrays (strided).
 *
 * One thread starts each call; it is not collective. The call moves the bytes of all source
 * regions, in the order of the source, to the destination regions, in the order of the destination.
 * Regions may have any alignment. The two lists may differ in the number and the sizes of their
 * regions; only the totals must agree. The destination regions must not overlap each other or a
 * source region; source regions may overlap each other.
 *
 *   memcpy  from shared to shared memory
 *   memput  from private to shared memory
 *   memget  from shared to private memory
 *
 * Each has three forms: blocking (complete when it returns, as in copy.h), and those of async.h:
 * `_async` (completed by the handle it returns) and `_asynci` (completed by pgas_waitsynci or by
 * the access region it belongs to). Between two nodes the regions travel packed, many to a message,
 * and are unpacked at the target without a call by the target's program; a message that is not full
 * leaves when the copy is synchronised, or with the next one to that thread. A memcpy between two
 * other nodes passes through private buffers and is complete when the call that starts it returns,
 * in every form. Lists and arrays of strides and counts belong to the caller. For `_async` and
 * `_asynci` they must not change until the copy has been synchronised, and neither must the source.
 *
 * Copies count as condensed traffic: each call is one operation for each thread that it exchanges
 * bytes with, of all those bytes. A memcpy counts gets from the source's threads and puts to the
 * destination's.
 *
 * Every build checks the following, and each ends the job: totals that differ, a product or a sum
 * of lengths that overflows, a region outside its owner's segment, a thread that does not exist, a
 * null pointer to a region that is not empty, and strides too small for what they step over. The
 * debug build also finds regions of two lists that overlap where they must not.
 *
 * After "Proposal for Extending the UPC Memory Copy Library Functions", sections 5 to 7. Where its
 * examples and its prototypes differ, Fathom follows the prototypes: destination first.
 */
#ifndef PGAS_VIS_H
#define PGAS_VIS_H

#include <stddef.h>

#include <pgas/async.h>
#include <pgas/types.h>

PGAS_BEGIN_DECLS

/** A region of private memory: `len` bytes. An entry with `len` 0 is ignored, whatever its
 *  `addr`. */
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
 * `dstcount` and `srccount` are the numbers of entries. If both are 0, the call does nothing, and
 * the lists may be NULL. The call also does nothing if the lengths of both sides add up to 0.
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
 * Every destination region has `dstlen` bytes, every source region `srclen`; both are > 0, and they
 * may differ. If both counts are 0, the call does nothing and ignores the other arguments. If one
 * count is 0, the other side must have 0 bytes too, and the call does nothing.
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
 * fstrided: on each side, chunks of one size at one distance.
 *
 * A side is `count` chunks of `chunklen` bytes, each starting `chunkstride` bytes (>= `chunklen`)
 * after the start of the one before, all in one thread's segment or in private memory. The two
 * sides may differ in the number and the length of their chunks, but not in the product of these.
 * If both products are 0, the call does nothing and ignores the other arguments.
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
 * strided: a rectangular section of an array of any number of dimensions. The arrays of the two
 * sides may have different shapes.
 *
 * `count` has `stridelevels` + 1 entries: count[0] is the number of contiguous *bytes* of a row,
 * count[1] the number of rows, count[2] the number of planes of rows, and so on. The strides have
 * `stridelevels` entries, in bytes: strides[0] is the distance of one row from the next, strides[1]
 * that of one plane from the next. So strides[i] separates count[i + 1] items. Strides must grow:
 * strides[0] >= count[0], and strides[i] >= count[i] * strides[i - 1] for the others.
 *
 * `stridelevels` 0: the section is count[0] contiguous bytes, and the strides are ignored. If any
 * count is 0, the call does nothing and ignores the other arguments.
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
