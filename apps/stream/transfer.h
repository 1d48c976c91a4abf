/**
 * Gets and puts by one thread, one after the other or many in flight, while the others only serve.
 */
#ifndef STREAM_TRANSFER_H
#define STREAM_TRANSFER_H

#include <pgas/pgas.h>

typedef enum stream_operation {
    STREAM_GET = 0,
    STREAM_PUT,
    STREAM_OPERATIONS
} stream_operation_t;

typedef enum stream_mode {
    /** pgas_memget, pgas_memput. */
    STREAM_BLOCKING = 0,
    /** With a handle: _async and pgas_waitsync. */
    STREAM_EXPLICIT,
    /** Without: _asynci and pgas_waitsynci. */
    STREAM_IMPLICIT,
    STREAM_MODES
} stream_mode_t;

/** Their names in reports. */
extern const char *const stream_operation_names[STREAM_OPERATIONS];
extern const char *const stream_mode_names[STREAM_MODES];

/** One kind of transfer. */
typedef struct stream_transfer {
    stream_operation_t operation;
    stream_mode_t mode;
    size_t nbytes;
    /** In flight at most; 1: each is complete before the next one starts. */
    size_t depth;
} stream_transfer_t;

/** Memory on both sides for transfers between thread 0 and its partner. */
typedef struct stream_link {
    pgas_place_t place;
    pgas_ptr_t shared;
    char *buffer;
    pgas_handle_t *handles;
    size_t nbytes;
} stream_link_t;

/** Allocates memory for up to `depth` transfers of `nbytes` in flight. Collective. */
void stream_link_create(pgas_place_t place, size_t nbytes, size_t depth, stream_link_t *link);

/** Frees it. Collective. */
void stream_link_free(stream_link_t *link);

/** Seconds per transfer over `count` of them, all synchronised at the end. Collective. */
double stream_transfer_measure(const stream_link_t *link, const stream_transfer_t *transfer,
                               size_t count);

/** How many transfers to time: `most`, or about as many as take `seconds` if these are fewer, but
 *  then at least as many as may be in flight. Also warms up. Collective. */
size_t stream_transfer_fit(const stream_link_t *link, const stream_transfer_t *transfer,
                           double seconds, size_t most);

/** Runs `count` transfers by Fathom's calls and completes them. Thread 0 calls it. */
void stream_native_run(const stream_link_t *link, const stream_transfer_t *transfer, size_t count);

/** Moves a pattern by `depth` transfers; true if all of it has arrived. Collective. */
bool stream_transfer_check(const stream_link_t *link, const stream_transfer_t *transfer);

#endif
