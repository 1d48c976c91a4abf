#include "atomics.h"

#include <stdlib.h>
#include <string.h>

#include "common/large.h"
#include "job.h"

enum {
    /* Of a thread; they fit the first-level cache. The last two hold the sum of what the thread has
     * added, for the check, and the contended word. */
    WORDS = 1 << 9,
    SUM = WORDS,
    CONTENDED = WORDS + 8,
    ALL_WORDS = WORDS + 16,
    IN_FLIGHT = 1 << 10
};

static pgas_ptr_t word_of(const stream_atomics_t *atomics, int thread, size_t word)
{
    return pgas_ptr_shift(pgas_ptr_on(atomics->words, thread),
                          (ptrdiff_t)(word * sizeof(uint64_t)));
}

void stream_atomics_create(stream_private_t *memory, stream_atomics_t *atomics)
{
    *atomics = (stream_atomics_t){
        .memory = memory,
        .olds = common_alloc("old values", IN_FLIGHT, sizeof(uint64_t)),
        .random = (uint64_t)pgas_mythread() + 1,
    };
    if (pgas_all_alloc((size_t)pgas_threads(), ALL_WORDS * sizeof(uint64_t), &atomics->words) !=
        PGAS_OK)
        pgas_exit(1);
    memset(pgas_local(word_of(atomics, pgas_mythread(), 0)), 0, ALL_WORDS * sizeof(uint64_t));
    pgas_barrier();
}

void stream_atomics_free(stream_atomics_t *atomics)
{
    pgas_all_free(atomics->words);
    free(atomics->olds);
}

static pgas_ptr_t next_word(const stream_atomics_t *atomics, size_t i)
{
    return word_of(atomics, atomics->partner, i % WORDS);
}

void stream_atomics_fetch(void *context, size_t count)
{
    stream_atomics_t *atomics = context;
    for (size_t i = 0; i < count; i++)
        PGAS_ATOMIC_FETCH_ADD(uint64_t, next_word(atomics, i), 1, PGAS_RELAXED);
    atomics->added += count;
}

void stream_atomics_update(void *context, size_t count)
{
    stream_atomics_t *atomics = context;
    for (size_t i = 0; i < count; i++)
        PGAS_ATOMIC_UPDATE(uint64_t, PGAS_ADD, next_word(atomics, i), 1, PGAS_RELAXED);
    atomics->added += count;
}

/* Of so many in flight one round trip is no noticeable part. */
void stream_atomics_fetch_flood(void *context, size_t count)
{
    stream_atomics_t *atomics = context;
    for (size_t i = 0; i < count; i++) {
        PGAS_ATOMIC_FETCH_ASYNCI(uint64_t, &atomics->olds[i % IN_FLIGHT], PGAS_ADD,
                                 next_word(atomics, i), 1, PGAS_RELAXED);
        if (i % IN_FLIGHT == IN_FLIGHT - 1)
            pgas_waitsynci();
    }
    pgas_waitsynci();
    atomics->added += count;
}

void stream_atomics_update_flood(void *context, size_t count)
{
    stream_atomics_t *atomics = context;
    for (size_t i = 0; i < count; i++)
        PGAS_ATOMIC_UPDATE_ASYNCI(uint64_t, PGAS_ADD, next_word(atomics, i), 1, PGAS_RELAXED);
    pgas_waitsynci();
    atomics->added += count;
}

static size_t random_below(stream_atomics_t *atomics, size_t bound)
{
    atomics->random =
        atomics->random * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (size_t)(atomics->random >> 16) % bound;
}

/* Additions of 0 leave STREAM's arrays as they are. */
void stream_atomics_fetch_far(void *context, size_t count)
{
    stream_atomics_t *atomics = context;
    const stream_private_t *memory = atomics->memory;
    pgas_ptr_t first = stream_private_of(memory, atomics->partner, memory->arrays.a, 0);
    for (size_t i = 0; i < count; i++) {
        size_t index = random_below(atomics, memory->count);
        PGAS_ATOMIC_FETCH_ADD(uint64_t, pgas_ptr_shift(first, (ptrdiff_t)(index * sizeof(double))),
                              0, PGAS_RELAXED);
    }
}

static int first_of_node(void)
{
    int thread = 0;
    while (pgas_place_of(thread) == PGAS_REMOTE)
        thread++;
    return thread;
}

void stream_atomics_fetch_contended(void *context, size_t count)
{
    stream_atomics_t *atomics = context;
    pgas_ptr_t word = word_of(atomics, first_of_node(), CONTENDED);
    for (size_t i = 0; i < count; i++)
        PGAS_ATOMIC_FETCH_ADD(uint64_t, word, 1, PGAS_RELAXED);
    atomics->added += count;
}

void stream_atomics_fetch_shared(void *context, size_t count)
{
    stream_atomics_t *atomics = context;
    int owner = first_of_node();
    for (size_t i = 0; i < count; i++)
        PGAS_ATOMIC_FETCH_ADD(uint64_t, word_of(atomics, owner, random_below(atomics, WORDS)), 1,
                              PGAS_RELAXED);
    atomics->added += count;
}

bool stream_atomics_check(const stream_atomics_t *atomics)
{
    uint64_t words[ALL_WORDS];
    uint64_t found = 0;
    uint64_t added = 0;
    PGAS_WRITE(uint64_t, word_of(atomics, pgas_mythread(), SUM), atomics->added);
    pgas_barrier();
    for (int thread = 0; thread < pgas_threads(); thread++) {
        pgas_memget(words, word_of(atomics, thread, 0), sizeof words);
        for (size_t i = 0; i < WORDS; i++)
            found += words[i];
        found += words[CONTENDED];
        added += words[SUM];
    }
    return stream_all(found == added);
}
