/**
 * A note of a collective call, in shared memory: which one, and with what arguments.
 */
#ifndef PGASI_SHM_CALL_H
#define PGASI_SHM_CALL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** X(member, name). The barrier comes first: a thread that has noted nothing is in one. */
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
    X(PLAN_FREE, "pgas_plan_free") \
    X(AM_REGISTER, "pgas_am_register") \
    X(ATOMIC_DOMAIN_CREATE, "pgas_atomic_domain_create") \
    X(ATOMIC_DOMAIN_FREE, "pgas_atomic_domain_free") \
    X(TEAM_BARRIER, "pgas_team_barrier") \
    X(TEAM_SPLIT, "pgas_team_split") \
    X(TEAM_CREATE, "pgas_team_create") \
    X(TEAM_FREE, "pgas_team_free") \
    X(BROADCAST, "pgas_broadcast") \
    X(SCATTER, "pgas_scatter") \
    X(SCATTERV, "pgas_scatterv") \
    X(GATHER, "pgas_gather") \
    X(GATHERV, "pgas_gatherv") \
    X(ALLGATHER, "pgas_allgather") \
    X(ALLGATHERV, "pgas_allgatherv") \
    X(ALLTOALL, "pgas_alltoall") \
    X(ALLTOALLV, "pgas_alltoallv") \
    X(REDUCE, "pgas_reduce") \
    X(ALLREDUCE, "pgas_allreduce") \
    X(REDUCE_SCATTER, "pgas_reduce_scatter") \
    X(SCAN_INCLUSIVE, "pgas_scan_inclusive") \
    X(SCAN_EXCLUSIVE, "pgas_scan_exclusive") \
    X(UPC_BROADCAST, "upc_all_broadcast") \
    X(UPC_SCATTER, "upc_all_scatter") \
    X(UPC_GATHER, "upc_all_gather") \
    X(UPC_GATHER_ALL, "upc_all_gather_all") \
    X(UPC_EXCHANGE, "upc_all_exchange") \
    X(UPC_PERMUTE, "upc_all_permute") \
    X(UPC_REDUCE, "upc_all_reduce") \
    X(UPC_PREFIX_REDUCE, "upc_all_prefix_reduce")

typedef enum pgasi_collective {
#define PGASI_MEMBER(member, name) PGASI_##member,
    PGASI_COLLECTIVES(PGASI_MEMBER)
#undef PGASI_MEMBER
    PGASI_COLLECTIVE_COUNT
} pgasi_collective_t;

#define PGASI_CALL_ARGUMENTS 4

/** A call with its arguments. */
typedef struct pgasi_call {
    /** Who makes it, + 1; 0: nobody. */
    uint32_t thread;
    /** A hash of call and arguments; 0 for a barrier. */
    uint32_t signature;
    uint32_t call;
    uint32_t count;
    uint64_t arguments[PGASI_CALL_ARGUMENTS];
} pgasi_call_t;

/** Sets the first two arguments of a call whose counts by rank must be the same on all members: to
 *  their sum, and to a sum with weights, by which one that differs is found. */
void pgasi_call_set_counts(pgasi_call_t *call, const size_t *counts, uint32_t members);

/** Whether two calls differ in such counts alone; if they do, writes in what. */
bool pgasi_call_counts_differ(const pgasi_call_t *mine, const pgasi_call_t *other, uint32_t members,
                              char *text, size_t size);

/** The signature of a call: a hash that is never 0; two different calls seldom have the same. */
uint32_t pgasi_call_sign(const pgasi_call_t *call);

/** The name of the function. */
const char *pgasi_call_name(const pgasi_call_t *call);

/** Writes a call as it stands in a program: "pgas_all_alloc(10, 8)". Counts are
 *  told by their sum. Returns `text`. */
const char *pgasi_call_describe(const pgasi_call_t *call, char *text, size_t size);

#endif
