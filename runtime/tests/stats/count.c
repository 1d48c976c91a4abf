/**
 * A program of known traffic, for the test of what PGAS_STATS reports: thread k puts k + 1 doubles
 * to thread 0 and copies 100 bytes from the last thread. "elsewhere": goes to the root folder;
 * "full": the last thread keeps all that is left of its heap.
 */
#include <string.h>
#include <unistd.h>

#include "check.h"

static void end_as(const char *how)
{
    pgas_ptr_t rest;
    pgas_barrier(); /* what has been freed is free */
    if (strcmp(how, "elsewhere") == 0)
        CHECK(chdir("/") == 0);
    else if (pgas_mythread() + 1 == pgas_threads())
        CHECK(pgas_alloc(pgas_heap_size() - pgas_heap_used(), &rest) == PGAS_OK);
}

int main(int argc, char **argv)
{
    CHECK(pgas_init() == PGAS_OK);
    pgas_array_t array;
    size_t threads = (size_t)pgas_threads();
    CHECK(pgas_array_create(threads * 100, sizeof(double), 100, &array) == PGAS_OK);
    for (size_t i = 0; i <= (size_t)pgas_mythread(); i++)
        PGAS_PUT(double, &array, i, 1.0);
    char bytes[100];
    pgas_memget(bytes, pgas_array_at(&array, threads * 100 - 50), sizeof bytes);
    pgas_array_free(&array);
    if (argc > 1)
        end_as(argv[1]);
    pgas_finalize();
    return 0;
}
