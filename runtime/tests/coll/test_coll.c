/**
 * Collectives that move bytes, against a plain computation: random sizes (0, 1 and around what a
 * board's slot holds, or travels with a meeting, among them), roots, buffers private and shared,
 * teams of all shapes, members that are late.
 *
 * Orders that must do no harm:
 *   - a fast member enters the next collective, or the one after it, while a slow one still reads
 *     what the last has shown: sources are overwritten as soon as a call returns
 *   - teams that overlap are used in turn, by members of different speed
 *   - the stage of one team's call is used again by another team's
 *   - arguments that are ignored are garbage
 *   - a long and a short collective follow each other, so that rounds have one meeting or two
 *   - some members have made the last call of a kind and size on another team, for which another
 *     algorithm is chosen
 *
 * Usage: runtime_coll [ROUNDS]
 */
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "job_random.h"

#include "team_shapes.h"

enum {
    ROUNDS = 400,
    MOST = 30000,
    /* Around the buffers: bytes that nobody may touch. */
    MARGIN = 64,
    BUFFER = MOST_THREADS * MOST + 2 * MARGIN
};

typedef unsigned char byte_t;

/* A round of a team: everything that its members draw alike. */
typedef struct round {
    pgas_team_t *team;
    int rank;
    int size;
    uint64_t seed;
    size_t nbytes;
    int root;
} round_t;

static byte_t *buffers[4];
static byte_t *src;
static byte_t *dst;

/* A pointer that crashes whoever uses it. */
static void *const garbage = (void *)8; /* NOLINT(performance-no-int-to-ptr) */

static byte_t value_of(uint64_t seed, int from, int to, size_t i)
{
    uint64_t state = seed + (uint64_t)from * 1000003 + (uint64_t)to * 7919 + i / 8 * 0x9e3779b9;
    return (byte_t)(random_next(&state) >> i % 8 * 8);
}

/* The block that `from` has for `to`, -1: for all. */
static void fill(byte_t *block, const round_t *round, int from, int to, size_t nbytes)
{
    for (size_t i = 0; i < nbytes; i++)
        block[i] = value_of(round->seed, from, to, i);
}

static void check_block(const byte_t *block, const round_t *round, int from, int to, size_t nbytes)
{
    for (size_t i = 0; i < nbytes; i++)
        CHECK(block[i] == value_of(round->seed, from, to, i));
}

/* The size of what `from` sends to `to` in calls with blocks of different sizes: also none, and
 * around what travels with a meeting. */
static size_t size_of(const round_t *round, int from, int to)
{
    uint64_t state = round->seed ^ ((uint64_t)from << 20 | (uint64_t)(to + 1) << 8);
    random_next(&state);
    size_t size = random_size(&state, round->nbytes);
    uint64_t kind = random_below(&state, 8);
    size_t around = ((size_t)16 << random_below(&state, 7)) + random_below(&state, 2);
    if (kind < 2)
        return 0;
    return kind == 2 && around <= round->nbytes ? around : size;
}

/* Places of blocks in descending order of ranks, one byte apart. */
static void place(const round_t *round, int from, int to, size_t *counts, size_t *displs)
{
    size_t end = 0;
    for (int rank = round->size - 1; rank >= 0; rank--) {
        counts[rank] = size_of(round, from < 0 ? rank : from, to < 0 ? rank : to);
        displs[rank] = end;
        end += counts[rank] + 1;
    }
}

/* Whether the caller's own block is in its place from the start. */
static bool is_in_place(const round_t *round)
{
    return round->seed % 4 == 0;
}

static void broadcast(const round_t *round)
{
    if (round->rank == round->root)
        fill(dst, round, round->root, -1, round->nbytes);
    pgas_broadcast(round->team, dst, round->nbytes, round->root);
    check_block(dst, round, round->root, -1, round->nbytes);
}

static void scatter(const round_t *round)
{
    bool is_root = round->rank == round->root;
    for (int rank = 0; rank < round->size && is_root; rank++)
        fill(src + (size_t)rank * round->nbytes, round, round->root, rank, round->nbytes);
    byte_t *to = is_root && is_in_place(round) ? src + (size_t)round->rank * round->nbytes : dst;
    pgas_scatter(round->team, is_root ? src : garbage, to, round->nbytes, round->root);
    check_block(to, round, round->root, round->rank, round->nbytes);
}

