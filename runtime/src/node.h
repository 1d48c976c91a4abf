/**
 * Which thread is on which node.
 *
 * Emulated nodes are laid out in blocks: with PGAS_NODES=N thread t of T is on node t*N/T, with
 * PGAS_THREADS_PER_NODE=K on node t/K.
 */
#ifndef PGASI_NODE_H
#define PGASI_NODE_H

#include <stdint.h>

#include <pgas/types.h>

/** Checks PGAS_NODES and PGAS_THREADS_PER_NODE against the number of threads; logs what is wrong.
 */
pgas_status_t pgasi_node_check(uint32_t threads);

/** The number of nodes, real or emulated. */
uint32_t pgasi_node_count(uint32_t threads);

/** The node of a thread, 0-based. */
uint32_t pgasi_node_of(uint32_t thread, uint32_t threads);

#endif
