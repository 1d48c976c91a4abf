/**
 * Sections of arrays: planes and boxes with plain arguments, and sections whose dimensions are
 * permuted or reversed.
 *
 * Like the strided copies of vis.h, each call is started by one thread and is not collective;
 * exists as memcpy, memput and memget, each blocking, `_async` and `_asynci`; and counts as one
 * condensed operation with each thread. All memory of a side belongs to one thread. Lengths and
 * strides are in bytes. If any count is 0, the call does nothing and ignores the other arguments.
 * Arrays of counts and strides must not change until the copy has been synchronised.
 *
 * Every build checks the following, and each ends the job: a section that is not within its owner's
 * segment, a null pointer, a stride too small for what it steps over.
 *
 * After "Proposal for Extending the UPC Memory Copy Library Functions", section 7, 8 and 9.
 */
#ifndef PGAS_SECTION_H
#define PGAS_SECTION_H

#include <stddef.h>

#include <pgas/async.h>
#include <pgas/types.h>

PGAS_BEGIN_DECLS

/**
 * 2-d: `rows` rows of `nbytes` contiguous bytes each. `dstrow` and `srcrow` are the distances of
 * one row from the next (>= `nbytes`).
 */
PGAS_API void pgas_memcpy_2d(pgas_ptr_t dst, size_t dstrow, pgas_ptr_t src, size_t srcrow,
                             size_t nbytes, size_t rows);
PGAS_API void pgas_memput_2d(pgas_ptr_t dst, size_t dstrow, const void *src, size_t srcrow,
                             size_t nbytes, size_t rows);
PGAS_API void pgas_memget_2d(void *dst, size_t dstrow, pgas_ptr_t src, size_t srcrow, size_t nbytes,
                             size_t rows);
PGAS_API pgas_handle_t pgas_memcpy_2d_async(pgas_ptr_t dst, size_t dstrow, pgas_ptr_t src,
                                            size_t srcrow, size_t nbytes, size_t rows);
PGAS_API pgas_handle_t pgas_memput_2d_async(pgas_ptr_t dst, size_t dstrow, const void *src,
                                            size_t srcrow, size_t nbytes, size_t rows);
PGAS_API pgas_handle_t pgas_memget_2d_async(void *dst, size_t dstrow, pgas_ptr_t src, size_t srcrow,
                                            size_t nbytes, size_t rows);
PGAS_API void pgas_memcpy_2d_asynci(pgas_ptr_t dst, size_t dstrow, pgas_ptr_t src, size_t srcrow,
                                    size_t nbytes, size_t rows);
PGAS_API void pgas_memput_2d_asynci(pgas_ptr_t dst, size_t dstrow, const void *src, size_t srcrow,
                                    size_t nbytes, size_t rows);
PGAS_API void pgas_memget_2d_asynci(void *dst, size_t dstrow, pgas_ptr_t src, size_t srcrow,
                                    size_t nbytes, size_t rows);

/**
 * 3-d: `planes` planes of `rows` rows of `nbytes` contiguous bytes each. `dstplane` and `srcplane`
 * are the distances of one plane from the next (>= `rows` times the distance of the rows).
 */
PGAS_API void pgas_memcpy_3d(pgas_ptr_t dst, size_t dstrow, size_t dstplane, pgas_ptr_t src,
                             size_t srcrow, size_t srcplane, size_t nbytes, size_t rows,
                             size_t planes);
PGAS_API void pgas_memput_3d(pgas_ptr_t dst, size_t dstrow, size_t dstplane, const void *src,
                             size_t srcrow, size_t srcplane, size_t nbytes, size_t rows,
                             size_t planes);
PGAS_API void pgas_memget_3d(void *dst, size_t dstrow, size_t dstplane, pgas_ptr_t src,
                             size_t srcrow, size_t srcplane, size_t nbytes, size_t rows,
                             size_t planes);
PGAS_API pgas_handle_t pgas_memcpy_3d_async(pgas_ptr_t dst, size_t dstrow, size_t dstplane,
                                            pgas_ptr_t src, size_t srcrow, size_t srcplane,
                                            size_t nbytes, size_t rows, size_t planes);
PGAS_API pgas_handle_t pgas_memput_3d_async(pgas_ptr_t dst, size_t dstrow, size_t dstplane,
                                            const void *src, size_t srcrow, size_t srcplane,
                                            size_t nbytes, size_t rows, size_t planes);
PGAS_API pgas_handle_t pgas_memget_3d_async(void *dst, size_t dstrow, size_t dstplane,
                                            pgas_ptr_t src, size_t srcrow, size_t srcplane,
                                            size_t nbytes, size_t rows, size_t planes);
PGAS_API void pgas_memcpy_3d_asynci(pgas_ptr_t dst, size_t dstrow, size_t dstplane, pgas_ptr_t src,
                                    size_t srcrow, size_t srcplane, size_t nbytes, size_t rows,
                                    size_t planes);
PGAS_API void pgas_memput_3d_asynci(pgas_ptr_t dst, size_t dstrow, size_t dstplane, const void *src,
                                    size_t srcrow, size_t srcplane, size_t nbytes, size_t rows,
                                    size_t planes);
PGAS_API void pgas_memget_3d_asynci(void *dst, size_t dstrow, size_t dstplane, pgas_ptr_t src,
                                    size_t srcrow, size_t srcplane, size_t nbytes, size_t rows,
                                    size_t planes);

