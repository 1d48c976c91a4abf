/* Allocates and writes megabytes: usage: touch COUNT [put] MARKER. Thread 0 writes first; with
 * "put" all write to the last thread. */
#include <stdlib.h>
#include <string.h>

#include "check.h"

static void put_all(size_t nbytes)
{
    enum {
        PIECE = 64 << 10
    };
    static char piece[PIECE];
    pgas_ptr_t memory;
    CHECK(pgas_all_alloc((size_t)pgas_threads(), nbytes, &memory) == PGAS_OK);
    memory.thread = (uint32_t)pgas_threads() - 1;
    pgas_barrier();
    for (size_t done = 0; done < nbytes; done += PIECE) {
        pgas_memput(memory, piece, PIECE);
        memory.offset += PIECE;
    }
    pgas_barrier();
}

int main(int argc, char **argv)
{
    size_t nbytes = argc > 1 ? (size_t)atoi(argv[1]) << 20 : 0;
    pgas_ptr_t memory;
    CHECK(pgas_init() == PGAS_OK);
    if (argc > 2 && strcmp(argv[2], "put") == 0) {
        put_all(nbytes);
        pgas_finalize();
        return 0;
    }
    CHECK(pgas_alloc(nbytes, &memory) == PGAS_OK);
    for (int thread = 0; thread < pgas_threads(); thread++) {
        if (thread == pgas_mythread())
            memset(pgas_local(memory), 1, nbytes);
        pgas_barrier();
    }
    pgas_finalize();
    return 0;
}
