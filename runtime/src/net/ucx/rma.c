#include "net/ucx/rma.h"

#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

#include <ucp/api/ucp.h>
#include <uct/api/uct.h>

#include <pgas/detail.h>

#include "net/net.h"
#include "net/ucx/endpoint.h"
#include "net/ucx/failure.h"
#include "net/ucx/pending.h"
#include "net/ucx/pool.h"
#include "net/ucx/progress.h"
#include "net/ucx/rma_keys.h"
#include "net/ucx/rma_memory.h"

bool pgasi_ucx_rma_is_on;

enum {
    /* What UCX has not done yet: each takes some memory there. */
    UNDER_WAY_MAX = 64,
    /* Chunks of one operation. */
    CHUNKS_MAX = 256
};

static bool has_credit(const void *unused)
{
    (void)unused;
    return pgasi_ucx_me->rma.sending < UNDER_WAY_MAX;
}

static void describe_credit(char *text, size_t size)
{
    snprintf(text, size, "credit for more remote memory accesses under way");
}

static bool must_wait_for_credit(void)
{
    return !has_credit(NULL) && !pgasi_ucx_me->is_unbounded;
}

static void wait_for_credit(void)
{
    if (must_wait_for_credit())
        pgasi_ucx_wait(has_credit, NULL, 0, describe_credit);
}

/* A part of the operation that the descriptor names is done. */
static void on_done(void *request, ucs_status_t status, void *user_data)
{
    pgasi_ucx_desc_t *desc = user_data;
    uint64_t token = desc->header.reply.token;
    uint32_t thread = desc->thread;
    desc->pool->sending--;
    pgasi_ucx_desc_free(desc);
    ucp_request_free(request);
    if (status != UCS_OK)
        pgasi_ucx_lost(thread, "remote memory access", status);
    if (pgasi_ucx_is_done(status))
        pgasi_ucx_operation_part_done(token);
}

static ucp_request_param_t param_for(pgasi_ucx_desc_t *desc)
{
    return (ucp_request_param_t){
        .op_attr_mask = UCP_OP_ATTR_FIELD_CALLBACK | UCP_OP_ATTR_FIELD_USER_DATA,
        .cb.send = on_done,
        .user_data = desc,
    };
}

/* UCX calls back only for what it does not complete at once. True if it will; the descriptor must
 * then be told of which operation. */
static bool is_under_way(ucs_status_ptr_t request, pgasi_ucx_desc_t *desc)
{
    if (UCS_PTR_IS_ERR(request))
        pgasi_ucx_lost(desc->thread, "remote memory access", UCS_PTR_STATUS(request));
    if (request != NULL && !UCS_PTR_IS_ERR(request)) {
        desc->pool->sending++;
        return true;
    }
    pgasi_ucx_desc_free(desc);
    return false;
}

/* Asks for all keys that are missing. */
static bool has_keys(pgas_ptr_t at, size_t nbytes)
{
    uint64_t end = at.offset + nbytes;
    uint64_t offset = at.offset;
    bool has_all = true;
    while (offset < end) {
        const pgasi_ucx_key_t *key = pgasi_ucx_key(at.thread, offset);
        has_all = has_all && key != NULL;
        uint64_t granule = pgasi_ucx_key_granule();
        offset = key != NULL ? key->end : (offset / granule + 1) * granule;
    }
    return has_all;
}

/* The bytes of [offset, end) that one key is for. */
static size_t length_at(const pgasi_ucx_key_t *key, uint64_t offset, uint64_t end)
{
    return (end < key->end ? end : key->end) - offset;
}

/* Where this process reads and writes the bytes itself. UCX would, by memcpy, which loads and
 * stores some of them twice (pgasi_copy): these are a value, seen whole or not at all and written
 * once. */
static char *value_at(const pgasi_ucx_key_t *key, uint64_t offset, size_t nbytes)
{
    bool is_value = nbytes <= sizeof(uint64_t) && (nbytes & (nbytes - 1)) == 0;
    return is_value && key->memory != NULL ? key->memory + (offset - key->begin) : NULL;
}

/* Gets. An operation begins with the first part that is not complete at once. */

