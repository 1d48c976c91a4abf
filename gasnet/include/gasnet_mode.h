/**
 * What a program defines before it includes a header of GASNet: it may leave out the value, and
 * compare it. Included by gasnet_types.h and gasnet_tools.h.
 *
 * GASNETT_THREAD_SAFE follows from PARSYNC and PAR. Without gasnet.h it follows from a compiler
 * that is told of threads (-pthread), or an earlier <pthread.h>, unless GASNETT_THREAD_SINGLE is
 * defined.
 */
#ifndef GASNET_MODE_H
#define GASNET_MODE_H

/** Threads of a client in one node; in tools GASNETT_MAX_THREADS. */
#define GASNETI_MAX_THREADS 256

#ifdef GASNET_SEQ
#undef GASNET_SEQ
#define GASNET_SEQ 1
#endif
#ifdef GASNET_PARSYNC
#undef GASNET_PARSYNC
#define GASNET_PARSYNC 1
#endif
#ifdef GASNET_PAR
#undef GASNET_PAR
#define GASNET_PAR 1
#endif
#ifdef GASNET_SEGMENT_FAST
#undef GASNET_SEGMENT_FAST
#define GASNET_SEGMENT_FAST 1
#endif
#ifdef GASNET_SEGMENT_LARGE
#undef GASNET_SEGMENT_LARGE
#define GASNET_SEGMENT_LARGE 1
#endif
#ifdef GASNET_SEGMENT_EVERYTHING
#undef GASNET_SEGMENT_EVERYTHING
#define GASNET_SEGMENT_EVERYTHING 1
#endif
#ifdef GASNET_DEBUG
#undef GASNET_DEBUG
#define GASNET_DEBUG 1
#endif
#if defined(GASNET_DEBUG) || defined(GASNET_DEBUGMALLOC)
#undef GASNET_DEBUGMALLOC
#define GASNET_DEBUGMALLOC 1
#endif

#if defined(GASNETT_THREAD_SAFE) || defined(GASNET_PAR) || defined(GASNET_PARSYNC)
#undef GASNETT_THREAD_SAFE
#define GASNETT_THREAD_SAFE 1
#elif !defined(GASNET_SEQ) && !defined(GASNETT_THREAD_SINGLE) && \
    (defined(_REENTRANT) || defined(_THREAD_SAFE) || defined(PTHREAD_MUTEX_INITIALIZER))
#define GASNETT_THREAD_SAFE 1
#endif

#endif
