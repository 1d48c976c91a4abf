/**
 * Reads aggregated transfers at the target: pieces, each one chunk of the segment or a strided run
 * of chunks.
 */
#ifndef PGASI_NET_UCX_PACKED_H
#define PGASI_NET_UCX_PACKED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/chunks.h"

/** Bytes of a message that are still to be read. */
typedef struct pgasi_ucx_packed {
    const char *next;
    size_t left;
} pgasi_ucx_packed_t;

/** Reads a piece whose place counts from `offset`, and puts the bytes that follow it there. False
 *  for a piece that is not in the segment, or longer than the message. */
bool pgasi_ucx_packed_put(pgasi_ucx_packed_t *packed, uint64_t offset);

/** Reads a piece, and packs its bytes at `*to`, where `*left` bytes are left; moves both on. False
 *  for a piece that is not in the segment, or too long. */
bool pgasi_ucx_packed_get(pgasi_ucx_packed_t *packed, uint64_t offset, char **to, size_t *left);

#endif
