/**
 * The layout of a node's shared memory: one control block, then one segment per thread of the node.
 */
#ifndef PGASI_NODE_MEMORY_H
#define PGASI_NODE_MEMORY_H

#include <stdalign.h>
#include <stdatomic.h>
#include <stdint.h>

#include <pgas/detail.h>

#include "shm/attendance.h"
#include "shm/call.h"
#include "shm/dissemination.h"
#include "shm/event.h"
#include "shm/guard.h"
#include "shm/mailbox.h"
#include "shm/region.h"

/** All that a barrier of one or two threads needs, in one cache line, which a thread that arrives
 *  fetches once; and lines in which more threads count themselves (sync/barrier.c). */
typedef struct pgasi_barrier {
    /** The marks are the signatures of the calls. */
    alignas(64) pgasi_attending_t few;
    pgasi_event_t generation;
    /** The first thread that has named this phase, and the name: thread + 1 in the low half, the id
     *  in the high one; 0: nobody has. */
    _Atomic uint64_t named;
    /** For phases whose mismatch is a result (pgasi_phase_notify): set by a thread that finds one;
     *  and, when the phase is complete, whether there was one on this node. */
    _Atomic uint32_t differs;
    _Atomic uint32_t differed;
    /** The name of the last complete phase, as in `named`. */
    _Atomic uint64_t last_named;
    pgasi_attendance_t attendance;
} pgasi_barrier_t;

/** A barrier between nodes, in jobs of several nodes only (sync/barrier.c). */
typedef struct pgasi_barrier_between {
    alignas(64) pgasi_guard_t guard;
    pgasi_dissemination_t state;
} pgasi_barrier_between_t;

/** What a node's threads contribute to an exchange (sync/barrier.c). */
typedef struct pgasi_exchange {
    _Atomic uint64_t maximum;
    /** Thread 0's. */
    uint64_t word;
} pgasi_exchange_t;

#define PGASI_EXCHANGES 3

#define PGASI_PROCESSORS_MOST 1024

/** Reports that are remembered at a time. */
#define PGASI_TOLD 16

/** Bytes of a chunk of a heap, and the most of freed ones that keep their pages
 * (heap/kept_pages.h). */
#define PGASI_KEPT_CHUNK ((uint64_t)2 << 20)
#define PGASI_KEPT_CHUNKS 32

/** Their numbers, from the begin of the segment; how often a freed block has found no room; and how
 *  often when a freed block last had a part of each chunk (heap/kept_pages.h). */
typedef struct pgasi_kept_pages {
    uint64_t count;
    uint64_t numbers[PGASI_KEPT_CHUNKS];
    uint64_t refused;
    uint64_t since[PGASI_KEPT_CHUNKS];
} pgasi_kept_pages_t;

/** What the threads of a node share beside their segments. Starts as zeros. */
typedef struct pgasi_control {
    /** Shows a thread that it has mapped the right file. Written before anybody maps it. */
    uint64_t cookie;
    /** Set by the first thread of the node that ends the job; on thread 0's node, of the job. */
    _Atomic uint32_t ending;
    /** What the watchdogs of the node's threads have reported, and when (watchdog.c). */
    _Atomic uint64_t told[PGASI_TOLD];
    pgasi_barrier_t barrier;
    pgasi_barrier_between_t between;
    alignas(64) pgasi_exchange_t exchanges[PGASI_EXCHANGES];
    /** Guards all heaps of the node, and what follows. */
    alignas(64) pgasi_guard_t heap_guard;
    /** Bytes of collective allocations: they count against the heap of every thread. */
    uint64_t collective_used;
    /** What of freed collective allocations keeps its pages, in each segment. */
    pgasi_kept_pages_t collective_kept;
    /** The heap of collective allocations: the same offsets in every segment. On thread 0's node
     *  only. */
    pgasi_region_t collective;
    /** The processors on which one of the node's threads at least may run, a bit each
     *  (processors.h). */
    _Atomic uint64_t processors[PGASI_PROCESSORS_MOST / 64];
    /** The queues of locks that lie on this node: per thread of the job, which waits in one queue
     *  at most, the next in its queue + 1 (lock/lock_home.c). The node's pgasi_releases_t follow:
     *  for each of its threads, as many as there are threads in the job. */
    alignas(64) _Atomic uint32_t next_in_queue[];
} pgasi_control_t;

/** Releases of locks between a thread of this node and one of another (lock/lock_remote.c), modulo
 *  2^32: of locks in the other's segment, by the thread of this node; and the other way round, up
 *  to the first that has not been performed. */
typedef struct pgasi_releases {
    _Atomic uint32_t sent;
    _Atomic uint32_t performed;
} pgasi_releases_t;

#define PGASI_WAIT_TEXT 192

/** What a thread is doing, for the others of its node (activity.h). */
typedef struct pgasi_activity {
    /** The collective call that it is in, a barrier where it is in none, and the last before. */
    alignas(64) pgasi_call_t call;
    pgasi_call_t last;
    /** The generation of the barrier that it has come to, + 1. */
    _Atomic uint32_t arrived;
    /** The same of the last one to which it has come by a notify, and then gone on. */
    _Atomic uint32_t notified;
    /** What it waits for, and when it was last seen doing so, in milliseconds; 0: it does not. */
    _Atomic uint64_t waiting;
    char waits_for[PGASI_WAIT_TEXT];
} pgasi_activity_t;

#define PGASI_GRANULES_MAX 8192

/** Granules of a segment that keep their pages (segment.h). */
typedef struct pgasi_granules {
    pgasi_guard_t guard;
    /** Whether there are any. */
    uint32_t any;
    /** A bit each. */
    uint64_t kept[PGASI_GRANULES_MAX / 64];
} pgasi_granules_t;

/** What follows the null page (fault.h) in every segment. */
typedef struct pgasi_segment_header {
    /** The heap of the thread's own allocations. */
    pgasi_region_t local;
    /** Bytes of it in use, and what of freed allocations keeps its pages. */
    uint64_t local_used;
    pgasi_kept_pages_t local_kept;
    /** The thread's process, and the PID namespace that numbers it; 0: unknown. */
    int32_t pid;
    uint64_t pid_namespace;
    /** Raised when the lock that the thread waits for has changed (lock/lock.c). */
    alignas(64) pgasi_event_t look;
    /** Wakes those who wait for the thread's signals (shm/signal.h). */
    alignas(64) pgasi_event_t signalled;
    pgasi_activity_t activity;
    pgasi_granules_t granules;
} pgasi_segment_header_t;

/** Where the thread's mailbox is in a segment. */
#define PGASI_MAILBOX_BEGIN (PGASI_NULL_PAGE + 4096)

/** Before the heap: what the predefined teams share (team/types.h). Starts as zeros. */
#define PGASI_TEAMS_SIZE ((uint64_t)14 << 20)
#define PGASI_TEAMS_BEGIN (PGASI_HEAP_BEGIN - PGASI_TEAMS_SIZE)

_Static_assert(PGASI_NULL_PAGE + sizeof(pgasi_segment_header_t) <= PGASI_MAILBOX_BEGIN, "it fits");
_Static_assert(PGASI_MAILBOX_BEGIN + sizeof(pgasi_mailbox_t) <= PGASI_TEAMS_BEGIN, "it fits");

/** The header of a segment that begins at `base`. */
static inline pgasi_segment_header_t *pgasi_segment_header(char *base)
{
    return (pgasi_segment_header_t *)(void *)(base + PGASI_NULL_PAGE);
}

#endif
