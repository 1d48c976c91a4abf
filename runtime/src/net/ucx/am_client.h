/**
 * Who takes active messages, as those that progress see it. Without a client nothing comes.
 */
#ifndef PGASI_NET_UCX_AM_CLIENT_H
#define PGASI_NET_UCX_AM_CLIENT_H

#include <stdbool.h>
#include <stddef.h>

#include "net/net.h"

/** NULL until it is installed. */
extern const pgasi_net_am_client_t *pgasi_ucx_am_client;

/** The main thread looks at the target worker, and runs what has come next. */
extern bool pgasi_ucx_am_polls_next;

/** Runs what has come: in the main thread, and in the progress thread. */
static inline unsigned pgasi_ucx_am_poll(void)
{
    return pgasi_ucx_am_client != NULL ? pgasi_ucx_am_client->poll() : 0;
}

static inline unsigned pgasi_ucx_am_serve(void)
{
    return pgasi_ucx_am_client != NULL ? pgasi_ucx_am_client->serve() : 0;
}

/** Whether there is something to run for the main thread. */
static inline bool pgasi_ucx_am_has_come(void)
{
    return pgasi_ucx_am_client != NULL && pgasi_ucx_am_client->has_come();
}

/** Around the sleep of the main thread: a further descriptor, or -1. */
static inline int pgasi_ucx_am_sleep_begin(void)
{
    return pgasi_ucx_am_client != NULL ? pgasi_ucx_am_client->sleep_begin() : -1;
}

static inline void pgasi_ucx_am_sleep_end(void)
{
    if (pgasi_ucx_am_client != NULL)
        pgasi_ucx_am_client->sleep_end();
}

/** How long the main thread may sleep, in milliseconds. */
static inline unsigned pgasi_ucx_am_longest_sleep(void)
{
    return pgasi_ucx_am_client != NULL ? pgasi_ucx_am_client->longest_sleep()
                                       : PGASI_NET_INTERVAL_MS;
}

#endif
