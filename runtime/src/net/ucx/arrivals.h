/**
 * Which of a sequence of numbered messages have arrived, in any order, and when to acknowledge
 * them: a state machine without network.
 *
 * Messages are numbered from 1, one after the other. What counts is the longest sequence without a
 * hole: a message is acknowledged when it and all before it are there.
 * 64 bits do not wrap: at 10^9 messages a second they last for 584 years.
 */
#ifndef PGASI_NET_UCX_ARRIVALS_H
#define PGASI_NET_UCX_ARRIVALS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** Messages begin to end - 1. */
typedef struct pgasi_arrivals_run {
    uint64_t begin;
    uint64_t end;
} pgasi_arrivals_run_t;

/** Starts as zeros: nothing has arrived. */
typedef struct pgasi_arrivals {
    /** All messages up to this number have arrived. */
    uint64_t done;
    /** Runs beyond, in ascending order; between two of them, and before the first, at least one is
     *  missing. */
    pgasi_arrivals_run_t *runs;
    size_t count;
    size_t size;
    /** Acknowledgements that are requested and not sent: the lowest number that is worth one, and
     *  the highest one requested. Both 0: none. */
    uint64_t lowest_requested;
    uint64_t highest_requested;
} pgasi_arrivals_t;

/** What became of a message. */
typedef enum pgasi_arrival {
    PGASI_ARRIVAL_NEW,
    /** It has arrived before, or has number 0. Nothing is changed. */
    PGASI_ARRIVAL_REPEATED,
    /** There is no memory for another run. Nothing is changed. */
    PGASI_ARRIVAL_NO_MEMORY
} pgasi_arrival_t;

/** Notes that message `number` has arrived. Costs no memory while messages arrive in order. */
pgasi_arrival_t pgasi_arrivals_add(pgasi_arrivals_t *arrivals, uint64_t number);

/** Notes that the sender requests an acknowledgement of all messages up to `number`. */
void pgasi_arrivals_request(pgasi_arrivals_t *arrivals, uint64_t number);

/** If an acknowledgement is due, returns up to which message, and regards it as sent; else 0. */
uint64_t pgasi_arrivals_due(pgasi_arrivals_t *arrivals);

/** Frees what it holds. */
void pgasi_arrivals_free(pgasi_arrivals_t *arrivals);

#endif
