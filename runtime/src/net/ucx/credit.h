/**
 * Credit: bounds what an initiator has under way (initiator.h), so that messages take no more than
 * some megabytes here and at the targets, however many operations are begun. For agents.
 */
#ifndef PGASI_NET_UCX_CREDIT_H
#define PGASI_NET_UCX_CREDIT_H

/** Waits for credit, unless the agent goes without (pgasi_net_unbounded). To be called before
 *  anything is begun. */
void pgasi_ucx_credit_wait(void);

#endif
