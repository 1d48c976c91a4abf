/**
 * Counted traffic: what the calling thread has moved. Counting is always on. Of several attached
 * operating-system threads (attach.h) the counts are summed; what another one counts during a call
 * here may be missing, and stay at a reset.
 *
 * Every operation counts itself by place (where the memory lies), mode and direction. An operation
 * is one value access or one copy call; bytes are payload. pgas_memcpy counts as a get and a put;
 * pgas_memset as a put. Plain loads and stores through pgas_local or pgas_array_mine are not
 * counted.
 *
 * PGAS_STATS=1 prints a table to standard error when the job ends, a name ending in .json writes
 * {"threads": [{"thread", "node", "traffic": [{"place", "mode", "direction", "operations",
 * "bytes"}], "destinations": [{"thread", "mode", "direction", "operations", "bytes"}]}]} there;
 * both leave out what is zero. Each thread that has made collective calls has "collectives":
 * [{"collective", "algorithm", "calls", "meetings", "traffic": [{"place", "operations", "bytes"}]}]
 * too (pgas_collective_traffic_t). Where puts and gets go by remote memory access (PGAS_RMA, job.h)
 * each thread has "rma": {"transport", "operations"} too, the operations that went so; the others
 * were messages.
 *
 * The file, or a symbolic link of that name, is replaced when all of it is written. pgas_init
 * refuses a name that thread 0 cannot write, or that something else than a regular file has; the
 * folder is the one in which pgas_init was called, by its absolute name. A later failure leaves the
 * old file in place, and thread 0 then ends with status 1 where it would end with 0, as it does
 * where heaps are too full to collect the counts in them.
 */
#ifndef PGAS_STATS_H
#define PGAS_STATS_H

#include <pgas/types.h>

PGAS_BEGIN_DECLS

/** How the bytes were requested. */
typedef enum pgas_mode {
    /** Value accesses, one element each. */
    PGAS_INDIVIDUAL = 0,
    /** Copies of contiguous memory. */
    PGAS_CONTIGUOUS,
    /** Copies of scattered memory that the library packs: indexed and strided copies (vis.h) and
     *  plans (plan.h). One operation per call and per thread that it exchanges with. */
    PGAS_CONDENSED,
    /** Active messages (am.h), requests and replies: those sent, with the bytes of their payload.
     */
    PGAS_MODE_AM,
    /** Atomic operations (atomic.h), with the bytes of their words: PGAS_FROM if they return a
     *  value, else PGAS_TO. */
    PGAS_MODE_ATOMIC,
    /** Signals (signal.h), 8 bytes each, as PGAS_TO: the bytes of their puts count as copies. */
    PGAS_MODE_SIGNAL,
    PGAS_MODES
} pgas_mode_t;

/** The direction of the bytes, as seen from the calling thread. */
typedef enum pgas_direction {
    PGAS_FROM = 0,
    PGAS_TO,
    PGAS_DIRECTIONS
} pgas_direction_t;

/** Operations, and the bytes they moved. */
typedef struct pgas_traffic {
    uint64_t operations;
    uint64_t bytes;
} pgas_traffic_t;

/** All counts of a thread by place. */
typedef struct pgas_stats {
    pgas_traffic_t traffic[PGAS_PLACES][PGAS_MODES][PGAS_DIRECTIONS];
} pgas_stats_t;

/** The calling thread's counts since pgas_init or the last pgas_stats_reset. Not collective. */
PGAS_API void pgas_stats_get(pgas_stats_t *stats);

/** What the calling thread has exchanged with `thread` (0-based) in one mode and direction. One of
 *  them that does not exist ends the job. Not collective. */
PGAS_API pgas_traffic_t pgas_stats_with(int thread, pgas_mode_t mode, pgas_direction_t direction);

/** What the calling thread has done in one kind of collective calls by one algorithm (coll.h). */
typedef struct pgas_collective_traffic {
    /** The function; those that start it, and by-value forms, count as the blocking one. Barriers
     *  of all threads are "pgas_barrier", those of teams "pgas_team_barrier". */
    const char *collective;
    /** "" if there is one only. */
    const char *algorithm;
    uint64_t calls;
    /** How often all members waited for each other. */
    uint64_t meetings;
    /** Reads of what a member has shown, and messages to one, by its place; the own bytes of a
     *  result are PGAS_OWN. What a member has shown is what it lets others read for the call. A
     *  meeting of several nodes is messages, one for each power of two
     *  below the number of nodes, from the lowest member of each node: of 0 bytes, or with those of
     *  members that travel with it, which then are read on the own node. What the last member of
     *  a node to come reads to combine it counts as the lowest one's. */
    pgas_traffic_t traffic[PGAS_PLACES];
} pgas_collective_traffic_t;

/** Writes the first `max` entries, and returns how many there are: kinds and algorithms with at
 *  least one call since pgas_init or the last pgas_stats_reset. Calls in flight count from when
 *  they begin to run. Bytes that collectives read count as copies in pgas_stats_get too. Not
 *  collective. */
PGAS_API size_t pgas_stats_collectives(pgas_collective_traffic_t *list, size_t max);

/** Sets the calling thread's counts to zero. Not collective. */
PGAS_API void pgas_stats_reset(void);

PGAS_END_DECLS

#endif
