/**
 * The cost of telling another thread something: puts with a signal and the wait for it, and active
 * messages with their handlers, from every thread to its partner at once.
 */
#ifndef STREAM_SIGNALS_H
#define STREAM_SIGNALS_H

#include <pgas/pgas.h>
#include <stdbool.h>

enum {
    /** Bytes of a short and of a long put with a signal (MODEL_SIGNAL_BYTES of
     *  perfmodel/machine.h). */
    STREAM_SIGNAL_SHORT = 8,
    STREAM_SIGNAL_LONG = 1 << 16
};

typedef struct stream_signals {
    /** Of every thread: where bytes arrive, and a signal for each place that they come from. */
    pgas_ptr_t landing;
    pgas_ptr_t signals;
    /** What all threads send. */
    char *source;
    /** The partners that are used next: a pgas_place_t. */
    int place;
    /** By place: to whom the calling thread sends, -1 for nobody; from how many it receives; and
     *  how many signals it has waited for, how many messages it has sent and waited for. */
    int partner[PGAS_PLACES];
    uint64_t senders[PGAS_PLACES];
    uint64_t signalled[PGAS_PLACES];
    uint64_t asked;
    uint64_t told[PGAS_PLACES];
} stream_signals_t;

/** Allocates; one at a time in a process. Collective; ends the job if there is no memory. */
void stream_signals_create(stream_signals_t *signals);

/** Frees it. Collective. */
void stream_signals_free(stream_signals_t *signals);

/** `count` steps with the partners in `place`; each is a stream_loop_t whose context is a
 * stream_signals_t. In a step all threads put to their partners and wait until their own signal has
 * come: */
void stream_signals_short(void *context, size_t count);
void stream_signals_long(void *context, size_t count);

/** Round trips between thread 0 and its partner, another thread, while the others do nothing: short
 *  puts with signals in turns. */
void stream_signals_turns(void *context, size_t count);

/** Short puts with signals, and one wait for all of them. */
void stream_signals_flood(void *context, size_t count);

/** Short active messages whose replies are waited for, one by one. */
void stream_signals_ask(void *context, size_t count);

/** Messages without replies, and one wait for all that come. */
void stream_signals_tell(void *context, size_t count);

/** True if all signals have the number that was sent, and all long puts have arrived whole.
 *  Collective. */
bool stream_signals_check(const stream_signals_t *signals);

#endif