/**
 * Transposed: elements of `elem_size` bytes (> 0) in a box of `dims` dimensions, with a stride for
 * every dimension of each side, including the one along which elements are adjacent.
 *
 * Dimension d has count[d] elements; neighbours along d are dststrides[d] bytes apart in the
 * destination and srcstrides[d] in the source. Strides may have any order of magnitude and may be
 * negative: `dst` and `src` are the places of the element whose indexes are all 0. Source strides
 * may be 0, which repeats the elements; destination strides may not, unless the count is 1. `dims`
 * 0: one element. The destination's elements must not overlap each other or the source; this is not
 * checked.
 *
 * A transposed matrix, and one with its rows in reverse order:
 *
 *   size_t count[] = {rows, columns};
 *   ptrdiff_t row_major[] = {columns * 8, 8};
 *   ptrdiff_t column_major[] = {8, rows * 8};
 *   pgas_memget_transposed(mine, column_major, theirs, row_major, 8, count, 2);
 *
 *   ptrdiff_t upwards[] = {-columns * 8, 8};
 *   pgas_memget_transposed(mine, row_major, last_row_of_theirs, upwards, 8, count, 2);
 */
PGAS_API void pgas_memcpy_transposed(pgas_ptr_t dst, const ptrdiff_t dststrides[], pgas_ptr_t src,
                                     const ptrdiff_t srcstrides[], size_t elem_size,
                                     const size_t count[], size_t dims);
PGAS_API void pgas_memput_transposed(pgas_ptr_t dst, const ptrdiff_t dststrides[], const void *src,
                                     const ptrdiff_t srcstrides[], size_t elem_size,
                                     const size_t count[], size_t dims);
PGAS_API void pgas_memget_transposed(void *dst, const ptrdiff_t dststrides[], pgas_ptr_t src,
                                     const ptrdiff_t srcstrides[], size_t elem_size,
                                     const size_t count[], size_t dims);
PGAS_API pgas_handle_t pgas_memcpy_transposed_async(pgas_ptr_t dst, const ptrdiff_t dststrides[],
                                                    pgas_ptr_t src, const ptrdiff_t srcstrides[],
                                                    size_t elem_size, const size_t count[],
                                                    size_t dims);
PGAS_API pgas_handle_t pgas_memput_transposed_async(pgas_ptr_t dst, const ptrdiff_t dststrides[],
                                                    const void *src, const ptrdiff_t srcstrides[],
                                                    size_t elem_size, const size_t count[],
                                                    size_t dims);
PGAS_API pgas_handle_t pgas_memget_transposed_async(void *dst, const ptrdiff_t dststrides[],
                                                    pgas_ptr_t src, const ptrdiff_t srcstrides[],
                                                    size_t elem_size, const size_t count[],
                                                    size_t dims);
PGAS_API void pgas_memcpy_transposed_asynci(pgas_ptr_t dst, const ptrdiff_t dststrides[],
                                            pgas_ptr_t src, const ptrdiff_t srcstrides[],
                                            size_t elem_size, const size_t count[], size_t dims);
PGAS_API void pgas_memput_transposed_asynci(pgas_ptr_t dst, const ptrdiff_t dststrides[],
                                            const void *src, const ptrdiff_t srcstrides[],
                                            size_t elem_size, const size_t count[], size_t dims);
PGAS_API void pgas_memget_transposed_asynci(void *dst, const ptrdiff_t dststrides[], pgas_ptr_t src,
                                            const ptrdiff_t srcstrides[], size_t elem_size,
                                            const size_t count[], size_t dims);

PGAS_END_DECLS

#if defined(PGAS_DEBUG) && !defined(PGASI_BUILDING)
#define pgas_memcpy_2d_async(...) PGASI_NOTED(pgas_memcpy_2d_async, __VA_ARGS__)
#define pgas_memput_2d_async(...) PGASI_NOTED(pgas_memput_2d_async, __VA_ARGS__)
#define pgas_memget_2d_async(...) PGASI_NOTED(pgas_memget_2d_async, __VA_ARGS__)
#define pgas_memcpy_2d_asynci(...) PGASI_NOTED(pgas_memcpy_2d_asynci, __VA_ARGS__)
#define pgas_memput_2d_asynci(...) PGASI_NOTED(pgas_memput_2d_asynci, __VA_ARGS__)
#define pgas_memget_2d_asynci(...) PGASI_NOTED(pgas_memget_2d_asynci, __VA_ARGS__)
#define pgas_memcpy_3d_async(...) PGASI_NOTED(pgas_memcpy_3d_async, __VA_ARGS__)
#define pgas_memput_3d_async(...) PGASI_NOTED(pgas_memput_3d_async, __VA_ARGS__)
#define pgas_memget_3d_async(...) PGASI_NOTED(pgas_memget_3d_async, __VA_ARGS__)
#define pgas_memcpy_3d_asynci(...) PGASI_NOTED(pgas_memcpy_3d_asynci, __VA_ARGS__)
#define pgas_memput_3d_asynci(...) PGASI_NOTED(pgas_memput_3d_asynci, __VA_ARGS__)
#define pgas_memget_3d_asynci(...) PGASI_NOTED(pgas_memget_3d_asynci, __VA_ARGS__)
#define pgas_memcpy_transposed_async(...) PGASI_NOTED(pgas_memcpy_transposed_async, __VA_ARGS__)
#define pgas_memput_transposed_async(...) PGASI_NOTED(pgas_memput_transposed_async, __VA_ARGS__)
#define pgas_memget_transposed_async(...) PGASI_NOTED(pgas_memget_transposed_async, __VA_ARGS__)
#define pgas_memcpy_transposed_asynci(...) PGASI_NOTED(pgas_memcpy_transposed_asynci, __VA_ARGS__)
#define pgas_memput_transposed_asynci(...) PGASI_NOTED(pgas_memput_transposed_asynci, __VA_ARGS__)
#define pgas_memget_transposed_asynci(...) PGASI_NOTED(pgas_memget_transposed_asynci, __VA_ARGS__)
#endif

#endif
