/**
 * Litmus programs by memory order and path: two words x and y, 0 at first, at any threads; some
 * threads that each write 1 or read, twice at most; an outcome that must not be seen.
 *
 *   program            threads                              forbidden                 orders fences
 *   message passing    Wx Wy | Ry Rx                        Ry 1, Rx 0                yes     yes
 *   by a third thread  Wx | Rx Wy | Ry Rx                   1, 1, 0                   yes     yes
 *   load buffering     Rx Wy | Ry Wx                        1, 1                      yes     yes
 *   one word           Wx | Rx Rx                           1, 0                      yes     yes
 *   store buffering    Wx Ry | Wy Rx                        0, 0                      no      yes
 *   two readers        Wx | Wy | Rx Ry | Ry Rx              1, 0 by both              no      yes
 *
 * "orders": each write is an atomic operation that releases, each read one that acquires; PGAS has
 * no sequentially consistent order, so the last two may be seen, as in C11. "fences": relaxed
 * atomic operations, or blocking values, with pgas_fence between. What is forbidden is so on each
 * path, by which the layout of threads and nodes decides: the own segment, the own node's, messages
 * between nodes; values also by remote memory access (atomic operations do not, outside of
 * domains).
 *
 *   runtime_litmus_orders [REPETITIONS]       30; each draws who does what and where
 */
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "job_random.h"

enum {
    MOST_THREADS = 4,
    NEAR_COUNT = 3000,
    FAR_COUNT = 60,
    REPETITIONS = 30,
    NOBODY = -1
};

/* A word each, on a line of its own. */
typedef struct pair {
    _Alignas(64) uint64_t x;
    _Alignas(64) uint64_t y;
} pair_t;

typedef enum way {
    ORDERS,
    RELAXED_AND_FENCES,
    VALUES_AND_FENCES,
    WAYS
} way_t;

typedef struct program {
    const char *name;
    bool needs_fences;
    int roles;
    /* Of each role: W or R, and of what. */
    const char *steps[MOST_THREADS];
    /* The forbidden outcome: what each read gives, in the order of the roles. */
    const char *forbidden;
} program_t;

static const program_t programs[] = {
    {"message passing", false, 2, {"WxWy", "RyRx"}, "10"},
    {"a third thread", false, 3, {"Wx", "RxWy", "RyRx"}, "110"},
    {"load buffering", false, 2, {"RxWy", "RyWx"}, "11"},
    {"one word", false, 2, {"Wx", "RxRx"}, "10"},
    {"store buffering", true, 2, {"WxRy", "WyRx"}, "00"},
    {"two readers", true, 4, {"Wx", "Wy", "RxRy", "RyRx"}, "1010"},
};

enum {
    PROGRAMS = sizeof programs / sizeof programs[0]
};

static int me;
static int threads;
static bool is_one_node;
/* Of each thread: NEAR_COUNT pairs, and NEAR_COUNT times the two values that it has read. */
static pgas_ptr_t pairs;
static pgas_ptr_t results;

static void write_word(way_t way, pgas_ptr_t at)
{
    if (way == VALUES_AND_FENCES)
        PGAS_WRITE(uint64_t, at, 1);
    else if (way == RELAXED_AND_FENCES)
        PGAS_ATOMIC_STORE(uint64_t, at, 1, PGAS_RELAXED);
    else if (at.offset / sizeof(pair_t) % 2 == 0)
        PGAS_ATOMIC_STORE(uint64_t, at, 1, PGAS_RELEASE);
    else
        pgas_waitsync(PGAS_ATOMIC_UPDATE_ASYNC(uint64_t, PGAS_ADD, at, 1, PGAS_RELEASE));
}

static unsigned char read_word(way_t way, pgas_ptr_t at)
{
    if (way == VALUES_AND_FENCES)
        return (unsigned char)PGAS_READ(uint64_t, at);
    if (way == RELAXED_AND_FENCES)
        return (unsigned char)PGAS_ATOMIC_LOAD(uint64_t, at, PGAS_RELAXED);
    if (at.offset / sizeof(pair_t) % 2 == 0)
        return (unsigned char)PGAS_ATOMIC_LOAD(uint64_t, at, PGAS_ACQUIRE);
    return (unsigned char)PGAS_ATOMIC_FETCH_ADD(uint64_t, at, 0, PGAS_ACQUIRE);
}

