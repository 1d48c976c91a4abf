/* Barrier and combining collectives of "UPC Collectives Library 2.0". */
#include "upc/library.h"

/* What upccoll_reduce, _allreduce and the scans have in common. */
typedef struct operands {
    const void *src;
    void *dst;
    pgas_datatype_t type;
    pgas_op_t op;
} operands_t;

static operands_t check(pgasi_upc_call_t *call, pgas_ptr_t sendbuf, pgas_ptr_t recvbuf,
                        size_t count, upccoll_dtype_t dt, upccoll_op_t op, bool receives)
{
    operands_t operands = {.type = pgasi_upc_datatype(dt)};
    size_t nbytes = pgasi_upc_bytes(call, count, dt, UPCCOLL_ERROR_COUNT, UPCCOLL_ERROR_DATATYPE);
    operands.op = pgasi_upc_op(call, dt, op);
    operands.src = pgasi_upc_buffer(call, sendbuf, nbytes, UPCCOLL_ERROR_SENDBUF);
    if (receives) {
        operands.dst = pgasi_upc_buffer(call, recvbuf, nbytes, UPCCOLL_ERROR_RECVBUF);
        pgasi_upc_check_apart(call, operands.src, nbytes, operands.dst, nbytes, true);
    }
    return operands;
}

upccoll_return_t upccoll_barrier(upccoll_team_t team, upccoll_flag_t flags,
                                 upccoll_handle_t *handle)
{
    pgasi_upc_call_t call = pgasi_upc_call(team, flags, handle);
    call.flags &= UPC_ASYNC_FENCE;
    if (pgasi_upc_start(&call))
        PGASI_UPC_RUN(&call, pgas_team_barrier, (call.team));
    return pgasi_upc_finish(&call);
}

upccoll_return_t upccoll_reduce(pgas_ptr_t sendbuf, pgas_ptr_t recvbuf, size_t count,
                                upccoll_dtype_t dt, upccoll_op_t op, int root, upccoll_team_t team,
                                upccoll_flag_t flags, upccoll_handle_t *handle)
{
    pgasi_upc_call_t call = pgasi_upc_call(team, flags, handle);
    bool is_root = pgasi_upc_is_root(&call, root);
    operands_t operands = check(&call, sendbuf, recvbuf, count, dt, op, is_root);
    if (pgasi_upc_start(&call))
        PGASI_UPC_RUN(
            &call, pgas_reduce,
            (call.team, operands.src, operands.dst, count, operands.type, operands.op, root));
    return pgasi_upc_finish(&call);
}

upccoll_return_t upccoll_allreduce(pgas_ptr_t sendbuf, pgas_ptr_t recvbuf, size_t count,
                                   upccoll_dtype_t dt, upccoll_op_t op, upccoll_team_t team,
                                   upccoll_flag_t flags, upccoll_handle_t *handle)
{
    pgasi_upc_call_t call = pgasi_upc_call(team, flags, handle);
    operands_t operands = check(&call, sendbuf, recvbuf, count, dt, op, true);
    if (pgasi_upc_start(&call))
        PGASI_UPC_RUN(&call, pgas_allreduce,
                      (call.team, operands.src, operands.dst, count, operands.type, operands.op));
    return pgasi_upc_finish(&call);
}

upccoll_return_t upccoll_reduce_scatter(pgas_ptr_t sendbuf, pgas_ptr_t recvbuf,
                                        const size_t *recvcounts, upccoll_dtype_t dt,
                                        upccoll_op_t op, upccoll_team_t team, upccoll_flag_t flags,
                                        upccoll_handle_t *handle)
{
    pgasi_upc_call_t call = pgasi_upc_call(team, flags, handle);
    if (call.error != UPCCOLL_SUCCESS || recvcounts == NULL) {
        pgasi_upc_fail(&call, UPCCOLL_ERROR_RECVCNTS);
        return pgasi_upc_finish(&call);
    }
    size_t count = 0;
    for (int rank = 0; rank < pgas_team_size(call.team); rank++)
        if (__builtin_add_overflow(count, recvcounts[rank], &count))
            pgasi_upc_fail(&call, UPCCOLL_ERROR_RECVCNTS);
    size_t all = pgasi_upc_bytes(&call, count, dt, UPCCOLL_ERROR_RECVCNTS, UPCCOLL_ERROR_DATATYPE);
    size_t own = pgasi_upc_bytes(&call, recvcounts[pgas_team_rank(call.team)], dt,
                                 UPCCOLL_ERROR_RECVCNTS, UPCCOLL_ERROR_DATATYPE);
    pgas_op_t operation = pgasi_upc_op(&call, dt, op);
    const void *src = pgasi_upc_buffer(&call, sendbuf, all, UPCCOLL_ERROR_SENDBUF);
    void *dst = pgasi_upc_buffer(&call, recvbuf, own, UPCCOLL_ERROR_RECVBUF);
    pgasi_upc_check_apart(&call, src, all, dst, own, false);
    if (pgasi_upc_start(&call))
        PGASI_UPC_RUN(&call, pgas_reduce_scatter,
                      (call.team, src, dst, recvcounts, pgasi_upc_datatype(dt), operation));
    return pgasi_upc_finish(&call);
}

upccoll_return_t upccoll_scan(pgas_ptr_t sendbuf, pgas_ptr_t recvbuf, size_t count,
                              upccoll_dtype_t dt, upccoll_op_t op, upccoll_team_t team,
                              upccoll_flag_t flags, upccoll_handle_t *handle)
{
    pgasi_upc_call_t call = pgasi_upc_call(team, flags, handle);
    operands_t operands = check(&call, sendbuf, recvbuf, count, dt, op, true);
    if (pgasi_upc_start(&call))
        PGASI_UPC_RUN(&call, pgas_scan_exclusive,
                      (call.team, operands.src, operands.dst, count, operands.type, operands.op));
    return pgasi_upc_finish(&call);
}

upccoll_return_t upccoll_scan_inclusive(pgas_ptr_t sendbuf, pgas_ptr_t recvbuf, size_t count,
                                        upccoll_dtype_t dt, upccoll_op_t op, upccoll_team_t team,
                                        upccoll_flag_t flags, upccoll_handle_t *handle)
{
    pgasi_upc_call_t call = pgasi_upc_call(team, flags, handle);
    operands_t operands = check(&call, sendbuf, recvbuf, count, dt, op, true);
    if (pgasi_upc_start(&call))
        PGASI_UPC_RUN(&call, pgas_scan_inclusive,
                      (call.team, operands.src, operands.dst, count, operands.type, operands.op));
    return pgasi_upc_finish(&call);
}
