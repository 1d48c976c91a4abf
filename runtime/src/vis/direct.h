/**
 * Copies between contiguous memory and a list of addresses in one segment of this node: checked and
 * copied in one loop.
 */
#ifndef PGASI_VIS_DIRECT_H
#define PGASI_VIS_DIRECT_H

#include <stddef.h>

#include <pgas/types.h>

/** Copies `nbytes` (> 0) bytes from each of the first entries of a list of `count` (> 0) to `dst`,
 *  one behind the other. Stops at an entry that is not valid, or not in the segment of the first
 *  one's thread, and at once if that is on another node. Returns the number of entries copied.
 *  Counts nothing. */
size_t pgasi_direct_gather(char *dst, const pgas_ptr_t *list, size_t count, size_t nbytes);

/** The reverse: from `src` to the entries. */
size_t pgasi_direct_scatter(const pgas_ptr_t *list, size_t count, const char *src, size_t nbytes);

#endif
