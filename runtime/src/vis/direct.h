/**
 * Places named one by one in one memory of this node, to or from contiguous memory: checked and
 * copied in one loop.
 */
#ifndef PGASI_VIS_DIRECT_H
#define PGASI_VIS_DIRECT_H

#include <stddef.h>

#include <pgas/types.h>

/** Copies `nbytes` (> 0) bytes from each of the first entries to `dst`, one behind the other, and
 *  returns their number: as far as entries are valid and name the same thread as the first, of this
 *  node. `count` (> 0) is that of the list. Counts nothing. */
size_t pgasi_direct_gather(char *dst, const pgas_ptr_t *list, size_t count, size_t nbytes);

/** The same from `src` to the entries. */
size_t pgasi_direct_scatter(const pgas_ptr_t *list, size_t count, const char *src, size_t nbytes);

#endif
