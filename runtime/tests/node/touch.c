/* Allocates and writes megabytes: usage: touch COUNT MARKER. Thread 0 writes first. */
#include <stdlib.h>
#include <string.h>

#include "check.h"

int main(int argc, char **argv)
{
    size_t nbytes = argc > 1 ? (size_t)atoi(argv[1]) << 20 : 0;
    pgas_ptr_t memory;
    CHECK(pgas_init() == PGAS_OK);
    CHECK(pgas_alloc(nbytes, &memory) == PGAS_OK);
    for (int thread = 0; thread < pgas_threads(); thread++) {
        if (thread == pgas_mythread())
            memset(pgas_local(memory), 1, nbytes);
        pgas_barrier();
    }
    pgas_finalize();
    return 0;
}
