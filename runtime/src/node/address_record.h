/**
 * The address record that each thread publishes at the start, in the one boot exchange.
 */
#ifndef PGASI_NODE_ADDRESS_RECORD_H
#define PGASI_NODE_ADDRESS_RECORD_H

#include <stdbool.h>
#include <stdint.h>

#include <pgas/types.h>

#include "base/secrets.h"
#include "boot/boot.h"
#include "node/machine.h"

/** How the node's other threads find the leader's file. */
typedef struct pgasi_segment_address {
    int32_t pid;
    int32_t fd;
    /** What the file starts with. */
    uint64_t cookie;
    /** A POSIX name, or "". */
    char name[64];
} pgasi_segment_address_t;

typedef struct pgasi_address_record {
    /** Not 0 if the thread's preparation has failed: it is about to end the job. */
    uint32_t failed;
    /** Threads on its host. If it is the lowest of them, their list follows the record. */
    uint32_t host_count;
    /** The machine that its host is a part of (node/machine.h). */
    char machine[PGASI_MACHINE_LENGTH];
    /** Of a node's lowest thread: what its host proposes as the heap's size, in bytes, and where
     *  the node's memory is. */
    uint64_t heap_size;
    pgasi_segment_address_t address;
    /** Of thread 0: the job's, for the network. They reach the threads by the launcher only. */
    pgasi_secrets_t secrets;
    /** Whether the network has a gate for connections: in all threads, or in none. */
    uint32_t has_gate;
    /** Settings that must be the same in all threads (job/agreement.h): a hash of PGAS_COLL; how
     *  nodes are emulated; whether there are statistics; for how many seconds other hosts may be
     *  silent, 0: nobody looks. */
    uint64_t choices;
    uint64_t nodes;
    uint64_t threads_per_node;
    uint64_t has_stats;
    uint64_t silence;
} pgasi_address_record_t;

/** Publishes the calling thread's record; the next boot exchange makes it known. */
pgas_status_t pgasi_address_record_publish(const pgasi_boot_t *boot, const pgasi_boot_job_t *job,
                                           const pgasi_address_record_t *record);

/**
 * Reads a thread's record. `peers` gets the list of its host's threads if it is the lowest of them
 * and `peers` is not NULL; it takes all threads of the job. An error, too, if that thread has
 * failed.
 */
pgas_status_t pgasi_address_record_lookup(const pgasi_boot_t *boot, uint32_t thread,
                                          pgasi_address_record_t *record, uint32_t *peers);

/** If a lookup has found that its thread has failed, waits for that to end the job, and logs if it
 * does not. */
void pgasi_address_record_await_end(void);

/** True if a thread's record says that its preparation has failed. After the exchange. */
bool pgasi_address_record_has_failed(const pgasi_boot_t *boot, uint32_t thread);

#endif
