/**
 * Calls of "UPC Collectives Library 2.0" in flight, and their handles.
 *
 * Those of an agent (base/agent.h) have a table of their own. A handle is a number: a place in the
 * table, and which call of the process has it. So one that has been waited for is found out, and
 * one of another agent. Those of UPC_ASYNC_FENCE have a place and no handle.
 */
#ifndef PGASI_UPC_FLIGHT_H
#define PGASI_UPC_FLIGHT_H

#include <stdbool.h>
#include <stdint.h>

#include <pgas/async.h>
#include <pgas/upc_coll_names.h>

/** An operation of the program's own, with the type that its caller has named. */
typedef struct pgasi_upc_own {
    upccoll_user_fun *function;
    upccoll_dtype_t dt;
} pgasi_upc_own_t;

/** A call in flight. */
typedef struct pgasi_upc_flight {
    pgas_handle_t handle;
    pgasi_upc_own_t own;
    /** Freed when it is complete. */
    void *memory[2];
    uint32_t index;
    uint64_t generation;
    /** Neither waited for nor, for those of a fence, complete; and tested to be complete. */
    bool is_open;
    bool is_done;
    bool is_fenced;
    struct pgasi_upc_flight *next_free;
} pgasi_upc_flight_t;

/** A place; NULL if there is no memory. */
pgasi_upc_flight_t *pgasi_upc_flight_open(bool is_fenced);

/** Its handle. */
upccoll_handle_t pgasi_upc_flight_handle(const pgasi_upc_flight_t *flight);

/** Completes all of the calling agent that are open, or only those of a fence. */
void pgasi_upc_flights_wait(bool only_fenced);

/** The calling agent detaches: completes all that are open, and frees its table. */
void pgasi_upc_flights_detach(void);

#endif
