/* The lender fills an entry before it tells anybody of it, and empties it when all have read; the
 * progressing thread looks entries up. */
#include "net/ucx/lent.h"

#include <stdatomic.h>

#include "net/net.h"
#include "net/ucx/rma.h"

enum {
    ENTRIES = 64,
    ENTRY_SHIFT = 48
};

_Static_assert(ENTRIES == 1 << 6 && ENTRY_SHIFT + 6 < 62, "an entry's number is below the mark");

#define DISTANCE_MASK (((uint64_t)1 << ENTRY_SHIFT) - 1)

/* `begin` NULL: nothing is lent. Two threads may lend at once, blocking collectives and those in
 * flight: one of them takes the entry first. */
typedef struct entry {
    atomic_bool is_taken;
    _Atomic(const char *) begin;
    _Atomic uint64_t nbytes;
} entry_t;

static entry_t entries[ENTRIES];

static entry_t *entry_of(uint64_t offset)
{
    uint64_t index = (offset & ~PGASI_NET_IS_LENT) >> ENTRY_SHIFT;
    return pgasi_net_is_lent(offset) && index < ENTRIES ? &entries[index] : NULL;
}

uint64_t pgasi_net_lend(const void *src, size_t nbytes)
{
    if (pgasi_ucx_rma_is_on || nbytes > DISTANCE_MASK)
        return 0;
    for (uint64_t i = 0; i < ENTRIES; i++)
        if (!atomic_load_explicit(&entries[i].is_taken, memory_order_relaxed) &&
            !atomic_exchange_explicit(&entries[i].is_taken, true, memory_order_acquire)) {
            atomic_store_explicit(&entries[i].nbytes, nbytes, memory_order_relaxed);
            atomic_store_explicit(&entries[i].begin, src, memory_order_release);
            return PGASI_NET_IS_LENT | i << ENTRY_SHIFT;
        }
    return 0;
}

void pgasi_net_lent_back(uint64_t offset)
{
    atomic_store_explicit(&entry_of(offset)->begin, NULL, memory_order_release);
    atomic_store_explicit(&entry_of(offset)->is_taken, false, memory_order_release);
}

const char *pgasi_ucx_lent_find(uint64_t offset, uint64_t nbytes)
{
    entry_t *entry = entry_of(offset);
    if (entry == NULL)
        return NULL;
    const char *begin = atomic_load_explicit(&entry->begin, memory_order_acquire);
    uint64_t size = atomic_load_explicit(&entry->nbytes, memory_order_relaxed);
    uint64_t distance = offset & DISTANCE_MASK;
    bool is_inside = nbytes <= size && distance <= size - nbytes;
    return begin != NULL && is_inside ? begin + distance : NULL;
}

const char *pgasi_net_lent_at(uint64_t offset)
{
    return pgasi_ucx_lent_find(offset, 0);
}
