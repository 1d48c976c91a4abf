/**
 * The shared memory of a node: one file without a name, which all its threads map.
 */
#ifndef PGASI_NODE_SEGMENT_H
#define PGASI_NODE_SEGMENT_H

#include <stdbool.h>
#include <stdint.h>

#include <pgas/detail.h>
#include <pgas/types.h>

#include "node/address_record.h"
#include "node/memory.h"

/** The memory of the calling thread's node, in this process. */
typedef struct pgasi_node_memory {
    pgasi_control_t *control;
    /** That of the node's k-th thread and thread t of another node is number k * threads + t. */
    pgasi_releases_t *releases;
    /** The first segment; that of the node's k-th thread lies k * stride bytes further. */
    char *segments;
    uint64_t stride;
    /** The largest allocation in an empty heap, in bytes. */
    uint64_t heap_size;
    /** So many bytes of freed memory may keep their pages in each region of a segment. */
    uint64_t kept_most;
    /** In a segment, collective allocations lie below this offset, the thread's own above it. */
    uint64_t local_begin;
} pgasi_node_memory_t;

extern pgasi_node_memory_t pgasi_node_memory;

/** The header of the segment of a thread of this node. */
static inline pgasi_segment_header_t *pgasi_header_of(uint32_t thread)
{
    return pgasi_segment_header(pgasi_job.peers[thread].base);
}

/**
 * Creates the node's memory: for its leader, before the boot exchange. `*heap_size` gets what this
 * host proposes; the job's size may be smaller. The file has no name, or a POSIX one
 * (PGAS_SEGMENT=posix) that pgasi_segment_settle removes; only its owner may open it. When the
 * leader is killed before that, fathom-run removes the name, which it knows by the leader's number:
 * "/fathom-PID-COOKIE" (launcher/names.h).
 *
 * `open_memory` is NULL, or makes the file in place of this (PGAS_SEGMENT=ucx): it returns a
 * descriptor of `nbytes` bytes that read as zero, or -1 when it has said why it cannot. Such a file
 * has a fixed size, all of which may be occupied for a moment, so the default heap is small.
 */
pgas_status_t pgasi_segment_make(uint32_t host_threads, int (*open_memory)(uint64_t nbytes),
                                 pgasi_segment_address_t *address, uint64_t *heap_size);

/**
 * Maps the node's memory with `heap_size` bytes of heap per thread, the same on all nodes. After
 * the boot exchange and pgasi_node_map; `address` is the leader's, and unused in the leader, which
 * creates the heaps: a barrier must follow before anybody uses them.
 */
pgas_status_t pgasi_segment_map(uint64_t heap_size, const pgasi_segment_address_t *address);

/** The process of a thread of the node, by the number that it has for the calling one; 0: none is
 *  known, as where each has a container of its own. */
pid_t pgasi_segment_process(uint32_t thread);

/** Releases what only the mapping in other threads needed. Called when all have mapped. */
void pgasi_segment_settle(void);

/** Removes the name of the node's memory, if it has one: also where the job ends before all have
 *  mapped. */
void pgasi_segment_unlink(void);

/** Requests 2 MiB pages for a part of the calling thread's segment. */
void pgasi_segment_advise_huge(uint64_t offset, uint64_t nbytes);

/** The bytes of a granule: the parts of a segment that are registered for remote memory access. A
 *  power of two, of at least 2 MiB, and at most PGASI_GRANULES_MAX in a segment; the same in all
 *  threads of the job. */
uint64_t pgasi_segment_granule(void);

/** The granule at `offset` of the segment of a thread of this node keeps its pages from now on: a
 *  network card knows where they are. Registered after that it has the pages that it will keep. */
void pgasi_segment_keep(uint32_t thread, uint64_t offset);

/** The place of an address in the segments of the node's threads; the null pointer for any other.
 */
pgas_ptr_t pgasi_segment_place(const void *address);

/** Returns the whole pages of a part of the segment of a thread of this node to the system, but for
 *  those of granules that keep them; the others then read as zero. */
void pgasi_segment_release(uint32_t thread, uint64_t offset, uint64_t nbytes);

/** Unmaps everything. */
void pgasi_segment_destroy(void);

#endif
