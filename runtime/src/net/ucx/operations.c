#include <stdio.h>
#include <string.h>

#include <pgas/detail.h>

#include "net/net.h"
#include "net/ucx/aggregate.h"
#include "net/ucx/credit.h"
#include "net/ucx/endpoint.h"
#include "net/ucx/large.h"
#include "net/ucx/numbered.h"
#include "net/ucx/pending.h"
#include "net/ucx/post.h"
#include "net/ucx/progress.h"
#include "net/ucx/rma.h"
#include "net/ucx/rma_memory.h"

/*
 * Where the network itself reaches the target's memory, puts and gets go so (rma.h). Everything
 * else, and every transfer elsewhere, is a message and a reply: over TCP a UCX put with its flush
 * takes two round trips, and moves large payloads at two thirds of the speed of a large message,
 * which UCX copies straight from memory to memory.
 *
 * Three ways, by size: chunks up to PGASI_UCX_CHUNK_MAX are copied into messages with others, what
 * UCX sends at once travels alone, and larger transfers go by the background worker.
 */

/* The most bytes that one message sets: its receiver does nothing else meanwhile. */
#define SET_MAX ((size_t)1 << 20)

/* A put in a message of its own; the target acknowledges it, and all before it, if `wants_ack`. */
static uint64_t put(pgas_ptr_t dst, const char *src, size_t nbytes, bool wants_ack)
{
    if (nbytes > PGASI_UCX_EAGER_MAX)
        return pgasi_ucx_large_put(dst, src, nbytes);
    pgasi_ucx_puts_flush(dst.thread);
    pgasi_ucx_desc_t *desc = pgasi_ucx_desc_alloc(&pgasi_ucx_me->requests, dst.thread);
    pgasi_ucx_number(&desc->header.numbered, dst.thread, wants_ack);
    desc->header.put.offset = dst.offset;
    pgasi_ucx_post_request(pgasi_ucx_endpoint(dst.thread), PGASI_UCX_PUT, desc,
                           sizeof desc->header.put, src, nbytes);
    return pgasi_ucx_numbered_handle(dst.thread);
}

static uint64_t get(void *dst, pgas_ptr_t src, size_t nbytes)
{
    if (nbytes > PGASI_UCX_EAGER_MAX)
        return pgasi_ucx_large_get(dst, src, nbytes);
    const pgasi_ucx_operation_t operation = {
        .dst = dst,
        .size = nbytes,
        .thread = src.thread,
        .parts = 1,
        .under_way = pgasi_ucx_gets_under_way(),
    };
    uint64_t token = pgasi_ucx_operation_begin(&operation);
    pgasi_ucx_desc_t *desc = pgasi_ucx_desc_alloc(&pgasi_ucx_me->requests, src.thread);
    desc->header.get = (pgasi_ucx_get_t){
        .secret = pgasi_ucx_secret,
        .token = token,
        .offset = src.offset,
        .nbytes = nbytes,
    };
    pgasi_ucx_post_request(pgasi_ucx_endpoint(src.thread), PGASI_UCX_GET, desc,
                           sizeof desc->header.get, NULL, 0);
    return token;
}

static bool get_by_rma(void *dst, pgas_ptr_t src, size_t nbytes, uint64_t *handle)
{
    return pgasi_ucx_rma_is_on && pgasi_ucx_rma_get(dst, src, nbytes, handle);
}

static bool put_by_rma(pgas_ptr_t dst, const void *src, size_t nbytes, uint64_t *handle)
{
    return pgasi_ucx_rma_is_on && pgasi_ucx_rma_put(dst, src, nbytes, handle);
}

pgasi_net_handle_t pgasi_net_get_nb(void *dst, pgas_ptr_t src, size_t nbytes)
{
    pgasi_net_handle_t handle = {0};
    const pgasi_chunks_t one = {.nbytes = nbytes, .count = 1};
    if (nbytes == 0 || get_by_rma(dst, src, nbytes, &handle.bits))
        return handle;
    pgasi_ucx_credit_wait();
    if (nbytes > PGASI_UCX_CHUNK_MAX || pgasi_net_is_lent(src.offset))
        handle.bits = get(dst, src, nbytes);
    else
        pgasi_ucx_gets_add(dst, src, &one, true, &handle.bits);
    return handle;
}

pgasi_net_handle_t pgasi_net_put_nb(pgas_ptr_t dst, const void *src, size_t nbytes)
{
    pgasi_net_handle_t handle = {0};
    const pgasi_chunks_t one = {.nbytes = nbytes, .count = 1};
    if (nbytes == 0 || put_by_rma(dst, src, nbytes, &handle.bits))
        return handle;
    pgasi_ucx_credit_wait();
    if (nbytes > PGASI_UCX_CHUNK_MAX)
        handle.bits = put(dst, src, nbytes, false);
    else
        pgasi_ucx_puts_add(dst, src, &one, true, &handle.bits);
    return handle;
}

