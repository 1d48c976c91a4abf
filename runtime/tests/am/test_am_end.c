/**
 * A thread that leaves the job runs no more handlers for messages of other nodes, whoever may run
 * them, and goes on serving the others.
 */
#include <unistd.h>

#include "am/progress.h"
#include "check.h"

enum {
    REQUESTS = 20,
    PAUSE_US = 20000
};

static _Atomic int count;

static void count_up(pgas_am_token_t *token, const int32_t *args, unsigned nargs, void *payload,
                     size_t nbytes)
{
    (void)token;
    (void)args;
    (void)nargs;
    (void)payload;
    (void)nbytes;
    count++;
}

static void send_to_first(pgas_am_t in_poll, pgas_am_t anywhere)
{
    for (int i = 0; i < REQUESTS && pgas_mythread() > 0; i++) {
        pgas_am_request_short(0, in_poll, NULL, 0);
        pgas_am_request_short(0, anywhere, NULL, 0);
    }
}

/* Until they have come. */
static void wait_for(int expected)
{
    while (count < expected)
        pgas_poll();
    pgas_barrier();
}

int main(void)
{
    pgas_am_t in_poll = pgas_am_register("in poll", count_up, PGAS_AM_POLL);
    pgas_am_t anywhere = pgas_am_register("anywhere", count_up, PGAS_AM_ANYWHERE);
    CHECK(pgas_init() == PGAS_OK);
    int sent = 2 * REQUESTS * (pgas_threads() - 1);
    send_to_first(in_poll, anywhere);
    wait_for(pgas_mythread() == 0 ? sent : 0);
    if (pgas_mythread() == 0)
        pgasi_am_end();
    pgas_barrier();
    send_to_first(in_poll, anywhere);
    for (int i = 0; i < 3; i++) {
        usleep(PAUSE_US);
        pgas_poll();
        pgas_barrier();
    }
    CHECK(count == (pgas_mythread() == 0 ? sent : 0));
    pgas_finalize();
    return 0;
}
