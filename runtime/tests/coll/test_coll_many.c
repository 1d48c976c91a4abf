/**
 * Very many small collectives, one behind the other: barriers, broadcasts and all-reduces of 8
 * bytes, in random order, on the team of all threads and on those of all shapes, from every root.
 * Each value is checked, and behind a barrier that all members have entered it.
 *
 * Usage: runtime_coll_many ROUNDS [LONG]: a round is a collective of each team of a shape; LONG of
 * them under FATHOM_TEST_LONG, without a sanitizer.
 */
#include <stdlib.h>

#include <pgas/pgas.h>

#include "check.h"
#include "job_random.h"

#include "team_shapes.h"

/* How often each thread has entered a barrier of its team of each shape: a block per thread. */
static pgas_ptr_t entered;

static pgas_ptr_t entered_of(int thread, int shape)
{
    return pgas_ptr_shift(pgas_ptr_on(entered, thread),
                          (ptrdiff_t)(sizeof(uint64_t) * (size_t)shape));
}

/* What a rank sends. */
static uint64_t word_of(uint64_t seed, int rank)
{
    uint64_t state = seed + (uint64_t)rank * 7919;
    return random_next(&state);
}

/* A member that has not entered this barrier has a count too low; one that has gone on is at most
 * in the next one. */
static void check_barrier(pgas_team_t *team, int shape, uint64_t seed)
{
    static uint64_t mine[SHAPES];
    int other = (int)(seed % (uint64_t)pgas_team_size(team));
    int thread = pgas_team_thread(team, other);
    mine[shape]++;
    PGAS_WRITE(uint64_t, entered_of(pgas_mythread(), shape), mine[shape]);
    pgas_team_barrier(team);
    uint64_t theirs = PGAS_READ(uint64_t, entered_of(thread, shape));
    CHECK(theirs == mine[shape] || theirs == mine[shape] + 1);
}

static void check_broadcast(pgas_team_t *team, uint64_t seed)
{
    int root = (int)(seed % (uint64_t)pgas_team_size(team));
    uint64_t word = pgas_team_rank(team) == root ? word_of(seed, root) : 0;
    pgas_broadcast(team, &word, sizeof word, root);
    CHECK(word == word_of(seed, root));
}

static void check_allreduce(pgas_team_t *team, uint64_t seed)
{
    uint64_t word = word_of(seed, pgas_team_rank(team));
    uint64_t sum = 0;
    uint64_t expected = 0;
    for (int rank = 0; rank < pgas_team_size(team); rank++)
        expected += word_of(seed, rank);
    pgas_allreduce(team, &word, &sum, 1, PGAS_UINT64, PGAS_SUM);
    CHECK(sum == expected);
}

/* The seed of a round of the job says of which shape the teams are, that of a team and a round what
 * it does; so all threads come to their teams in the same order. */
static void run(uint64_t seed, size_t rounds)
{
    enum {
        KINDS = 3
    };
    uint64_t job = seed;
    for (size_t round = 0; round < rounds; round++) {
        /* Every second round is of all threads. */
        int shape = (int)random_below(&job, 2 * (size_t)SHAPES);
        shape = shape < SHAPES ? shape : 0;
        pgas_team_t *team = shapes[shape];
        if (team == NULL)
            continue;
        uint64_t state = shapes_seed(team, seed, round);
        uint64_t what = random_next(&state);
        switch (random_below(&state, KINDS)) {
        case 0:
            check_barrier(team, shape, what);
            break;
        case 1:
            check_broadcast(team, what);
            break;
        default:
            check_allreduce(team, what);
        }
    }
}

int main(int argc, char **argv)
{
    if (pgas_init() != PGAS_OK)
        return 1;
    bool is_long =
        argc > 2 && getenv("FATHOM_TEST_LONG") != NULL && getenv("FATHOM_TEST_SANITIZED") == NULL;
    CHECK(argc > 1);
    size_t rounds = strtoull(argv[is_long ? 2 : 1], NULL, 10);
    uint64_t seed = random_seed_of_job();
    shapes_create();
    CHECK(pgas_all_alloc((size_t)pgas_threads(), SHAPES * sizeof(uint64_t), &entered) == PGAS_OK);
    run(seed, rounds);
    pgas_barrier();
    pgas_all_free(entered);
    shapes_free();
    pgas_finalize();
    return 0;
}