/* Where x and y are. */
typedef struct homes {
    int x;
    int y;
} homes_t;

static pgas_ptr_t word_of(homes_t homes, char name, size_t i)
{
    size_t offset = i * sizeof(pair_t) + (name == 'y' ? offsetof(pair_t, y) : 0);
    return pgas_ptr_shift(pgas_ptr_on(pairs, name == 'y' ? homes.y : homes.x), (ptrdiff_t)offset);
}

static void play(const char *steps, way_t way, homes_t homes, size_t count)
{
    unsigned char *seen = pgas_local(pgas_ptr_on(results, me));
    for (size_t i = 0; i < count; i++)
        for (size_t k = 0; steps[2 * k] != '\0'; k++) {
            if (k > 0 && way != ORDERS)
                pgas_fence();
            pgas_ptr_t at = word_of(homes, steps[2 * k + 1], i);
            if (steps[2 * k] == 'W')
                write_word(way, at);
            else
                seen[2 * i + k] = read_word(way, at);
        }
}

static void check(const program_t *program, way_t way, const int *players, size_t count)
{
    static unsigned char seen[MOST_THREADS][2 * NEAR_COUNT];
    for (int role = 0; role < program->roles; role++)
        pgas_memget(seen[role], pgas_ptr_on(results, players[role]), 2 * count);
    for (size_t i = 0; i < count; i++) {
        const char *expected = program->forbidden;
        bool differs = false;
        for (int role = 0; role < program->roles; role++)
            for (size_t k = 0; program->steps[role][2 * k] != '\0'; k++)
                if (program->steps[role][2 * k] == 'R')
                    differs |= seen[role][2 * i + k] != *expected++ - '0';
        if (!differs)
            pgas_fail(1, "%s, way %d: the forbidden outcome", program->name, (int)way);
    }
}

/* All threads draw the same. */
static void run(const program_t *program, way_t way, uint64_t *random)
{
    int players[MOST_THREADS] = {0};
    int role = NOBODY;
    homes_t homes = {(int)random_below(random, (uint64_t)threads),
                     (int)random_below(random, (uint64_t)threads)};
    int first = (int)random_below(random, (uint64_t)threads);
    int step = threads == 4 && random_below(random, 2) == 0 ? 3 : 1;
    size_t count = is_one_node ? NEAR_COUNT : FAR_COUNT;
    for (int i = 0; i < program->roles; i++) {
        players[i] = (first + i * step) % threads;
        if (players[i] == me)
            role = i;
    }
    memset(pgas_local(pgas_ptr_on(pairs, me)), 0, count * sizeof(pair_t));
    pgas_barrier();
    if (role != NOBODY)
        play(program->steps[role], way, homes, count);
    pgas_barrier();
    if (me == first)
        check(program, way, players, count);
    pgas_barrier();
}

int main(int argc, char **argv)
{
    CHECK(pgas_init() == PGAS_OK);
    me = pgas_mythread();
    threads = pgas_threads();
    CHECK(threads <= MOST_THREADS);
    is_one_node = pgas_node_of(threads - 1) == 0;
    uint64_t random = random_seed_of_job();
    size_t count = (size_t)threads;
    CHECK(pgas_all_alloc(count, NEAR_COUNT * sizeof(pair_t), &pairs) == PGAS_OK);
    CHECK(pgas_all_alloc(count, 2 * (size_t)NEAR_COUNT, &results) == PGAS_OK);
    long repetitions = argc > 1 ? strtol(argv[1], NULL, 10) : REPETITIONS;
    for (long i = 0; i < repetitions; i++)
        for (int p = 0; p < PROGRAMS; p++)
            for (int way = 0; way < WAYS; way++)
                if (programs[p].roles <= threads && !(programs[p].needs_fences && way == ORDERS))
                    run(&programs[p], (way_t)way, &random);
    pgas_finalize();
    return 0;
}
