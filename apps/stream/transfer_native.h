/**
 * Transfers by Fathom's own calls.
 */
#ifndef STREAM_TRANSFER_NATIVE_H
#define STREAM_TRANSFER_NATIVE_H

#include <pgas/pgas.h>
#include <stddef.h>

#include "transfer_kind.h"

/** The memory of a transfer's slots, one behind the other. */
typedef struct stream_native {
    /** The partner's. */
    pgas_ptr_t remote;
    char *buffer;
    /** One for each slot. */
    pgas_handle_t *handles;
} stream_native_t;

/** Runs `count` transfers and completes them. Not collective. */
void stream_native_run(const stream_native_t *memory, const stream_transfer_t *transfer,
                       size_t count);

#endif