size_t pgasi_net_get_chunks_nb(void *dst, pgas_ptr_t src, const pgasi_chunks_t *chunks,
                               pgasi_net_handle_t *handle)
{
    size_t count =
        pgasi_ucx_rma_is_on ? pgasi_ucx_rma_get_chunks(dst, src, chunks, &handle->bits) : 0;
    if (count > 0)
        return count;
    pgasi_ucx_credit_wait();
    if (chunks->nbytes <= PGASI_UCX_CHUNK_MAX)
        return pgasi_ucx_gets_add(dst, src, chunks, false, &handle->bits);
    handle->bits = get(dst, src, chunks->nbytes);
    return 1;
}

size_t pgasi_net_put_chunks_nb(pgas_ptr_t dst, const void *src, const pgasi_chunks_t *chunks,
                               pgasi_net_handle_t *handle)
{
    size_t count =
        pgasi_ucx_rma_is_on ? pgasi_ucx_rma_put_chunks(dst, src, chunks, &handle->bits) : 0;
    if (count > 0)
        return count;
    pgasi_ucx_credit_wait();
    if (chunks->nbytes <= PGASI_UCX_CHUNK_MAX)
        return pgasi_ucx_puts_add(dst, src, chunks, false, &handle->bits);
    handle->bits = put(dst, src, chunks->nbytes, false);
    return 1;
}

static void set_part(pgas_ptr_t dst, int value, size_t nbytes)
{
    pgasi_ucx_puts_flush(dst.thread);
    pgasi_ucx_desc_t *desc = pgasi_ucx_desc_alloc(&pgasi_ucx_me->requests, dst.thread);
    pgasi_ucx_number(&desc->header.numbered, dst.thread, false);
    desc->header.set.offset = dst.offset;
    desc->header.set.nbytes = nbytes;
    desc->header.set.value = (unsigned char)value;
    pgasi_ucx_post_request(pgasi_ucx_endpoint(dst.thread), PGASI_UCX_SET, desc,
                           sizeof desc->header.set, NULL, 0);
}

pgasi_net_handle_t pgasi_net_set_nb(pgas_ptr_t dst, int value, size_t nbytes)
{
    unsigned char bytes[PGASI_NET_COPIED_MAX];
    if (nbytes <= sizeof bytes) {
        memset(bytes, value, nbytes);
        return pgasi_net_put_nb(dst, bytes, nbytes);
    }
    while (nbytes > 0) {
        size_t step = nbytes < SET_MAX ? nbytes : SET_MAX;
        pgasi_ucx_credit_wait();
        set_part(dst, value, step);
        dst.offset += step;
        nbytes -= step;
    }
    return (pgasi_net_handle_t){pgasi_ucx_numbered_handle(dst.thread)};
}

pgasi_net_handle_t pgasi_net_atomic_nb(pgas_ptr_t at, const pgasi_net_atomic_t *atomic, void *old)
{
    pgasi_ucx_credit_wait();
    return (pgasi_net_handle_t){pgasi_ucx_atomic_add(old, at, atomic)};
}

pgasi_net_handle_t pgasi_net_update_nb(pgas_ptr_t at, const pgasi_net_atomic_t *atomic)
{
    pgasi_ucx_credit_wait();
    return (pgasi_net_handle_t){pgasi_ucx_update_add(at, atomic)};
}

bool pgasi_net_has_atomics(pgas_type_t type, uint32_t ops)
{
    return pgasi_ucx_rma_is_on && pgasi_rma_has_atomics(&pgasi_ucx_path, type, ops);
}

bool pgasi_net_remote_atomic_nb(pgas_ptr_t at, const pgasi_net_atomic_t *atomic, void *old,
                                pgasi_net_handle_t *handle)
{
    return pgasi_ucx_rma_atomic(at, atomic, old, &handle->bits);
}

pgasi_net_handle_t pgasi_net_copy_nb(pgas_ptr_t dst, pgas_ptr_t src, size_t nbytes)
{
    pgasi_net_handle_t handle = {0};
    if (nbytes > 0)
        handle.bits = pgasi_ucx_large_copy(dst, src, nbytes);
    return handle;
}

bool pgasi_net_is_put(pgasi_net_handle_t handle)
{
    return pgasi_ucx_is_numbered(handle.bits);
}

static bool is_complete(uint64_t bits)
{
    if (bits == 0)
        return true;
    return pgasi_ucx_is_numbered(bits) ? pgasi_ucx_numbered_is_done(bits)
                                       : pgasi_ucx_operation_is_done(bits);
}

bool pgasi_net_is_done(pgasi_net_handle_t handle)
{
    return is_complete(handle.bits);
}

