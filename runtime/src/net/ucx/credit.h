/**
 * Credit: bounds what an initiator has under way (initiator.h), so that messages take no more than
 * some megabytes here and at the targets, however many operations are begun. For agents.
 */
#ifndef PGASI_NET_UCX_CREDIT_H
#define PGASI_NET_UCX_CREDIT_H

#include <stdatomic.h>
#include <stdint.h>

/** Waits for credit, unless the agent goes without (pgasi_net_unbounded). To be called before
 *  anything is begun. */
void pgasi_ucx_credit_wait(void);

/** What counts a get that the calling agent begins now: what it takes credit of, or, if it goes
 *  without, what nobody waits for. */
_Atomic uint32_t *pgasi_ucx_gets_under_way(void);

#endif
