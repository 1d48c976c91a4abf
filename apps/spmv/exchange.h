/**
 * The preparation step of v3 (section 4.3.1): which values travel between which threads.
 *
 * Each thread finds the values of x that it needs from others, tells each owner once, and allocates
 * one buffer per owner in its own segment. Only pairs that communicate have lists and buffers:
 * memory grows with a thread's neighbours, not with THREADS squared.
 */
#ifndef SPMV_EXCHANGE_H
#define SPMV_EXCHANGE_H

#include "problem.h"

/** A message that the calling thread sends in every iteration. */
typedef struct spmv_outgoing {
    int thread;
    /** Values in it. */
    size_t count;
    /** Their indexes in the thread's own part of x (mythread_send_value_list). */
    uint32_t *indices;
    /** Where they are packed (mythread_send_buffers). */
    double *buffer;
    /** Where they go: the receiver's buffer (shared_recv_buffers). */
    pgas_ptr_t destination;
} spmv_outgoing_t;

/** A message that it receives. */
typedef struct spmv_incoming {
    int thread;
    size_t count;
    /** Their global indexes, ascending (mythread_recv_value_list). */
    uint32_t *indices;
    /** Where they arrive, in the calling thread's segment. */
    pgas_ptr_t buffer;
} spmv_incoming_t;

typedef struct spmv_exchange {
    size_t outgoing_count;
    spmv_outgoing_t *outgoing;
    size_t incoming_count;
    spmv_incoming_t *incoming;
} spmv_exchange_t;

/** Finds the exchange for a problem. Collective. */
void spmv_exchange_create(const spmv_problem_t *problem, spmv_exchange_t *exchange);

/** Frees lists and buffers. Collective. */
void spmv_exchange_free(spmv_exchange_t *exchange);

#endif
