/**
 * Copies between the caller's memory and other threads', several in flight.
 */
#ifndef PGASI_UPC_COPIES_H
#define PGASI_UPC_COPIES_H

#include <stdbool.h>
#include <stddef.h>

#include <pgas/detail.h>

#include "node/memory.h"
#include "stats/collectives.h"

/** A call begins, whose copies count there. */
void pgasi_upc_copies_begin(pgasi_counted_t *counts);

/** Start to read and to write `nbytes` bytes; pgasi_upc_copies_wait completes all. */
void pgasi_upc_get(void *dst, pgas_ptr_t src, size_t nbytes);
void pgasi_upc_put(pgas_ptr_t dst, const void *src, size_t nbytes);
void pgasi_upc_copies_wait(void);

/** The thread `distance` behind the caller, round the end: threads that read from all others begin
 *  with different ones. */
size_t pgasi_upc_neighbour(size_t distance);

#endif
