/*
 * A program that knows gasnet_barrier, of GASNet 1.20 and later releases, and does not ask for the
 * name of a barrier: the flags of a wait may differ from those of its notify.
 */
#include "client.h"

int main(int argc, char **argv)
{
    start(&argc, &argv, GASNET_PAGESIZE);
    CHECK(gasnet_barrier(0, GASNET_BARRIERFLAG_UNNAMED) == GASNET_OK);
    gasnet_barrier_notify(5, 0);
    CHECK(gasnet_barrier_wait(0, GASNET_BARRIERFLAG_ANONYMOUS) == GASNET_OK);
    gasnet_barrier_notify(0, GASNET_BARRIERFLAG_ANONYMOUS);
    CHECK(gasnet_barrier_wait(7, 0) == GASNET_OK);
    gasnet_barrier_notify(5, 0);
    CHECK(gasnet_barrier_wait(6, 0) == GASNET_ERR_BARRIER_MISMATCH);
    gasnet_exit(0);
}
