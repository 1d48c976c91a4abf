/**
 * The client's table of handlers.
 */
#ifndef GASNETI_HANDLER_TABLE_H
#define GASNETI_HANDLER_TABLE_H

#include <gasnet.h>

enum {
    GASNETI_FIRST_HANDLER = 128,
    GASNETI_HANDLERS = 128
};

/** Takes the client's entries over, and gives an index to each that has 0. GASNET_ERR_BAD_ARG for
 *  an index below 128, two entries with one index, no function, or more entries than indexes; then
 *  the table is empty, and the client's entries are as they were. */
int gasneti_handler_table_fill(gasnet_handlerentry_t *table, size_t count);

/** Forgets all entries. */
void gasneti_handler_table_clear(void);

/** The entry of an index of 128 or more; its function is NULL if nobody has registered it. */
const gasnet_handlerentry_t *gasneti_handler_table_entry(unsigned index);

#endif
