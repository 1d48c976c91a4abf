/* The collectives of "UPC Collectives Library 2.0" that move blocks of one size. */
#include "upc/library.h"

/* A side of a call: bytes of a block, and where all are. */
typedef struct side {
    size_t block;
    size_t total;
    void *buffer;
} side_t;

/* `blocks`: whether there is one for each member. */
static side_t send_side(pgasi_upc_call_t *call, pgas_ptr_t buffer, size_t count,
                        upccoll_dtype_t type, bool blocks)
{
    side_t side = {.block = pgasi_upc_bytes(call, count, type, UPCCOLL_ERROR_SENDCNTS,
                                            UPCCOLL_ERROR_SENDTYPE)};
    side.total = blocks ? pgasi_upc_for_all(call, side.block, UPCCOLL_ERROR_SENDCNTS) : side.block;
    side.buffer = pgasi_upc_buffer(call, buffer, side.total, UPCCOLL_ERROR_SENDBUF);
    return side;
}

static side_t recv_side(pgasi_upc_call_t *call, pgas_ptr_t buffer, size_t count,
                        upccoll_dtype_t type, bool blocks)
{
    side_t side = {.block = pgasi_upc_bytes(call, count, type, UPCCOLL_ERROR_RECVCNTS,
                                            UPCCOLL_ERROR_RECVTYPE)};
    side.total = blocks ? pgasi_upc_for_all(call, side.block, UPCCOLL_ERROR_RECVCNTS) : side.block;
    side.buffer = pgasi_upc_buffer(call, buffer, side.total, UPCCOLL_ERROR_RECVBUF);
    return side;
}

/* A member that both sends and receives sends to itself, too. */
static void check_both(pgasi_upc_call_t *call, const side_t *send, const side_t *recv,
                       bool may_be_same)
{
    if (send->block != recv->block)
        pgasi_upc_fail(call, UPCCOLL_ERROR_RECVCNTS);
    pgasi_upc_check_apart(call, send->buffer, send->total, recv->buffer, recv->total, may_be_same);
}

upccoll_return_t upccoll_bcast(pgas_ptr_t sendbuf, size_t sendcount, upccoll_dtype_t sendtype,
                               pgas_ptr_t recvbuf, size_t recvcnt, upccoll_dtype_t recvtype,
                               int root, upccoll_team_t team, upccoll_flag_t flags,
                               upccoll_handle_t *handle)
{
    pgasi_upc_call_t call = pgasi_upc_call(team, flags, handle);
    bool is_root = pgasi_upc_is_root(&call, root);
    side_t send = {0};
    if (is_root)
        send = send_side(&call, sendbuf, sendcount, sendtype, false);
    side_t recv = recv_side(&call, recvbuf, recvcnt, recvtype, false);
    if (is_root)
        check_both(&call, &send, &recv, true);
    if (is_root && send.buffer != recv.buffer) {
        call.extra.copy_dst = recv.buffer;
        call.extra.copy_src = send.buffer;
        call.extra.copy_bytes = recv.block;
    }
    if (pgasi_upc_start(&call))
        PGASI_UPC_RUN(&call, pgas_broadcast,
                      (call.team, is_root ? send.buffer : recv.buffer, recv.block, root));
    return pgasi_upc_finish(&call);
}

upccoll_return_t upccoll_scatter(pgas_ptr_t sendbuf, size_t sendcnt, upccoll_dtype_t sendtype,
                                 pgas_ptr_t recvbuf, size_t recvcnt, upccoll_dtype_t recvtype,
                                 int root, upccoll_team_t team, upccoll_flag_t flags,
                                 upccoll_handle_t *handle)
{
    pgasi_upc_call_t call = pgasi_upc_call(team, flags, handle);
    bool is_root = pgasi_upc_is_root(&call, root);
    side_t send = {0};
    if (is_root)
        send = send_side(&call, sendbuf, sendcnt, sendtype, true);
    side_t recv = recv_side(&call, recvbuf, recvcnt, recvtype, false);
    if (is_root)
        check_both(&call, &send, &recv, false);
    if (pgasi_upc_start(&call))
        PGASI_UPC_RUN(&call, pgas_scatter, (call.team, send.buffer, recv.buffer, recv.block, root));
    return pgasi_upc_finish(&call);
}

upccoll_return_t upccoll_gather(pgas_ptr_t sendbuf, size_t sendcnt, upccoll_dtype_t sendtype,
                                pgas_ptr_t recvbuf, size_t recvcnt, upccoll_dtype_t recvtype,
                                int root, upccoll_team_t team, upccoll_flag_t flags,
                                upccoll_handle_t *handle)
{
    pgasi_upc_call_t call = pgasi_upc_call(team, flags, handle);
    bool is_root = pgasi_upc_is_root(&call, root);
    side_t send = send_side(&call, sendbuf, sendcnt, sendtype, false);
    side_t recv = {0};
    if (is_root) {
        recv = recv_side(&call, recvbuf, recvcnt, recvtype, true);
        check_both(&call, &send, &recv, false);
    }
    if (pgasi_upc_start(&call))
        PGASI_UPC_RUN(&call, pgas_gather, (call.team, send.buffer, recv.buffer, send.block, root));
    return pgasi_upc_finish(&call);
}

upccoll_return_t upccoll_allgather(pgas_ptr_t sendbuf, size_t sendcnt, upccoll_dtype_t sendtype,
                                   pgas_ptr_t recvbuf, size_t recvcnt, upccoll_dtype_t recvtype,
                                   upccoll_team_t team, upccoll_flag_t flags,
                                   upccoll_handle_t *handle)
{
    pgasi_upc_call_t call = pgasi_upc_call(team, flags, handle);
    side_t send = send_side(&call, sendbuf, sendcnt, sendtype, false);
    side_t recv = recv_side(&call, recvbuf, recvcnt, recvtype, true);
    check_both(&call, &send, &recv, false);
    if (pgasi_upc_start(&call))
        PGASI_UPC_RUN(&call, pgas_allgather, (call.team, send.buffer, recv.buffer, send.block));
    return pgasi_upc_finish(&call);
}

upccoll_return_t upccoll_alltoall(pgas_ptr_t sendbuf, size_t sendcnt, upccoll_dtype_t sendtype,
                                  pgas_ptr_t recvbuf, size_t recvcnt, upccoll_dtype_t recvtype,
                                  upccoll_team_t team, upccoll_flag_t flags,
                                  upccoll_handle_t *handle)
{
    pgasi_upc_call_t call = pgasi_upc_call(team, flags, handle);
    side_t send = send_side(&call, sendbuf, sendcnt, sendtype, true);
    side_t recv = recv_side(&call, recvbuf, recvcnt, recvtype, true);
    check_both(&call, &send, &recv, false);
    if (pgasi_upc_start(&call))
        PGASI_UPC_RUN(&call, pgas_alltoall, (call.team, send.buffer, recv.buffer, send.block));
    return pgasi_upc_finish(&call);
}
