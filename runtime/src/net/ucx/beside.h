/**
 * What the progress thread goes on with beside the network (net.h).
 */
#ifndef PGASI_NET_UCX_BESIDE_H
#define PGASI_NET_UCX_BESIDE_H

#include <stdbool.h>

/** Lets it go on; returns how much was done, and in `*longest` how long the thread may sleep then,
 * in microseconds, 0: for any time. From the progress thread, as the other two. */
unsigned pgasi_ucx_beside_progress(unsigned *longest);

/** Whether anything is in flight. */
bool pgasi_ucx_beside_is_any(void);

/** The descriptor that the sleep is to hear of beside those of the workers; -1: none. */
int pgasi_ucx_beside_fd(void);

/** Before the thread ends. */
void pgasi_ucx_beside_finish(void);

#endif
