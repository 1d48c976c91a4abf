/**
 * Copies of random forms and sizes in flight, started in random order; see test_completion.c.
 *
 * Copies use these spaces: in each thread's segment a room that only the calling thread uses, and
 * private memory of the same size. Each has a model of what the space holds once all copies are
 * done. An interval of a space belongs to one copy at a time.
 */
#ifndef RUNTIME_TESTS_COPY_COMPLETION_H
#define RUNTIME_TESTS_COPY_COMPLETION_H

#include "check.h"

enum {
    ROOM = 48 << 20,
    MOST_THREADS = 8,
    MOST_IN_FLIGHT = 32
};

typedef enum kind {
    PUT,
    GET,
    COPY,
    SET,
    VALUE,
    PUT_CHUNKS,
    GET_CHUNKS,
    COPY_CHUNKS,
    PUT_LIST,
    KINDS
} kind_t;

typedef struct interval {
    size_t space; /* a thread's number, or `threads` for private memory */
    size_t begin;
    size_t nbytes;
} interval_t;

typedef struct copy {
    kind_t kind;
    interval_t dst;
    interval_t src; /* no bytes for SET and VALUE */
    size_t chunk; /* bytes copied of every 2 * chunk; 0: all */
    pgas_handle_t handle;
    bool is_implicit;
    bool is_of_region;
    /* For PUT_LIST: kept until it is done. */
    pgas_ptr_t *dst_list;
    const void **src_list;
} copy_t;

/** For some time most copies are alike, go to one thread so that they share its connection, and are
 * synchronised in one way: nothing may depend on another way being used too. */
struct fashion {
    size_t steps;
    kind_t kind;
    size_t target;
    size_t choice;
};

extern struct fashion fashion;

/** The size of the job, the calling thread's number and its random numbers; the program sets
 *  them. */
extern size_t threads;
extern size_t me;
extern uint64_t generator;

/** The rooms, the spaces' models, and private memory; the program makes them. */
extern pgas_ptr_t rooms;
extern char *model[MOST_THREADS + 1];
extern char *memory;

extern copy_t copies[MOST_IN_FLIGHT];
extern size_t in_flight;

/** Whether copies are started within an access region. */
extern bool in_region;

pgas_ptr_t at(size_t thread, size_t offset);

/** A random number below `bound`. */
size_t below(size_t bound);

/** Starts a random copy, if there is space for it. */
void start(void);

/** Writes new values into a source; rarely in another thread's memory, since that waits and so lets
 *  many other copies complete. */
void refill(const interval_t *interval);

#endif
