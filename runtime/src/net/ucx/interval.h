/**
 * The periodic callback (pgasi_net_every_interval), and errors of UCX that are held for a while.
 */
#ifndef PGASI_NET_UCX_INTERVAL_H
#define PGASI_NET_UCX_INTERVAL_H

/** Does what is due every PGASI_NET_INTERVAL_MS. For the progress thread, which does not hold the
 *  progress lock; where the main thread holds it, leaves the callback to that. */
void pgasi_ucx_interval_check(void);

/** Calls the callback if it has been left to the main thread, which holds the progress lock. */
void pgasi_ucx_interval_check_main(void);

#endif
