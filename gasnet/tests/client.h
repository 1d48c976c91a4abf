/**
 * What the test clients share: CHECK, which prints node, file, line and the expression and ends the
 * job, the segments, and a barrier.
 */
#ifndef GASNET_TESTS_CLIENT_H
#define GASNET_TESTS_CLIENT_H

#include <gasnet.h>

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/* Clients write the type of handlers as the specification does, void (*)(). */
#ifndef __cplusplus
#pragma GCC diagnostic ignored "-Wstrict-prototypes"
#endif

#define CHECK(condition) \
    do { \
        if (!(condition)) { \
            fprintf(stderr, "node %u: %s:%d: CHECK(%s) failed\n", gasnet_mynode(), __FILE__, \
                    __LINE__, #condition); \
            fflush(stderr); \
            _exit(99); \
        } \
    } while (0)

static gasnet_seginfo_t *segments;

static inline void meet(void)
{
    gasnet_barrier_notify(0, GASNET_BARRIERFLAG_ANONYMOUS);
    CHECK(gasnet_barrier_wait(0, GASNET_BARRIERFLAG_ANONYMOUS) == GASNET_OK);
}

/* Starts the job, with a segment of `size` bytes on every node and `count` handlers. */
static inline void start_with(int *argc, char ***argv, uintptr_t size,
                              gasnet_handlerentry_t *handlers, int count)
{
    CHECK(gasnet_init(argc, argv) == GASNET_OK);
    CHECK(gasnet_attach(handlers, count, size, 0) == GASNET_OK);
    segments = (gasnet_seginfo_t *)malloc(gasnet_nodes() * sizeof *segments);
    CHECK(gasnet_getSegmentInfo(segments, (int)gasnet_nodes()) == GASNET_OK);
    for (gasnet_node_t i = 0; i < gasnet_nodes(); i++)
        CHECK(segments[i].size == size);
}

static inline void start(int *argc, char ***argv, uintptr_t size)
{
    start_with(argc, argv, size, NULL, 0);
}

static inline char *segment_of(gasnet_node_t node)
{
    return (char *)segments[node].addr;
}

static inline char *own_segment(void)
{
    return segment_of(gasnet_mynode());
}

/* The byte at place i of a pattern. */
static inline unsigned char pattern(size_t seed, size_t i)
{
    return (unsigned char)((seed * 131 + i * 7 + (i >> 8)) & 0xff);
}

static inline void fill(void *memory, size_t seed, size_t nbytes)
{
    for (size_t i = 0; i < nbytes; i++)
        ((unsigned char *)memory)[i] = pattern(seed, i);
}

static inline int is_filled(const void *memory, size_t seed, size_t nbytes)
{
    for (size_t i = 0; i < nbytes; i++)
        if (((const unsigned char *)memory)[i] != pattern(seed, i))
            return 0;
    return 1;
}

#endif
