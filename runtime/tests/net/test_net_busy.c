/**
 * Hosts that are busy with each other all the time are not reported as lost: thread 0 reads from
 * the first thread of the other host, which waits in a barrier, for longer than the time limit and
 * without a pause. These two threads monitor each other.
 */
#include <stdlib.h>

#include "check.h"
#include "pause.h"

enum {
    LIMIT_SECONDS = 5,
    READS = 100
};

int main(void)
{
    CHECK(setenv("PGAS_PEER_TIMEOUT", "5", 1) == 0);
    CHECK(pgas_init() == PGAS_OK);
    pgas_array_t numbers;
    size_t other = 0;
    while (other + 1 < (size_t)pgas_threads() && pgas_node_of((int)other) == pgas_node_of(0))
        other++;
    CHECK(pgas_array_create((size_t)pgas_threads(), sizeof(int64_t), 1, &numbers) == PGAS_OK);
    PGAS_PUT(int64_t, &numbers, (size_t)pgas_mythread(), pgas_mythread());
    pgas_barrier();
    double end = seconds_now() + 3 * LIMIT_SECONDS;
    while (pgas_mythread() == 0 && seconds_now() < end)
        for (int i = 0; i < READS; i++)
            CHECK(PGAS_GET(int64_t, &numbers, other) == (int64_t)other);
    pgas_barrier();
    pgas_array_free(&numbers);
    pgas_finalize();
    return 0;
}
