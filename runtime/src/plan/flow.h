/**
 * One message of a link or a channel: credit, sending, arrival, release. A side that sends and a
 * side that receives are either of the plan's, by the direction of the execution.
 */
#ifndef PGASI_PLAN_FLOW_H
#define PGASI_PLAN_FLOW_H

#include "plan/types.h"

/** Waits until the side has credit to send the next message of every link and channel. */
void pgasi_plan_credit_wait(const pgasi_plan_side_t *side);

/** Where the link's next message is packed: in the receiver's memory or in a send buffer. */
void *pgasi_plan_send_slot(const pgas_plan_t *plan, const pgasi_plan_side_t *side,
                           const pgasi_plan_link_t *link);

/** Posts a link's message that has been packed; not for links of a channel. */
void pgasi_plan_link_post(const pgas_plan_t *plan, const pgasi_plan_side_t *side,
                          const pgasi_plan_link_t *link, const void *message);

/** All parts have been packed: the last thread of a channel to say so posts its message. Ends the
 *  side's sending. */
void pgasi_plan_channels_post(pgasi_plan_side_t *side);

/** Waits for a link's next message; returns where it is. */
const void *pgasi_plan_arrival_wait(const pgas_plan_t *plan, const pgasi_plan_side_t *side,
                                    const pgasi_plan_link_t *link);

/** The calling thread needs the channels' last messages no longer: the last thread of a channel to
 *  say so gives their sender credit. Ends the side's receiving. */
void pgasi_plan_channels_release(pgasi_plan_side_t *side);

/** Gives the senders credit for the last message of each link. */
void pgasi_plan_links_release(const pgasi_plan_side_t *side);

/** Waits until nobody will raise an event of the side any more: the receivers have released
 *  `released` messages of each link, and all of each channel. */
void pgasi_plan_last_credit_wait(const pgasi_plan_side_t *side, uint64_t released);

#endif
