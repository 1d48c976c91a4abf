/**
 * The quantities the performance model needs (section 5.4 of the paper), counted by each thread
 * from its own rows of J, and the traffic that follows from them.
 */
#ifndef SPMV_COUNTS_H
#define SPMV_COUNTS_H

#include "problem.h"

/** Counts of one thread. Index by pgas_place_t: own, same node ("local"), other node ("remote"). */
typedef struct spmv_counts {
    /** Rows the thread owns, and B_comp, its blocks. */
    uint64_t rows;
    uint64_t blocks;
    /** C_indv: off-diagonals whose x lies there. */
    uint64_t individual[PGAS_PLACES];
    /** B: blocks of x needed from there, whole. Own blocks are all needed. */
    uint64_t needed_blocks[PGAS_PLACES];
    /** Bytes of those blocks. */
    uint64_t needed_bytes[PGAS_PLACES];
    /** S_in: different values of x needed from there; own ones are not counted. */
    uint64_t values_in[PGAS_PLACES];
    /** Threads they come from: incoming messages. */
    uint64_t messages_in[PGAS_PLACES];
    /** S_out and C_out: the same for what others need from this thread. */
    uint64_t values_out[PGAS_PLACES];
    uint64_t messages_out[PGAS_PLACES];
    /** With one message between two nodes: the messages that the thread sends for all threads of
     *  its node, if it is the lowest of them, and the values in them. */
    uint64_t node_messages_out;
    uint64_t node_values_out;
} spmv_counts_t;

/** Traffic by place, as the runtime counts it (pgas/stats.h). */
typedef pgas_stats_t spmv_traffic_t;

/** Counts the calling thread's rows. Collective: the other threads tell what they need. */
void spmv_counts_take(const spmv_problem_t *problem, spmv_counts_t *counts);

#endif
