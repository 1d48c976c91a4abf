/**
 * Which thread is on which node.
 *
 * A node is the threads of one host that share an emulated index: with PGAS_NODES=N that of thread
 * t of T is t*N/T, with PGAS_THREADS_PER_NODE=K it is t's index among its host's threads, divided
 * by K; else 0. Nodes are numbered by their lowest thread, which is the node's *leader*.
 */
#ifndef PGASI_NODE_NODE_H
#define PGASI_NODE_NODE_H

#include <stdbool.h>
#include <stdint.h>

#include <pgas/types.h>

#include "boot/boot.h"

typedef struct pgasi_nodes {
    /** Nodes of the job, and the calling thread's own. */
    uint32_t count;
    uint32_t mine;
    /** By node: its leader and how many threads it has. */
    uint32_t *leaders;
    uint32_t *sizes;
    /** The calling thread's node: its threads in ascending order, their number, and the calling
     *  thread's index. */
    const uint32_t *threads;
    uint32_t threads_count;
    uint32_t place;
    /** The job's threads on the calling thread's machine, as far as that is known: its host's and
     *  those of other hosts there. */
    uint32_t machine_threads;
} pgasi_nodes_t;

/** The calling thread's view; constant once pgasi_node_map has returned. */
extern pgasi_nodes_t pgasi_nodes;

/**
 * Checks PGAS_NODES against the number of threads, logs what is wrong, and finds the calling
 * thread's own node: `threads`, `threads_count` and `place`. Not collective.
 */
pgas_status_t pgasi_node_join(const pgasi_boot_job_t *job);

/** True if the job will have several nodes. After pgasi_node_join. */
bool pgasi_node_several(const pgasi_boot_job_t *job);

/** True if the calling thread is its node's leader. After pgasi_node_join. */
bool pgasi_node_is_leader(void);

/**
 * After the boot exchange: reads one address record per host and maps the job. `machine` is the
 * calling thread's (node/machine.h). `node_of`, for all threads, gets their nodes; `*heap_size`
 * gets the smallest of the hosts' proposals.
 */
pgas_status_t pgasi_node_map(const pgasi_boot_t *boot, const pgasi_boot_job_t *job,
                             const char *machine, uint32_t *node_of, uint64_t *heap_size);

/** Frees the tables. */
void pgasi_node_forget(void);

#endif
