#include <stdio.h>
#include <string.h>

#include "net_ucx_bundle.h"

/*
 * Every transfer is a message and an answer: over TCP a UCX put with its flush takes two round
 * trips, and moves large payloads at two thirds of the speed of a large message, which UCX copies
 * straight from memory to memory.
 */

/* No more than this in one message. */
#define PIECE ((size_t)1 << 30)

static pgasi_ucx_pool_t pool = {.payload_size = PGASI_NET_MESSAGE_MAX,
                                .sending = &pgasi_ucx_awaited};

/* A put in messages of its own; the target acknowledges it, and all before it, if `ask`. */
static uint64_t put(pgas_ptr_t dst, const char *src, size_t nbytes, bool ask)
{
    pgasi_ucx_target_t *target = &pgasi_ucx_targets[dst.thread];
    if (ask)
        pgasi_ucx_send_puts(dst.thread);
    for (size_t at = 0, step; at < nbytes; at += step) {
        step = nbytes - at < PIECE ? nbytes - at : PIECE;
        bool ask_now = ask && at + step == nbytes;
        target->sent++;
        if (ask_now)
            pgasi_ucx_await_ack(dst.thread);
        pgasi_ucx_parcel_t *parcel = pgasi_ucx_parcel(&pool, dst.thread);
        parcel->header.put = (pgasi_ucx_put_t){.offset = dst.offset + at,
                                               .ack = ask_now ? target->sent : 0,
                                               .source = pgasi_job.thread,
                                               .counts = 1};
        pgasi_ucx_request(dst.thread, PGASI_UCX_PUT, parcel, sizeof parcel->header.put, src + at,
                          step);
    }
    return pgasi_ucx_put_handle(dst.thread);
}

static uint64_t get(void *dst, pgas_ptr_t src, size_t nbytes)
{
    uint64_t bits = pgasi_ucx_pending(src.thread, dst, nbytes, NULL);
    for (size_t at = 0, step; at < nbytes; at += step) {
        step = nbytes - at < PIECE ? nbytes - at : PIECE;
        if (at > 0)
            pgasi_ucx_add_part(bits);
        pgasi_ucx_parcel_t *parcel = pgasi_ucx_parcel(&pool, src.thread);
        parcel->header.get =
            (pgasi_ucx_get_t){.token = bits, .at = at, .offset = src.offset + at, .nbytes = step};
        pgasi_ucx_request(src.thread, PGASI_UCX_GET, parcel, sizeof parcel->header.get, NULL, 0);
    }
    return bits;
}

static size_t get_chunks(char *dst, pgas_ptr_t src, const pgasi_chunks_t *chunks, size_t most,
                         uint64_t *bits)
{
    if (chunks->nbytes <= most)
        return pgasi_ucx_bundle_get(dst, src, chunks, bits);
    *bits = get(dst, src, chunks->nbytes);
    return 1;
}

static size_t put_chunks(pgas_ptr_t dst, const char *src, const pgasi_chunks_t *chunks, size_t most,
                         uint64_t *bits)
{
    if (chunks->nbytes <= most)
        return pgasi_ucx_bundle_put(dst, src, chunks, bits);
    *bits = put(dst, src, chunks->nbytes, false);
    return 1;
}

pgasi_net_handle_t pgasi_net_get_nb(void *dst, pgas_ptr_t src, size_t nbytes)
{
    pgasi_net_handle_t handle = {0};
    const pgasi_chunks_t one = {.nbytes = nbytes, .count = 1};
    if (nbytes > 0)
        get_chunks(dst, src, &one, PGASI_NET_COPIED_MAX, &handle.bits);
    return handle;
}

pgasi_net_handle_t pgasi_net_put_nb(pgas_ptr_t dst, const void *src, size_t nbytes)
{
    pgasi_net_handle_t handle = {0};
    const pgasi_chunks_t one = {.nbytes = nbytes, .count = 1};
    if (nbytes > 0)
        put_chunks(dst, src, &one, PGASI_NET_COPIED_MAX, &handle.bits);
    return handle;
}

size_t pgasi_net_get_chunks_nb(void *dst, pgas_ptr_t src, const pgasi_chunks_t *chunks,
                               pgasi_net_handle_t *handle)
{
    return get_chunks(dst, src, chunks, PGASI_UCX_CHUNK_MAX, &handle->bits);
}

size_t pgasi_net_put_chunks_nb(pgas_ptr_t dst, const void *src, const pgasi_chunks_t *chunks,
                               pgasi_net_handle_t *handle)
{
    return put_chunks(dst, src, chunks, PGASI_UCX_CHUNK_MAX, &handle->bits);
}

