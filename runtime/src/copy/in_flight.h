/**
 * What is in flight behind a handle: an operation of the network, or one of an upper folder, whose
 * handle has a mark that the network's do not have.
 */
#ifndef PGASI_COPY_IN_FLIGHT_H
#define PGASI_COPY_IN_FLIGHT_H

#include <stdbool.h>
#include <stdint.h>

#include "net/net.h"

#define PGASI_IN_FLIGHT_MARK ((uint64_t)1 << 61)

/** Who has those with the mark: waits for one; is it complete, with progress if not; and without.
 */
typedef struct pgasi_in_flight_client {
    void (*wait)(uint64_t bits);
    bool (*test)(uint64_t bits);
    bool (*is_done)(uint64_t bits);
} pgasi_in_flight_client_t;

/** Installs them. Before the first handle with the mark. */
void pgasi_in_flight_install(const pgasi_in_flight_client_t *client);

/** As pgasi_net_flush, _wait, _test and _is_done, for either kind. */
void pgasi_in_flight_flush(pgasi_net_handle_t handle);
void pgasi_in_flight_wait(pgasi_net_handle_t handle);
bool pgasi_in_flight_test(pgasi_net_handle_t handle);
bool pgasi_in_flight_is_done(pgasi_net_handle_t handle);

#endif
