#include "handler_table.h"

#include <stdbool.h>
#include <string.h>

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

void gasneti_handler_table_clear(void)
{
    memset(entries, 0, sizeof entries);
}

int gasneti_handler_table_fill(gasnet_handlerentry_t *table, size_t count)
{
    unsigned next = GASNETI_FIRST_HANDLER;
    bool is_good = count <= GASNETI_HANDLERS;
    for (size_t i = 0; is_good && i < count; i++)
        is_good = table[i].fnptr != NULL && (table[i].index == 0 || take(&table[i]));
    if (!is_good) {
        gasneti_handler_table_clear();
        return GASNET_ERR_BAD_ARG;
    }
    for (size_t i = 0; i < count; i++) {
        if (table[i].index != 0)
            continue;
        while (entry_at(next)->fnptr != NULL)
            next++;
        table[i].index = (gasnet_handler_t)next;
        take(&table[i]);
    }
    return GASNET_OK;
}
