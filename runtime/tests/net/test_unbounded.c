/**
 * Gets that are begun without credit, by who bounds them himself, take none of the program's: while
 * their target stands still, a get from another thread returns.
 */
#include <stdlib.h>
#include <unistd.h>

#include <pgas/pgas.h>

#include "check.h"
#include "net/net.h"
#include "stop.h"

enum {
    GETS = 1200,
    SIZE = 16384
};

static unsigned char got[GETS][SIZE];
static pgas_handle_t handles[GETS];

static void get_from(pgas_ptr_t stopped, pgas_ptr_t other)
{
    unsigned char byte = 0;
    pgasi_net_unbounded(true);
    for (size_t i = 0; i < GETS; i++)
        handles[i] = pgas_memget_async(got[i], stopped, SIZE);
    pgasi_net_unbounded(false);
    pgas_waitsync(pgas_memget_async(&byte, other, 1));
    CHECK(byte == 1);
}

int main(void)
{
    pgas_ptr_t block;
    pgas_ptr_t pid;
    CHECK(pgas_init() == PGAS_OK);
    CHECK(pgas_threads() == 3);
    CHECK(pgas_all_alloc(3, SIZE, &block) == PGAS_OK);
    CHECK(pgas_all_alloc(3, sizeof(int64_t), &pid) == PGAS_OK);
    unsigned char *mine = pgas_local(pgas_ptr_on(block, pgas_mythread()));
    CHECK(mine != NULL);
    memset(mine, pgas_mythread(), SIZE);
    PGAS_WRITE(int64_t, pgas_ptr_on(pid, pgas_mythread()), getpid());
    pgas_barrier();
    if (pgas_mythread() == 0) {
        /* Connected before, to both. */
        for (int t = 1; t < 3; t++)
            pgas_memget(got[0], pgas_ptr_on(block, t), 1);
        pid_t stopped = (pid_t)PGAS_READ(int64_t, pgas_ptr_on(pid, 2));
        process_stop(stopped);
        get_from(pgas_ptr_on(block, 2), pgas_ptr_on(block, 1));
        process_continue(stopped);
        pgas_waitsync_all(handles, GETS);
        for (size_t i = 0; i < GETS; i++)
            for (size_t k = 0; k < SIZE; k++)
                CHECK(got[i][k] == 2);
    }
    pgas_barrier();
    pgas_finalize();
    return 0;
}
