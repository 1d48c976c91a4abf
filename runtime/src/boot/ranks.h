/**
 * Lists of ranks, as PMIx writes them: "0,1,4-7".
 */
#ifndef PGASI_BOOT_RANKS_H
#define PGASI_BOOT_RANKS_H

#include <stdint.h>

#include <pgas/types.h>

/**
 * Reads the list `text` of ranks below `limit`: `*ranks` gets them in ascending order, to be freed,
 * and `*count` their number. An error, with a line, if `text` is something else, also NULL or
 * empty, or has a rank twice; nothing is to be freed then.
 */
pgas_status_t pgasi_ranks_parse(const char *text, uint32_t limit, uint32_t **ranks,
                                uint32_t *count);

#endif
