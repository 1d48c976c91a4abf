/* Threads 1 and 3 send each other messages without an end, and the others wait for them. With
 * "idle" as the first argument, they do nothing for seven seconds; then thread 1 waits for the file
 * that the second one names and sends thread 3 a message, and the job ends. Writes "ready" first,
 * and "sent" when that message has been sent; see partition.sh. */
#include <pgas/pgas.h>

#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "check.h"

static pgas_am_t message;
static char bytes[30000];
static volatile int taken;

static void take(pgas_am_token_t *token, const int32_t *args, unsigned nargs, void *payload,
                 size_t nbytes)
{
    (void)token;
    (void)args;
    (void)nargs;
    (void)payload;
    (void)nbytes;
    taken++;
}

static void pause_for(long milliseconds)
{
    struct timespec time = {milliseconds / 1000, milliseconds % 1000 * 1000000};
    nanosleep(&time, NULL);
}

static void send_one(void)
{
    pgas_am_request_medium(3, message, NULL, 0, bytes, 100);
}

static void await(int messages)
{
    while (taken < messages)
        pgas_poll();
}

static void send_after_idling(const char *file)
{
    if (pgas_mythread() == 1) {
        pause_for(7000);
        while (access(file, F_OK) != 0)
            pause_for(10);
        send_one();
        printf("sent\n");
    }
    if (pgas_mythread() == 3)
        await(2);
    pgas_barrier();
}

static void send_without_end(void)
{
    int other = pgas_mythread() ^ 2;
    if (other % 2 == 0)
        pgas_barrier();
    for (;;)
        pgas_am_request_medium(other, message, NULL, 0, bytes, sizeof bytes);
}

int main(int argc, char **argv)
{
    setvbuf(stdout, NULL, _IOLBF, 0);
    message = pgas_am_register("take", take, PGAS_AM_ANYWHERE);
    CHECK(pgas_init() == PGAS_OK && pgas_threads() == 4);
    if (pgas_mythread() == 1)
        send_one();
    if (pgas_mythread() == 3)
        await(1);
    pgas_barrier();
    printf("ready\n");
    if (argc > 2 && strcmp(argv[1], "idle") == 0)
        send_after_idling(argv[2]);
    else
        send_without_end();
    pgas_finalize();
    return 0;
}
