#include "net/ucx/pending.h"

#include <stdlib.h>

#include <pgas/detail.h>

#include "net/ucx/failure.h"
#include "net/ucx/post.h"
#include "net/ucx/request.h"
#include "net/ucx/worker.h"

/*
 * Entries stay where they are, in slabs that are never given back, since the thread that
 * progresses the background worker reads them while agents add more.
 *
 * A token has the entry's index and 37 bits of its generation. A completed operation is never taken
 * for one in flight and an operation in flight never for a completed one, unless a handle is kept
 * while its entry serves exactly 2^37 later operations: then the old handle says "not done" as long
 * as the later one is not, and no longer, since an entry without parts in flight is always done.
 */
enum {
    INDEX_BITS = 24,
    GENERATION_BITS = 37,
    SLAB_BITS = 10,
    SLAB_SIZE = 1 << SLAB_BITS,
    SLABS = 1 << (INDEX_BITS - SLAB_BITS)
};

#define INDEX_MASK (((uint64_t)1 << INDEX_BITS) - 1)
#define GENERATION_MASK (((uint64_t)1 << GENERATION_BITS) - 1)
#define NONE UINT32_MAX

_Static_assert(INDEX_BITS + GENERATION_BITS <= 61, "bits 61 and 62 of a handle are others'");

/* Each belongs to one initiator, but all have one sequence of indexes. */
typedef struct slab {
    pgasi_ucx_initiator_t *owner;
    pgasi_ucx_operation_t entries[SLAB_SIZE];
} slab_t;

static slab_t *_Atomic slabs[SLABS];
static _Atomic uint32_t slab_count;
static pgasi_ucx_pool_t fetching_in_background;

static void add_slab(void)
{
    uint32_t number = atomic_fetch_add(&slab_count, 1);
    if (number >= SLABS)
        pgasi_fatal("network", "%u operations in flight are too many", SLABS * SLAB_SIZE);
    slab_t *slab = calloc(1, sizeof *slab);
    if (slab == NULL)
        pgasi_fatal("network", "no memory for %u operations in flight", (number + 1) * SLAB_SIZE);
    uint32_t first = number * SLAB_SIZE;
    slab->owner = pgasi_ucx_me;
    for (uint32_t i = 0; i < SLAB_SIZE; i++)
        slab->entries[i].next_free = i + 1 < SLAB_SIZE ? first + i + 1 : NONE;
    atomic_store(&slabs[number], slab);
    pgasi_ucx_me->free_entry = first;
}

static slab_t *slab_of(uint64_t token)
{
    return atomic_load_explicit(&slabs[(token & INDEX_MASK) >> SLAB_BITS], memory_order_acquire);
}

static pgasi_ucx_operation_t *entry_of(uint64_t token)
{
    slab_t *slab = slab_of(token);
    return slab == NULL ? NULL : &slab->entries[token % SLAB_SIZE];
}

static uint64_t token_of(uint32_t index, uint64_t generation)
{
    return PGASI_UCX_IS_OPERATION | (generation & GENERATION_MASK) << INDEX_BITS | index;
}

static uint64_t generation_of(uint64_t token)
{
    return token >> INDEX_BITS & GENERATION_MASK;
}

uint64_t pgasi_ucx_operation_begin(const pgasi_ucx_operation_t *operation)
{
    pgasi_ucx_initiator_t *me = pgasi_ucx_me;
    if (me->free_entry == NONE)
        me->free_entry = atomic_exchange(&me->returned, NONE);
    if (me->free_entry == NONE)
        add_slab();
    uint32_t index = me->free_entry;
    pgasi_ucx_operation_t *entry = entry_of(index);
    me->free_entry = entry->next_free;
    uint64_t generation = atomic_load_explicit(&entry->generation, memory_order_relaxed);
    entry->dst = operation->dst;
    entry->size = operation->size;
    entry->deliver = operation->deliver;
    entry->context = operation->context;
    entry->thread = operation->thread;
    atomic_store_explicit(&entry->parts, operation->parts, memory_order_relaxed);
    entry->is_background = operation->is_background;
    entry->puts_to = operation->puts_to;
    entry->under_way = operation->under_way;
    if (entry->under_way != NULL)
        atomic_fetch_add_explicit(entry->under_way, 1, memory_order_relaxed);
    if (!entry->is_background) /* else counted when it is posted */
        me->awaited++;
    return token_of(index, generation);
}

