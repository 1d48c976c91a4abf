/**
 * Programs that leave copies in flight when they finish: the job ends well, and gets have arrived.
 * The hardest case is the first contact of two threads, since UCX is still making the connection.
 *
 * usage: test_finalize put|implicit|get|value|fill|copy NBYTES
 */
#include <pgas/pgas.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"

enum {
    MOST = 1 << 20
};

static char buffer[MOST];

static void leave_in_flight(const char *what, pgas_ptr_t far, pgas_ptr_t third, size_t nbytes)
{
    if (strcmp(what, "put") == 0)
        (void)pgas_memput_async(far, buffer, nbytes);
    else if (strcmp(what, "implicit") == 0)
        pgas_memput_asynci(far, buffer, nbytes);
    else if (strcmp(what, "get") == 0)
        (void)pgas_memget_async(buffer, far, nbytes);
    else if (strcmp(what, "value") == 0)
        (void)pgas_get_val_async(far, sizeof(uint64_t));
    else if (strcmp(what, "fill") == 0)
        pgas_memset_asynci(far, 7, nbytes);
    else if (strcmp(what, "copy") == 0)
        (void)pgas_memcpy_async(far, third, nbytes);
    else
        pgas_fail(2, "there is no %s", what);
}

int main(int argc, char **argv)
{
    pgas_ptr_t room;
    CHECK(argc == 3 && pgas_init() == PGAS_OK);
    size_t nbytes = strtoull(argv[2], NULL, 10);
    CHECK(nbytes <= MOST);
    CHECK(pgas_all_alloc((size_t)pgas_threads(), MOST, &room) == PGAS_OK);
    memset(pgas_local(pgas_ptr_on(room, pgas_mythread())), 7, MOST);
    pgas_barrier();
    for (int distance = 1; distance < pgas_threads(); distance++) {
        pgas_ptr_t far = room;
        pgas_ptr_t third = room;
        far.thread = (uint32_t)((pgas_mythread() + distance) % pgas_threads());
        third.thread = (uint32_t)((pgas_mythread() + distance + 1) % pgas_threads());
        leave_in_flight(argv[1], far, third, nbytes);
    }
    bool is_get = strcmp(argv[1], "get") == 0 && pgas_threads() > 1;
    pgas_finalize();
    for (size_t i = 0; i < nbytes && is_get; i++)
        CHECK(buffer[i] == 7);
    return 0;
}