static void scatterv(const round_t *round)
{
    size_t counts[MOST_THREADS];
    size_t displs[MOST_THREADS];
    bool is_root = round->rank == round->root;
    place(round, round->root, -1, counts, displs);
    for (int rank = 0; rank < round->size && is_root; rank++)
        fill(src + displs[rank], round, round->root, rank, counts[rank]);
    byte_t *to = is_root && is_in_place(round) ? src + displs[round->rank] : dst;
    pgas_scatterv(round->team, is_root ? src : garbage, is_root ? counts : garbage,
                  is_root ? displs : garbage, to, counts[round->rank], round->root);
    check_block(to, round, round->root, round->rank, counts[round->rank]);
}

static void gather(const round_t *round)
{
    bool is_root = round->rank == round->root;
    byte_t *from = is_root && is_in_place(round) ? dst + (size_t)round->rank * round->nbytes : src;
    fill(from, round, round->rank, -1, round->nbytes);
    pgas_gather(round->team, from, is_root ? dst : garbage, round->nbytes, round->root);
    for (int rank = 0; rank < round->size && is_root; rank++)
        check_block(dst + (size_t)rank * round->nbytes, round, rank, -1, round->nbytes);
}

static void gatherv(const round_t *round)
{
    size_t counts[MOST_THREADS];
    size_t displs[MOST_THREADS];
    bool is_root = round->rank == round->root;
    place(round, -1, round->root, counts, displs);
    byte_t *from = is_root && is_in_place(round) ? dst + displs[round->rank] : src;
    fill(from, round, round->rank, -1, counts[round->rank]);
    pgas_gatherv(round->team, from, counts[round->rank], is_root ? dst : garbage,
                 is_root ? counts : garbage, is_root ? displs : garbage, round->root);
    for (int rank = 0; rank < round->size && is_root; rank++)
        check_block(dst + displs[rank], round, rank, -1, counts[rank]);
}

static void allgather(const round_t *round)
{
    byte_t *from = is_in_place(round) ? dst + (size_t)round->rank * round->nbytes : src;
    fill(from, round, round->rank, -1, round->nbytes);
    pgas_allgather(round->team, from, dst, round->nbytes);
    for (int rank = 0; rank < round->size; rank++)
        check_block(dst + (size_t)rank * round->nbytes, round, rank, -1, round->nbytes);
}

static void allgatherv(const round_t *round)
{
    size_t counts[MOST_THREADS];
    size_t displs[MOST_THREADS];
    place(round, -1, round->root, counts, displs);
    byte_t *from = is_in_place(round) ? dst + displs[round->rank] : src;
    fill(from, round, round->rank, -1, counts[round->rank]);
    pgas_allgatherv(round->team, from, counts[round->rank], dst, counts, displs);
    for (int rank = 0; rank < round->size; rank++)
        check_block(dst + displs[rank], round, rank, -1, counts[rank]);
}

static void alltoall(const round_t *round)
{
    for (int rank = 0; rank < round->size; rank++)
        fill(src + (size_t)rank * round->nbytes, round, round->rank, rank, round->nbytes);
    pgas_alltoall(round->team, src, dst, round->nbytes);
    for (int rank = 0; rank < round->size; rank++)
        check_block(dst + (size_t)rank * round->nbytes, round, rank, round->rank, round->nbytes);
}

static void alltoallv(const round_t *round)
{
    size_t counts[2][MOST_THREADS];
    size_t displs[2][MOST_THREADS];
    place(round, round->rank, -1, counts[0], displs[0]);
    place(round, -1, round->rank, counts[1], displs[1]);
    for (int rank = 0; rank < round->size; rank++)
        fill(src + displs[0][rank], round, round->rank, rank, counts[0][rank]);
    pgas_alltoallv(round->team, src, counts[0], displs[0], dst, counts[1], displs[1]);
    for (int rank = 0; rank < round->size; rank++)
        check_block(dst + displs[1][rank], round, rank, round->rank, counts[1][rank]);
}

static void (*const kinds[])(const round_t *round) = {
    broadcast, scatter, scatterv, gather, gatherv, allgather, allgatherv, alltoall, alltoallv,
};

#define KINDS (sizeof kinds / sizeof kinds[0])

/* A private or a shared buffer, with margins; what was in it is overwritten. */
static byte_t *choose_buffer(uint64_t *own, int first)
{
    byte_t *buffer = buffers[first + (int)random_below(own, 2)];
    memset(buffer, 0x5a, MARGIN);
    return buffer + MARGIN;
}

