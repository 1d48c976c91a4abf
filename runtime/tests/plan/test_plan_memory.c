/*
 * A plan for which one thread has no private memory, whichever of its allocations fails: all
 * threads get that status, nothing is left in the heap, and the next call works. On one node: a
 * thread without memory for a message ends the job.
 */
#include <pgas/pgas.h>
#include <stddef.h>

#include "check.h"
#include "no_memory.h"

enum {
    ELEMENTS = 1000,
    INDEXES = 300
};

static pgas_array_t array;
static size_t indexes[INDEXES];
static size_t positions[INDEXES];

/* Returns whether the thread `chosen` has come to its allocation `which`. */
static bool fail_once(unsigned options, int chosen, int which)
{
    pgas_plan_t *plan = NULL;
    size_t used = pgas_heap_used();
    no_memory_for(pgas_mythread() == chosen ? which : 0);
    pgas_status_t status = pgas_plan_create(&array, indexes, INDEXES, options, positions, &plan);
    bool failed = no_memory_has_failed();
    bool any = pgas_allreduce_int32(PGAS_TEAM_ALL, failed, PGAS_MAX) != 0;
    CHECK(status == (any ? PGAS_ERR_NO_MEMORY : PGAS_OK));
    CHECK(any == (plan == NULL));
    pgas_plan_free(plan);
    CHECK(pgas_heap_used() == used);
    return any;
}

int main(void)
{
    static const unsigned options[] = {0, PGAS_PLAN_SCATTER, PGAS_PLAN_IN_ARRIVAL_ORDER,
                                       PGAS_PLAN_BY_NODE};
    CHECK(pgas_init() == PGAS_OK);
    CHECK(pgas_array_create(ELEMENTS, sizeof(double), 1, &array) == PGAS_OK);
    for (size_t i = 0; i < INDEXES; i++)
        indexes[i] = (7 * i + 13 * (size_t)pgas_mythread()) % ELEMENTS;
    for (size_t i = 0; i < sizeof options / sizeof *options; i++)
        for (int chosen = 0; chosen < pgas_threads(); chosen++) {
            int which = 1;
            while (fail_once(options[i], chosen, which))
                which++;
            CHECK(which > 5);
        }
    pgas_finalize();
    return 0;
}
