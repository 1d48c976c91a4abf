/**
 * How long a collective takes by each algorithm, and what its members move.
 *
 * An algorithm is a table entry that says for each member, step by step, what it copies to shared
 * memory, what it reads of whom, what it combines, and where all members meet. From that follow the
 * counts, which are those of the runtime (pgas_stats_collectives) to the last message and byte, and
 * the time: between two meetings that of the slowest member, with prices from the machine file and
 * without fitted factors. Members are the threads of the job in their order, data are private.
 *
 * - A meeting takes meeting_local, or with k members on a node as much as lies on the line through
 *   meeting_own (1) and meeting_local (those of the calibration); and between N nodes, in each of
 *   log2 N rounds, what meeting_remote takes beyond meeting_own, over the calibration's rounds.
 * - Showing n bytes takes what a round (round_n) takes beyond a meeting and its read.
 * - Where blocks go in pieces, showing and reading take as many times what a piece takes, and all
 *   meet for each.
 * - Reading n bytes takes round_read_n by place, between the measured sizes on the line through
 *   them, and beyond them (16 MiB on the node, 1 MiB from another) on that of the last two, but no
 *   faster than private_copy_bandwidth on the node. Reads on the node follow one another; those
 *   from other nodes are in flight together: each but the first takes fetch_flood_remote, and what
 *   its bytes take beyond those of a short read. Where the nodes are fuller than in the
 *   calibration, bytes between nodes take longer in proportion.
 * - Where members of one node alone read from others between two meetings, such a read takes
 *   round_read_alone_n, of one reader: the bytes as many times as there are members that read.
 * - Where members of several nodes read of the root, its node sends to all of them: such a read
 *   takes at least as long as by those members of one node alone.
 * - Bytes that travel with a meeting take in each round what a read of as many from another node
 *   takes beyond a short one, by a reader alone if they come from a root or go to it. Members then
 *   read them on their node.
 * - Combining takes combine_element for each 8 bytes of an operand.
 *
 * Not in it: members that come at different times, threads that share a core, and sizes that do
 * not fit the caches beyond what was measured.
 */
#ifndef PERFMODEL_COLLECTIVE_H
#define PERFMODEL_COLLECTIVE_H

#include "perfmodel/layout.h"
#include "perfmodel/machine.h"
#include "perfmodel/spmv.h"

#ifdef __cplusplus
extern "C" {
#endif

/** The most bytes that a member shows without a second meeting (PGASI_COLL_SHORT of the runtime's
 *  coll/algorithm.h). */
#define MODEL_COLLECTIVE_SHORT 4096.0

/** A collective by an algorithm. */
typedef struct model_collective model_collective_t;

/** A call. */
typedef struct model_collective_call {
    /** threads and nodes count. */
    model_layout_t layout;
    /** Of a block in collectives that move blocks, of all elements of a member in those that
     *  combine; all members have as many (slices of a reduce_scatter as even as possible). */
    double bytes;
    /** Of an element, for those that combine. */
    double element_bytes;
    size_t root;
} model_collective_call_t;

/** What a member does in a call. */
typedef struct model_collective_counts {
    double meetings;
    double messages[MODEL_PLACES];
    double bytes[MODEL_PLACES];
} model_collective_counts_t;

/** The entry of a collective and an algorithm, by the names that the runtime gives them
 *  ("broadcast", "linear"); NULL if there is none. */
const model_collective_t *model_collective_find(const char *collective, const char *algorithm);

/** The i-th entry, NULL behind the last one; and an entry's algorithm. */
const model_collective_t *model_collective_at(size_t i);
const char *model_collective_algorithm(const model_collective_t *collective);

/** What `member`, below call->layout.threads, does. */
model_collective_counts_t model_collective_count(const model_collective_t *collective,
                                                 const model_collective_call_t *call,
                                                 size_t member);

/** Whether the machine has all prices; else `*missing` is one that it does not have. */
bool model_collective_is_priced(const model_collective_t *collective,
                                const model_collective_call_t *call, const model_machine_t *machine,
                                int *missing);

/** The time of a call, which the machine must have all prices of. */
model_estimate_t model_collective_predict(const model_collective_t *collective,
                                          const model_collective_call_t *call,
                                          const model_machine_t *machine);

/** By how much of the faster one's time one algorithm is slower than another (perfmodel/verdict.h),
 *  and by how much of it the parameters' spread may close that gap: those that both share move
 * both, and what widens it does not count. */
typedef struct model_collective_gap {
    double predicted;
    double spread;
} model_collective_gap_t;

model_collective_gap_t model_collective_compare(const model_collective_t *slower,
                                                const model_collective_t *faster,
                                                const model_collective_call_t *call,
                                                const model_machine_t *machine);

#ifdef __cplusplus
}
#endif
#endif
