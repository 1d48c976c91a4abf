/**
 * Shared memory of a node: one file without a name, mapped by all its threads.
 */
#ifndef PGASI_SEGMENT_H
#define PGASI_SEGMENT_H

#include <stdint.h>

#include <pgas/types.h>

#include "boot.h"
#include "node_memory.h"

/** A node's memory in this process. */
typedef struct pgasi_node_memory {
    pgasi_control_t *control;
    /** The first segment; segment k lies k * stride bytes further. */
    char *segments;
    uint64_t stride;
    /** Bytes one thread may allocate. */
    uint64_t heap_size;
    /** In a segment, collective allocations lie below this offset, the thread's own above it. */
    uint64_t local_begin;
} pgasi_node_memory_t;

extern pgasi_node_memory_t pgasi_node_memory;

/**
 * Makes the node's memory, or maps what the node's leader made. Collective over the host's threads;
 * contains a boot exchange. The file has no name, or a POSIX one (PGAS_SEGMENT=posix) that
 * pgasi_segment_settle removes; only its owner may open it. When the leader is killed before that,
 * fathom-run removes the name, which it knows by the leader's number: "/fathom-PID-COOKIE"
 * (launcher/names.h).
 */
pgas_status_t pgasi_segment_create(const pgasi_boot_t *boot, const pgasi_boot_job_t *job);

/** Gives up what only other threads' mapping needed. Called when all have mapped. */
void pgasi_segment_settle(void);

/** Asks for 2 MiB pages for a part of the calling thread's segment. */
void pgasi_segment_advise_huge(uint64_t offset, uint64_t nbytes);

/** Gives the whole pages of a part of a thread's segment back to the system; they read as zero. */
void pgasi_segment_release(uint32_t thread, uint64_t offset, uint64_t nbytes);

/** Unmaps everything. */
void pgasi_segment_destroy(void);

#endif
