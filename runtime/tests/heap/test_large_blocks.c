/**
 * Allocations of several MiB: their pages go back to the system when they are freed, and are zero
 * when they are used again.
 */
#include <stdlib.h>

#include "check.h"

enum {
    NBYTES = 8 << 20
};

static void check_bytes(pgas_ptr_t ptr, char expected)
{
    const char *bytes = pgas_local(ptr);
    for (size_t i = 0; i < NBYTES; i += 512)
        CHECK(bytes[i] == expected);
}

int main(void)
{
    CHECK(pgas_init() == PGAS_OK);
    for (int round = 0; round < 3; round++) {
        pgas_ptr_t before;
        pgas_ptr_t large;
        pgas_ptr_t behind;
        CHECK(pgas_all_alloc((size_t)pgas_threads(), 100, &before) == PGAS_OK);
        CHECK(pgas_all_alloc((size_t)pgas_threads(), NBYTES, &large) == PGAS_OK);
        CHECK(pgas_all_alloc((size_t)pgas_threads(), 100, &behind) == PGAS_OK);
        CHECK(large.offset % (2 << 20) == 0);
        before.thread = large.thread = behind.thread = (uint32_t)pgas_mythread();
        pgas_memset(before, 1, 100);
        pgas_memset(behind, 3, 100);
        check_bytes(large, 0);
        pgas_memset(large, 2, NBYTES);
        check_bytes(large, 2);
        large.thread = before.thread = behind.thread = 0;
        pgas_all_free(large);
        pgas_barrier();
        CHECK(PGAS_READ(char, before) == 1 && PGAS_READ(char, behind) == 3);
        pgas_all_free(before);
        pgas_all_free(behind);
        pgas_barrier();
        CHECK(pgas_heap_used() == 0);
        pgas_barrier();
    }
    pgas_finalize();
    return 0;
}