static void add_part(uint64_t *token, uint32_t thread, bool is_put)
{
    const pgasi_ucx_operation_t operation = {
        .thread = thread, .parts = 1, .puts_to = is_put ? thread + 1 : 0};
    if (*token == 0)
        *token = pgasi_ucx_operation_begin(&operation);
    else
        pgasi_ucx_operation_add_part(*token);
}

static void get_part(char *dst, const pgasi_ucx_key_t *key, pgas_ptr_t src, size_t nbytes,
                     uint64_t *token)
{
    pgasi_ucx_desc_t *desc = pgasi_ucx_desc_alloc(&pgasi_ucx_me->rma, src.thread);
    const ucp_request_param_t param = param_for(desc);
    ucs_status_ptr_t request =
        ucp_get_nbx(key->ep, dst, nbytes, key->address + src.offset, key->rkey, &param);
    if (is_under_way(request, desc)) {
        add_part(token, src.thread, false);
        desc->header.reply.token = *token;
    }
}

static void get(char *dst, pgas_ptr_t src, size_t nbytes, uint64_t *token)
{
    uint64_t end = src.offset + nbytes;
    while (src.offset < end) {
        const pgasi_ucx_key_t *key = pgasi_ucx_key(src.thread, src.offset);
        size_t length = length_at(key, src.offset, end);
        const char *value = value_at(key, src.offset, length);
        if (value != NULL)
            pgasi_copy(dst, value, length);
        else
            get_part(dst, key, src, length, token);
        dst += length;
        src.offset += length;
    }
    pgasi_counter_add(&pgasi_ucx_me->keys->operations, 1);
}

bool pgasi_ucx_rma_get(void *dst, pgas_ptr_t src, size_t nbytes, uint64_t *handle)
{
    if (!has_keys(src, nbytes))
        return false;
    wait_for_credit();
    *handle = 0;
    get(dst, src, nbytes, handle);
    return true;
}

/* Puts. */

static uint64_t unflushed_of(uint32_t thread)
{
    uint64_t *token = &pgasi_ucx_me->keys->unflushed[thread];
    if (*token == 0)
        add_part(token, thread, true);
    return *token;
}

static bool is_request_done(const void *argument)
{
    void *const *request = argument;
    return ucp_request_check_status(*request) != UCS_INPROGRESS;
}

static void describe_source(char *text, size_t size)
{
    snprintf(text, size, "a small put to leave");
}

/* The caller may reuse the source when this returns. */
static void put_small(const pgasi_ucx_key_t *key, pgas_ptr_t dst, const char *src, size_t nbytes)
{
    const ucp_request_param_t param = {.op_attr_mask = 0};
    ucs_status_ptr_t request =
        ucp_put_nbx(key->ep, src, nbytes, key->address + dst.offset, key->rkey, &param);
    if (request == NULL)
        return;
    if (!UCS_PTR_IS_ERR(request)) {
        pgasi_ucx_me->awaited++; /* so that every look at the network is one at this worker */
        pgasi_ucx_wait(is_request_done, (const void *)&request, 0, describe_source);
        pgasi_ucx_me->awaited--;
    }
    ucs_status_t status =
        UCS_PTR_IS_ERR(request) ? UCS_PTR_STATUS(request) : ucp_request_check_status(request);
    if (!UCS_PTR_IS_ERR(request))
        ucp_request_free(request);
    if (status != UCS_OK)
        pgasi_ucx_lost(dst.thread, "remote memory access", status);
}

static void put_large(const pgasi_ucx_key_t *key, pgas_ptr_t dst, const char *src, size_t nbytes)
{
    uint64_t token = unflushed_of(dst.thread);
    pgasi_ucx_desc_t *desc = pgasi_ucx_desc_alloc(&pgasi_ucx_me->rma, dst.thread);
    const ucp_request_param_t param = param_for(desc);
    ucs_status_ptr_t request =
        ucp_put_nbx(key->ep, src, nbytes, key->address + dst.offset, key->rkey, &param);
    if (is_under_way(request, desc)) {
        pgasi_ucx_operation_add_part(token);
        desc->header.reply.token = token;
    }
}

/* Returns the handle, which a flush behind the last part completes: what a wait in between has
 * flushed before is complete then, too. */
