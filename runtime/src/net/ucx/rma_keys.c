#include "net/ucx/rma_keys.h"

#include <stdlib.h>
#include <string.h>

#include <pgas/detail.h>

#include "net/ucx/endpoint.h"
#include "net/ucx/failure.h"
#include "net/ucx/pending.h"
#include "net/ucx/post.h"
#include "net/ucx/rma_memory.h"
#include "node/memory.h"
#include "node/segment.h"

typedef enum state {
    ASKED,
    /* The reply has come, and no key has been made of it yet: that must not be in UCX's callback.
     */
    ANSWERED,
    READY,
    REFUSED
} state_t;

struct pgasi_ucx_key_entry {
    /* Thread and granule. */
    uint64_t name;
    state_t state;
    pgasi_ucx_key_reply_t *reply;
    pgasi_ucx_key_t key;
};

enum {
    FIRST_SIZE = 64
};

bool pgasi_ucx_keys_init(pgasi_ucx_initiator_t *initiator)
{
    pgasi_ucx_keys_t *keys = calloc(1, sizeof *keys);
    initiator->keys = keys;
    if (keys == NULL)
        return false;
    keys->whole = (pgasi_ucx_key_t **)calloc(pgasi_job.threads, sizeof(pgasi_ucx_key_t *));
    keys->unflushed = calloc(pgasi_job.threads, sizeof *keys->unflushed);
    return keys->whole != NULL && keys->unflushed != NULL;
}

static uint64_t name_of(uint32_t thread, uint64_t offset)
{
    return (uint64_t)thread * (PGASI_GRANULES_MAX + 1) + offset / pgasi_ucx_key_granule();
}

/* Where the entry of that name is, or where it belongs. There is always a free place. */
static pgasi_ucx_key_entry_t **place_of(const pgasi_ucx_keys_t *keys, uint64_t name)
{
    size_t mask = keys->size - 1;
    size_t at = (size_t)(name * UINT64_C(0x9e3779b97f4a7c15) >> 32) & mask;
    while (keys->entries[at] != NULL && keys->entries[at]->name != name)
        at = (at + 1) & mask;
    return &keys->entries[at];
}

static void *alloc(size_t count, size_t size)
{
    void *memory = calloc(count, size);
    if (memory == NULL)
        pgasi_fatal("network", "no memory for keys to remote memory");
    return memory;
}

static void grow(pgasi_ucx_keys_t *keys)
{
    pgasi_ucx_key_entry_t **before = keys->entries;
    size_t size = keys->size;
    keys->size = size == 0 ? FIRST_SIZE : 2 * size;
    keys->entries = (pgasi_ucx_key_entry_t **)alloc(keys->size, sizeof(pgasi_ucx_key_entry_t *));
    for (size_t i = 0; i < size; i++)
        if (before[i] != NULL)
            *place_of(keys, before[i]->name) = before[i];
    free((void *)before);
}

static bool take_reply(void *context, const void *data, size_t nbytes)
{
    pgasi_ucx_key_entry_t *entry = context;
    const size_t header = offsetof(pgasi_ucx_key_reply_t, key);
    entry->state = REFUSED;
    if (nbytes <= header || nbytes > sizeof *entry->reply)
        return nbytes == 0;
    entry->reply = alloc(1, sizeof *entry->reply);
    memcpy(entry->reply, data, nbytes);
    entry->state = ANSWERED;
    return true;
}

static void ask(pgasi_ucx_key_entry_t *entry, uint32_t thread, uint64_t offset)
{
    uint32_t holder = pgasi_ucx_key_holder(thread);
    const pgasi_ucx_operation_t operation = {
        .deliver = take_reply,
        .context = entry,
        .thread = holder,
        .parts = 1,
    };
    const pgasi_ucx_key_request_t request = {
        .offset = offset,
        .thread = thread,
        .kind = pgasi_ucx_path.kind,
    };
    uint64_t token = pgasi_ucx_operation_begin(&operation);
    pgasi_ucx_post_call(holder, token, PGASI_SERVICE_KEY, &request, sizeof request);
}

static bool is_sound(const pgasi_ucx_key_reply_t *reply, uint64_t offset)
{
    return reply->nbytes <= sizeof reply->key && reply->begin <= offset && offset < reply->end &&
           reply->end <= pgasi_node_memory.stride;
}

static char *memory_of(const pgasi_ucx_key_t *key)
{
    void *memory = NULL;
    if (pgasi_ucx_path.kind != PGASI_RMA_SHARED ||
        ucp_rkey_ptr(key->rkey, key->address + key->begin, &memory) != UCS_OK)
        return NULL;
    return memory;
}

static void make_key(pgasi_ucx_key_entry_t *entry, uint32_t thread, uint64_t offset)
{
    pgasi_ucx_key_reply_t *reply = entry->reply;
    pgasi_ucx_key_t *key = &entry->key;
    *key = (pgasi_ucx_key_t){
        .begin = reply->begin,
        .end = reply->end,
        .address = reply->address,
        .ep = pgasi_ucx_endpoint(thread),
    };
    bool is_good =
        is_sound(reply, offset) && ucp_ep_rkey_unpack(key->ep, reply->key, &key->rkey) == UCS_OK;
    if (is_good)
        key->memory = memory_of(key);
    free(reply);
    entry->reply = NULL;
    entry->state = is_good ? READY : REFUSED;
    if (is_good && key->begin == 0 && key->end == pgasi_node_memory.stride)
        pgasi_ucx_me->keys->whole[thread] = key;
}

const pgasi_ucx_key_t *pgasi_ucx_key_find(uint32_t thread, uint64_t offset)
{
    pgasi_ucx_keys_t *keys = pgasi_ucx_me->keys;
    if (offset < PGASI_HEAP_BEGIN) /* for nobody, and the key may be that of the heap */
        return NULL;
    uint64_t name = name_of(thread, offset);
    if (2 * keys->count >= keys->size)
        grow(keys);
    pgasi_ucx_key_entry_t **place = place_of(keys, name);
    pgasi_ucx_key_entry_t *entry = *place;
    if (entry == NULL) {
        entry = *place = alloc(1, sizeof *entry);
        entry->name = name;
        keys->count++;
        ask(entry, thread, offset);
        return NULL;
    }
    if (entry->state == ANSWERED)
        make_key(entry, thread, offset);
    return entry->state == READY ? &entry->key : NULL;
}

void pgasi_ucx_keys_release(pgasi_ucx_initiator_t *initiator)
{
    pgasi_ucx_keys_t *keys = initiator->keys;
    for (size_t i = 0; keys != NULL && i < keys->size; i++)
        if (keys->entries[i] != NULL && keys->entries[i]->state == READY)
            ucp_rkey_destroy(keys->entries[i]->key.rkey);
}

void pgasi_ucx_keys_free(pgasi_ucx_initiator_t *initiator)
{
    pgasi_ucx_keys_t *keys = initiator->keys;
    if (keys == NULL)
        return;
    for (size_t i = 0; i < keys->size; i++)
        if (keys->entries[i] != NULL) {
            free(keys->entries[i]->reply);
            free(keys->entries[i]);
        }
    free((void *)keys->entries);
    free((void *)keys->whole);
    free(keys->unflushed);
    free(keys);
    initiator->keys = NULL;
}
