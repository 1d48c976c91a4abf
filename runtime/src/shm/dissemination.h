/**
 * The barrier between nodes: a state machine without network and without waiting.
 *
 * Dissemination: of N nodes, node i signals node i + 2^r (mod N) in round r = 0, 1, ... while 2^r <
 * N, and enters round r + 1 when the signal of node i - 2^r has come. After the last round every
 * node knows that every node has started. The rounds also combine what the nodes contribute: a
 * maximum, a word of node 0, the phase's name, and the collective call that it is a part of.
 *
 * Phases are numbered from 1. Signals may come in any order, and before the node itself has started
 * the phase. The caller serialises the calls for one node.
 */
#ifndef PGASI_SHM_DISSEMINATION_H
#define PGASI_SHM_DISSEMINATION_H

#include <stdbool.h>
#include <stdint.h>

#include "shm/call.h"

#define PGASI_ROUNDS 32

/** What is combined over the nodes of one phase. */
typedef struct pgasi_gathered {
    uint64_t maximum;
    /** Node 0's word, once `has_word` is set, which has 64 bits so that nothing travels that was
     *  never written. */
    uint64_t word;
    uint64_t has_word;
    /** The lowest thread that has named the phase, and the name: thread + 1 in the low half, the id
     *  in the high one; 0: nobody. */
    uint64_t named;
    /** The same of the lowest thread that has named it differently. */
    uint64_t other;
    /** The lowest thread's collective call; and that of the lowest thread whose call differs. */
    pgasi_call_t call;
    pgasi_call_t other_call;
} pgasi_gathered_t;

typedef struct pgasi_signal {
    uint64_t phase;
    uint32_t round;
    /** The node it is for. */
    uint32_t node;
    pgasi_gathered_t gathered;
} pgasi_signal_t;

/** One node's state. Starts as zeros. */
typedef struct pgasi_dissemination {
    /** The phase this node has started last, and whether it is complete. */
    uint64_t phase;
    uint32_t round;
    bool is_running;
    /** What is known so far of the running phase; everything of a complete one. */
    pgasi_gathered_t gathered;
    /** Signals by round and parity of the phase; of rounds that there are not, the memory may be
     *  missing. */
    pgasi_signal_t slots[PGASI_ROUNDS][2];
} pgasi_dissemination_t;

/** The rounds of a phase among `nodes` nodes. */
static inline uint32_t pgasi_dissemination_rounds(uint32_t nodes)
{
    uint32_t rounds = 0;
    while (UINT64_C(1) << rounds < nodes)
        rounds++;
    return rounds;
}

/** What a step leaves to the caller: signals to send, and whether the phase has become complete. */
typedef struct pgasi_step {
    pgasi_signal_t signals[PGASI_ROUNDS];
    uint32_t count;
    bool is_complete;
} pgasi_step_t;

/** Starts the next phase for `node` of `nodes`, which contributes `gathered`: all of the node's
 *  threads have come. The phase before is complete. */
void pgasi_dissemination_start(pgasi_dissemination_t *state, uint32_t node, uint32_t nodes,
                               const pgasi_gathered_t *gathered, pgasi_step_t *step);

/** Takes a signal that has come for `node`. */
void pgasi_dissemination_receive(pgasi_dissemination_t *state, uint32_t node, uint32_t nodes,
                                 const pgasi_signal_t *signal, pgasi_step_t *step);

/** The node whose signal `node` awaits in `round`. */
uint32_t pgasi_dissemination_source(uint32_t node, uint32_t nodes, uint32_t round);

#endif