void pgasi_ucx_operation_add_part(uint64_t token)
{
    pgasi_ucx_operation_t *entry = entry_of(token);
    uint32_t parts = atomic_load_explicit(&entry->parts, memory_order_relaxed);
    atomic_store_explicit(&entry->parts, parts + 1, memory_order_relaxed);
}

static bool is_of_generation(pgasi_ucx_operation_t *entry, uint64_t token, memory_order order)
{
    uint64_t generation = atomic_load_explicit(&entry->generation, order);
    return (generation & GENERATION_MASK) == generation_of(token);
}

/* The calling thread has begun the operation, or has been handed the worker by the one that has. */
pgasi_ucx_operation_t *pgasi_ucx_operation_find(uint64_t token, bool is_background)
{
    slab_t *slab = (token & PGASI_UCX_IS_OPERATION) != 0 ? slab_of(token) : NULL;
    if (slab == NULL || (!is_background && slab->owner != pgasi_ucx_me))
        return NULL;
    pgasi_ucx_operation_t *entry = &slab->entries[token % SLAB_SIZE];
    if (atomic_load_explicit(&entry->parts, memory_order_relaxed) == 0 ||
        entry->is_background != is_background ||
        !is_of_generation(entry, token, memory_order_relaxed))
        return NULL;
    return entry;
}

/* To its owner, from the thread that progresses the background worker. */
static void give_back(pgasi_ucx_operation_t *entry, uint32_t index)
{
    _Atomic uint32_t *returned = &slab_of(index)->owner->returned;
    uint32_t first = atomic_load(returned);
    do
        entry->next_free = first;
    while (!atomic_compare_exchange_weak(returned, &first, index));
}

/* One thread at a time comes here for an entry. The release is what the bytes are seen by. */
void pgasi_ucx_operation_part_done(uint64_t token)
{
    uint32_t index = (uint32_t)(token & INDEX_MASK);
    pgasi_ucx_operation_t *entry = entry_of(token);
    uint32_t parts = atomic_load_explicit(&entry->parts, memory_order_relaxed) - 1;
    bool is_background = entry->is_background;
    atomic_store_explicit(&entry->parts, parts, memory_order_release);
    if (parts > 0)
        return;
    if (entry->under_way != NULL)
        atomic_fetch_sub_explicit(entry->under_way, 1, memory_order_relaxed);
    uint64_t generation = atomic_load_explicit(&entry->generation, memory_order_relaxed);
    atomic_store_explicit(&entry->generation, generation + 1, memory_order_release);
    if (is_background) {
        pgasi_ucx_background_awaited--;
        give_back(entry, index);
    } else {
        pgasi_ucx_me->awaited--;
        entry->next_free = pgasi_ucx_me->free_entry;
        pgasi_ucx_me->free_entry = index;
    }
}

bool pgasi_ucx_operation_is_done(uint64_t token)
{
    pgasi_ucx_operation_t *entry = entry_of(token);
    return !is_of_generation(entry, token, memory_order_acquire) ||
           atomic_load_explicit(&entry->parts, memory_order_acquire) == 0;
}

uint32_t pgasi_ucx_operation_thread(uint64_t token)
{
    return entry_of(token)->thread;
}

bool pgasi_ucx_operation_puts_to(uint64_t token, uint32_t thread)
{
    return entry_of(token)->puts_to == thread + 1;
}

/* The generation is read first: who is done meanwhile has another one. */
uint64_t pgasi_ucx_operation_next(uint32_t *entry)
{
    while (*entry < atomic_load(&slab_count) * SLAB_SIZE) {
        const slab_t *slab = slab_of(*entry);
        if (slab == NULL || slab->owner != pgasi_ucx_me) {
            *entry += SLAB_SIZE;
            continue;
        }
        uint32_t index = (*entry)++;
        pgasi_ucx_operation_t *operation = entry_of(index);
        uint64_t generation = atomic_load_explicit(&operation->generation, memory_order_acquire);
        if (atomic_load_explicit(&operation->parts, memory_order_acquire) > 0)
            return token_of(index, generation);
    }
    return 0;
}

void pgasi_ucx_operation_forget(uint64_t token)
{
    pgasi_ucx_operation_t *entry = entry_of(token);
    entry->dst = NULL;
    entry->size = 0;
}