static uint64_t put(pgas_ptr_t dst, const char *src, size_t nbytes)
{
    bool is_small = nbytes <= PGASI_NET_COPIED_MAX;
    uint64_t end = dst.offset + nbytes;
    while (dst.offset < end) {
        const pgasi_ucx_key_t *key = pgasi_ucx_key(dst.thread, dst.offset);
        size_t length = length_at(key, dst.offset, end);
        char *value = value_at(key, dst.offset, length);
        if (value != NULL)
            pgasi_copy(value, src, length);
        else if (is_small)
            put_small(key, dst, src, length);
        else
            put_large(key, dst, src, length);
        src += length;
        dst.offset += length;
    }
    pgasi_counter_add(&pgasi_ucx_me->keys->operations, 1);
    return unflushed_of(dst.thread);
}

bool pgasi_ucx_rma_put(pgas_ptr_t dst, const void *src, size_t nbytes, uint64_t *handle)
{
    if (!has_keys(dst, nbytes))
        return false;
    wait_for_credit();
    *handle = put(dst, src, nbytes);
    return true;
}

bool pgasi_ucx_rma_flush_puts(uint32_t thread)
{
    uint64_t unflushed = pgasi_ucx_me->keys->unflushed[thread];
    if (unflushed != 0)
        pgasi_ucx_rma_flush(unflushed);
    return pgasi_ucx_me->rma.sending > 0;
}

void pgasi_ucx_rma_flush(uint64_t handle)
{
    uint32_t thread = pgasi_ucx_operation_thread(handle);
    uint64_t *unflushed = &pgasi_ucx_me->keys->unflushed[thread];
    if (*unflushed != handle)
        return;
    *unflushed = 0;
    if (pgasi_ucx_path.kind == PGASI_RMA_SHARED && !pgasi_ucx_me->keys->must_flush) {
        atomic_thread_fence(memory_order_seq_cst);
        pgasi_ucx_operation_part_done(handle);
        return;
    }
    pgasi_ucx_desc_t *desc = pgasi_ucx_desc_alloc(&pgasi_ucx_me->rma, thread);
    desc->header.reply.token = handle;
    const ucp_request_param_t param = param_for(desc);
    if (!is_under_way(ucp_ep_flush_nbx(pgasi_ucx_endpoint(thread), &param), desc))
        pgasi_ucx_operation_part_done(handle);
}

/* Chunks: as many from the first on as all have their keys and, of gets, credit. */

static size_t count_with_keys(pgas_ptr_t at, const pgasi_chunks_t *chunks, ptrdiff_t stride)
{
    size_t count = 0;
    while (count < chunks->count && count < CHUNKS_MAX && has_keys(at, chunks->nbytes)) {
        at.offset += (uint64_t)stride;
        count++;
    }
    return count;
}

size_t pgasi_ucx_rma_get_chunks(char *dst, pgas_ptr_t src, const pgasi_chunks_t *chunks,
                                uint64_t *handle)
{
    size_t count = count_with_keys(src, chunks, chunks->src);
    *handle = 0;
    for (size_t i = 0; i < count; i++) {
        /* While this waits, all parts so far may be done, and the operation with them. */
        if (i > 0 && must_wait_for_credit())
            return i;
        wait_for_credit();
        get(dst, src, chunks->nbytes, handle);
        dst += chunks->dst;
        src.offset += (uint64_t)chunks->src;
    }
    return count;
}

size_t pgasi_ucx_rma_put_chunks(pgas_ptr_t dst, const char *src, const pgasi_chunks_t *chunks,
                                uint64_t *handle)
{
    size_t count = count_with_keys(dst, chunks, chunks->dst);
    for (size_t i = 0; i < count; i++) {
        wait_for_credit();
        *handle = put(dst, src, chunks->nbytes);
        src += chunks->src;
        dst.offset += (uint64_t)chunks->dst;
    }
    return count;
}

/* Atomic operations. */

static ucp_atomic_op_t ucp_op_of(const pgasi_net_atomic_t *atomic)
{
    switch (pgasi_rma_atomic_op(atomic->op, atomic->type)) {
    case UCT_ATOMIC_OP_AND:
        return UCP_ATOMIC_OP_AND;
    case UCT_ATOMIC_OP_OR:
        return UCP_ATOMIC_OP_OR;
    case UCT_ATOMIC_OP_XOR:
        return UCP_ATOMIC_OP_XOR;
    case UCT_ATOMIC_OP_SWAP:
        return UCP_ATOMIC_OP_SWAP;
    case UCT_ATOMIC_OP_CSWAP:
        return UCP_ATOMIC_OP_CSWAP;
    default:
        return UCP_ATOMIC_OP_ADD;
    }
}

