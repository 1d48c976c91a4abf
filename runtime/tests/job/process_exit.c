/* Exits in the job: with 5, while other operating-system threads of the process copy from another
 * node. What it has registered runs; so do its destructors, and what it has written without a
 * line's end comes out. With an argument one of the others crashes meanwhile, as if inside a
 * library whose destructor has run. */
#include <pgas/pgas.h>

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum {
    BESIDE = 2
};

static pgas_ptr_t room;
static char bytes[BESIDE][100000];
static bool crashes;
static atomic_bool is_leaving;

static void *copy(void *bytes_of_thread)
{
    if (pgas_attach_thread() != PGAS_OK)
        abort();
    while (!crashes || !is_leaving)
        pgas_memget(bytes_of_thread, pgas_ptr_on(room, 1), sizeof *bytes);
    raise(bytes_of_thread == bytes[0] ? SIGSEGV : SIGABRT);
    _exit(8);
}

/* Behind the runtime's, which has been registered later. */
static void say(void)
{
    printf("handler ");
    fflush(stdout);
    is_leaving = true;
    if (crashes)
        pause();
}

__attribute__((destructor)) static void leave(void)
{
    if (is_leaving)
        printf("destructor\n");
}

int main(int argc, char **argv)
{
    crashes = argc > 1 && argv[1][0] == 'c';
    atexit(say);
    if (pgas_init() != PGAS_OK)
        return 1;
    if (pgas_all_alloc((size_t)pgas_threads(), sizeof *bytes, &room) != PGAS_OK)
        pgas_exit(1);
    pgas_barrier();
    if (pgas_mythread() == 0) {
        pthread_t beside;
        if (pgas_attach_thread() != PGAS_OK)
            pgas_exit(1);
        for (int i = 0; i < BESIDE; i++)
            if (pthread_create(&beside, NULL, copy, bytes[i]) != 0)
                pgas_exit(1);
        usleep(1000);
        printf("in the job ");
        exit(5);
    }
    for (;;)
        pgas_poll();
}
