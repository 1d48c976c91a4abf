/**
 * Shared by the tests of indexed and strided copies: own, local, remote and private memory with a
 * model of it.
 *
 * Every thread's segment has a room for each thread, which only that thread writes, so that all can
 * copy at once and each knows what must be in its rooms. Private memory has a room too. A room has
 * two halves: one to copy from, one to copy to.
 */
#ifndef RUNTIME_TESTS_VIS_ROOMS_H
#define RUNTIME_TESTS_VIS_ROOMS_H

#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "job_random.h"

enum {
    ROOMS_HALF = 1 << 16,
    ROOMS_SIZE = 2 * ROOMS_HALF,
    ROOMS_MOST_THREADS = 16
};

/** Which copy. */
typedef enum kind {
    KIND_CPY,
    KIND_PUT,
    KIND_GET,
    KINDS
} kind_t;

/** Its form; copies in an access region are a form of their own. */
typedef enum form {
    FORM_BLOCKING,
    FORM_ASYNC,
    FORM_ASYNCI,
    FORM_REGION,
    FORMS
} form_t;

/** A place in a room: of thread `owner`, or of private memory if that is ROOMS_PRIVATE. */
typedef struct spot {
    int owner;
    size_t offset;
} spot_t;

#define ROOMS_PRIVATE (-1)

static pgas_ptr_t rooms_shared;
static char *rooms_private;
/* By owner, the private room last. */
static char *rooms_model[ROOMS_MOST_THREADS + 1];
/* What must have been counted since the start, by thread. */
static pgas_traffic_t rooms_counted[ROOMS_MOST_THREADS][PGAS_DIRECTIONS];
/* Bytes of the call that is being modelled, by thread. */
static size_t rooms_bytes[ROOMS_MOST_THREADS][PGAS_DIRECTIONS];

static inline char *rooms_model_of(spot_t spot)
{
    size_t owner = spot.owner == ROOMS_PRIVATE ? ROOMS_MOST_THREADS : (size_t)spot.owner;
    return rooms_model[owner] + spot.offset;
}

static inline pgas_ptr_t rooms_ptr(spot_t spot)
{
    pgas_ptr_t ptr = rooms_shared;
    ptr.thread = (uint32_t)spot.owner;
    ptr.offset += (uint64_t)pgas_mythread() * ROOMS_SIZE + spot.offset;
    return ptr;
}

/** Collective. Fills all rooms with random bytes. */
static inline void rooms_create(uint64_t *random)
{
    size_t threads = (size_t)pgas_threads();
    CHECK(threads <= ROOMS_MOST_THREADS);
    CHECK(pgas_all_alloc(threads, threads * ROOMS_SIZE, &rooms_shared) == PGAS_OK);
    rooms_private = malloc(ROOMS_SIZE);
    CHECK(rooms_private != NULL);
    for (size_t i = 0; i <= ROOMS_MOST_THREADS; i++) {
        bool is_private = i == ROOMS_MOST_THREADS;
        if (!is_private && i >= threads)
            continue;
        rooms_model[i] = malloc(ROOMS_SIZE);
        CHECK(rooms_model[i] != NULL);
        for (size_t k = 0; k < ROOMS_SIZE; k++)
            rooms_model[i][k] = (char)random_next(random);
        if (is_private)
            memcpy(rooms_private, rooms_model[i], ROOMS_SIZE);
        else
            pgas_memput(rooms_ptr((spot_t){(int)i, 0}), rooms_model[i], ROOMS_SIZE);
    }
}

/** Compares all rooms with the model. */
static inline void rooms_check(void)
{
    static char found[ROOMS_SIZE];
    for (int owner = 0; owner < pgas_threads(); owner++) {
        pgas_memget(found, rooms_ptr((spot_t){owner, 0}), ROOMS_SIZE);
        CHECK(memcmp(found, rooms_model[owner], ROOMS_SIZE) == 0);
    }
    CHECK(memcmp(rooms_private, rooms_model[ROOMS_MOST_THREADS], ROOMS_SIZE) == 0);
}

/** Collective. */
static inline void rooms_destroy(void)
{
    rooms_check();
    pgas_barrier();
    /* The owner's own loads see what was written. */
    const char *mine = pgas_local(rooms_ptr((spot_t){pgas_mythread(), 0}));
    CHECK(mine != NULL && memcmp(mine, rooms_model[pgas_mythread()], ROOMS_SIZE) == 0);
    pgas_all_free(rooms_shared);
    for (size_t i = 0; i <= ROOMS_MOST_THREADS; i++)
        free(rooms_model[i]);
    free(rooms_private);
}

/** Records bytes that a call moves. */
static inline void rooms_note(spot_t spot, pgas_direction_t direction, size_t nbytes)
{
    if (spot.owner != ROOMS_PRIVATE)
        rooms_bytes[spot.owner][direction] += nbytes;
}

/** Ends the model of a call: each thread that it exchanged bytes with counts as one operation.
 *  Compares this with what the library has counted. */
static inline void rooms_check_counts(void)
{
    for (int thread = 0; thread < pgas_threads(); thread++)
        for (int direction = 0; direction < PGAS_DIRECTIONS; direction++) {
            pgas_traffic_t *sum = &rooms_counted[thread][direction];
            sum->operations += rooms_bytes[thread][direction] > 0;
            sum->bytes += rooms_bytes[thread][direction];
            rooms_bytes[thread][direction] = 0;
            pgas_traffic_t got =
                pgas_stats_with(thread, PGAS_CONDENSED, (pgas_direction_t)direction);
            CHECK(got.operations == sum->operations && got.bytes == sum->bytes);
        }
}

/** Synchronises a copy started in the given form; for FORM_REGION the handle is that of the
 *  region. */
static inline void rooms_synchronise(form_t form, pgas_handle_t handle, uint64_t *random)
{
    if (form == FORM_ASYNC || form == FORM_REGION) {
        if (random_below(random, 2) == 0)
            pgas_waitsync(handle);
        else
            while (!pgas_trysync(handle))
                ;
    } else if (form == FORM_ASYNCI) {
        if (random_below(random, 2) == 0)
            pgas_waitsynci();
        else
            while (!pgas_trysynci())
                ;
    }
}

/** A random owner for a side of a copy; private memory for the private side. */
static inline int rooms_owner(kind_t kind, pgas_direction_t direction, uint64_t *random)
{
    bool is_private = direction == PGAS_FROM ? kind == KIND_PUT : kind == KIND_GET;
    size_t threads = (size_t)pgas_threads();
    CHECK(threads > 0);
    return is_private ? ROOMS_PRIVATE : (int)random_below(random, threads);
}

#endif
