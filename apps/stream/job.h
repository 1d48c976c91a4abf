/**
 * What every measurement needs from the job: partners of threads, and one time for all threads.
 */
#ifndef STREAM_JOB_H
#define STREAM_JOB_H

#include <pgas/pgas.h>
#include <stdbool.h>
#include <stddef.h>

/** Sets up the exchange of times. Collective; once, after pgas_init. */
void stream_job_begin(void);

/** Frees it. Collective. */
void stream_job_end(void);

/** Threads of the node with the most. */
int stream_threads_per_node(void);

/** A thread of place `place` as seen from `thread`, or -1 if there is none: itself; the next one of
 *  its node, if there are others on thread 0's, which is itself where a node has one only; the one
 *  with its rank on the next node, counted cyclically. */
int stream_partner(int thread, pgas_place_t place);

/** Whether the calling thread's partner is another thread. */
bool stream_has_other(pgas_place_t place);

/** True if every thread has a partner in `place`; the same on every thread. */
bool stream_has_partners(pgas_place_t place);

/** The largest of all threads' values. Collective. */
double stream_largest(double mine);

/** True if no thread says false. Collective. */
bool stream_all(bool mine);

/** What thread 0 says. Collective. */
double stream_of_thread_0(double mine);

/** `count` iterations of a timed loop. */
typedef void (*stream_loop_t)(void *context, size_t count);

/** Seconds from the moment when the first thread begins `count` iterations until the last one has
 *  finished, all threads at once, barriers before and after. Collective. */
double stream_time(stream_loop_t loop, void *context, size_t count);

/** Whether `count` iterations take at least `seconds`, whenever they are timed. Collective. */
bool stream_fills(stream_loop_t loop, void *context, size_t count, double seconds);

/** How many iterations take at least `seconds`, whenever they are timed, rounded up to a power of
 *  two; also warms up. Collective. */
size_t stream_fit(stream_loop_t loop, void *context, double seconds);

#endif
