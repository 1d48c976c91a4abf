/**
 * Messages back and forth between two threads, and sends by all threads at once.
 */
#ifndef STREAM_PINGPONG_H
#define STREAM_PINGPONG_H

#include <pgas/pgas.h>

typedef struct stream_pingpong {
    pgas_place_t place;
    /** Of the largest message. */
    size_t max_nbytes;
    /** Per thread: what arrives, and a flag that says so. */
    pgas_ptr_t buffers;
    pgas_ptr_t flags;
    /** What is sent. */
    char *source;
    size_t nbytes;
    /** Messages so far; the same on both sides. */
    uint64_t sent;
} stream_pingpong_t;

/** Allocates buffers for messages of up to `max_nbytes` between thread 0 and its partner in
 *  `place`, or from every thread to its own. Collective; every thread must have a partner. */
void stream_pingpong_create(pgas_place_t place, size_t max_nbytes, stream_pingpong_t *state);

/** Frees them. Collective. */
void stream_pingpong_free(stream_pingpong_t *state);

/** Seconds of one way: half of a round trip, a message there (pgas_memput, then a flag) and one
 *  back, `rounds` times. The other threads wait in a barrier. Collective. */
double stream_pingpong_measure(stream_pingpong_t *state, size_t nbytes, size_t rounds);

/** Seconds of one blocking pgas_memput while all threads send to their partners, `count` times
 *  each. Collective. */
double stream_put_measure(stream_pingpong_t *state, size_t nbytes, size_t count);

/** How many rounds, or puts, of `nbytes` take `seconds`. Collective. */
size_t stream_pingpong_fit(stream_pingpong_t *state, size_t nbytes, double seconds);
size_t stream_put_fit(stream_pingpong_t *state, size_t nbytes, double seconds);

/** Sends a pattern of `nbytes` there and back; true if thread 0 finds it again. Collective. */
bool stream_pingpong_check(stream_pingpong_t *state, size_t nbytes);

#endif
