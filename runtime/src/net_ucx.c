#include "net_ucx.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/*
 * Small transfers are one message and one answer, since a UCX put is complete only locally and its
 * flush costs a second round trip over TCP. Large ones are UCX's own, which move without copies.
 */
enum {
    SMALL_PUT = 8192,
    SMALL_GET = 8192,
    /* Puts that nobody waits for yet are bundled: up to this size each, and in all. */
    BUNDLED_PUT = 256,
    BUNDLE_SIZE = 8192
};

/* UCX moves no more than this in one operation here. */
#define PIECE ((size_t)1 << 30)

/* Puts are counted per target; one is complete when its number is acknowledged. An acknowledgement
 * is asked for when somebody waits. */
typedef struct sent {
    uint64_t sent;
    uint64_t asked;
    uint64_t done;
    /* Puts that wait to be sent together; NULL if none. */
    pgasi_ucx_parcel_t *bundle;
    size_t bundle_size;
} sent_t;

/* An operation whose completion is an event of its own: a get, an atomic, a call, a large put. */
typedef struct entry {
    void *dst;
    size_t size;
    uint32_t thread;
    uint32_t generation;
    /* Parts that are not complete yet. */
    uint32_t parts;
    uint32_t next_free;
} entry_t;

/* A handle: a put has the target's number + 1 and the put's number; an entry its index and its
 * generation, which tells a later use of the same entry from this one. */
enum {
    PUT_NUMBER_BITS = 40,
    ENTRY_INDEX_BITS = 24
};

#define IS_ENTRY ((uint64_t)1 << 63)
#define PUT_NUMBER_MASK (((uint64_t)1 << PUT_NUMBER_BITS) - 1)
#define ENTRY_INDEX_MASK (((uint64_t)1 << ENTRY_INDEX_BITS) - 1)
#define NO_ENTRY UINT32_MAX

static sent_t *sent_puts;
static entry_t *entries;
static uint32_t entries_size;
static uint32_t free_entry = NO_ENTRY;
static pgasi_ucx_pool_t pool = {.payload_size = PGASI_NET_MESSAGE_MAX};
static pgasi_ucx_pool_t bundles = {.payload_size = BUNDLE_SIZE};

static const pgasi_net_handle_t complete = {0};

static void grow_entries(void)
{
    uint32_t size = entries_size == 0 ? 64 : 2 * entries_size;
    if (size > ENTRY_INDEX_MASK)
        pgasi_fatal("network", "%u operations in flight are too many", entries_size);
    entry_t *grown = realloc(entries, size * sizeof *entries);
    if (grown == NULL)
        pgasi_fatal("network", "no memory for %u operations in flight", size);
    entries = grown;
    for (uint32_t i = entries_size; i < size; i++)
        entries[i] = (entry_t){.next_free = i + 1 < size ? i + 1 : free_entry};
    free_entry = entries_size;
    entries_size = size;
}

static uint64_t new_entry(uint32_t thread, void *dst, size_t size)
{
    if (free_entry == NO_ENTRY)
        grow_entries();
    uint32_t index = free_entry;
    entry_t *entry = &entries[index];
    free_entry = entry->next_free;
    entry->dst = dst;
    entry->size = size;
    entry->thread = thread;
    entry->parts = 1;
    return IS_ENTRY | (uint64_t)entry->generation << ENTRY_INDEX_BITS | index;
}

static entry_t *entry_of(uint64_t bits)
{
    return &entries[bits & ENTRY_INDEX_MASK];
}

static void finish_part(uint64_t bits)
{
    entry_t *entry = entry_of(bits);
    if (--entry->parts > 0)
        return;
    entry->generation++;
    entry->next_free = free_entry;
    free_entry = (uint32_t)(bits & ENTRY_INDEX_MASK);
}

static bool is_entry_done(uint64_t bits)
{
    uint32_t generation = (uint32_t)((bits & ~IS_ENTRY) >> ENTRY_INDEX_BITS);
    return entry_of(bits)->generation != generation;
}

static uint32_t put_target(uint64_t bits)
{
    return (uint32_t)(bits >> PUT_NUMBER_BITS) - 1;
}

static bool is_done(uint64_t bits)
{
    if (bits == 0)
        return true;
    if ((bits & IS_ENTRY) != 0)
        return is_entry_done(bits);
    return sent_puts[put_target(bits)].done >= (bits & PUT_NUMBER_MASK);
}

