/**
 * What the functions of "UPC Collectives Library 2.0" share: its state, and their checks.
 *
 * A function begins a call, notes with each check the first error that it finds, and runs it, at
 * once or behind a handle (upc/flight.h):
 *
 *   pgasi_upc_call_t call = pgasi_upc_call(team, flags, handle);
 *   size_t nbytes = pgasi_upc_bytes(&call, count, dt, UPCCOLL_ERROR_COUNT, UPCCOLL_ERROR_DATATYPE);
 *   void *buffer = pgasi_upc_buffer(&call, recvbuf, nbytes, UPCCOLL_ERROR_RECVBUF);
 *   if (pgasi_upc_start(&call))
 *       PGASI_UPC_RUN(&call, pgas_broadcast, (call.team, buffer, nbytes, root));
 *   return pgasi_upc_finish(&call);
 */
#ifndef PGASI_UPC_LIBRARY_H
#define PGASI_UPC_LIBRARY_H

#include <stdbool.h>
#include <stddef.h>

#include <pgas/coll.h>
#include <pgas/coll_async.h>
#include <pgas/upc_coll_names.h>

#include "coll/types.h"
#include "upc/flight.h"

/** A call with the first error that it has found, or UPCCOLL_SUCCESS. */
typedef struct pgasi_upc_call {
    upccoll_return_t error;
    pgas_team_t *team;
    upccoll_flag_t flags;
    /** Where the handle goes, if there is one; and what it stands for. NULL: the call blocks. */
    upccoll_handle_t *handle;
    pgasi_upc_flight_t *flight;
    /** What is added to the collective (coll/run.h): the flags' meetings, and the root's copy. */
    pgasi_coll_extra_t extra;
    /** The program's own operation, if the call has one. */
    pgasi_upc_own_t own;
    /** Memory that is freed when the collective is complete. */
    void *memory[2];
} pgasi_upc_call_t;

/** Notes an error, unless there is one. */
void pgasi_upc_fail(pgasi_upc_call_t *call, upccoll_return_t error);

/** Whether functions may be called. */
bool pgasi_upc_is_initialized(void);

/** Begins a collective. */
pgasi_upc_call_t pgasi_upc_call(upccoll_team_t team, upccoll_flag_t flags,
                                upccoll_handle_t *handle);

/** Whether the caller is the root; an error if there is no such rank. */
bool pgasi_upc_is_root(pgasi_upc_call_t *call, int root);

/** The bytes of `count` elements; `bad_count` if they overflow, `bad_type` if there is none. */
size_t pgasi_upc_bytes(pgasi_upc_call_t *call, size_t count, upccoll_dtype_t dt,
                       upccoll_return_t bad_count, upccoll_return_t bad_type);

/** a * the number of members; `error` if it overflows. */
size_t pgasi_upc_for_all(pgasi_upc_call_t *call, size_t nbytes, upccoll_return_t error);

/** The caller's own memory; `error` if it is not, unless there are no bytes. */
void *pgasi_upc_buffer(pgasi_upc_call_t *call, pgas_ptr_t buffer, size_t nbytes,
                       upccoll_return_t error);

/** An error if the receive buffer overlaps the send buffer, in more than beginning there if
 *  `may_be_same`. */
void pgasi_upc_check_apart(pgasi_upc_call_t *call, const void *send, size_t send_bytes,
                           const void *recv, size_t recv_bytes, bool may_be_same);

/** True if no error was found: then PGASI_UPC_RUN follows. */
bool pgasi_upc_start(pgasi_upc_call_t *call);

/** Runs `function` with `args`, a list in brackets, or starts its form behind a handle. */
#define PGASI_UPC_RUN(call, function, args) \
    do { \
        if ((call)->flight == NULL) \
            function args; \
        else \
            (call)->flight->handle = function##_async args; \
    } while (0)

/** The result of the call, with its handle. */
upccoll_return_t pgasi_upc_finish(pgasi_upc_call_t *call);

/** What coll.h calls a type; -1 if there is none. */
pgas_datatype_t pgasi_upc_datatype(upccoll_dtype_t dt);

/** What coll.h calls an operation, to be used on `dt` by this call alone; an error if there is
 * none, or not for the type. */
pgas_op_t pgasi_upc_op(pgasi_upc_call_t *call, upccoll_dtype_t dt, upccoll_op_t op);

#endif
