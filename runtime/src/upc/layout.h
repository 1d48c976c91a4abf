/**
 * Where the elements of a `shared [block] T` lie, from a pointer that may have any thread and
 * phase.
 *
 * A thread's blocks are contiguous in its memory, so that what a range of elements has on a thread
 * is one run of bytes. Places count from the beginning of the row of blocks of the first element.
 */
#ifndef PGASI_UPC_LAYOUT_H
#define PGASI_UPC_LAYOUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <pgas/types.h>

typedef struct pgasi_upc_layout {
    /** Elements, of `size` bytes, in blocks of `block` (> 0). */
    size_t count;
    size_t size;
    size_t block;
    size_t threads;
    /** The place of the first element, and the offset of place 0 in every thread's segment. */
    size_t first;
    uint64_t base;
} pgasi_upc_layout_t;

/** Elements [begin, begin + count). */
typedef struct pgasi_upc_range {
    size_t begin;
    size_t count;
} pgasi_upc_range_t;

/** `block` 0: all on one thread. The phase is below `block`, and count times size does not
 *  overflow. */
pgasi_upc_layout_t pgasi_upc_layout(pgas_ptr_t ptr, size_t count, size_t size, size_t block,
                                    size_t threads);

/** Elements on `thread` at the places below that of element `index`. */
size_t pgasi_upc_layout_before(const pgasi_upc_layout_t *layout, size_t thread, size_t index);

/** What the range has on `thread`: the offset of its first byte in that segment, and its elements.
 */
pgasi_upc_range_t pgasi_upc_layout_on(const pgasi_upc_layout_t *layout, size_t thread,
                                      const pgasi_upc_range_t *range);

/** The thread of an element, and how many elements from it on are in the same block. */
size_t pgasi_upc_layout_thread(const pgasi_upc_layout_t *layout, size_t index);
size_t pgasi_upc_layout_rest(const pgasi_upc_layout_t *layout, size_t index);

/** Whether no thread has more than one piece of a block. */
bool pgasi_upc_layout_is_single(const pgasi_upc_layout_t *layout);

#endif
