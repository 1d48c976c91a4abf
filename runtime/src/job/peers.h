/**
 * The table of peers (pgas/detail.h): what this thread knows of the threads of the job.
 */
#ifndef PGASI_JOB_PEERS_H
#define PGASI_JOB_PEERS_H

#include <stdint.h>

#include <pgas/types.h>

#include "boot/boot.h"
#include "node/address_record.h"

/** Creates the table after the boot exchange; `record` is this thread's own. No segment is mapped
 *  yet. `*heap_size` receives the heap size of the job. Logs a failure. */
pgas_status_t pgasi_peers_create(const pgasi_boot_job_t *job, const pgasi_address_record_t *record,
                                 uint64_t *heap_size);

/** Maps the segments of this node's threads and enters their addresses. Logs a failure. */
pgas_status_t pgasi_peers_map(uint64_t heap_size, const pgasi_address_record_t *record);

/** Removes the addresses. The table stays for calls that come too late. */
void pgasi_peers_unmap(void);

#endif
