/**
 * Telling the owners, once: a sparse exchange.
 */
#ifndef PGASI_PLAN_SETUP_H
#define PGASI_PLAN_SETUP_H

#include "plan/types.h"

/** Connects both sides. `elements` are from pgasi_plan_inspect. Collective. Takes this thread's
 *  `status` so far; returns the worst of all threads. */
pgas_status_t pgasi_plan_connect(pgas_plan_t *plan, const uint32_t *elements, pgas_status_t status);

#endif
