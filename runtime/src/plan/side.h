/**
 * The two sides of a plan: their links and buffers.
 */
#ifndef PGASI_PLAN_SIDE_H
#define PGASI_PLAN_SIDE_H

#include "plan/types.h"

/** The calling thread's link to itself; NULL: none. */
const pgasi_plan_link_t *pgasi_plan_own_link(const pgasi_plan_side_t *side);

/** Creates the ends of a side's links, and its receive buffer if it `receives`. */
pgas_status_t pgasi_plan_ends_create(pgas_plan_t *plan, pgasi_plan_side_t *side, bool receives);

/** What the other side must know of a link's end. */
pgasi_plan_remote_t pgasi_plan_end_of(const pgas_plan_t *plan, const pgasi_plan_side_t *side,
                                      const pgasi_plan_link_t *link);

/** Creates the links of the send side, one per request; these are in ascending order of threads. */
pgas_status_t pgasi_plan_send_links_create(pgas_plan_t *plan, const pgasi_plan_request_t *requests,
                                           size_t count);

/** Gets the elements of the send side from the threads that have made the requests. */
pgas_status_t pgasi_plan_elements_get(pgas_plan_t *plan, const pgasi_plan_request_t *requests);

/** Creates the private buffers that a gather, or a scatter, is packed into. */
pgas_status_t pgasi_plan_send_buffer_create(pgas_plan_t *plan);
pgas_status_t pgasi_plan_scatter_buffer_create(pgas_plan_t *plan);

/** Marks the links between two threads that have one in each direction. */
void pgasi_plan_mutual_find(pgas_plan_t *plan);

#endif
