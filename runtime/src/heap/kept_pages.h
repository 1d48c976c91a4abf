/**
 * Which memory of freed large blocks keeps its pages: pure functions.
 *
 * The system takes far longer to give new pages than a program does to write them, so a heap that
 * is used in a loop must not return them each time. Chunks of 2 MiB of a freed block go into a list
 * of its heap and keep their pages; those that it has no room for return theirs. A large block that
 * is allocated takes the chunks that it covers off the list. So of all memory that is free no more
 * chunks have pages than the list has, but for what smaller blocks have left. Chunks where no large
 * allocation comes soon give way to those at the begin of a free block: those far inside the block,
 * and those that have stayed in the list while blocks found no room in it, since smaller blocks lie
 * there or large ones do not fit.
 */
#ifndef PGASI_HEAP_KEPT_PAGES_H
#define PGASI_HEAP_KEPT_PAGES_H

#include <stdbool.h>
#include <stdint.h>

#include "node/memory.h"

/** Of a block that has come into use, [begin, end): takes what it covers off the list. */
void pgasi_kept_pages_use(pgasi_kept_pages_t *kept, uint64_t begin, uint64_t end);

/** Of a block that is not in use any more, which begins with a chunk: adds its chunks from the
 * first on, a part of one at its end included, as long as the list has no more than `most` bytes.
 */
void pgasi_kept_pages_add(pgasi_kept_pages_t *kept, uint64_t begin, uint64_t end, uint64_t most);

/** When that block, [begin, end), is free: its chunks may give way from now on. */
void pgasi_kept_pages_settle(pgasi_kept_pages_t *kept, uint64_t begin, uint64_t end);

/** Of the free block [begin, end) of a heap, from whose begin allocations are taken: makes room in
 *  the list for its first `nbytes` bytes by taking off the last of its chunks. Writes where they
 *  begin to `chunks`, and returns how many there are: their pages must be returned before the heap
 *  allocates. */
uint32_t pgasi_kept_pages_give_way(pgasi_kept_pages_t *kept, uint64_t begin, uint64_t end,
                                   uint64_t nbytes, uint64_t most,
                                   uint64_t chunks[PGASI_KEPT_CHUNKS]);

/** The same by taking off chunks, wherever they are, that have stayed for PGASI_KEPT_PATIENCE
 *  refusals. Only what is free in them is returned. */
#define PGASI_KEPT_PATIENCE 4
uint32_t pgasi_kept_pages_give_stale(pgasi_kept_pages_t *kept, uint64_t begin, uint64_t end,
                                     uint64_t nbytes, uint64_t most,
                                     uint64_t chunks[PGASI_KEPT_CHUNKS]);

/** Whether the chunk of an offset is in the list. */
bool pgasi_kept_pages_have(const pgasi_kept_pages_t *kept, uint64_t offset);

#endif
