/**
 * Copies of random kinds with a model of their results, and all the ways to synchronise several of
 * them.
 *
 * Every thread's segment has a room for each thread, which only that thread writes. A batch of
 * copies divides the rooms and the private memory into slots, one for each copy. So no two copies
 * of a batch share a byte, and the result of each is known before it starts.
 */
#ifndef RUNTIME_TESTS_COPY_ASYNC_MODEL_H
#define RUNTIME_TESTS_COPY_ASYNC_MODEL_H

#include "check.h"

enum {
    ROOM = 1 << 20,
    MOST_COPIES = 200,
    BATCHES = 8,
    WAYS = 6,
    MOST_THREADS = 16
};

typedef enum kind {
    GET,
    PUT,
    COPY,
    SET,
    KINDS
} kind_t;

typedef struct copy {
    kind_t kind;
    size_t owner; /* of the shared side, or of the destination */
    size_t from; /* of the source, if both are shared */
    size_t shared; /* offsets in a room, and in private memory */
    size_t source;
    size_t private;
    size_t nbytes;
    int value;
} copy_t;

/** The size of the job, the calling thread's number and its random numbers; the program sets
 *  them. */
extern size_t threads;
extern size_t me;
extern uint64_t generator;

/** The model of the rooms, private memory, and the model of that; model_begin allocates them. */
extern char *model[MOST_THREADS];
extern char *memory;
extern char *expected;

/** Allocates rooms and private memory, full of zeros. Collective. */
void model_begin(void);

/** Fails if anything was written but by copies; frees all. Collective. */
void model_end(void);

pgas_ptr_t in_room(size_t owner, size_t offset);

/** A random number below `bound`. */
size_t below(size_t bound);

/** The numbers below `count`, in a random order. */
void shuffle(size_t *order, size_t count);

/** Starts a random copy within slot `index` of `count`; the model has what it will leave. */
copy_t plan(size_t index, size_t count);

pgas_handle_t start(const copy_t *copy);
void start_implicit(const copy_t *copy);

/** Checks what a copy leaves, once synchronised: on its private side, and as another get sees it.
 */
void check_copy(const copy_t *copy);

size_t count_complete(const pgas_handle_t *handles, size_t count);

/** The ways to complete all of some copies. */
extern void (*const ways[WAYS])(pgas_handle_t *handles, size_t count);

/** One of them. */
void synchronise(pgas_handle_t *handles, size_t count);

/** The tests of copies without a handle, alone and in access regions. */
void test_implicit(void);
void test_region(void);
void test_regions(void);

#endif
