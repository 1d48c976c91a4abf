/**
 * Which way puts and gets take: by remote memory access (RMA), which the target's processor has
 * nothing to do with, or by messages, which it serves.
 *
 * The choice is a function of the settings and of what the transports say of themselves. It is
 * never made by trying: UCX emulates what a transport cannot do by messages of its own, so that
 * everything works, and waits for a target that computes.
 */
#ifndef PGASI_NET_UCX_RMA_PATH_H
#define PGASI_NET_UCX_RMA_PATH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <pgas/word.h>

/** What UCT says of a transport (transport.h has the list of those that there are). */
typedef struct pgasi_transport {
    /** As UCX_TLS names it. */
    char name[16];
    /** Leads to other hosts; else shared memory, or the process itself. */
    bool is_network;
    /** UCT_MD_FLAG_* of its memory domain, UCT_IFACE_FLAG_* of its interface. */
    uint64_t domain_flags;
    uint64_t flags;
    /** Bits UCT_ATOMIC_OP_*: atomic operations without and with the old value. */
    uint64_t ops32;
    uint64_t fetch32;
    uint64_t ops64;
    uint64_t fetch64;
} pgasi_transport_t;

/** What the choice depends on beside the transports. */
typedef struct pgasi_rma_wish {
    /** PGAS_RMA: "auto", "on" or "off". */
    const char *setting;
    /** The transports that UCX may use, as UCX_TLS says. */
    const char *tls;
    /** All threads of the job are on this host. */
    bool one_host;
    /** PGAS_SEGMENT=ucx: UCX makes the memory of the nodes. */
    bool segment_by_ucx;
} pgasi_rma_wish_t;

typedef enum pgasi_rma_kind {
    /** By messages. */
    PGASI_RMA_NONE,
    /** The processor of the initiator reads and writes the target's memory, which UCX has made. */
    PGASI_RMA_SHARED,
    /** The network card does; memory is registered with it piece by piece. */
    PGASI_RMA_CARD
} pgasi_rma_kind_t;

typedef struct pgasi_rma_path {
    pgasi_rma_kind_t kind;
    /** The transport that does it, or that could; zeros: none. */
    pgasi_transport_t transport;
    /** Without RMA: why, and what would change that. */
    char reason[192];
    /** The settings cannot be met: the job must not start. */
    bool is_refused;
} pgasi_rma_path_t;

/** True if a value of UCX_TLS lets UCX use a transport. Knows UCX's aliases ("rc", "shm"), "all"
 * and "^". */
bool pgasi_transport_is_enabled(const char *tls, const char *name);

/** What UCX_TLS is where the user has said nothing. Between nodes, emulated ones too, there is no
 *  shared memory. */
static inline const char *pgasi_default_transports(bool one_host)
{
    return one_host ? "tcp" : "^shm";
}

/** Chooses. Refuses PGAS_RMA=on and PGAS_SEGMENT=ucx where they cannot be. */
void pgasi_rma_choose(const pgasi_rma_wish_t *wish, const pgasi_transport_t *transports,
                      size_t count, pgasi_rma_path_t *path);

/** Whether the other side's loss is reported on this path, which some transports cannot. */
bool pgasi_rma_reports_loss(const pgasi_rma_path_t *path);

/** Whether the transport executes all operations of the set `ops` (bits 1 << pgas_atomic_op_t) on
 *  words of `type`, rightly, and they are atomic with those of processors. */
bool pgasi_rma_has_atomics(const pgasi_rma_path_t *path, pgas_type_t type, uint32_t ops);

/** The UCT_ATOMIC_OP_* by which a transport executes `op`: of PGAS_LOAD the addition of 0, of
 *  PGAS_STORE the swap. -1: none. */
int pgasi_rma_atomic_op(pgas_atomic_op_t op, pgas_type_t type);

#endif
