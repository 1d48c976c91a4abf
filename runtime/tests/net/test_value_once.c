/* A value that is put to another node is stored once: its owner resets each one that it sees, and
 * sees no value twice. */
#include <pgas/pgas.h>
#include <stdatomic.h>
#include <stdbool.h>

#include "check.h"
#include "pause.h"

enum {
    SECONDS = 3
};

static const uint64_t end_mark = UINT64_MAX;

/* Returns how many it has seen; the last put may have overwritten any before it. */
static uint64_t watch(_Atomic uint64_t *word)
{
    uint64_t last = 0;
    uint64_t seen = 0;
    for (;;) {
        uint64_t value = atomic_load(word);
        if (value == end_mark)
            return seen;
        if (value == 0)
            continue;
        CHECK(value > last);
        last = value;
        seen++;
        atomic_compare_exchange_strong(word, &value, 0); /* not what has come since */
    }
}

static void write_values(pgas_ptr_t word)
{
    unsigned begin = atomic_load(&ticks);
    uint64_t value = 1;
    while (atomic_load(&ticks) - begin < SECONDS * TICKS_PER_SECOND)
        PGAS_WRITE(uint64_t, word, value++);
    PGAS_WRITE(uint64_t, word, end_mark);
}

int main(void)
{
    pgas_ptr_t word;
    CHECK(ticks_start());
    CHECK(pgas_init() == PGAS_OK);
    CHECK(pgas_all_alloc(1, sizeof(uint64_t), &word) == PGAS_OK);
    if (pgas_mythread() == 0)
        *(uint64_t *)pgas_local(word) = 0;
    pgas_barrier();
    if (pgas_mythread() == 0)
        CHECK(watch(pgas_local(word)) > 0);
    else if (pgas_mythread() == 1)
        write_values(word);
    pgas_barrier();
    pgas_finalize();
    return 0;
}
