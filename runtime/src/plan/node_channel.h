/**
 * The links between two nodes in one message, for PGAS_PLAN_BY_NODE: node channels and what each
 * thread knows of them. During set-up all calls are local to a step of pgasi_plan_connect, with
 * barriers between the steps.
 */
#ifndef PGASI_PLAN_NODE_CHANNEL_H
#define PGASI_PLAN_NODE_CHANNEL_H

#include "plan/types.h"

/** 0: the leader creates its table of node channels. */
pgas_status_t pgasi_plan_node_channels_create(pgas_plan_t *plan);

/** 1: creates the channels of the receive side, and reserves a part of their message for each link
 *  to another node. */
pgas_status_t pgasi_plan_receive_channels_create(pgas_plan_t *plan);

/** 2: the leader of the node that receives allocates buffers and tells the other node's; 3: that
 *  of the node that sends does, and replies. */
pgas_status_t pgasi_plan_node_channels_request(pgas_plan_t *plan);
pgas_status_t pgasi_plan_node_channels_reply(pgas_plan_t *plan);

/** 4: creates the channels of the send side. */
pgas_status_t pgasi_plan_send_channels_create(pgas_plan_t *plan);

/** 5: reads what the node channels say now, and, at the leader, what it counts. */
pgas_status_t pgasi_plan_channels_read(pgas_plan_t *plan);

/** Frees what the leader has allocated. */
void pgasi_plan_node_channels_free(const pgas_plan_t *plan);

#endif
