/**
 * The layout of a node's shared memory: one control block, then one segment per thread.
 */
#ifndef PGASI_NODE_MEMORY_H
#define PGASI_NODE_MEMORY_H

#include <stdalign.h>
#include <stdatomic.h>
#include <stdint.h>

#include "region.h"
#include "wait.h"

/** Everything a barrier needs, in one cache line: a thread that arrives takes it over once. See
 * sync.c. */
typedef struct pgasi_barrier {
    alignas(64) _Atomic uint32_t arrived;
    pgasi_event_t generation;
    /** The first id named in this phase and who named it: id in the high half, thread + 1 in the
     *  low one; 0 while nobody has. */
    _Atomic uint64_t named;
} pgasi_barrier_t;

/** What the threads of a node share beside their segments. Starts as zeros. */
typedef struct pgasi_control {
    /** Tells that a mapping shows the right file. */
    uint64_t cookie;
    /** Set by the first thread that ends the job. */
    _Atomic uint32_t ending;
    pgasi_barrier_t barrier;
    /** Guards all heaps of the node. */
    alignas(64) pgasi_mutex_t heap_mutex;
    /** The heap of collective allocations: the same offsets in every segment. */
    pgasi_region_t collective;
    /** What thread 0 hands to the others in a collective call: offset, or 0. */
    uint64_t broadcast;
} pgasi_control_t;

/** The start of every segment. */
typedef struct pgasi_segment_header {
    /** The heap of the thread's own allocations. */
    pgasi_region_t local;
    /** Bytes of both heaps in use here. */
    uint64_t used;
} pgasi_segment_header_t;

/** Where the collective heap starts in a segment; before it lies the header. */
#define PGASI_SEGMENT_HEADER_SIZE ((uint64_t)4096)

#endif