static void check_margin(const byte_t *buffer)
{
    for (int i = 1; i <= MARGIN; i++)
        CHECK(buffer[-i] == 0x5a);
}

static size_t choose_size(uint64_t *common)
{
    static const size_t special[] = {0, 1, 8, 512, 1024, 1025, 4095, 4096, 4097, 8192};
    if (random_below(common, 2) == 0)
        return special[random_below(common, sizeof special / sizeof special[0])];
    return random_size(common, MOST);
}

static void play_kind(size_t kind, const round_t *round, uint64_t *own)
{
    src = choose_buffer(own, 0);
    dst = choose_buffer(own, 2);
    kinds[kind](round);
    memset(src, 0xee, (size_t)round->size * round->nbytes + (size_t)round->size);
    memset(dst, 0xdd, (size_t)round->size * round->nbytes + (size_t)round->size);
    check_margin(src);
    check_margin(dst);
}

static void play(pgas_team_t *team, uint64_t common, uint64_t *own)
{
    round_t round = {
        .team = team, .rank = pgas_team_rank(team), .size = pgas_team_size(team), .seed = common};
    size_t kind = random_below(&common, KINDS);
    round.nbytes = choose_size(&common);
    round.root = (int)random_below(&common, (size_t)round.size);
    play_kind(kind, &round, own);
}

/* All calls of one size, of all but reductions. */
static void play_all(pgas_team_t *team, size_t nbytes, uint64_t *own)
{
    const round_t round = {.team = team,
                           .rank = pgas_team_rank(team),
                           .size = pgas_team_size(team),
                           .seed = nbytes,
                           .nbytes = nbytes};
    for (size_t kind = 0; kind < KINDS; kind++)
        play_kind(kind, &round, own);
}

/* And a reduction. */
static void add(pgas_team_t *team, size_t nbytes)
{
    size_t count = nbytes / sizeof(int64_t);
    int64_t *values = (int64_t *)(void *)(buffers[0] + MARGIN);
    for (size_t i = 0; i < count; i++)
        values[i] = pgas_team_rank(team) + (int64_t)i;
    pgas_allreduce(team, values, values, count, PGAS_INT64, PGAS_SUM);
    int64_t size = pgas_team_size(team);
    for (size_t i = 0; i < count; i++)
        CHECK(values[i] == size * (size - 1) / 2 + size * (int64_t)i);
}

/* Two threads, those of a node, and all: in one job they have the same shape, in another not. */
static void play_after_others(uint64_t *own)
{
    static const size_t sizes[] = {8, 128, 4096, MOST, 65536, 262144};
    pgas_team_t *two = NULL;
    int colour = pgas_mythread() < 2 ? 0 : PGAS_NO_TEAM;
    CHECK(pgas_team_split(PGAS_TEAM_ALL, colour, 0, &two) == PGAS_OK);
    pgas_team_t *const teams[] = {two, PGAS_TEAM_NODE, PGAS_TEAM_ALL};
    for (size_t s = 0; s < sizeof sizes / sizeof sizes[0]; s++)
        for (size_t t = 0; t < sizeof teams / sizeof teams[0]; t++) {
            if (teams[t] == NULL)
                continue;
            add(teams[t], sizes[s]);
            if (sizes[s] <= MOST)
                play_all(teams[t], sizes[s], own);
        }
    if (two != NULL)
        pgas_team_free(two);
}

int main(int argc, char **argv)
{
    CHECK(pgas_init() == PGAS_OK);
    CHECK(pgas_threads() <= MOST_THREADS);
    uint64_t rounds = argc > 1 ? strtoull(argv[1], NULL, 10) : ROUNDS;
    uint64_t seed = random_seed_of_job();
    uint64_t own = random_seed_of_thread(seed);
    uint64_t common = seed;
    for (int i = 0; i < 4; i += 2) {
        pgas_ptr_t ptr;
        CHECK(pgas_alloc(BUFFER, &ptr) == PGAS_OK);
        buffers[i] = pgas_local(ptr);
        buffers[i + 1] = malloc(BUFFER);
        CHECK(buffers[i + 1] != NULL);
    }
    play_after_others(&own);
    shapes_create();
    for (uint64_t i = 0; i < rounds; i++) {
        pgas_team_t *team = shapes[random_below(&common, SHAPES)];
        dawdle(&own);
        if (team != NULL)
            play(team, shapes_seed(team, seed, i), &own);
    }
    shapes_free();
    pgas_finalize();
    return 0;
}
