/**
 * Gets and puts by one thread, one after the other or many in flight, while the others only serve.
 */
#ifndef STREAM_TRANSFER_H
#define STREAM_TRANSFER_H

#include <pgas/pgas.h>
#include <stdbool.h>

#include "transfer_gasnet.h"
#include "transfer_kind.h"

/** Memory on both sides for transfers between thread 0 and its partner. */
typedef struct stream_link {
    pgas_place_t place;
    pgas_ptr_t shared;
    char *buffer;
    pgas_handle_t *handles;
    size_t nbytes;
    /** NULL: none, STREAM_GASNET is not possible. */
    stream_gasnet_t *gasnet;
} stream_link_t;

/** Allocates memory for up to `depth` transfers of `nbytes` in flight; through gasnet.h too with
 *  `gasnet`, if stream_gasnet_begin has started the job. Collective. */
void stream_link_create(pgas_place_t place, size_t nbytes, size_t depth, bool gasnet,
                        stream_link_t *link);

/** Frees it. Collective. */
void stream_link_free(stream_link_t *link);

/** Seconds per transfer over `count` of them, all synchronised at the end. Collective. */
double stream_transfer_measure(const stream_link_t *link, const stream_transfer_t *transfer,
                               size_t count);

/** How many transfers to time: `most`, or about as many as take `seconds` if these are fewer, but
 *  then at least as many as may be in flight. Also warms up. Collective. */
size_t stream_transfer_fit(const stream_link_t *link, const stream_transfer_t *transfer,
                           double seconds, size_t most);

/** Moves a pattern by `depth` transfers; true if all of it has arrived. Collective. */
bool stream_transfer_check(const stream_link_t *link, const stream_transfer_t *transfer);

#endif
