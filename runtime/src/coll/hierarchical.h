/**
 * Reductions, all-gathers and broadcasts node by node (coll/algorithm.h).
 */
#ifndef PGASI_COLL_HIERARCHICAL_H
#define PGASI_COLL_HIERARCHICAL_H

#include "coll/types.h"

/** The first step of a reduction whose operands are set, for the members that `wants` says. */
pgasi_step_function_t pgasi_hierarchical_show;

/** The first step of an all-gather whose arguments are set. */
pgasi_step_function_t pgasi_hierarchical_gather;

/** And of a broadcast. */
pgasi_step_function_t pgasi_hierarchical_broadcast;

#endif
