/**
 * The longest Collatz sequence below a limit. Numbers take very different times, so threads fetch
 * their work in pieces from a counter behind a lock; each keeps its best result in its own memory,
 * and thread 0 fetches them all at the end.
 *
 *   fathom-run -n 4 collatz 1000000
 */
#include <pgas/pgas.h>

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

enum {
    PIECE = 1000
};

/** A number and the steps from it to 1. */
typedef struct sequence {
    uint64_t start;
    uint64_t steps;
} sequence_t;

static uint64_t count_steps(uint64_t number)
{
    uint64_t steps = 0;
    for (; number != 1; steps++)
        number = number % 2 == 0 ? number / 2 : 3 * number + 1;
    return steps;
}

/** Of two as long, the one with the lower start wins; a start of 0 is none. */
static bool is_longer(sequence_t a, sequence_t b)
{
    if (a.start == 0 || b.start == 0)
        return a.start != 0;
    return a.steps > b.steps || (a.steps == b.steps && a.start < b.start);
}

/** Takes the next piece of work: its first number less one. */
static uint64_t take_piece(pgas_lock_t lock, pgas_ptr_t counter)
{
    pgas_lock(lock);
    uint64_t first = PGAS_READ(uint64_t, counter);
    PGAS_WRITE(uint64_t, counter, first + PIECE);
    pgas_unlock(lock);
    return first;
}

int main(int argc, char **argv)
{
    if (pgas_init() != PGAS_OK)
        return 1;
    uint64_t limit = argc == 2 ? strtoull(argv[1], NULL, 10) : 0;
    if (limit < 2) {
        fprintf(stderr, "usage: collatz LIMIT (2 or more)\n");
        pgas_exit(2);
    }
    pgas_lock_t lock;
    pgas_ptr_t counter; // fresh shared memory is zero
    pgas_array_t best; // one element for each thread
    if (pgas_all_lock_alloc(&lock) != PGAS_OK ||
        pgas_all_alloc(1, sizeof(uint64_t), &counter) != PGAS_OK ||
        pgas_array_create((size_t)pgas_threads(), sizeof(sequence_t), 1, &best) != PGAS_OK)
        pgas_exit(1);

    sequence_t *mine = pgas_array_mine(&best);
    for (uint64_t first; (first = take_piece(lock, counter)) < limit - 1;)
        for (uint64_t number = first + 1; number <= first + PIECE && number < limit; number++) {
            sequence_t found = {number, count_steps(number)};
            if (is_longer(found, *mine))
                *mine = found;
        }
    pgas_barrier();

    if (pgas_mythread() == 0) {
        sequence_t longest = *mine;
        for (int thread = 1; thread < pgas_threads(); thread++) {
            sequence_t other;
            pgas_memget(&other, pgas_array_at(&best, (size_t)thread), sizeof other);
            if (is_longer(other, longest))
                longest = other;
        }
        printf("below %llu the longest sequence starts at %llu with %llu steps\n",
               (unsigned long long)limit, (unsigned long long)longest.start,
               (unsigned long long)longest.steps);
    }
    pgas_all_free(counter);
    pgas_array_free(&best);
    if (pgas_mythread() == 0)
        pgas_lock_free(lock);
    pgas_finalize();
    return 0;
}
