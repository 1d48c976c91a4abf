/**
 * The first thing that a thread sends to another node is a reply to what has come from there, by
 * the connection that the other one has made.
 *
 * Thread 0 sends requests to all others, which do nothing but poll until theirs has come. Of a
 * node's threads only the last to arrive in a barrier, as of pgas_init, and the lowest one send
 * messages for it; so with three on a node there is one that has sent none.
 */
#include "check.h"

static pgas_am_t ping;
static pgas_am_t pong;
static volatile int pings;
static volatile int pongs;

static void take_ping(pgas_am_token_t *token, const int32_t *args, unsigned nargs, void *payload,
                      size_t nbytes)
{
    (void)payload;
    (void)nbytes;
    pings++;
    pgas_am_reply_short(token, pong, args, nargs);
}

static void take_pong(pgas_am_token_t *token, const int32_t *args, unsigned nargs, void *payload,
                      size_t nbytes)
{
    (void)payload;
    (void)nbytes;
    CHECK(nargs == 1 && args[0] == pgas_am_source(token));
    pongs++;
}

int main(void)
{
    ping = pgas_am_register("ping", take_ping, PGAS_AM_POLL);
    pong = pgas_am_register("pong", take_pong, PGAS_AM_POLL);
    CHECK(pgas_init() == PGAS_OK);
    bool asks = pgas_mythread() == 0;
    for (int i = 1; asks && i < pgas_threads(); i++)
        pgas_am_request_short(i, ping, PGAS_AM_ARGS(i));
    while (asks ? pongs < pgas_threads() - 1 : pings == 0)
        pgas_poll();
    pgas_finalize();
    return 0;
}
