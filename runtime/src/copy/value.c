#include <pgas/value.h>

#include <stdlib.h>
#include <string.h>

#include <pgas/ptr.h>

#include "base/agent.h"
#include "base/in_job.h"
#include "copy/access_check.h"
#include "copy/async.h"
#include "copy/call_site.h"
#include "copy/transfer.h"
#include "copy/value.h"

static pgas_ptr_t ptr_of(pgasi_location_t at)
{
    return (pgas_ptr_t){.thread = (uint32_t)(at.peer - pgasi_peers), .offset = at.offset};
}

/* The macros have counted the access already. */
void pgasi_remote_get(pgasi_location_t src, void *value, size_t nbytes)
{
    pgas_ptr_t ptr = ptr_of(src);
    pgasi_check_shared("value access", ptr, nbytes);
    pgasi_require_job("value access");
    pgasi_net_get(value, ptr, nbytes);
}

void pgasi_remote_put(pgasi_location_t dst, const void *value, size_t nbytes)
{
    pgas_ptr_t ptr = ptr_of(dst);
    pgasi_check_shared("value access", ptr, nbytes);
    pgasi_require_job("value access");
    pgasi_net_put(ptr, value, nbytes);
}

/* In every build, for programs that are built with the checks. */
void pgasi_check_value(pgasi_location_t at, size_t nbytes)
{
    if (!PGASI_CHECKS_ALLOCATIONS)
        return;
    pgas_ptr_t ptr = ptr_of(at);
    pgasi_check_shared("value access", ptr, nbytes);
    pgasi_check_element("value access", ptr, nbytes);
}

static void check(const char *call, pgas_ptr_t ptr, size_t nbytes)
{
    if (nbytes == 0 || nbytes > sizeof(uint64_t))
        pgasi_fatal(call, "a value of %zu bytes: 1 to 8 are possible", nbytes);
    pgasi_check_shared(call, ptr, nbytes);
}

static uint64_t load(const void *from, size_t nbytes)
{
    uint64_t value = 0;
    switch (nbytes) {
    case 1:
        return *(const uint8_t *)from;
    case 2:
        memcpy(&value, from, 2);
        break;
    case 4:
        memcpy(&value, from, 4);
        break;
    case 8:
        memcpy(&value, from, 8);
        break;
    default:
        memcpy(&value, from, nbytes);
    }
    return value;
}

static void store(void *to, uint64_t value, size_t nbytes)
{
    switch (nbytes) {
    case 1:
        memcpy(to, &value, 1);
        break;
    case 2:
        memcpy(to, &value, 2);
        break;
    case 4:
        memcpy(to, &value, 4);
        break;
    case 8:
        memcpy(to, &value, 8);
        break;
    default:
        memcpy(to, &value, nbytes);
    }
}

uint64_t pgas_get_val(pgas_ptr_t src, size_t nbytes)
{
    check(__func__, src, nbytes);
    pgasi_count_value_get(&pgasi_peers[src.thread], nbytes);
    const void *from = pgas_local(src);
    if (from != NULL)
        return load(from, nbytes);
    uint64_t value = 0;
    pgasi_net_get(&value, src, nbytes);
    return value;
}

void pgas_put_val(pgas_ptr_t dst, uint64_t value, size_t nbytes)
{
    check(__func__, dst, nbytes);
    pgasi_count_value_put(&pgasi_peers[dst.thread], nbytes);
    void *to = pgas_local(dst);
    if (to != NULL)
        store(to, value, nbytes);
    else
        pgasi_net_put(dst, &value, nbytes);
}

/* The value may be on the stack: the network copies puts of this size. */
static void start_put(pgasi_group_t *group, const char *call, pgas_ptr_t dst, uint64_t value,
                      size_t nbytes)
{
    check(call, dst, nbytes);
    pgasi_count_value_put(&pgasi_peers[dst.thread], nbytes);
    void *to = pgas_local(dst);
    if (to != NULL)
        store(to, value, nbytes);
    else
        pgasi_group_add(group, dst.thread, pgasi_net_put_nb(dst, &value, nbytes));
}

PGASI_ASYNC_FORMS(pgas_put_val, (pgas_ptr_t dst, uint64_t value, size_t nbytes),
                  start_put(group, __func__, dst, value, nbytes))

/* Where a value from another node arrives. Slots stay where they are, in slabs that are never
 * freed. */
