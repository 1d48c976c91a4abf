/**
 * Which elements the calling thread needs, by owner.
 */
#ifndef PGASI_PLAN_INSPECT_H
#define PGASI_PLAN_INSPECT_H

#include "plan/types.h"

/**
 * Finds the receive side: its links with thread, count and first; plan->positions and repeated; and
 * the elements' numbers in their owners' parts, plan->receive_side.length of them, as `*elements`
 * (the caller frees it). Logs what is wrong. Not collective.
 */
pgas_status_t pgasi_plan_inspect(pgas_plan_t *plan, const size_t *indices, uint32_t **elements);

#endif
