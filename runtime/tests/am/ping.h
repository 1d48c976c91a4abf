/**
 * A message that is answered, both of them counted where they are taken.
 */
#ifndef RUNTIME_TESTS_PING_H
#define RUNTIME_TESTS_PING_H

#include "check.h"

static pgas_am_t ping;
static pgas_am_t pong;
static volatile size_t pings;
static volatile size_t pongs;

static inline void take_ping(pgas_am_token_t *token, const int32_t *args, unsigned nargs,
                             void *payload, size_t nbytes)
{
    (void)payload, (void)nbytes;
    pings++;
    pgas_am_reply_short(token, pong, args, nargs);
}

static inline void take_pong(pgas_am_token_t *token, const int32_t *args, unsigned nargs,
                             void *payload, size_t nbytes)
{
    (void)token, (void)args, (void)nargs, (void)payload, (void)nbytes;
    pongs++;
}

/** Before pgas_init. */
static inline void register_ping(void)
{
    ping = pgas_am_register("ping", take_ping, PGAS_AM_POLL);
    pong = pgas_am_register("pong", take_pong, PGAS_AM_POLL);
}

#endif