/* What UCX takes as the operand: that of a compare-and-swap is what is compared with. */
static uint64_t operand_of(const pgasi_net_atomic_t *atomic)
{
    switch (atomic->op) {
    case PGAS_LOAD:
        return 0;
    case PGAS_INC:
        return 1;
    case PGAS_DEC:
        return UINT64_MAX;
    case PGAS_SUB:
        return 0 - atomic->operand;
    case PGAS_COMPARE_SWAP:
        return atomic->compare;
    default:
        return atomic->operand;
    }
}

/* Without the old value: UCX keeps the operand, and a flush completes the operation. What UCX has
 * not posted yet counts against the credit, as a put does. */
static void post_atomic(const pgasi_ucx_key_t *key, pgas_ptr_t at, const pgasi_net_atomic_t *atomic,
                        uint64_t token)
{
    const uint64_t operand = operand_of(atomic);
    pgasi_ucx_desc_t *desc = pgasi_ucx_desc_alloc(&pgasi_ucx_me->rma, at.thread);
    ucp_request_param_t param = param_for(desc);
    param.op_attr_mask |= UCP_OP_ATTR_FIELD_DATATYPE;
    param.datatype = ucp_dt_make_contig(pgasi_size_of_type(atomic->type));
    ucs_status_ptr_t request = ucp_atomic_op_nbx(key->ep, ucp_op_of(atomic), &operand, 1,
                                                 key->address + at.offset, key->rkey, &param);
    if (is_under_way(request, desc)) {
        pgasi_ucx_me->keys->must_flush = true;
        pgasi_ucx_operation_add_part(token);
        desc->header.reply.token = token;
    }
}

/* `old` has what is to be stored by a compare-and-swap, until it has the old value. Where nobody
 * wants that, it is a put. */
static uint64_t fetch_atomic(const pgasi_ucx_key_t *key, pgas_ptr_t at,
                             const pgasi_net_atomic_t *atomic, void *old)
{
    static _Thread_local uint64_t unwanted;
    const uint64_t operand = operand_of(atomic);
    bool is_put = old == NULL;
    uint64_t token = 0;
    size_t nbytes = pgasi_size_of_type(atomic->type);
    pgasi_ucx_desc_t *desc = pgasi_ucx_desc_alloc(&pgasi_ucx_me->rma, at.thread);
    ucp_request_param_t param = param_for(desc);
    param.op_attr_mask |= UCP_OP_ATTR_FIELD_DATATYPE | UCP_OP_ATTR_FIELD_REPLY_BUFFER;
    param.datatype = ucp_dt_make_contig(nbytes);
    param.reply_buffer = is_put ? &unwanted : old;
    if (atomic->op == PGAS_COMPARE_SWAP)
        memcpy(old, &atomic->operand, nbytes);
    ucs_status_ptr_t request = ucp_atomic_op_nbx(key->ep, ucp_op_of(atomic), &operand, 1,
                                                 key->address + at.offset, key->rkey, &param);
    if (is_under_way(request, desc)) {
        add_part(&token, at.thread, is_put);
        desc->header.reply.token = token;
    }
    return token;
}

bool pgasi_ucx_rma_atomic(pgas_ptr_t at, const pgasi_net_atomic_t *atomic, void *old,
                          uint64_t *handle)
{
    const pgasi_ucx_key_t *key = pgasi_ucx_key(at.thread, at.offset);
    if (key == NULL)
        return false;
    wait_for_credit();
    pgasi_counter_add(&pgasi_ucx_me->keys->operations, 1);
    bool swaps = atomic->op == PGAS_STORE || atomic->op == PGAS_SWAP;
    if (old != NULL || swaps) {
        *handle = fetch_atomic(key, at, atomic, old);
        return true;
    }
    *handle = unflushed_of(at.thread);
    post_atomic(key, at, atomic, *handle);
    return true;
}
