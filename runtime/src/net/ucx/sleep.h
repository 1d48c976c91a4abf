/**
 * Sleeping until a worker has something to do, in poll() on the workers' descriptors.
 *
 * All sleeps are bounded by PGASI_NET_INTERVAL_MS, since UCX before 1.14 may miss a wake-up. To be
 * called by the progressing thread (progress_lock.h), but for pgasi_ucx_sleep and
 * pgasi_ucx_sleep_initiator.
 */
#ifndef PGASI_NET_UCX_SLEEP_H
#define PGASI_NET_UCX_SLEEP_H

#include <stdbool.h>

/** Finds the descriptor of the target worker; false if UCX has none. */
bool pgasi_ucx_sleep_init(void);

/** Prepares the target and the background worker for sleep: false if there is something to do. Else
 *  `*background_fd` is the background worker's descriptor, -1 if nothing of it is awaited. */
bool pgasi_ucx_sleep_arm(int *background_fd);

/** The same for the calling agent's worker too. */
bool pgasi_ucx_sleep_arm_all(int *background_fd);

/** Why a sleep has ended. */
typedef enum pgasi_ucx_slept {
    PGASI_UCX_SLEPT_LONG,
    PGASI_UCX_SLEPT_UNTIL_WOKEN,
    PGASI_UCX_SLEPT_UNTIL_READY
} pgasi_ucx_slept_t;

/** Sleeps until an armed worker's descriptor is ready, or `wake_fd` or `beside_fd` is, which may be
 *  -1, or for the longest time: `microseconds`, 0: any. A sleep that is over then has not been too
 *  long. */
pgasi_ucx_slept_t pgasi_ucx_sleep(int background_fd, int wake_fd, int beside_fd,
                                  unsigned microseconds);

/** The same for an agent, which has armed all workers, for at most `milliseconds`,
 *  or until `bell_fd` is ready, if it is not -1. */
bool pgasi_ucx_sleep_all(int background_fd, int bell_fd, unsigned milliseconds);

/** Sleeps until the calling agent's worker has something to do, for at most `microseconds`. */
void pgasi_ucx_sleep_initiator(unsigned microseconds);

/** How long to pause, in microseconds, after a descriptor was ready `count` times (> 0) one after
 *  the other without anything to do. */
unsigned pgasi_ucx_sleep_backoff(unsigned count);

#endif
