/**
 * A client whose last node comes to a barrier when a file is there, and not before.
 *
 * Usage: gasnet_barrier_watch_MODE FILE
 */
#include <gasnet.h>

#include <unistd.h>

#include "client.h"

int main(int argc, char **argv)
{
    start(&argc, &argv, GASNET_PAGESIZE);
    if (gasnet_mynode() == gasnet_nodes() - 1)
        while (access(argv[1], F_OK) != 0)
            usleep(10000);
    CHECK(gasnet_barrier(3, 0) == GASNET_OK);
    return 0;
}