static void flush_operation(uint64_t token)
{
    pgasi_ucx_gets_flush(pgasi_ucx_operation_thread(token));
    if (pgasi_ucx_rma_is_on)
        pgasi_ucx_rma_flush(token);
}

/* Of an operation that is not done. Large ones have left already. */
static void flush(uint64_t bits)
{
    if (!pgasi_ucx_is_numbered(bits))
        flush_operation(bits);
    else if (!pgasi_ucx_numbered_is_requested(bits))
        pgasi_ucx_puts_request_ack(pgasi_ucx_numbered_target(bits));
}

void pgasi_net_flush(pgasi_net_handle_t handle)
{
    if (!is_complete(handle.bits))
        flush(handle.bits);
}

bool pgasi_net_test(pgasi_net_handle_t handle)
{
    if (is_complete(handle.bits))
        return true;
    flush(handle.bits);
    bool must_end = pgasi_net_progress_begin();
    pgasi_net_progress();
    if (must_end)
        pgasi_net_progress_end(false);
    return is_complete(handle.bits);
}

/* For the watchdog; one wait at a time. */
static _Thread_local uint64_t awaited;

static void describe(char *text, size_t size)
{
    if (pgasi_ucx_is_numbered(awaited))
        snprintf(text, size, "thread %u to acknowledge a put", pgasi_ucx_numbered_target(awaited));
    else
        snprintf(text, size, "a reply of thread %u", pgasi_ucx_operation_thread(awaited));
}

static bool is_done(const void *bits)
{
    return is_complete(*(const uint64_t *)bits);
}

static bool wait_for(uint64_t bits, unsigned milliseconds)
{
    awaited = bits;
    return pgasi_ucx_wait(is_done, &bits, milliseconds, describe);
}

void pgasi_net_wait(pgasi_net_handle_t handle)
{
    if (is_complete(handle.bits))
        return;
    flush(handle.bits);
    if (!pgasi_ucx_rma_is_on || !is_complete(handle.bits))
        wait_for(handle.bits, 0);
}

void pgasi_net_wait_all(void)
{
    for (uint32_t thread = 0; thread < pgasi_job.threads; thread++)
        pgasi_net_wait((pgasi_net_handle_t){pgasi_ucx_numbered_handle(thread)});
    uint32_t entry = 0;
    for (uint64_t token; (token = pgasi_ucx_operation_next(&entry)) != 0;)
        pgasi_net_wait((pgasi_net_handle_t){token});
}

static void describe_any(char *text, size_t size)
{
    snprintf(text, size, "one of several copies");
}

void pgasi_net_wait_until(bool (*is_any_done)(const void *argument), const void *argument)
{
    pgasi_ucx_wait(is_any_done, argument, 0, describe_any);
}

bool pgasi_net_wait_within(bool (*is_any_done)(const void *argument), const void *argument,
                           unsigned milliseconds)
{
    return pgasi_ucx_wait(is_any_done, argument, milliseconds, describe_any);
}

void pgasi_net_unbounded(bool yes)
{
    if (pgasi_ucx_me != NULL)
        pgasi_ucx_me->is_unbounded = yes;
}

void pgasi_net_get(void *dst, pgas_ptr_t src, size_t nbytes)
{
    uint64_t handle;
    if (nbytes == 0)
        return;
    if (get_by_rma(dst, src, nbytes, &handle))
        pgasi_net_wait((pgasi_net_handle_t){handle});
    else
        wait_for(get(dst, src, nbytes), 0);
}

void pgasi_net_put(pgas_ptr_t dst, const void *src, size_t nbytes)
{
    uint64_t handle;
    if (nbytes == 0)
        return;
    if (put_by_rma(dst, src, nbytes, &handle))
        pgasi_net_wait((pgasi_net_handle_t){handle});
    else
        wait_for(put(dst, src, nbytes, true), 0);
}

static uint64_t begin_call(uint32_t thread, unsigned service, const void *request, size_t nbytes,
                           void *reply, size_t size)
{
    const pgasi_ucx_operation_t operation = {
        .dst = reply,
        .size = size,
        .thread = thread,
        .parts = 1,
    };
    uint64_t token = pgasi_ucx_operation_begin(&operation);
    pgasi_ucx_post_call(thread, token, service, request, nbytes);
    return token;
}

void pgasi_net_call(uint32_t thread, pgasi_net_service_t service, const void *request,
                    size_t nbytes, void *reply, size_t size)
{
    wait_for(begin_call(thread, service, request, nbytes, reply, size), 0);
}

bool pgasi_net_call_within(unsigned milliseconds, uint32_t thread, pgasi_net_service_t service,
                           const void *request, size_t nbytes, void *reply, size_t size)
{
    uint64_t token = begin_call(thread, service, request, nbytes, reply, size);
    if (wait_for(token, milliseconds))
        return true;
    /* The reply may still come: it must not find the caller's memory. */
    pgasi_ucx_operation_forget(token);
    return false;
}
