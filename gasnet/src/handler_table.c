#include "handler_table.h"

#include <stdbool.h>

static gasnet_handlerentry_t entries[GASNETI_HANDLERS];

static gasnet_handlerentry_t *entry_at(unsigned index)
{
    return &entries[index - GASNETI_FIRST_HANDLER];
}

const gasnet_handlerentry_t *gasneti_handler_table_entry(unsigned index)
{
    return entry_at(index);
}

static bool take(const gasnet_handlerentry_t *entry)
{
    if (entry->index < GASNETI_FIRST_HANDLER || entry->fnptr == NULL ||
        entry_at(entry->index)->fnptr != NULL)
        return false;
    *entry_at(entry->index) = *entry;
    return true;
}

int gasneti_handler_table_fill(gasnet_handlerentry_t *table, size_t count)
{
    unsigned next = GASNETI_FIRST_HANDLER;
    const unsigned end = GASNETI_FIRST_HANDLER + GASNETI_HANDLERS;
    for (size_t i = 0; i < count; i++)
        if (table[i].index != 0 && !take(&table[i]))
            return GASNET_ERR_BAD_ARG;
    for (size_t i = 0; i < count; i++) {
        if (table[i].index != 0)
            continue;
        while (next < end && entry_at(next)->fnptr != NULL)
            next++;
        if (next == end || table[i].fnptr == NULL)
            return GASNET_ERR_BAD_ARG;
        table[i].index = (gasnet_handler_t)next;
        take(&table[i]);
    }
    return GASNET_OK;
}