static void on_fetched(void *request, ucs_status_t status, size_t nbytes, void *user_data)
{
    (void)nbytes;
    pgasi_ucx_desc_t *desc = user_data;
    uint64_t token = desc->header.reply.token;
    uint32_t thread = desc->thread;
    pgasi_ucx_desc_free(desc);
    ucp_request_free(request);
    if (status != UCS_OK)
        pgasi_ucx_lost(thread, "receive", status);
    if (pgasi_ucx_is_done(status))
        pgasi_ucx_operation_part_done(token);
}

static ucs_status_t fetch(const pgasi_ucx_reply_t *reply, const pgasi_ucx_operation_t *operation,
                          void *data, size_t nbytes)
{
    bool background = operation->is_background;
    pgasi_ucx_desc_t *desc = pgasi_ucx_desc_alloc(
        background ? &fetching_in_background : &pgasi_ucx_me->fetching, operation->thread);
    desc->header.reply = *reply;
    if (pgasi_ucx_fetch(background ? pgasi_ucx_background : pgasi_ucx_me->worker, data,
                        operation->dst + reply->at, nbytes, on_fetched, desc)) {
        pgasi_ucx_desc_free(desc);
        pgasi_ucx_operation_part_done(reply->token);
    }
    return UCS_INPROGRESS;
}

static bool fits(const pgasi_ucx_operation_t *operation, const pgasi_ucx_reply_t *reply,
                 size_t nbytes)
{
    return reply->at <= operation->size && nbytes <= operation->size - reply->at;
}

/* False for a payload that the operation does not wait for. */
static bool take(const pgasi_ucx_operation_t *operation, const pgasi_ucx_reply_t *reply,
                 const void *data, size_t nbytes)
{
    if (operation->deliver != NULL)
        return operation->deliver(operation->context, data, nbytes);
    if (operation->dst == NULL) /* nobody wants it any more, or nobody ever did */
        return true;
    if (!fits(operation, reply, nbytes))
        return false;
    if (nbytes > 0)
        pgasi_copy(operation->dst + reply->at, data, nbytes);
    return true;
}

static ucs_status_t take_reply(void *arg, const void *header, size_t header_size, void *data,
                               size_t nbytes, const ucp_am_recv_param_t *param)
{
    pgasi_ucx_reply_t reply;
    if (!pgasi_ucx_open(header, header_size, &reply, sizeof reply))
        return UCS_OK;
    pgasi_ucx_operation_t *operation = pgasi_ucx_operation_find(reply.token, arg != NULL);
    bool announces = pgasi_ucx_is_announced(param);
    if (operation != NULL && announces && operation->dst != NULL && fits(operation, &reply, nbytes))
        return fetch(&reply, operation, data, nbytes);
    if (operation == NULL || announces || !take(operation, &reply, data, nbytes))
        pgasi_ucx_dropped("a reply to no operation");
    else
        pgasi_ucx_operation_part_done(reply.token);
    return UCS_OK;
}

static ucs_status_t take_done(void *arg, const void *header, size_t header_size, void *data,
                              size_t nbytes, const ucp_am_recv_param_t *param)
{
    (void)arg;
    (void)data;
    (void)nbytes;
    (void)param;
    pgasi_ucx_reply_t done;
    if (!pgasi_ucx_open(header, header_size, &done, sizeof done))
        return UCS_OK;
    if (pgasi_ucx_operation_find(done.token, true) == NULL)
        pgasi_ucx_dropped("a part of no copy");
    else
        pgasi_ucx_operation_part_done(done.token);
    return UCS_OK;
}

ucs_status_t pgasi_ucx_operation_start(void)
{
    return pgasi_ucx_accept(pgasi_ucx_target, PGASI_UCX_DONE, take_done, NULL);
}

ucs_status_t pgasi_ucx_operation_accept(void)
{
    return pgasi_ucx_accept(pgasi_ucx_me->worker, PGASI_UCX_REPLY, take_reply, NULL);
}

void pgasi_ucx_operation_init(pgasi_ucx_initiator_t *initiator)
{
    initiator->free_entry = NONE;
    atomic_init(&initiator->returned, NONE);
}

ucs_status_t pgasi_ucx_operation_accept_in_background(ucp_worker_h background)
{
    static char mark;
    return pgasi_ucx_accept(background, PGASI_UCX_REPLY, take_reply, &mark);
}

void pgasi_ucx_operation_finalize(void)
{
    pgasi_ucx_pool_free(&fetching_in_background);
    for (uint32_t left = atomic_exchange(&slab_count, 0); left > 0; left--)
        free(atomic_exchange(&slabs[left - 1], NULL));
}
