/**
 * The heap of one node: operations on this node or, by a call, on another one.
 *
 * Collective allocations lie in one region, which thread 0's node manages. Their bytes count
 * against the heap of every thread, so each node keeps their sum (collective_used). Each node
 * manages the threads' own allocations. An operation that concerns several nodes goes step by step,
 * each step on one node under its guard; no thread waits for the network while it holds a guard.
 *
 * What holds whenever no guard is held, on every node:
 *
 *   1. collective_used is the sum of the node's reservations: of all pgasi_heap_reserve that
 *      succeeded, less all pgasi_heap_unreserve.
 *   2. For each thread of the node, collective_used and its local_used together are at most what
 *      the heap may hold, heap_size and one tag: a reservation, or an allocation of the thread's
 *      own, is refused under the same guard under which it would be added.
 *   3. A block of the collective region that a program knows of is reserved, with exactly the bytes
 *      that it takes, on every node. The program gets its pointer when all nodes have reserved it;
 *      if one refuses, the others undo their reservations and the block is freed. To free a block,
 *      it is retired (pgasi_heap_retire) before the first reservation is undone.
 *
 * So only pgasi_heap_reserve decides whether there is enough memory: what pgasi_heap_used returns
 * may be outdated at once.
 */
#ifndef PGASI_HEAP_HEAP_NODE_H
#define PGASI_HEAP_HEAP_NODE_H

#include <stdbool.h>
#include <stdint.h>

#include "node/memory.h"
#include "shm/region.h"

/** Allocations from this size on start at a huge page, and when freed return their pages to the
 *  system, but for pgasi_node_memory.kept_most bytes of collective ones in each segment, and as
 *  many of each thread's own (kept_pages.h). */
#define PGASI_HEAP_LARGE PGASI_KEPT_CHUNK

/** Whether an allocation of so many bytes, which is rounded up, is one of these. */
static inline bool pgasi_heap_is_large(uint64_t nbytes)
{
    return nbytes > PGASI_HEAP_LARGE - PGASI_REGION_UNIT;
}

/** Bytes in use of the heap of a thread of the calling thread's node. */
uint64_t pgasi_heap_used(uint32_t thread);

/** Counts `nbytes` of a collective allocation against all heaps of `node`. False, with nothing
 *  done, if one of them has not enough memory left. `*used` receives the bytes in use before in the
 *  fullest of them. */
bool pgasi_heap_reserve(uint32_t node, uint64_t nbytes, uint64_t *used);

/** What has been reserved on the calling thread's node is in use: the pages that the node has kept
 *  there are no longer kept. A node on which nobody calls it counts them as kept until the block is
 *  freed. */
void pgasi_heap_use(uint64_t nbytes, uint64_t offset);

/** Undoes pgasi_heap_reserve. If `offset` is not 0 the memory there has been in use, and a large
 *  block returns its pages to the system, or keeps them. */
void pgasi_heap_unreserve(uint32_t node, uint64_t nbytes, uint64_t offset);

/** Allocates a collective block of `nbytes` bytes in every segment; returns its offset, or 0. */
uint64_t pgasi_heap_alloc(uint64_t nbytes);

/** Retires a collective block: it is not in use any more, and not free yet. Returns the bytes that
 *  are reserved for it, or 0 if there is no such block. */
uint64_t pgasi_heap_retire(uint64_t offset);

/** Frees a collective block that is retired, or that no program has got. */
void pgasi_heap_free(uint64_t offset);

/** Who keeps memory of the calling thread's own heap for later, for the functions below. Before
 *  anybody calls them. */
void pgasi_heap_on_shortage(void (*give_up)(void));

/** Has what is kept given up unless there is room for `nbytes` bytes of a collective allocation. */
void pgasi_heap_make_room(uint64_t nbytes);

/** Allocates in the calling thread's own heap; returns the offset, or 0. `*used` receives the bytes
 *  in use before. */
uint64_t pgasi_heap_try_own(uint64_t nbytes, uint64_t *used);

/** The same, if need be with the memory of what is kept. */
uint64_t pgasi_heap_alloc_own(uint64_t nbytes, uint64_t *used);

/** Frees what `thread`, of any node, has allocated by pgasi_heap_alloc_own; false if it has not. */
bool pgasi_heap_free_own(uint32_t thread, uint64_t offset);

/** Finds the allocation that contains `offset` of `thread`'s segment: [*begin, *end). False if
 * there is none. For a collective allocation `thread` must be 0. For checks. */
bool pgasi_heap_find(uint32_t thread, uint64_t offset, uint64_t *begin, uint64_t *end);

/** Serves this node's heaps to other nodes. Between pgasi_net_init and pgasi_net_start. */
void pgasi_heap_serve(void);

#endif
