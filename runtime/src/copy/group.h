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

/** Handles of the network, no two of which one wait could do for. Starts as {0}; the memory is kept
 *  for the next use. */
typedef struct pgasi_group {
    pgasi_net_handle_t *handles;
    size_t count;
    size_t size;
    /** Tells the group's contents from earlier ones. */
    uint64_t stamp;
} pgasi_group_t;

/** Adds an operation with thread `thread`. */
void pgasi_group_add(pgasi_group_t *group, uint32_t thread, pgasi_net_handle_t handle);

/** Sees to it that all will complete, as pgasi_net_flush does. */
void pgasi_group_flush(const pgasi_group_t *group);

/** True if all are known to be complete. Drives nothing. */
bool pgasi_group_is_done(const pgasi_group_t *group);

/** True if all are complete; drives the network once if not. Drops what is complete. */
bool pgasi_group_test(pgasi_group_t *group);

/** Waits for all; the group is empty then. */
void pgasi_group_wait(pgasi_group_t *group);

/** Empties the group into a handle of its own, which pgas_waitsync and pgas_trysync know. */
pgas_handle_t pgasi_group_to_handle(pgasi_group_t *group);

/** The group behind a handle, or NULL if it is one operation's or the complete one. */
pgasi_group_t *pgasi_group_of(pgas_handle_t handle);

/** Gives the group behind a handle back, when it is empty. */
void pgasi_group_release(pgas_handle_t handle);

#endif
