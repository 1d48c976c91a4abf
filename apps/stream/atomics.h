/**
 * The cost of atomic operations on words of a thread's partner, all threads at once: one after
 * another or many in flight, with the old value or without it; on one word by all threads of a
 * node, and on words that no cache holds.
 */
#ifndef STREAM_ATOMICS_H
#define STREAM_ATOMICS_H

#include <pgas/pgas.h>
#include <stdbool.h>

#include "private.h"

typedef struct stream_atomics {
    /** Some words of every thread, each with a single partner that adds to it, and a last one. */
    pgas_ptr_t words;
    /** Arrays beyond the caches. */
    stream_private_t *memory;
    /** Whose words are used next. */
    int partner;
    /** Where old values go that are in flight. */
    uint64_t *olds;
    /** What the calling thread has added to words so far. */
    uint64_t added;
    uint64_t random;
} stream_atomics_t;

/** Allocates words. The arrays in `memory`, in the shared heap, stay the caller's, must live as
 *  long and do not change. Collective; ends the job if there is no memory. */
void stream_atomics_create(stream_private_t *memory, stream_atomics_t *atomics);

/** Frees them. Collective. */
void stream_atomics_free(stream_atomics_t *atomics);

/** `count` operations on words of `partner`; each is a stream_loop_t whose context is a
 * stream_atomics_t, and all of them are complete at its end. Blocking additions that return the old
 * value, or do not: */
void stream_atomics_fetch(void *context, size_t count);
void stream_atomics_update(void *context, size_t count);

/** Many in flight. */
void stream_atomics_fetch_flood(void *context, size_t count);
void stream_atomics_update_flood(void *context, size_t count);

/** Blocking ones on random words in the partner's arrays, which must be mapped. */
void stream_atomics_fetch_far(void *context, size_t count);

/** Blocking ones on the last word of the first thread of the node. */
void stream_atomics_fetch_contended(void *context, size_t count);

/** Blocking ones on random words of that thread. */
void stream_atomics_fetch_shared(void *context, size_t count);

/** True if all words of all threads are the sum of what was added. Collective. */
bool stream_atomics_check(const stream_atomics_t *atomics);

#endif
