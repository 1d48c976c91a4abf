#include "copy/handle_check.h"

#ifdef PGAS_DEBUG

#include <stdlib.h>

#include <pgas/detail.h>

#include "base/agent.h"
#include "copy/call_site.h"

typedef struct entry {
    pgas_handle_t real;
    pgasi_site_t site;
    size_t next_free;
    /* Distinguishes a handle from the entry's earlier ones; 0 before the first. */
    uint32_t generation;
    bool is_open;
} entry_t;

/* A handle of the program: a mark that handles of the network and of groups do not have, the lower
 * bits of its owner, the owner's agent, a generation and an index. */
enum {
    INDEX_BITS = 22,
    GENERATION_BITS = 17,
    AGENT_BITS = 10,
    OWNER_BITS = 12
};

#define MARK ((uint64_t)1 << 61)
#define INDEX_MASK (((uint64_t)1 << INDEX_BITS) - 1)
#define GENERATION_MASK (((uint32_t)1 << GENERATION_BITS) - 1)
#define AGENT_MASK (((uint32_t)1 << AGENT_BITS) - 1)
#define OWNER_MASK (((uint32_t)1 << OWNER_BITS) - 1)
#define NONE ((size_t)-1)

_Static_assert(INDEX_BITS + GENERATION_BITS + AGENT_BITS + OWNER_BITS == 61, "below the mark");
_Static_assert(PGAS_ATTACHED_MAX <= 1 << AGENT_BITS, "every agent has a number");

static _Thread_local entry_t *entries;
static _Thread_local size_t entries_size;
static _Thread_local size_t free_entry = NONE;

static void grow(const char *call)
{
    size_t size = entries_size == 0 ? 64 : 2 * entries_size;
    entry_t *grown = size > INDEX_MASK ? NULL : realloc(entries, size * sizeof *entries);
    if (grown == NULL)
        pgasi_fatal(call, "no memory to check more than %zu handles", entries_size);
    entries = grown;
    for (size_t i = entries_size; i < size; i++)
        entries[i] = (entry_t){.next_free = i + 1 < size ? i + 1 : NONE};
    free_entry = entries_size;
    entries_size = size;
}

pgas_handle_t pgasi_handle_issue(const char *call, pgas_handle_t real)
{
    pgasi_site_t site = pgasi_site_of(call);
    if (real.bits == 0)
        return real;
    if (free_entry == NONE)
        grow(call);
    size_t index = free_entry;
    entry_t *entry = &entries[index];
    free_entry = entry->next_free;
    entry->real = real;
    entry->site = site;
    entry->is_open = true;
    entry->generation =
        (entry->generation & GENERATION_MASK) == GENERATION_MASK ? 1 : entry->generation + 1;
    uint64_t owner = pgasi_job.thread & OWNER_MASK;
    return (pgas_handle_t){MARK | owner << (INDEX_BITS + GENERATION_BITS + AGENT_BITS) |
                           (uint64_t)pgasi_agent << (INDEX_BITS + GENERATION_BITS) |
                           (uint64_t)entry->generation << INDEX_BITS | index};
}

static entry_t *entry_of(const char *call, pgas_handle_t handle)
{
    char text[512];
    uint64_t rest = handle.bits ^ MARK;
    uint32_t owner = (uint32_t)(rest >> (INDEX_BITS + GENERATION_BITS + AGENT_BITS));
    uint32_t agent = (uint32_t)(rest >> (INDEX_BITS + GENERATION_BITS)) & AGENT_MASK;
    uint32_t generation = (uint32_t)(rest >> INDEX_BITS) & GENERATION_MASK;
    size_t index = rest & INDEX_MASK;
    if (owner > OWNER_MASK || generation == 0)
        pgasi_fatal(call, "no call has given this handle");
    if (owner != (pgasi_job.thread & OWNER_MASK))
        pgasi_fatal(call, "thread %u was given this handle", owner);
    if (agent != pgasi_agent)
        pgasi_fatal(call, "another operating-system thread was given this handle");
    if (index >= entries_size || generation > entries[index].generation)
        pgasi_fatal(call, "no call has given this handle");
    entry_t *entry = &entries[index];
    if (generation < entry->generation)
        pgasi_fatal(call, "this handle has been synchronised already");
    if (!entry->is_open)
        pgasi_fatal(call, "this handle, of %s, has been synchronised already",
                    pgasi_site_describe(&entry->site, text, sizeof text));
    return entry;
}

pgas_handle_t pgasi_handle_real(const char *call, pgas_handle_t handle)
{
    return handle.bits == 0 ? handle : entry_of(call, handle)->real;
}

void pgasi_handle_retire(pgas_handle_t handle)
{
    if (handle.bits == 0)
        return;
    size_t index = handle.bits & INDEX_MASK;
    entries[index].is_open = false;
    entries[index].next_free = free_entry;
    free_entry = index;
}

void pgasi_handle_report(const char *call)
{
    pgasi_sites_t open = {0};
    for (size_t i = 0; i < entries_size; i++)
        if (entries[i].is_open)
            pgasi_sites_add(&open, &entries[i].site);
    pgasi_sites_report(call, &open, "handle", "never synchronised");
    free(entries);
    entries = NULL;
    entries_size = 0;
    free_entry = NONE;
}

#endif
