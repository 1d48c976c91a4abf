/**
 * Bundles: short messages of one kind to one thread that travel together, as one message
 * (outgoing.h).
 *
 * Over sockets a message of some bytes costs sender and receiver some microseconds, a bundle of 32
 * hardly more. An open bundle waits among what is deferred (background.h), so that whoever
 * progresses the target worker next sends it: the sender itself when it polls, waits or ends
 * its wait, else the progress thread, if it is woken, or a full bundle's last sender.
 */
#ifndef PGASI_NET_UCX_BUNDLE_H
#define PGASI_NET_UCX_BUNDLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "net/ucx/outgoing.h"
#include "shm/guard.h"

enum {
    PGASI_UCX_BUNDLE_SIZE = 8192
};

/** Of one kind. Zeros but for `id`, the message that a bundle is; its header is the secret. */
typedef struct pgasi_ucx_bundles {
    unsigned id;
    size_t places;
    /** By place: the bundle that is open; NULL if there is none. */
    pgasi_ucx_outgoing_t **open;
    pgasi_guard_t guard;
} pgasi_ucx_bundles_t;

/** What goes into a bundle: head and body one behind the other, filled up to a multiple of 8; with
 *  `thread` and all below the same for all of a place. */
typedef struct pgasi_ucx_item {
    const void *head;
    size_t head_size;
    const void *body;
    size_t body_size;
    /** Of the bundle: see outgoing.h. */
    uint32_t thread;
    _Atomic uint32_t *under_way;
} pgasi_ucx_item_t;

/** False if there is no memory. And frees what is there. */
bool pgasi_ucx_bundles_alloc(pgasi_ucx_bundles_t *bundles, size_t places);
void pgasi_ucx_bundles_free(pgasi_ucx_bundles_t *bundles);

/** Adds an item of at most PGASI_UCX_BUNDLE_SIZE bytes to the bundle of `place`. True if that is a
 *  new one, which nobody may have been woken for. From any thread. */
bool pgasi_ucx_bundle_add(pgasi_ucx_bundles_t *bundles, size_t place, const pgasi_ucx_item_t *item);

#endif
