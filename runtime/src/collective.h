/**
 * Collective calls: which one a thread is in, and whether all threads are in the same one.
 *
 * A thread notes the call and those of its arguments that must be the same everywhere in its
 * segment's header. At every barrier, of which each collective call has at least one, the notes are
 * compared: by a sum that travels with the count of arrivals within a node, and as a whole between
 * nodes. Where they differ the job ends with a line that has both threads and both calls. The same
 * notes tell the watchdog what a thread does that is missing.
 */
#ifndef PGASI_COLLECTIVE_H
#define PGASI_COLLECTIVE_H

#include <stddef.h>
#include <stdint.h>

/** X(member, name). A barrier comes first: what a thread is in that has noted nothing. */
#define PGASI_COLLECTIVES(X) \
    X(BARRIER, "pgas_barrier") \
    X(INIT, "pgas_init") \
    X(FINALIZE, "pgas_finalize") \
    X(ALL_ALLOC, "pgas_all_alloc") \
    X(ALL_FREE, "pgas_all_free") \
    X(ARRAY_CREATE, "pgas_array_create") \
    X(ARRAY_FREE, "pgas_array_free") \
    X(ALL_LOCK_ALLOC, "pgas_all_lock_alloc") \
    X(PLAN_CREATE, "pgas_plan_create") \
    X(PLAN_FREE, "pgas_plan_free")

typedef enum pgasi_collective {
#define PGASI_MEMBER(member, name) PGASI_##member,
    PGASI_COLLECTIVES(PGASI_MEMBER)
#undef PGASI_MEMBER
    PGASI_COLLECTIVE_COUNT
} pgasi_collective_t;

#define PGASI_ARGUMENTS 4

/** A call with its arguments. */
typedef struct pgasi_call {
    /** Who makes it, + 1; 0: nobody. */
    uint32_t thread;
    /** Of call and arguments; 0 for a barrier. Equal calls have equal ones, others hardly. */
    uint32_t signature;
    uint32_t call;
    uint32_t count;
    uint64_t arguments[PGASI_ARGUMENTS];
} pgasi_call_t;

/**
 * Begins a collective call with arguments that must be the same on all threads. One that another
 * makes in turn belongs to it: only the outermost is noted. Ends the program if it is not in the
 * job.
 */
void pgasi_collective_begin(pgasi_collective_t call, size_t count, const uint64_t *arguments);

/** The same with the arguments, PGASI_ARGUMENTS at most and at least one, one by one. */
#define PGASI_COLLECTIVE(call, ...) \
    pgasi_collective_begin(call, sizeof((const uint64_t[]){__VA_ARGS__}) / sizeof(uint64_t), \
                           (const uint64_t[]){__VA_ARGS__})

/** Ends what pgasi_collective_begin began. */
void pgasi_collective_end(void);

/** The name of a call's function. */
const char *pgasi_collective_name(const pgasi_call_t *call);

/** Writes a call as it stands in a program: "pgas_all_alloc(10, 8)". Returns `text`. */
const char *pgasi_collective_describe(const pgasi_call_t *call, char *text, size_t size);

/** Ends the job because two threads are in different calls, `mine` and `other`. */
void pgasi_collective_differ(const pgasi_call_t *mine, const pgasi_call_t *other)
    __attribute__((cold, noreturn));

#endif
