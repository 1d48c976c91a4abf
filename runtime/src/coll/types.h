/**
 * A collective under way in one member: what it is, and how far it has come.
 *
 * A collective is a sequence of steps. A step does what can be done without waiting, names the next
 * one, and returns what that waits for: that all members meet, or that what is read has come.
 * The blocking form waits for that itself, the others when they are waited for, or in any wait or
 * poll that comes before (coll/flight.h).
 */
#ifndef PGASI_COLL_TYPES_H
#define PGASI_COLL_TYPES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "coll/algorithm.h"
#include "coll/operation.h"
#include "copy/group.h"
#include "shm/call.h"
#include "stats/collectives.h"
#include "team/stage.h"
#include "team/types.h"

/** What the next step waits for. */
typedef enum pgasi_next {
    /** All members come here: what they have shown can be read. */
    PGASI_NEXT_MEET,
    /** The same where only what the root has shown is read, or only the root reads: others need not
     *  wait for each other. */
    PGASI_NEXT_MEET_ROOT,
    /** What the step has started to read has come. */
    PGASI_NEXT_READ,
    /** The library that serves the collective has its result (coll/library.h). */
    PGASI_NEXT_LIBRARY,
    /** There is no next step, but all members come here, since one may still be read from. */
    PGASI_NEXT_LAST_MEETING,
    PGASI_NEXT_END
} pgasi_next_t;

/** Memory that is kept for the next collective. */
typedef struct pgasi_kept {
    void *memory;
    size_t size;
} pgasi_kept_t;

/** What a collective needs beside its arguments. Starts as zeros. */
typedef struct pgasi_coll_memory {
    /** Its gets under way. */
    pgasi_group_t group;
    /** By rank, what the members show; and bytes that have been read. */
    pgasi_kept_t table;
    pgasi_kept_t scratch;
    struct pgasi_coll_memory *next;
} pgasi_coll_memory_t;

/** Whose elements are combined: those of all, of the own node's members, of those that have the
 *  caller's place on each node, or what nodes have, each the combined ones of its members. */
typedef enum pgasi_combined {
    PGASI_COMBINED_ALL,
    PGASI_COMBINED_NODE,
    PGASI_COMBINED_COUNTERPARTS,
    PGASI_COMBINED_NODES
} pgasi_combined_t;

/** Elements that are being combined (coll/combine.h): [first, first + count) of the ranks up to
 *  `last`, a piece at a time, of which `fetched` are being read, into `dst`. */
typedef struct pgasi_combining {
    pgasi_combined_t of;
    size_t first;
    size_t count;
    uint32_t last;
    uint32_t remote;
    /** The caller's own operand; NULL: what it shows. */
    const char *own;
    void *dst;
    size_t piece;
    size_t done;
    size_t fetched;
} pgasi_combining_t;

/** What another library adds to a collective. All zero: nothing. */
typedef struct pgasi_coll_extra {
    /** All members meet before the first byte moves, and once more when all have what they get. */
    bool meets_first;
    bool meets_last;
    /** Bytes of the caller's own that are copied after the first meeting. */
    void *copy_dst;
    const void *copy_src;
    size_t copy_bytes;
    /** What the program's operation finds while it runs (pgasi_coll_context). */
    const void *context;
} pgasi_coll_extra_t;

typedef struct pgasi_coll pgasi_coll_t;
typedef pgasi_next_t pgasi_step_function_t(pgasi_coll_t *coll);

/** Only what pgasi_coll_begin sets and what the steps of this collective use has a value. */
struct pgasi_coll {
    /** The function that the program has called, and whether it waits for the end. */
    const char *name;
    bool is_blocking;
    /** Its steps call a function of the program's, or a library: none is the progress thread's. */
    bool runs_program;
    /** Whether the result is for this member, or whether the scan includes its own elements. */
    bool wants;
    uint32_t root;
    pgasi_coll_kind_t kind;
    pgasi_coll_algorithm_t algorithm;
    pgasi_lane_t *lane;
    /** The next step. */
    pgasi_step_function_t *step;
    /** And the first step that touches data, if `extra` has something to be done before it. */
    pgasi_step_function_t *data_step;
    pgasi_coll_extra_t extra;
    pgasi_coll_memory_t *memory;
    const void *src;
    void *dst;
    /** Of a block, or of all elements. */
    size_t nbytes;
    /** The most that a member shows, and how far into that the caller's part begins. */
    size_t shown_bytes;
    size_t offset;
    /** Of blocks of different sizes, by rank: those sent and those received. */
    const size_t *src_counts;
    const size_t *src_displs;
    const size_t *dst_counts;
    const size_t *dst_displs;
    /** What members show, by rank, those from `first_shown` on; NULL: it is in their slots. */
    pgasi_shown_t *shown;
    uint32_t first_shown;
    uint32_t shown_count;
    /** By eager, where the rest travels with the second meeting: the most bytes of a block that has
     *  travelled with the first. */
    size_t travelled;
    /** Of an all-to-all whose blocks travel: how many members of each node have theirs travel with
     *  the meeting to come, and the place on the node of the first of them. */
    uint32_t senders;
    uint32_t first_sender;
    /** Of blocks that go piece by piece: the bytes of each that have gone, and whether there is one
     *  piece, since all that is shown can be read where it lies. */
    size_t done;
    bool is_whole;
    size_t count;
    pgasi_operation_t operation;
    pgasi_combining_t combining;
    /** In the library that serves it: what that asks for, and the number of the call. */
    void *request;
    uint64_t number;
    pgasi_call_t call;
};

/** The calling thread's team and its own rank in it, and whether that is the root. */
static inline pgas_team_t *pgasi_coll_team(const pgasi_coll_t *coll)
{
    return coll->lane->team;
}

static inline bool pgasi_coll_is_root(const pgasi_coll_t *coll)
{
    return coll->root == coll->lane->team->rank;
}

/** Whether a member may show more than a slot holds, where it is for others to find. */
static inline bool pgasi_coll_is_long(const pgasi_coll_t *coll)
{
    return pgasi_stage_is_long(coll->shown_bytes) && !pgasi_coll_carries(coll->algorithm);
}

/** The meeting of a collective in which only what the root shows is read, or only the root reads.
 *  Where another one follows all wait. */
static inline pgasi_next_t pgasi_coll_meet_root(const pgasi_coll_t *coll)
{
    bool is_last = !pgasi_coll_is_long(coll) && !coll->extra.meets_last;
    return is_last ? PGASI_NEXT_MEET_ROOT : PGASI_NEXT_MEET;
}

/** The last step: all meet once more if a member may have shown more than a slot holds. */
static inline pgasi_next_t pgasi_coll_close(pgasi_coll_t *coll)
{
    bool is_read_from = pgasi_coll_is_long(coll) || pgasi_coll_is_sliced(coll->algorithm);
    return is_read_from ? PGASI_NEXT_LAST_MEETING : PGASI_NEXT_END;
}

/** Counts a call that is not in flight (pgas/stats.h). */
static inline pgasi_counted_t *pgasi_coll_count(uint32_t call, pgasi_coll_algorithm_t algorithm)
{
    return pgasi_count_call(call, (unsigned)algorithm, pgasi_coll_algorithm_name(algorithm));
}

#endif
