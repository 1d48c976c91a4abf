/* The collectives of "UPC Collectives Library 2.0" that move blocks of different sizes. */
#include <stdint.h>
#include <stdlib.h>

#include <pgas/ptr.h>

#include "upc/library.h"

/* The blocks that a member sends to, or receives from, every member: in bytes. */
typedef struct blocks {
    size_t *counts;
    size_t *displs;
    char *buffer;
} blocks_t;

/* What is wrong if it is. */
typedef struct errors {
    upccoll_return_t counts;
    upccoll_return_t displs;
    upccoll_return_t type;
    upccoll_return_t buffer;
} errors_t;

static const errors_t of_send = {UPCCOLL_ERROR_SENDCNTS, UPCCOLL_ERROR_SDISPLS,
                                 UPCCOLL_ERROR_SENDTYPE, UPCCOLL_ERROR_SENDBUF};
static const errors_t of_recv = {UPCCOLL_ERROR_RECVCNTS, UPCCOLL_ERROR_RDISPLS,
                                 UPCCOLL_ERROR_RECVTYPE, UPCCOLL_ERROR_RECVBUF};

/* The pointer of displacement 0 need not lie in the heap. */
static char *find_buffer(pgasi_upc_call_t *call, const blocks_t *blocks, int size,
                         pgas_ptr_t buffer, const errors_t *errors)
{
    char *start = NULL;
    for (int rank = 0; rank < size; rank++) {
        uint64_t end;
        if (blocks->counts[rank] > 0 &&
            __builtin_add_overflow(buffer.offset, blocks->displs[rank], &end))
            pgasi_upc_fail(call, errors->displs);
        pgas_ptr_t block = pgas_ptr_shift(buffer, (ptrdiff_t)blocks->displs[rank]);
        char *at = pgasi_upc_buffer(call, block, blocks->counts[rank], errors->buffer);
        if (at != NULL)
            start = at - blocks->displs[rank];
    }
    return start;
}

static blocks_t find_blocks(pgasi_upc_call_t *call, pgas_ptr_t buffer, const size_t *counts,
                            const size_t *displs, upccoll_dtype_t type, const errors_t *errors)
{
    blocks_t blocks = {NULL, NULL, NULL};
    if (counts == NULL)
        pgasi_upc_fail(call, errors->counts);
    if (displs == NULL)
        pgasi_upc_fail(call, errors->displs);
    pgasi_upc_bytes(call, 1, type, errors->counts, errors->type);
    if (call->error != UPCCOLL_SUCCESS || counts == NULL || displs == NULL)
        return blocks;
    size_t size = (size_t)pgas_team_size(call->team);
    blocks.counts = malloc(2 * size * sizeof *blocks.counts);
    if (blocks.counts == NULL) {
        pgasi_upc_fail(call, UPCCOLL_ERROR_MALLOC);
        return blocks;
    }
    call->memory[call->memory[0] != NULL] = blocks.counts;
    blocks.displs = blocks.counts + size;
    for (size_t rank = 0; rank < size; rank++) {
        blocks.counts[rank] =
            pgasi_upc_bytes(call, counts[rank], type, errors->counts, errors->type);
        blocks.displs[rank] =
            pgasi_upc_bytes(call, displs[rank], type, errors->displs, errors->type);
    }
    blocks.buffer = find_buffer(call, &blocks, (int)size, buffer, errors);
    return blocks;
}

/* What the caller sends to itself. */
static void check_own(pgasi_upc_call_t *call, size_t sent, size_t received)
{
    if (sent != received)
        pgasi_upc_fail(call, UPCCOLL_ERROR_RECVCNTS);
}

static void check_apart(pgasi_upc_call_t *call, const void *block, size_t nbytes,
                        const blocks_t *blocks)
{
    for (int rank = 0; call->error == UPCCOLL_SUCCESS && rank < pgas_team_size(call->team); rank++)
        if (blocks->counts[rank] > 0)
            pgasi_upc_check_apart(call, block, nbytes, blocks->buffer + blocks->displs[rank],
                                  blocks->counts[rank], false);
}

upccoll_return_t upccoll_scatterv(pgas_ptr_t sendbuf, const size_t *sendcnts, const size_t *sdispls,
                                  upccoll_dtype_t sendtype, pgas_ptr_t recvbuf, size_t recvcnt,
                                  upccoll_dtype_t recvtype, int root, upccoll_team_t team,
                                  upccoll_flag_t flags, upccoll_handle_t *handle)
{
    pgasi_upc_call_t call = pgasi_upc_call(team, flags, handle);
    bool is_root = pgasi_upc_is_root(&call, root);
    blocks_t send = {NULL, NULL, NULL};
    if (is_root)
        send = find_blocks(&call, sendbuf, sendcnts, sdispls, sendtype, &of_send);
    size_t nbytes =
        pgasi_upc_bytes(&call, recvcnt, recvtype, UPCCOLL_ERROR_RECVCNTS, UPCCOLL_ERROR_RECVTYPE);
    void *dst = pgasi_upc_buffer(&call, recvbuf, nbytes, UPCCOLL_ERROR_RECVBUF);
    if (call.error == UPCCOLL_SUCCESS && send.counts != NULL) {
        check_own(&call, send.counts[root], nbytes);
        check_apart(&call, dst, nbytes, &send);
    }
    if (pgasi_upc_start(&call))
        PGASI_UPC_RUN(&call, pgas_scatterv,
                      (call.team, send.buffer, send.counts, send.displs, dst, nbytes, root));
    return pgasi_upc_finish(&call);
}

