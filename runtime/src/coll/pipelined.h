/**
 * Long private blocks on one node, piece by piece (coll/algorithm.h).
 */
#ifndef PGASI_COLL_PIPELINED_H
#define PGASI_COLL_PIPELINED_H

#include "coll/types.h"

/** The first step of a broadcast, scatter, gather, all-gather or all-to-all by that algorithm.
 *  coll->src is what the caller shows, if it does. */
pgasi_next_t pgasi_pipelined_show(pgasi_coll_t *coll);

#endif
