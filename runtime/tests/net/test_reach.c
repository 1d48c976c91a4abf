/**
 * Small copies in one message, with places more than 4 GiB apart: one message can address only a
 * limited range, a program any. Needs a heap of 10 GiB, of which few pages are touched. A program
 * may also have much data of each thread, of which the runtime's own threads have copies.
 */
#include "check.h"
#include "job_random.h"

enum {
    WORDS = 64,
    ROUNDS = 40
};

#define APART ((uint64_t)9 << 30)

static pgas_ptr_t far_away;
static _Thread_local volatile char much[1 << 20];

static pgas_ptr_t at(uint64_t offset)
{
    pgas_ptr_t ptr = far_away;
    ptr.offset += offset;
    return ptr;
}

int main(void)
{
    much[sizeof much / 2] = 1;
    CHECK(pgas_init() == PGAS_OK);
    uint64_t state = random_seed_of_thread(random_seed_of_job());
    CHECK(pgas_all_alloc((size_t)pgas_threads(), APART + 65536, &far_away) == PGAS_OK);
    far_away.thread = (uint32_t)((pgas_mythread() + 1) % pgas_threads());
    for (int round = 0; round < ROUNDS; round++) {
        uint64_t offsets[WORDS];
        uint64_t values[WORDS];
        uint64_t seen[WORDS];
        for (size_t i = 0; i < WORDS; i++) {
            static const uint64_t parts[] = {0, APART / 3, APART / 2, APART};
            offsets[i] = parts[random_below(&state, 4)] + 8 * i * (1 + (uint64_t)round % 2);
            values[i] = random_next(&state);
            pgas_memput_asynci(at(offsets[i]), &values[i], sizeof values[i]);
        }
        pgas_waitsynci();
        for (size_t i = 0; i < WORDS; i++) /* one by one: in another way than the puts */
            CHECK(PGAS_READ(uint64_t, at(offsets[i])) == values[i]);
        for (size_t i = 0; i < WORDS; i++)
            pgas_memget_asynci(&seen[i], at(offsets[i]), sizeof seen[i]);
        pgas_waitsynci();
        for (size_t i = 0; i < WORDS; i++)
            CHECK(seen[i] == values[i]);
    }
    pgas_barrier();
    far_away.thread = 0;
    pgas_all_free(far_away);
    pgas_finalize();
    return 0;
}
