/* Exits in the job: with 5, while other operating-system threads of the process copy from another
 * node. What it has registered runs, and what it has written without a line's end comes out. */
#include <pgas/pgas.h>

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum {
    BESIDE = 2
};

int witness(void); /* is loaded, and so is its destructor */

static pgas_ptr_t room;
static char bytes[BESIDE][100000];

static void *copy(void *bytes_of_thread)
{
    if (pgas_attach_thread() != PGAS_OK)
        abort();
    for (;;)
        pgas_memget(bytes_of_thread, pgas_ptr_on(room, 1), sizeof *bytes);
}

static void say(void)
{
    printf("handler\n");
}

int main(void)
{
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
        printf("%s", witness() != 0 ? "in the job " : "");
        exit(5);
    }
    for (;;)
        pgas_poll();
}