typedef struct slot {
    uint64_t value;
    pgasi_net_handle_t handle;
    /* Distinguishes a read from the slot's earlier ones; odd while one is in flight. 64 bits do not
     * wrap, so that it is never 0, which stands for a value that is there. */
    uint64_t generation;
    uint32_t next_free;
#ifdef PGAS_DEBUG
    /* Of a read in flight; otherwise the call is NULL. */
    pgasi_site_t site;
#endif
} slot_t;

enum {
    SLAB_BITS = 8,
    SLAB_SIZE = 1 << SLAB_BITS,
    /* The bits of a read in flight have its agent and its slot. */
    AGENT_SHIFT = 32
};

#define NONE UINT32_MAX

static _Thread_local slot_t **slabs;
static _Thread_local uint32_t slab_count;
static _Thread_local uint32_t free_slot = NONE;

static slot_t *slot_at(uint32_t index)
{
    return &slabs[index >> SLAB_BITS][index & (SLAB_SIZE - 1)];
}

static void add_slab(void)
{
    slot_t **grown = realloc(slabs, (slab_count + 1) * sizeof(slot_t *));
    slot_t *slab = calloc(SLAB_SIZE, sizeof *slab);
    if (grown == NULL || slab == NULL || slab_count == NONE >> SLAB_BITS)
        pgasi_fatal("pgas_get_val_async", "no memory for %u values in flight",
                    slab_count * SLAB_SIZE);
    slabs = grown;
    slabs[slab_count] = slab;
    for (uint32_t i = 0; i < SLAB_SIZE; i++)
        slab[i].next_free = i + 1 < SLAB_SIZE ? slab_count * SLAB_SIZE + i + 1 : NONE;
    free_slot = slab_count * SLAB_SIZE;
    slab_count++;
}

#ifdef PGAS_DEBUG

static void note(slot_t *slot)
{
    slot->site = pgasi_site_of("pgas_get_val_async");
}

static void forget(slot_t *slot)
{
    slot->site = (pgasi_site_t){NULL, NULL, 0};
}

void pgasi_value_report(const char *call)
{
    pgasi_sites_t open = {0};
    for (uint32_t i = 0; i < slab_count * SLAB_SIZE; i++)
        if (slot_at(i)->site.call != NULL)
            pgasi_sites_add(&open, &slot_at(i)->site);
    pgasi_sites_report(call, &open, "value", "never waited for");
}

#else

static void note(slot_t *slot)
{
    (void)slot;
}

static void forget(slot_t *slot)
{
    (void)slot;
}

#endif

static pgas_valget_t get_remote(pgas_ptr_t src, size_t nbytes)
{
    if (free_slot == NONE)
        add_slab();
    uint32_t index = free_slot;
    slot_t *slot = slot_at(index);
    free_slot = slot->next_free;
    slot->generation++;
    slot->value = 0;
    slot->handle = pgasi_net_get_nb(&slot->value, src, nbytes);
    note(slot);
    return (pgas_valget_t){.bits = (uint64_t)pgasi_agent << AGENT_SHIFT | index,
                           .pending = slot->generation};
}

pgas_valget_t pgas_get_val_async(pgas_ptr_t src, size_t nbytes)
{
    check(__func__, src, nbytes);
    pgasi_count_value_get(&pgasi_peers[src.thread], nbytes);
    const void *from = pgas_local(src);
    if (from == NULL)
        return get_remote(src, nbytes);
    return (pgas_valget_t){.bits = load(from, nbytes), .pending = 0};
}

uint64_t pgas_wait_val(pgas_valget_t get)
{
    if (get.pending == 0)
        return get.bits;
    pgasi_require_job(__func__);
    uint32_t index = (uint32_t)get.bits;
    if (get.bits >> AGENT_SHIFT != pgasi_agent)
        pgasi_fatal(__func__, "another operating-system thread has started this read");
    if (index >= (uint64_t)slab_count * SLAB_SIZE || slot_at(index)->generation != get.pending)
        pgasi_fatal(__func__, "this read is not in flight, or has been waited for");
    slot_t *slot = slot_at(index);
    pgasi_net_wait(slot->handle);
    forget(slot);
    slot->generation++;
    slot->next_free = free_slot;
    free_slot = index;
    return slot->value;
}

void pgasi_value_detach(void)
{
    while (slab_count > 0)
        free(slabs[--slab_count]);
    free((void *)slabs);
    slabs = NULL;
    free_slot = NONE;
}
