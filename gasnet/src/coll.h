/**
 * What data movement and computation share: flags, functions, and operations in flight.
 *
 * The data move by the runtime's collectives on all threads (pgas/coll_async.h). An operation whose
 * flags say IN_ALLSYNC has a barrier before that, one that says OUT_ALLSYNC a barrier behind. These
 * have teams of their own, so that on each team all nodes start the same in the same order, however
 * far the operations before have come on each: barriers before in the order of initiation, data and
 * barriers behind when all operations initiated earlier have started theirs. What moves in parts
 * has started its data with the last of them.
 */
#ifndef GASNETI_COLL_H
#define GASNETI_COLL_H

#include "internal.h"

#include <gasnet_coll.h>

#include <pgas/async.h>

typedef struct gasneti_coll_move gasneti_coll_move_t;
typedef struct gasneti_coll_computation gasneti_coll_computation_t;
typedef pgas_handle_t gasneti_coll_start_t(const gasneti_coll_move_t *move);

typedef enum gasneti_coll_kind {
    GASNETI_COLL_BROADCAST,
    GASNETI_COLL_SCATTER,
    GASNETI_COLL_GATHER,
    GASNETI_COLL_GATHER_ALL,
    GASNETI_COLL_EXCHANGE,
    GASNETI_COLL_COMPUTATION
} gasneti_coll_kind_t;

/** The addresses that an image gave. */
typedef struct gasneti_coll_side {
    void *dst;
    const void *src;
} gasneti_coll_side_t;

/** What an operation does with data: a collective of the runtime and its arguments, or several, one
 *  after the other. */
struct gasneti_coll_move {
    gasneti_coll_kind_t kind;
    /** Starts it; in the runtime. */
    gasneti_coll_start_t *start;
    void *dst;
    const void *src;
    size_t nbytes;
    /** An image. */
    int root;
    /** Of each node, for blocks of different sizes. */
    const size_t *counts;
    const size_t *displs;
    /** Of an operation that moves data in parts, else NULL. Called before the first part, and when
     *  a part is complete: computes with it and sets all above for the next, or returns false if
     *  there is none, after which it is not called again. Outside the runtime: it calls functions
     *  of the program. */
    bool (*compute)(gasneti_coll_move_t *move);
    void *computation;
    /** If not NULL, called once when the data are complete, before the barrier behind; in the
     *  runtime. */
    void (*finish)(gasneti_coll_move_t *move);
    /** If not NULL, the addresses of the node's images, in place of dst and src
     *  (coll_images.h). */
    const gasneti_coll_side_t *sides;
};

/* ---- Arguments (coll.c) ---- */

/** Begins a call: checks what must hold. */
void gasneti_coll_begin(const char *call, gasnet_team_handle_t team, gasnet_image_t root,
                        int flags);

/** Ends the job if the flags of a call that waits say that it is aggregated. */
void gasneti_coll_check_blocking(const char *call, int flags);

/** Ends the job if `flag`, which says that a side lies in the segment, is given and not true. */
void gasneti_coll_check(const char *call, int flags, int flag, const void *at, size_t nbytes);

/** Gathers the `nbytes` bytes at `src` of each node to `dst` of node `root`; in the runtime. */
gasneti_coll_start_t gasneti_coll_start_gather;

/** Whether two images' arguments of a reduction or scan agree but for the addresses
 *  (coll_compute.c). */
bool gasneti_coll_is_same_computation(const gasneti_coll_computation_t *one,
                                      const gasneti_coll_computation_t *other);

/* ---- Operations in flight (coll_flight.c) ---- */

/** Makes the teams of the barriers. Collective. Ends the job unless node 0 has been given the same
 *  images and as many functions. */
void gasneti_coll_open(const char *call);

/** Initiates an operation of the node, of which all have the same in the same order, for the
 *  calling thread: the one client thread, or the one that drives what several images initiate
 *  (coll_images.h). */
gasnet_coll_handle_t gasneti_coll_start_node(const char *call, const gasneti_coll_move_t *move,
                                             int flags);

/** Initiates an operation of the calling image. Returns its handle, or with GASNET_COLL_AGGREGATE
 *  the invalid one: then the next handle completes it, too. */
gasnet_coll_handle_t gasneti_coll_start(const char *call, const gasneti_coll_move_t *move,
                                        int flags);

/** The same, and waits for it. */
void gasneti_coll_complete(const char *call, const gasneti_coll_move_t *move, int flags);

/** Defines the two forms of a call from or to `root`: one that waits, and one with a handle. What
 *  they do, a gasneti_coll_move_t, is an expression of `call` and the parameters. */
#define GASNETI_COLL_FORMS(name, root, params, ...) \
    void gasnet_coll_##name params \
    { \
        const char *call = __func__; \
        gasneti_coll_check_blocking(call, flags); \
        gasneti_coll_begin(call, team, root, flags); \
        gasneti_coll_move_t move = __VA_ARGS__; \
        gasneti_coll_complete(call, &move, flags); \
    } \
    gasnet_coll_handle_t gasnet_coll_##name##_nb params \
    { \
        const char *call = __func__; \
        gasneti_coll_begin(call, team, root, flags); \
        gasneti_coll_move_t move = __VA_ARGS__; \
        return gasneti_coll_start(call, &move, flags); \
    }

#endif
