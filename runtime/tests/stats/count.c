/**
 * A program of known traffic, for the test of what PGAS_STATS reports: thread k puts k + 1 doubles
 * to thread 0 and copies 100 bytes from the last thread.
 */
#include "check.h"

int main(void)
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
    pgas_finalize();
    return 0;
}