upccoll_return_t upccoll_gatherv(pgas_ptr_t sendbuf, size_t sendcnt, upccoll_dtype_t sendtype,
                                 pgas_ptr_t recvbuf, const size_t *recvcnts, const size_t *rdispls,
                                 upccoll_dtype_t recvtype, int root, upccoll_team_t team,
                                 upccoll_flag_t flags, upccoll_handle_t *handle)
{
    pgasi_upc_call_t call = pgasi_upc_call(team, flags, handle);
    bool is_root = pgasi_upc_is_root(&call, root);
    size_t nbytes =
        pgasi_upc_bytes(&call, sendcnt, sendtype, UPCCOLL_ERROR_SENDCNTS, UPCCOLL_ERROR_SENDTYPE);
    const void *src = pgasi_upc_buffer(&call, sendbuf, nbytes, UPCCOLL_ERROR_SENDBUF);
    blocks_t recv = {NULL, NULL, NULL};
    if (is_root)
        recv = find_blocks(&call, recvbuf, recvcnts, rdispls, recvtype, &of_recv);
    if (call.error == UPCCOLL_SUCCESS && recv.counts != NULL) {
        check_own(&call, nbytes, recv.counts[root]);
        check_apart(&call, src, nbytes, &recv);
    }
    if (pgasi_upc_start(&call))
        PGASI_UPC_RUN(&call, pgas_gatherv,
                      (call.team, src, nbytes, recv.buffer, recv.counts, recv.displs, root));
    return pgasi_upc_finish(&call);
}

upccoll_return_t upccoll_allgatherv(pgas_ptr_t sendbuf, size_t sendcnt, upccoll_dtype_t sendtype,
                                    pgas_ptr_t recvbuf, const size_t *recvcnts,
                                    const size_t *rdispls, upccoll_dtype_t recvtype,
                                    upccoll_team_t team, upccoll_flag_t flags,
                                    upccoll_handle_t *handle)
{
    pgasi_upc_call_t call = pgasi_upc_call(team, flags, handle);
    size_t nbytes =
        pgasi_upc_bytes(&call, sendcnt, sendtype, UPCCOLL_ERROR_SENDCNTS, UPCCOLL_ERROR_SENDTYPE);
    const void *src = pgasi_upc_buffer(&call, sendbuf, nbytes, UPCCOLL_ERROR_SENDBUF);
    blocks_t recv = find_blocks(&call, recvbuf, recvcnts, rdispls, recvtype, &of_recv);
    if (call.error == UPCCOLL_SUCCESS && recv.counts != NULL) {
        check_own(&call, nbytes, recv.counts[pgas_team_rank(call.team)]);
        check_apart(&call, src, nbytes, &recv);
    }
    if (pgasi_upc_start(&call))
        PGASI_UPC_RUN(&call, pgas_allgatherv,
                      (call.team, src, nbytes, recv.buffer, recv.counts, recv.displs));
    return pgasi_upc_finish(&call);
}

upccoll_return_t upccoll_alltoallv(pgas_ptr_t sendbuf, const size_t *sendcnts,
                                   const size_t *sdispls, upccoll_dtype_t sendtype,
                                   pgas_ptr_t recvbuf, const size_t *recvcnts,
                                   const size_t *rdispls, upccoll_dtype_t recvtype,
                                   upccoll_team_t team, upccoll_flag_t flags,
                                   upccoll_handle_t *handle)
{
    pgasi_upc_call_t call = pgasi_upc_call(team, flags, handle);
    blocks_t send = find_blocks(&call, sendbuf, sendcnts, sdispls, sendtype, &of_send);
    blocks_t recv = find_blocks(&call, recvbuf, recvcnts, rdispls, recvtype, &of_recv);
    if (call.error == UPCCOLL_SUCCESS && send.counts != NULL && recv.counts != NULL) {
        int rank = pgas_team_rank(call.team);
        check_own(&call, send.counts[rank], recv.counts[rank]);
#ifdef PGAS_DEBUG /* as many comparisons as there are pairs of members */
        for (int i = 0; i < pgas_team_size(call.team); i++)
            if (send.counts[i] > 0)
                check_apart(&call, send.buffer + send.displs[i], send.counts[i], &recv);
#endif
    }
    if (pgasi_upc_start(&call))
        PGASI_UPC_RUN(&call, pgas_alltoallv,
                      (call.team, send.buffer, send.counts, send.displs, recv.buffer, recv.counts,
                       recv.displs));
    return pgasi_upc_finish(&call);
}
