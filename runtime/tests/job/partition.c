/* Threads 1 and 3 send each other messages without an end; the others wait for them. Writes "ready"
 * first; see partition.sh. */
#include <pgas/pgas.h>

#include <stdio.h>

#include "check.h"

static void take(pgas_am_token_t *token, const int32_t *args, unsigned nargs, void *payload,
                 size_t nbytes)
{
    (void)token;
    (void)args;
    (void)nargs;
    (void)payload;
    (void)nbytes;
}

int main(void)
{
    static char bytes[30000];
    pgas_am_t message = pgas_am_register("take", take, PGAS_AM_ANYWHERE);
    CHECK(pgas_init() == PGAS_OK && pgas_threads() == 4);
    int other = pgas_mythread() ^ 2;
    pgas_barrier();
    printf("ready\n");
    if (other % 2 == 0)
        pgas_barrier();
    for (;;)
        pgas_am_request_medium(other, message, NULL, 0, bytes, sizeof bytes);
}
