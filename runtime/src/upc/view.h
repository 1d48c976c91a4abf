/**
 * A range of an array's elements in private memory: a run of bytes from each thread that owns some.
 */
#ifndef PGASI_UPC_VIEW_H
#define PGASI_UPC_VIEW_H

#include <stddef.h>

#include "upc/layout.h"

typedef struct pgasi_upc_view {
    const char *call;
    const pgasi_upc_layout_t *layout;
    pgasi_upc_range_t range;
    /** By thread: where its run is, and how many of its elements are before that. */
    char **runs;
    size_t *before;
    char *memory;
} pgasi_upc_view_t;

/** A view of the range, whose elements are read from the threads that own them. Ends the job if
 *  there is no memory, or for elements that are not in the heap. */
pgasi_upc_view_t pgasi_upc_view_fetch(const char *call, const pgasi_upc_layout_t *layout,
                                      const pgasi_upc_range_t *range);

/** Writes the elements to where those of another array with the same layout lie: `base` is its
 *  place 0. */
void pgasi_upc_view_store(const pgasi_upc_view_t *view, uint64_t base);

/** Element `index`, which is in the range; those behind it in its block follow. */
char *pgasi_upc_view_at(const pgasi_upc_view_t *view, size_t index);

/** How many from `index` on are in both its block and the range. */
size_t pgasi_upc_view_rest(const pgasi_upc_view_t *view, size_t index);

void pgasi_upc_view_free(pgasi_upc_view_t *view);

#endif
