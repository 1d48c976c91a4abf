/**
 * Several operations in flight that are waited for together.
 */
#ifndef PGASI_COPY_GROUP_H
#define PGASI_COPY_GROUP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <pgas/async.h>

#include "net/net.h"

/** Handles of the network, or of an upper folder (in_flight.h), each of which needs its own wait.
 * Starts as {0}; the memory is kept for the next use. */
typedef struct pgasi_group {
    pgasi_net_handle_t *handles;
    size_t count;
    size_t size;
    /** Distinguishes the group's contents from earlier ones. */
    uint64_t epoch;
} pgasi_group_t;

/** Adds an operation with thread `thread`. */
void pgasi_group_add(pgasi_group_t *group, uint32_t thread, pgasi_net_handle_t handle);

/** Adds what an upper folder has in flight; the complete handle adds nothing. */
void pgasi_group_append(pgasi_group_t *group, pgas_handle_t handle);

/** Sends what is held, so that all will complete, as pgasi_net_flush does. */
void pgasi_group_flush(const pgasi_group_t *group);

/** True if all are known to be complete. Makes no progress. */
bool pgasi_group_is_done(const pgasi_group_t *group);

/** True if all are complete; progresses the network once if not. Drops the complete ones. */
bool pgasi_group_test(pgasi_group_t *group);

/** Waits for all, which empties the group. */
void pgasi_group_wait(pgasi_group_t *group);

/** Moves the operations, which empties the group, to a handle that pgas_waitsync and pgas_trysync
 *  take. */
pgas_handle_t pgasi_group_to_handle(pgasi_group_t *group);

/** The group behind a handle; NULL for the handle of one operation and for the complete one. */
pgasi_group_t *pgasi_group_of(pgas_handle_t handle);

/** Frees the group behind a handle. The group is empty. */
void pgasi_group_release(pgas_handle_t handle);

/** Frees a group's memory. */
void pgasi_group_free(pgasi_group_t *group);

/** Frees what the calling agent has (base/agent.h). */
void pgasi_group_detach(void);

#endif
