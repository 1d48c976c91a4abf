/**
 * The keys that an agent has to the memory of other nodes.
 *
 * A key is for a part of a thread's segment (rma_memory.h). It is asked for when something there is
 * first wanted, by a message that nobody waits for, and kept to the end of the job: memory and
 * messages in proportion to what is used. All functions are an agent's.
 */
#ifndef PGASI_NET_UCX_RMA_KEYS_H
#define PGASI_NET_UCX_RMA_KEYS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <ucp/api/ucp.h>

#include "net/ucx/initiator.h"

typedef struct pgasi_ucx_key {
    /** The bytes of the segment that it is for: from `begin` to `end`. */
    uint64_t begin;
    uint64_t end;
    /** For UCX, of offset 0 of the segment. */
    uint64_t address;
    ucp_rkey_h rkey;
    ucp_ep_h ep;
    /** Byte `begin` of the segment, where this process can reach it itself; else NULL. */
    char *memory;
} pgasi_ucx_key_t;

/** What is known of a part of a segment. */
typedef struct pgasi_ucx_key_entry pgasi_ucx_key_entry_t;

typedef struct pgasi_ucx_keys {
    /** By thread: the key to the whole segment; NULL: there is none, or there are several. */
    pgasi_ucx_key_t **whole;
    /** By thread: the operation that completes the puts that no flush has been posted for; 0: there
     *  are none (rma.c). */
    uint64_t *unflushed;
    /** Something was posted that UCX has not completed at once, and that nothing but a flush of the
     *  network waits for. */
    bool must_flush;
    /** Parts of segments, by hashing: a table of `size`, a power of two or 0, with `count` of them.
     */
    pgasi_ucx_key_entry_t **entries;
    size_t size;
    size_t count;
    /** What has gone by remote memory access; others read it (stats/counter.h). */
    uint64_t operations;
} pgasi_ucx_keys_t;

/** Allocates the keys of an initiator; false if there is no memory. */
bool pgasi_ucx_keys_init(pgasi_ucx_initiator_t *initiator);

/** The same as pgasi_ucx_key, where the whole segment has no key. */
const pgasi_ucx_key_t *pgasi_ucx_key_find(uint32_t thread, uint64_t offset);

/** The key for the bytes at `offset` of the segment of a thread of another node; NULL: there is
 *  none, or it is still to come, having been asked for. */
static inline const pgasi_ucx_key_t *pgasi_ucx_key(uint32_t thread, uint64_t offset)
{
    const pgasi_ucx_key_t *key = pgasi_ucx_me->keys->whole[thread];
    return __builtin_expect(key != NULL, 1) ? key : pgasi_ucx_key_find(thread, offset);
}

/** Gives the keys of an initiator back to UCX, before its worker is destroyed; frees them, then. */
void pgasi_ucx_keys_release(pgasi_ucx_initiator_t *initiator);
void pgasi_ucx_keys_free(pgasi_ucx_initiator_t *initiator);

#endif
