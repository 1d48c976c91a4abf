/**
 * The table of handlers, and the agreement of all threads about it.
 */
#ifndef PGASI_AM_HANDLERS_H
#define PGASI_AM_HANDLERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <pgas/am.h>

#include "shm/mailbox.h"

typedef struct pgasi_handler {
    pgas_am_handler_t *run;
    pgas_am_where_t where;
    char name[PGASI_HANDLER_NAME];
} pgasi_handler_t;

/** By number, from 1 to `pgasi_handlers_count`. A number that has been handed out is never taken
 *  back. The progress thread reads what the main thread adds. */
extern pgasi_handler_t pgasi_handlers[PGASI_HANDLERS + 1];
extern _Atomic uint32_t pgasi_handlers_count;

static inline bool pgasi_handler_exists(uint32_t number)
{
    return number > 0 &&
           number <= atomic_load_explicit(&pgasi_handlers_count, memory_order_acquire);
}

/** Adds a handler and returns its number. Ends the job for a bad name or a full table. */
uint32_t pgasi_handlers_add(const char *call, const char *name, pgas_am_handler_t *run,
                            pgas_am_where_t where);

/** A hash of all names, in their order, and of who may run them. */
uint64_t pgasi_handlers_hash(void);

/** Writes the names to the thread's mailbox, for others to compare. */
void pgasi_handlers_publish(void);

/** Ends the job with a line that shows the first handler in which the table of thread `other`,
 *  which it has published, differs from this one's. */
PGAS_NORETURN void pgasi_handlers_differ(const char *call, uint32_t other);

#endif