static ucs_status_t take_ack(void *arg, const void *header, size_t header_size, void *data,
                             size_t nbytes, const ucp_am_recv_param_t *param)
{
    (void)arg;
    (void)header_size;
    (void)data;
    (void)nbytes;
    (void)param;
    pgasi_ucx_ack_t ack;
    memcpy(&ack, header, sizeof ack);
    if (ack.done > sent_puts[ack.thread].done)
        sent_puts[ack.thread].done = ack.done;
    return UCS_OK;
}

static ucs_status_t take_answer(void *arg, const void *header, size_t header_size, void *data,
                                size_t nbytes, const ucp_am_recv_param_t *param)
{
    (void)arg;
    (void)header_size;
    (void)param;
    pgasi_ucx_answer_t answer;
    memcpy(&answer, header, sizeof answer);
    entry_t *entry = entry_of(answer.token);
    size_t size = nbytes < entry->size ? nbytes : entry->size;
    if (size > 0)
        memcpy(entry->dst, data, size);
    finish_part(answer.token);
    return UCS_OK;
}

ucs_status_t pgasi_ucx_answers_start(void)
{
    sent_puts = calloc(pgasi_job.threads, sizeof *sent_puts);
    if (sent_puts == NULL)
        return UCS_ERR_NO_MEMORY;
    ucs_status_t status = pgasi_ucx_accept(pgasi_ucx_initiating, PGASI_UCX_ACK, take_ack);
    if (status == UCS_OK)
        status = pgasi_ucx_accept(pgasi_ucx_initiating, PGASI_UCX_ANSWER, take_answer);
    return status;
}

void pgasi_ucx_answers_finalize(void)
{
    pgasi_ucx_pool_free(&pool);
    pgasi_ucx_pool_free(&bundles);
    free(entries);
    free(sent_puts);
}

static void post(uint32_t thread, unsigned id, pgasi_ucx_parcel_t *parcel, size_t header_size,
                 const void *payload, size_t nbytes)
{
    pgasi_ucx_post(pgasi_ucx_endpoint(false, thread), id, parcel, header_size, payload, nbytes,
                   UCP_AM_SEND_FLAG_REPLY);
}

static uint64_t put_handle(uint32_t thread)
{
    return (uint64_t)(thread + 1) << PUT_NUMBER_BITS | sent_puts[thread].sent;
}

/* A put that is acknowledged at once. */
static uint64_t small_put(pgas_ptr_t dst, const void *src, size_t nbytes)
{
    sent_t *to = &sent_puts[dst.thread];
    pgasi_ucx_parcel_t *parcel = pgasi_ucx_parcel(&pool, dst.thread);
    to->asked = ++to->sent;
    parcel->header.put = (pgasi_ucx_put_t){
        .offset = dst.offset, .ack = to->sent, .source = pgasi_job.thread, .counts = 1};
    post(dst.thread, PGASI_UCX_PUT, parcel, sizeof parcel->header.put, src, nbytes);
    return put_handle(dst.thread);
}

static void send_bundle(uint32_t thread, uint64_t ack)
{
    sent_t *to = &sent_puts[thread];
    pgasi_ucx_parcel_t *bundle = to->bundle;
    to->bundle = NULL;
    bundle->header.put.ack = ack;
    post(thread, PGASI_UCX_PUTS, bundle, sizeof bundle->header.put, bundle->payload,
         to->bundle_size);
}

/* A put that travels with others. */
static uint64_t bundled_put(pgas_ptr_t dst, const void *src, size_t nbytes)
{
    sent_t *to = &sent_puts[dst.thread];
    pgasi_ucx_piece_t piece = {.offset = dst.offset, .nbytes = nbytes};
    size_t size = sizeof piece + pgasi_ucx_padded(nbytes);
    if (to->bundle != NULL && to->bundle_size + size > BUNDLE_SIZE)
        send_bundle(dst.thread, 0);
    if (to->bundle == NULL) {
        to->bundle = pgasi_ucx_parcel(&bundles, dst.thread);
        to->bundle->header.put = (pgasi_ucx_put_t){.source = pgasi_job.thread};
        to->bundle_size = 0;
    }
    unsigned char *at = to->bundle->payload + to->bundle_size;
    memcpy(at, &piece, sizeof piece);
    memcpy(at + sizeof piece, src, nbytes);
    to->bundle_size += size;
    to->bundle->header.put.counts++;
    to->sent++;
    return put_handle(dst.thread);
}

