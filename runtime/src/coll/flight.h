/**
 * Collectives in flight.
 *
 * Those on a lane run one after the other, in the order in which they were started. So a start
 * never waits for another member: what cannot run yet is a copy of its arguments in a queue.
 */
#ifndef PGASI_COLL_FLIGHT_H
#define PGASI_COLL_FLIGHT_H

#include <pgas/async.h>

#include "coll/types.h"

/** Starts one that pgasi_coll_begin has begun; returns its handle, which may be the complete one.
 *  `*coll` is copied. */
pgas_handle_t pgasi_coll_start(const pgasi_coll_t *coll);

/** Waits for one in flight. */
void pgasi_coll_wait(pgas_handle_t handle);

/** Waits for all that the calling agent has in flight. */
void pgasi_coll_wait_all(void);

#endif
