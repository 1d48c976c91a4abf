#include <pgas/value.h>

#include <stdlib.h>
#include <string.h>

#include <pgas/ptr.h>

#include "copy/access_check.h"
#include "copy/async.h"
#include "copy/call_site.h"
#include "copy/transfer.h"
#include "copy/value.h"

/* The macros have counted the access already. */
void pgasi_far_get(pgas_ptr_t src, void *value, size_t nbytes)
{
    pgasi_check_shared("value access", src, nbytes);
    pgasi_net_get(value, src, nbytes);
}

void pgasi_far_put(pgas_ptr_t dst, const void *value, size_t nbytes)
{
    pgasi_check_shared("value access", dst, nbytes);
    pgasi_net_put(dst, value, nbytes);
}

/* For programs with the checks beside a library without, too. */
void pgasi_check_value(pgas_ptr_t ptr, size_t nbytes)
{
    if (!PGASI_CHECKS_ALLOCATIONS)
        return;
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
    pgasi_count_value_get(&pgasi_job.peers[src.thread], nbytes);
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
    pgasi_count_value_put(&pgasi_job.peers[dst.thread], nbytes);
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
    pgasi_count_value_put(&pgasi_job.peers[dst.thread], nbytes);
    void *to = pgas_local(dst);
    if (to != NULL)
        store(to, value, nbytes);
    else
        pgasi_group_add(group, dst.thread, pgasi_net_put_nb(dst, &value, nbytes));
}

PGASI_ASYNC_FORMS(pgas_put_val, (pgas_ptr_t dst, uint64_t value, size_t nbytes),
                  start_put(group, __func__, dst, value, nbytes))

/* Where a value from another node arrives. Slots stay where they are, in shelves that are never
 * given back. */
typedef struct slot {
    uint64_t value;
    pgasi_net_handle_t handle;
    /* Tells a read from the slot's earlier ones; odd while one is in flight. 64 bits do not wrap,
     * so that it is never 0, which stands for a value that is there. */
    uint64_t generation;
    uint32_t next_free;
#ifdef PGAS_DEBUG
    /* Of a read in flight; the call is NULL else. */
    pgasi_site_t site;
#endif
} slot_t;

enum {
    SHELF_BITS = 8,
    SHELF_SIZE = 1 << SHELF_BITS
};

#define NONE UINT32_MAX

static slot_t **shelves;
static uint32_t shelf_count;
static uint32_t free_slot = NONE;

static slot_t *slot_at(uint32_t index)
{
    return &shelves[index >> SHELF_BITS][index & (SHELF_SIZE - 1)];
}

static void add_shelf(void)
{
    slot_t **grown = realloc(shelves, (shelf_count + 1) * sizeof(slot_t *));
    slot_t *shelf = calloc(SHELF_SIZE, sizeof *shelf);
    if (grown == NULL || shelf == NULL || shelf_count == NONE >> SHELF_BITS)
        pgasi_fatal("pgas_get_val_async", "no memory for %u values in flight",
                    shelf_count * SHELF_SIZE);
    shelves = grown;
    shelves[shelf_count] = shelf;
    for (uint32_t i = 0; i < SHELF_SIZE; i++)
        shelf[i].next_free = i + 1 < SHELF_SIZE ? shelf_count * SHELF_SIZE + i + 1 : NONE;
    free_slot = shelf_count * SHELF_SIZE;
    shelf_count++;
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

void pgasi_value_report(void)
{
    pgasi_sites_t open = {0};
    for (uint32_t i = 0; i < shelf_count * SHELF_SIZE; i++)
        if (slot_at(i)->site.call != NULL)
            pgasi_sites_add(&open, &slot_at(i)->site);
    pgasi_sites_report(&open, "value", "never waited for");
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

static pgas_valget_t get_far(pgas_ptr_t src, size_t nbytes)
{
    if (free_slot == NONE)
        add_shelf();
    uint32_t index = free_slot;
    slot_t *slot = slot_at(index);
    free_slot = slot->next_free;
    slot->generation++;
    slot->value = 0;
    slot->handle = pgasi_net_get_nb(&slot->value, src, nbytes);
    note(slot);
    return (pgas_valget_t){.bits = index, .pending = slot->generation};
}

pgas_valget_t pgas_get_val_async(pgas_ptr_t src, size_t nbytes)
{
    check(__func__, src, nbytes);
    pgasi_count_value_get(&pgasi_job.peers[src.thread], nbytes);
    const void *from = pgas_local(src);
    if (from == NULL)
        return get_far(src, nbytes);
    return (pgas_valget_t){.bits = load(from, nbytes), .pending = 0};
}

uint64_t pgas_wait_val(pgas_valget_t get)
{
    if (get.pending == 0)
        return get.bits;
    uint32_t index = (uint32_t)get.bits;
    if (get.bits >= (uint64_t)shelf_count * SHELF_SIZE || slot_at(index)->generation != get.pending)
        pgasi_fatal(__func__, "this read is not in flight, or has been waited for");
    slot_t *slot = slot_at(index);
    pgasi_net_wait(slot->handle);
    forget(slot);
    slot->generation++;
    slot->next_free = free_slot;
    free_slot = index;
    return slot->value;
}
