/**
 * The target side of remote memory access: memory that others may reach, and the keys to it.
 *
 * On a path of kind PGASI_RMA_SHARED UCX makes the memory of the node (pgasi_net_memory_open,
 * net.h), and one key opens all of it. On one of kind PGASI_RMA_CARD a thread registers its
 * segment granule by granule (node/segment.h), each when somebody first asks for it; a granule is
 * no larger than what a huge page takes, unless the heap is very large, so that little is pinned
 * that nobody uses. Registered granules keep their pages, and their keys, to the end of the job,
 * allocated or not: a key is never taken back.
 */
#ifndef PGASI_NET_UCX_RMA_MEMORY_H
#define PGASI_NET_UCX_RMA_MEMORY_H

#include <stdbool.h>
#include <stdint.h>

#include "net/net.h"
#include "net/ucx/rma_path.h"

/** The path of this thread. Set before the context is created, constant then. */
extern pgasi_rma_path_t pgasi_ucx_path;

/** For tests: hands the key of shared memory out by granules too. Before pgas_init. */
extern bool pgasi_ucx_keys_by_granule;

/** Asks for the key to the bytes about `offset` of the segment of `thread`, which is on the
 *  receiver's node. */
typedef struct pgasi_ucx_key_request {
    uint64_t offset;
    uint32_t thread;
    /** The pgasi_rma_kind_t of who asks. */
    uint32_t kind;
} pgasi_ucx_key_request_t;

#define PGASI_UCX_KEY_MAX (PGASI_NET_MESSAGE_MAX - 4 * sizeof(uint64_t))

/** The reply; an empty one refuses. */
typedef struct pgasi_ucx_key_reply {
    /** The key is for the bytes from `begin` to `end` of the segment. */
    uint64_t begin;
    uint64_t end;
    /** For UCX, of offset 0 of the segment. */
    uint64_t address;
    uint64_t nbytes;
    unsigned char key[PGASI_UCX_KEY_MAX];
} pgasi_ucx_key_reply_t;

/** Who asks whom for keys to the segment of `thread`. */
uint32_t pgasi_ucx_key_holder(uint32_t thread);

/** Bytes of a segment that have a key of their own. */
uint64_t pgasi_ucx_key_granule(void);

/** Serves requests for keys. */
void pgasi_ucx_memory_serve(void);

/** Unregisters everything. Before the context is destroyed. */
void pgasi_ucx_memory_finalize(void);

#endif
