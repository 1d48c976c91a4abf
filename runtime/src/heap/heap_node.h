/**
 * One node's part in the heap, done directly or asked of another node.
 *
 * Collective allocations lie in one region, on thread 0's node; their bytes count against every
 * thread's heap, so each node keeps their sum (collective_used). A thread's own allocations are
 * its node's affair. What concerns several nodes goes step by step, each step on one node under its
 * guard; nobody waits for the network with a guard held.
 *
 * What holds whenever no guard is held, on every node:
 *
 *   1. collective_used is the sum of the node's reservations: of all pgasi_heap_reserve that were
 *      granted, less all pgasi_heap_unreserve.
 *   2. For each thread of the node, collective_used and its local_used together are at most what
 *      the heap may hold, heap_size and one tag: a reservation, or an allocation of the thread's
 *      own, is refused under the same guard under which it would be added.
 *   3. A block of the collective region that a program knows of is reserved, with exactly the bytes
 *      that it takes, on every node. Its pointer is given out when all nodes have granted that; if
 *      one refuses, those that granted undo it, and the block goes back. A free takes the block out
 *      of use (pgasi_heap_retire) before the first reservation goes.
 *
 * So only an answer of pgasi_heap_reserve tells whether there is room: what pgasi_heap_used tells
 * may be over by the time it is used.
 */
#ifndef PGASI_HEAP_HEAP_NODE_H
#define PGASI_HEAP_HEAP_NODE_H

#include <stdbool.h>
#include <stdint.h>

/** Allocations from this size on start at a huge page, and give their pages back when freed. */
#define PGASI_HEAP_LARGE ((uint64_t)2 << 20)

/** Bytes in use of the heap of a thread of the calling thread's node. */
uint64_t pgasi_heap_used(uint32_t thread);

/** Counts `nbytes` of a collective allocation against all heaps of `node`. False, with nothing
 *  done, if one of them cannot take it. `*used` gets what the fullest had in use before. */
bool pgasi_heap_reserve(uint32_t node, uint64_t nbytes, uint64_t *used);

/** Undoes pgasi_heap_reserve. If `offset` is not 0 the memory there has been in use, and large
 *  pieces of it are given back to the system. */
void pgasi_heap_unreserve(uint32_t node, uint64_t nbytes, uint64_t offset);

/** Allocates a collective piece with `nbytes` bytes in every segment; returns its offset, or 0. */
uint64_t pgasi_heap_alloc(uint64_t nbytes);

/** Takes a collective piece out of use, without giving it to others yet. Returns the bytes it
 *  counts for, or 0 if there is no such piece. */
uint64_t pgasi_heap_retire(uint64_t offset);

/** Gives a claimed or unused collective piece to others. */
void pgasi_heap_free(uint64_t offset);

/** Allocates in the calling thread's own heap; returns the offset, or 0. `*used` gets what was in
 *  use before. */
uint64_t pgasi_heap_alloc_own(uint64_t nbytes, uint64_t *used);

/** Frees what a thread of any node has allocated so; false if it has not. */
bool pgasi_heap_free_own(uint32_t thread, uint64_t offset);

/** The allocation whose memory has `offset` of `thread`'s segment in it: [*begin, *end). False if
 *  there is none. Of collective allocations thread 0 knows. For checks. */
bool pgasi_heap_find(uint32_t thread, uint64_t offset, uint64_t *begin, uint64_t *end);

/** Serves the heaps' accounts and the collective heap to other nodes. Between pgasi_net_init and
 *  pgasi_net_start. */
void pgasi_heap_serve(void);

#endif