bool pgasi_net_is_put(pgasi_net_handle_t handle)
{
    return pgasi_ucx_is_put(handle.bits);
}

bool pgasi_net_is_done(pgasi_net_handle_t handle)
{
    return pgasi_ucx_is_done(handle.bits);
}

void pgasi_net_hurry(pgasi_net_handle_t handle)
{
    if (!pgasi_ucx_is_done(handle.bits))
        pgasi_ucx_hurry(handle.bits);
}

bool pgasi_net_test(pgasi_net_handle_t handle)
{
    if (pgasi_ucx_is_done(handle.bits))
        return true;
    pgasi_ucx_hurry(handle.bits);
    bool driving = pgasi_net_drive_begin();
    pgasi_net_drive();
    if (driving)
        pgasi_net_drive_end(false);
    return pgasi_ucx_is_done(handle.bits);
}

/* Told by the watchdog; one wait at a time. */
static uint64_t awaited;

static void describe(char *text, size_t size)
{
    pgasi_ucx_describe(awaited, text, size);
}

static bool is_done(const void *bits)
{
    return pgasi_ucx_is_done(*(const uint64_t *)bits);
}

static bool wait_for(uint64_t bits, unsigned milliseconds)
{
    awaited = bits;
    return pgasi_ucx_wait(is_done, &bits, milliseconds, describe);
}

void pgasi_net_wait(pgasi_net_handle_t handle)
{
    if (pgasi_ucx_is_done(handle.bits))
        return;
    pgasi_ucx_hurry(handle.bits);
    wait_for(handle.bits, 0);
}

static void describe_any(char *text, size_t size)
{
    snprintf(text, size, "one of several copies");
}

void pgasi_net_wait_until(bool (*is_any_done)(const void *argument), const void *argument)
{
    pgasi_ucx_wait(is_any_done, argument, 0, describe_any);
}

void pgasi_net_get(void *dst, pgas_ptr_t src, size_t nbytes)
{
    if (nbytes > 0)
        wait_for(get(dst, src, nbytes), 0);
}

void pgasi_net_put(pgas_ptr_t dst, const void *src, size_t nbytes)
{
    if (nbytes > 0)
        wait_for(put(dst, src, nbytes, true), 0);
}

uint64_t pgasi_net_atomic(pgasi_net_atomic_t atomic, pgas_ptr_t target, size_t nbytes,
                          uint64_t operand, uint64_t compare)
{
    uint64_t old;
    uint64_t bits = pgasi_ucx_pending(target.thread, &old, sizeof old, NULL);
    pgasi_ucx_parcel_t *parcel = pgasi_ucx_parcel(&pool, target.thread);
    parcel->header.atomic = (pgasi_ucx_atomic_t){
        .token = bits,
        .offset = target.offset,
        .operand = operand,
        .compare = compare,
        .atomic = atomic,
        .nbytes = (uint32_t)nbytes,
    };
    pgasi_ucx_request(target.thread, PGASI_UCX_ATOMIC, parcel, sizeof parcel->header.atomic, NULL,
                      0);
    wait_for(bits, 0);
    return old;
}

static uint64_t begin_call(uint32_t thread, unsigned service, const void *request, size_t nbytes,
                           void *reply, size_t size)
{
    uint64_t bits = pgasi_ucx_pending(thread, reply, size, NULL);
    pgasi_ucx_parcel_t *parcel = pgasi_ucx_parcel(&pool, thread);
    parcel->header.call =
        (pgasi_ucx_call_t){.token = bits, .source = pgasi_job.thread, .service = service};
    if (nbytes > 0)
        memcpy(parcel->payload, request, nbytes);
    pgasi_ucx_request(thread, PGASI_UCX_CALL, parcel, sizeof parcel->header.call, parcel->payload,
                      nbytes);
    return bits;
}

void pgasi_net_call(uint32_t thread, pgasi_net_service_t service, const void *request,
                    size_t nbytes, void *reply, size_t size)
{
    wait_for(begin_call(thread, service, request, nbytes, reply, size), 0);
}

bool pgasi_net_call_within(unsigned milliseconds, uint32_t thread, pgasi_net_service_t service,
                           const void *request, size_t nbytes, void *reply, size_t size)
{
    uint64_t bits = begin_call(thread, service, request, nbytes, reply, size);
    if (wait_for(bits, milliseconds))
        return true;
    /* The answer may still come: it must not find the caller's memory. */
    pgasi_ucx_forget(bits);
    return false;
}

void pgasi_ucx_operations_finalize(void)
{
    pgasi_ucx_pool_free(&pool);
}
