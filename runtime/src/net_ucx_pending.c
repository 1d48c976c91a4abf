#include "net_ucx_pending.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "net_ucx_bundle.h"

/* An operation whose completion is an event of its own: gets, an atomic, a call, a large put. */
typedef struct entry {
    /* Where the answer goes: memory, or the places that a bundle of gets keeps. */
    void *dst;
    size_t size;
    pgasi_ucx_places_t *places;
    uint32_t thread;
    uint32_t generation;
    /* Parts that are not complete yet. */
    uint32_t parts;
    uint32_t next_free;
} entry_t;

/* A put's handle has the target's number + 1 and the put's number; an entry's its index and its
 * generation, which tells a later use of the same entry from this one. */
enum {
    PUT_NUMBER_BITS = 40,
    ENTRY_INDEX_BITS = 24
};

#define IS_ENTRY ((uint64_t)1 << 63)
#define PUT_NUMBER_MASK (((uint64_t)1 << PUT_NUMBER_BITS) - 1)
#define ENTRY_INDEX_MASK (((uint64_t)1 << ENTRY_INDEX_BITS) - 1)
#define NO_ENTRY UINT32_MAX

pgasi_ucx_target_t *pgasi_ucx_targets;
uint32_t pgasi_ucx_awaited;

static entry_t *entries;
static uint32_t entries_size;
static uint32_t free_entry = NO_ENTRY;
static pgasi_ucx_pool_t fetching;

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

uint64_t pgasi_ucx_pending(uint32_t thread, void *dst, size_t size, pgasi_ucx_places_t *places)
{
    if (free_entry == NO_ENTRY)
        grow_entries();
    uint32_t index = free_entry;
    entry_t *entry = &entries[index];
    free_entry = entry->next_free;
    entry->dst = dst;
    entry->size = size;
    entry->places = places;
    entry->thread = thread;
    entry->parts = 1;
    pgasi_ucx_awaited++;
    return IS_ENTRY | (uint64_t)entry->generation << ENTRY_INDEX_BITS | index;
}

static entry_t *entry_of(uint64_t bits)
{
    return &entries[bits & ENTRY_INDEX_MASK];
}

void pgasi_ucx_finish_part(uint64_t bits)
{
    entry_t *entry = entry_of(bits);
    if (--entry->parts > 0)
        return;
    pgasi_ucx_awaited--;
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

bool pgasi_ucx_is_put(uint64_t bits)
{
    return bits != 0 && (bits & IS_ENTRY) == 0;
}

bool pgasi_ucx_is_done(uint64_t bits)
{
    if (bits == 0)
        return true;
    if ((bits & IS_ENTRY) != 0)
        return is_entry_done(bits);
    return pgasi_ucx_targets[put_target(bits)].done >= (bits & PUT_NUMBER_MASK);
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
    pgasi_ucx_target_t *target = &pgasi_ucx_targets[ack.thread];
    bool was_awaited = target->asked > target->done;
    if (ack.done > target->done)
        target->done = ack.done;
    if (was_awaited && target->asked <= target->done)
        pgasi_ucx_awaited--;
    return UCS_OK;
}

static void on_fetched(void *request, ucs_status_t status, size_t nbytes, void *user_data)
{
    (void)nbytes;
    pgasi_ucx_parcel_t *parcel = user_data;
    uint64_t bits = parcel->header.answer.token;
    pgasi_ucx_parcel_free(parcel);
    ucp_request_free(request);
    if (status != UCS_OK)
        pgasi_ucx_lost(entry_of(bits)->thread, "receive", status);
    pgasi_ucx_finish_part(bits);
}

static void fetch(const pgasi_ucx_answer_t *answer, void *data, void *dst, size_t nbytes)
{
    pgasi_ucx_parcel_t *parcel = pgasi_ucx_parcel(&fetching, entry_of(answer->token)->thread);
    parcel->header.answer = *answer;
    if (pgasi_ucx_fetch(pgasi_ucx_initiating, data, dst, nbytes, on_fetched, parcel)) {
        pgasi_ucx_parcel_free(parcel);
        pgasi_ucx_finish_part(answer->token);
    }
}

static ucs_status_t take_answer(void *arg, const void *header, size_t header_size, void *data,
                                size_t nbytes, const ucp_am_recv_param_t *param)
{
    (void)arg;
    (void)header_size;
    pgasi_ucx_answer_t answer;
    memcpy(&answer, header, sizeof answer);
    const entry_t *entry = entry_of(answer.token);
    char *dst = (char *)entry->dst + answer.at;
    if ((param->recv_attr & UCP_AM_RECV_ATTR_FLAG_RNDV) != 0) {
        fetch(&answer, data, dst, nbytes);
        return UCS_INPROGRESS;
    }
    size_t size = nbytes < entry->size ? nbytes : entry->size;
    if (entry->places != NULL)
        pgasi_ucx_place(entry->places, data);
    else if (size > 0)
        memcpy(dst, data, size);
    pgasi_ucx_finish_part(answer.token);
    return UCS_OK;
}

ucs_status_t pgasi_ucx_answers_start(void)
{
    pgasi_ucx_targets = calloc(pgasi_job.threads, sizeof *pgasi_ucx_targets);
    if (pgasi_ucx_targets == NULL)
        return UCS_ERR_NO_MEMORY;
    ucs_status_t status = pgasi_ucx_accept(pgasi_ucx_initiating, PGASI_UCX_ACK, take_ack);
    if (status == UCS_OK)
        status = pgasi_ucx_accept(pgasi_ucx_initiating, PGASI_UCX_ANSWER, take_answer);
    return status;
}

void pgasi_ucx_answers_finalize(void)
{
    pgasi_ucx_bundles_free();
    pgasi_ucx_pool_free(&fetching);
    free(entries);
    free(pgasi_ucx_targets);
}

void pgasi_ucx_add_part(uint64_t bits)
{
    entry_of(bits)->parts++;
}

void pgasi_ucx_await_ack(uint32_t thread)
{
    pgasi_ucx_target_t *target = &pgasi_ucx_targets[thread];
    if (target->asked <= target->done && target->sent > target->done)
        pgasi_ucx_awaited++;
    target->asked = target->sent;
}

void pgasi_ucx_forget(uint64_t bits)
{
    entry_of(bits)->size = 0;
}

uint64_t pgasi_ucx_put_handle(uint32_t thread)
{
    return (uint64_t)(thread + 1) << PUT_NUMBER_BITS | pgasi_ucx_targets[thread].sent;
}

uint32_t pgasi_ucx_thread_of(uint64_t bits)
{
    return (bits & IS_ENTRY) != 0 ? entry_of(bits)->thread : put_target(bits);
}

void pgasi_ucx_hurry(uint64_t bits)
{
    uint32_t thread = pgasi_ucx_thread_of(bits);
    if ((bits & IS_ENTRY) != 0)
        pgasi_ucx_send_gets(thread);
    else if (pgasi_ucx_targets[thread].asked < (bits & PUT_NUMBER_MASK))
        pgasi_ucx_ask(thread);
}

void pgasi_ucx_describe(uint64_t bits, char *text, size_t size)
{
    uint32_t thread = pgasi_ucx_thread_of(bits);
    if ((bits & IS_ENTRY) != 0)
        snprintf(text, size, "an answer of thread %u", thread);
    else
        snprintf(text, size, "thread %u to confirm put %zu", thread,
                 (size_t)(bits & PUT_NUMBER_MASK));
}
