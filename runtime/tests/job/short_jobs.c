/**
 * A job that ends as soon as it has begun: the messages of its end are among the first on their
 * connections. See short_jobs.sh.
 *
 * usage: short_jobs [some|upwards]
 *
 * With an argument active messages are under way at the end, whose replies nobody waits for.
 * `some`: each thread has sent requests to about half of the others. `upwards`: those with lower
 * numbers to all others, which have heard from them before and never sent them anything.
 */
#include <pgas/pgas.h>

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
    REQUESTS = 3,
    BARRIERS = 20,
    PAUSE_US = 2000
};

static pgas_am_t told;
static pgas_am_t asked;

static void take(pgas_am_token_t *token, const int32_t *args, unsigned nargs, void *payload,
                 size_t nbytes)
{
    (void)token;
    (void)args;
    (void)nargs;
    (void)payload;
    (void)nbytes;
}

static void reply(pgas_am_token_t *token, const int32_t *args, unsigned nargs, void *payload,
                  size_t nbytes)
{
    (void)payload;
    (void)nbytes;
    pgas_am_reply_short(token, told, args, nargs);
}

static void ask_some(void)
{
    srand((unsigned)getpid());
    for (int i = 0; i < REQUESTS; i++)
        for (int thread = 0; thread < pgas_threads(); thread++)
            if (rand() % 2 == 0 && thread != pgas_mythread())
                pgas_am_request_short(thread, asked, NULL, 0);
}

static void request_upwards(pgas_am_t handler)
{
    for (int thread = pgas_mythread() + 1; thread < pgas_threads(); thread++)
        pgas_am_request_short(thread, handler, NULL, 0);
}

static void ask_upwards(void)
{
    request_upwards(told);
    for (int i = 0; i < BARRIERS; i++) {
        pgas_barrier();
        usleep(PAUSE_US);
    }
    request_upwards(asked);
}

int main(int argc, char **argv)
{
    const char *which = argc > 1 ? argv[1] : "";
    told = pgas_am_register("told", take, PGAS_AM_POLL);
    asked = pgas_am_register("asked", reply, PGAS_AM_POLL);
    if (pgas_init() != PGAS_OK)
        return 1;
    if (strcmp(which, "some") == 0)
        ask_some();
    else if (strcmp(which, "upwards") == 0)
        ask_upwards();
    else
        pgas_barrier();
    pgas_finalize();
    return 0;
}
