/**
 * Kinds of transfers: whose calls, which, how many bytes, how many in flight.
 */
#ifndef STREAM_TRANSFER_KIND_H
#define STREAM_TRANSFER_KIND_H

#include <stddef.h>

/** Whose calls. */
typedef enum stream_interface {
    STREAM_FATHOM = 0,
    STREAM_GASNET,
    STREAM_INTERFACES
} stream_interface_t;

typedef enum stream_operation {
    STREAM_GET = 0,
    STREAM_PUT,
    STREAM_OPERATIONS
} stream_operation_t;

typedef enum stream_mode {
    /** pgas_memget, pgas_memput; gasnet_get_bulk, gasnet_put_bulk. */
    STREAM_BLOCKING = 0,
    /** With a handle: _async and pgas_waitsync; _nb_bulk and gasnet_wait_syncnb. */
    STREAM_EXPLICIT,
    /** Without: _asynci and pgas_waitsynci; _nbi_bulk and gasnet_wait_syncnbi_all. */
    STREAM_IMPLICIT,
    STREAM_MODES
} stream_mode_t;

/** Their names in reports. */
extern const char *const stream_interface_names[STREAM_INTERFACES];
extern const char *const stream_operation_names[STREAM_OPERATIONS];
extern const char *const stream_mode_names[STREAM_MODES];

/** One kind of transfer. */
typedef struct stream_transfer {
    stream_interface_t interface;
    stream_operation_t operation;
    stream_mode_t mode;
    size_t nbytes;
    /** In flight at most; 1: each is complete before the next one starts. */
    size_t depth;
} stream_transfer_t;

#endif