/* A put of medium size that nobody waits for yet. */
static uint64_t quiet_put(pgas_ptr_t dst, const void *src, size_t nbytes)
{
    pgasi_ucx_parcel_t *parcel = pgasi_ucx_parcel(&pool, dst.thread);
    sent_puts[dst.thread].sent++;
    parcel->header.put =
        (pgasi_ucx_put_t){.offset = dst.offset, .source = pgasi_job.thread, .counts = 1};
    post(dst.thread, PGASI_UCX_PUT, parcel, sizeof parcel->header.put, src, nbytes);
    return put_handle(dst.thread);
}

/* Asks for an acknowledgement of all puts to a thread so far. */
static void ask(uint32_t thread)
{
    sent_t *to = &sent_puts[thread];
    to->asked = to->sent;
    if (to->bundle != NULL) {
        send_bundle(thread, to->sent);
        return;
    }
    pgasi_ucx_parcel_t *parcel = pgasi_ucx_parcel(&pool, thread);
    parcel->header.put = (pgasi_ucx_put_t){.ack = to->sent, .source = pgasi_job.thread};
    post(thread, PGASI_UCX_PUTS, parcel, sizeof parcel->header.put, NULL, 0);
}

static void on_part(void *request, ucs_status_t status, void *user_data)
{
    uint64_t bits = (uint64_t)(uintptr_t)user_data;
    ucp_request_free(request);
    if (status != UCS_OK)
        pgasi_ucx_lost(entry_of(bits)->thread, "transfer", status);
    finish_part(bits);
}

/* Counts what UCX has begun as a part of an operation. */
static void add_part(uint64_t bits, const char *call, ucs_status_ptr_t request)
{
    if (UCS_PTR_IS_ERR(request))
        pgasi_ucx_lost(entry_of(bits)->thread, call, UCS_PTR_STATUS(request));
    if (request != NULL)
        entry_of(bits)->parts++;
}

static ucp_request_param_t part_param(uint64_t bits)
{
    return (ucp_request_param_t){
        .op_attr_mask = UCP_OP_ATTR_FIELD_CALLBACK | UCP_OP_ATTR_FIELD_USER_DATA,
        .cb.send = on_part,
        .user_data = (void *)(uintptr_t)bits,
    };
}

static pgasi_net_handle_t large_get(char *dst, pgas_ptr_t src, size_t nbytes)
{
    uint64_t base;
    ucp_ep_h ep = pgasi_ucx_endpoint(false, src.thread);
    ucp_rkey_h key = pgasi_ucx_key(src.thread, &base);
    uint64_t bits = new_entry(src.thread, NULL, 0);
    ucp_request_param_t param = part_param(bits);
    for (size_t at = 0; at < nbytes; at += PIECE) {
        size_t step = nbytes - at < PIECE ? nbytes - at : PIECE;
        add_part(bits, "get", ucp_get_nbx(ep, dst + at, step, base + src.offset + at, key, &param));
    }
    finish_part(bits);
    return (pgasi_net_handle_t){bits};
}

static pgasi_net_handle_t large_put(pgas_ptr_t dst, const char *src, size_t nbytes)
{
    uint64_t base;
    ucp_ep_h ep = pgasi_ucx_endpoint(false, dst.thread);
    ucp_rkey_h key = pgasi_ucx_key(dst.thread, &base);
    uint64_t bits = new_entry(dst.thread, NULL, 0);
    ucp_request_param_t param = part_param(bits);
    for (size_t at = 0; at < nbytes; at += PIECE) {
        size_t step = nbytes - at < PIECE ? nbytes - at : PIECE;
        add_part(bits, "put", ucp_put_nbx(ep, src + at, step, base + dst.offset + at, key, &param));
    }
    add_part(bits, "flush", ucp_ep_flush_nbx(ep, &param));
    finish_part(bits);
    return (pgasi_net_handle_t){bits};
}

