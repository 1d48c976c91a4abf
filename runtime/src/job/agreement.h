/**
 * Settings that must be the same in all threads: each tells its own in its address record, and
 * compares them with those of thread 0 before anything depends on them. A launcher may pass its
 * environment to the threads of its own host alone.
 */
#ifndef PGASI_JOB_AGREEMENT_H
#define PGASI_JOB_AGREEMENT_H

#include <stdbool.h>

#include <pgas/types.h>

#include "node/address_record.h"

/** Fills the calling thread's record. When the settings have been read. */
void pgasi_agreement_tell(pgasi_address_record_t *record);

/** Logs what is another one than in the record of thread 0, and returns an error then. */
pgas_status_t pgasi_agreement_check(const pgasi_address_record_t *own,
                                    const pgasi_address_record_t *first);

/** The same of what only a job of several nodes needs, and one of several hosts. */
pgas_status_t pgasi_agreement_check_network(const pgasi_address_record_t *own,
                                            const pgasi_address_record_t *first,
                                            bool has_several_hosts);

#endif
