/**
 * Many small copies of one node's memory with GASNET_SEGMENT_EVERYTHING, as one operation: pieces
 * are collected and go together, by one call of the system within a supernode where that is
 * allowed, and by messages of up to 64 KiB otherwise.
 */
#ifndef GASNETI_EVERYTHING_PIECES_H
#define GASNETI_EVERYTHING_PIECES_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/uio.h>

#include "everything.h"

enum {
    GASNETI_PIECES_MAX = 512
};

/** Pieces that have not gone yet; all of the same node. */
typedef struct gasneti_pieces {
    const char *call;
    bool is_get;
    gasneti_op_t *op;
    gasnet_node_t node;
    size_t count;
    struct iovec here[GASNETI_PIECES_MAX];
    /** Addresses of the owner's. */
    struct iovec there[GASNETI_PIECES_MAX];
} gasneti_pieces_t;

/** Registers handlers; before pgas_init. */
void gasneti_pieces_register(void);

/* In the runtime. */

/** Begins an operation; `call` is what a line about a wrong address names. */
void gasneti_pieces_begin(gasneti_pieces_t *pieces, const char *call, bool is_get);

/** Adds a copy between `nbytes` bytes at `local` and at `remote`, whose offset is an address. Local
 *  memory stays as it is until the operation's handle has been synchronised. */
void gasneti_pieces_add(gasneti_pieces_t *pieces, pgas_ptr_t remote, void *local, size_t nbytes);

/** Ends the operation; its handle, which may be the complete one. */
pgas_handle_t gasneti_pieces_end(gasneti_pieces_t *pieces);

#endif