pgasi_net_handle_t pgasi_net_get_nb(void *dst, pgas_ptr_t src, size_t nbytes)
{
    if (nbytes == 0)
        return complete;
    if (nbytes > SMALL_GET)
        return large_get(dst, src, nbytes);
    uint64_t bits = new_entry(src.thread, dst, nbytes);
    pgasi_ucx_parcel_t *parcel = pgasi_ucx_parcel(&pool, src.thread);
    parcel->header.get = (pgasi_ucx_get_t){.token = bits, .offset = src.offset, .nbytes = nbytes};
    post(src.thread, PGASI_UCX_GET, parcel, sizeof parcel->header.get, NULL, 0);
    return (pgasi_net_handle_t){bits};
}

pgasi_net_handle_t pgasi_net_put_nb(pgas_ptr_t dst, const void *src, size_t nbytes)
{
    if (nbytes == 0)
        return complete;
    if (nbytes > SMALL_PUT)
        return large_put(dst, src, nbytes);
    return (pgasi_net_handle_t){nbytes > BUNDLED_PUT ? quiet_put(dst, src, nbytes)
                                                     : bundled_put(dst, src, nbytes)};
}

/* Sees to it that a put is acknowledged some day. */
static void ask_if_needed(uint64_t bits)
{
    if (bits == 0 || (bits & IS_ENTRY) != 0)
        return;
    uint32_t thread = put_target(bits);
    if (sent_puts[thread].asked < (bits & PUT_NUMBER_MASK))
        ask(thread);
}

bool pgasi_net_test(pgasi_net_handle_t handle)
{
    if (is_done(handle.bits))
        return true;
    ask_if_needed(handle.bits);
    bool driving = pgasi_net_drive_begin();
    pgasi_net_drive();
    if (driving)
        pgasi_net_drive_end(false);
    return is_done(handle.bits);
}

/* Told by the watchdog; one wait at a time. */
static uint64_t awaited;

static void describe(char *text, size_t size)
{
    if ((awaited & IS_ENTRY) != 0)
        snprintf(text, size, "an answer of thread %u", entry_of(awaited)->thread);
    else
        snprintf(text, size, "thread %u to confirm put %zu", put_target(awaited),
                 (size_t)(awaited & PUT_NUMBER_MASK));
}

static bool wait_for(uint64_t bits, unsigned milliseconds)
{
    awaited = bits;
    return pgasi_ucx_wait(is_done, bits, milliseconds, describe);
}

void pgasi_net_wait(pgasi_net_handle_t handle)
{
    if (is_done(handle.bits))
        return;
    ask_if_needed(handle.bits);
    wait_for(handle.bits, 0);
}

void pgasi_net_get(void *dst, pgas_ptr_t src, size_t nbytes)
{
    pgasi_net_wait(pgasi_net_get_nb(dst, src, nbytes));
}

void pgasi_net_put(pgas_ptr_t dst, const void *src, size_t nbytes)
{
    if (nbytes == 0)
        return;
    if (nbytes > SMALL_PUT)
        pgasi_net_wait(large_put(dst, src, nbytes));
    else
        wait_for(small_put(dst, src, nbytes), 0);
}

uint64_t pgasi_net_atomic(pgasi_net_atomic_t atomic, pgas_ptr_t target, size_t nbytes,
                          uint64_t operand, uint64_t compare)
{
    uint64_t old;
    uint64_t bits = new_entry(target.thread, &old, sizeof old);
    pgasi_ucx_parcel_t *parcel = pgasi_ucx_parcel(&pool, target.thread);
    parcel->header.atomic = (pgasi_ucx_atomic_t){
        .token = bits,
        .offset = target.offset,
        .operand = operand,
        .compare = compare,
        .atomic = atomic,
        .nbytes = (uint32_t)nbytes,
    };
    post(target.thread, PGASI_UCX_ATOMIC, parcel, sizeof parcel->header.atomic, NULL, 0);
    wait_for(bits, 0);
    return old;
}

static uint64_t begin_call(uint32_t thread, unsigned service, const void *request, size_t nbytes,
                           void *reply, size_t size)
{
    uint64_t bits = new_entry(thread, reply, size);
    pgasi_ucx_parcel_t *parcel = pgasi_ucx_parcel(&pool, thread);
    parcel->header.call =
        (pgasi_ucx_call_t){.token = bits, .source = pgasi_job.thread, .service = service};
    if (nbytes > 0)
        memcpy(parcel->payload, request, nbytes);
    post(thread, PGASI_UCX_CALL, parcel, sizeof parcel->header.call, parcel->payload, nbytes);
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
    entry_of(bits)->size = 0;
    return false;
}
