#include "flight.h"

#include "check.h"
#include "random.h"

pgas_ptr_t flight_started;

uint64_t flight_compose(uint64_t low, uint64_t high)
{
    uint32_t a = (uint32_t)(low >> 32) * (uint32_t)(high >> 32);
    uint32_t b = (uint32_t)(low >> 32) * (uint32_t)high + (uint32_t)low;
    return (uint64_t)a << 32 | b;
}

/* The number of words that `from` sends to `to` in calls with blocks of different sizes. */
static size_t size_of(const flight_t *flight, int from, int to)
{
    uint64_t state = flight->seed ^ ((uint64_t)from << 20 | (uint64_t)(to + 1) << 8);
    random_next(&state);
    size_t size = random_size(&state, flight->count);
    return random_below(&state, 4) == 0 ? 0 : size;
}

/* Blocks in descending order of ranks, a word apart. */
static void place(flight_t *flight, int side, int from, int to)
{
    size_t end = 0;
    for (int rank = flight->size - 1; rank >= 0; rank--) {
        size_t size = size_of(flight, from < 0 ? rank : from, to < 0 ? rank : to);
        flight->counts[side][rank] = size * sizeof(uint64_t);
        flight->displs[side][rank] = end * sizeof(uint64_t);
        end += size + 1;
    }
}

static void fill(const flight_t *flight, uint64_t *block, int to, size_t count)
{
    for (size_t i = 0; i < count; i++)
        block[i] = coll_word(flight->seed, flight->rank, to, i);
}

static void fill_all(const flight_t *flight)
{
    for (int rank = 0; rank < flight->size; rank++)
        fill(flight, flight->src + (size_t)rank * flight->count, rank, flight->count);
}

static void fill_places(const flight_t *flight)
{
    for (int rank = 0; rank < flight->size; rank++)
        fill(flight, flight->src + flight->displs[0][rank] / sizeof(uint64_t), rank,
             flight->counts[0][rank] / sizeof(uint64_t));
}

static void check_block(const flight_t *flight, const uint64_t *block, int from, int to,
                        size_t count)
{
    for (size_t i = 0; i < count; i++)
        CHECK(block[i] == coll_word(flight->seed, from, to, i));
}

static void check_all(const flight_t *flight, int to)
{
    for (int rank = 0; rank < flight->size; rank++)
        check_block(flight, flight->dst + (size_t)rank * flight->count, rank, to, flight->count);
}

static void check_places(const flight_t *flight, int to)
{
    for (int rank = 0; rank < flight->size; rank++)
        check_block(flight, flight->dst + flight->displs[1][rank] / sizeof(uint64_t), rank, to,
                    flight->counts[1][rank] / sizeof(uint64_t));
}

/* The combination of elements [first, first + count) of the ranks up to `last`. */
static void check_combined(const flight_t *flight, size_t first, size_t count, int last)
{
    for (size_t i = 0; i < count; i++) {
        uint64_t sum = coll_word(flight->seed, last, -1, first + i);
        for (int rank = last - 1; rank >= 0; rank--)
            sum = flight_compose(coll_word(flight->seed, rank, -1, first + i), sum);
        CHECK(flight->dst[i] == sum);
    }
}

static void check_barrier(const flight_t *flight)
{
    for (int rank = 0; rank < flight->size; rank++) {
        pgas_ptr_t at = flight_started;
        at.thread = (uint32_t)pgas_team_thread(flight->team, rank);
        CHECK(PGAS_READ(uint64_t, at) >= flight->round);
    }
}

static size_t elements_before(const flight_t *flight, int rank)
{
    size_t count = 0;
    for (int i = 0; i < rank; i++)
        count += flight->elements[i];
    return count;
}

void flight_prepare(flight_t *flight)
{
    int me = flight->rank;
    bool is_root = me == flight->root;
    switch (flight->kind) {
    case BROADCAST:
        if (is_root)
            fill(flight, flight->dst, -1, flight->count);
        break;
    case SCATTER:
    case ALLTOALL:
        fill_all(flight);
        break;
    case SCATTERV:
        place(flight, 0, flight->root, -1);
        if (is_root)
            fill_places(flight);
        break;
    case GATHERV:
        place(flight, 1, -1, flight->root);
        fill(flight, flight->src, -1, flight->counts[1][me] / sizeof(uint64_t));
        break;
    case ALLGATHERV:
        place(flight, 1, -1, 0);
        fill(flight, flight->src, -1, flight->counts[1][me] / sizeof(uint64_t));
        break;
    case ALLTOALLV:
        place(flight, 0, me, -1);
        place(flight, 1, -1, me);
        fill_places(flight);
        break;
    case REDUCE_SCATTER:
        for (int rank = 0; rank < flight->size; rank++)
            flight->elements[rank] = size_of(flight, rank, 0) / (size_t)flight->size;
        fill(flight, flight->src, -1, elements_before(flight, flight->size));
        break;
    default:
        fill(flight, flight->src, -1, flight->count);
    }
}

void flight_check(const flight_t *flight)
{
    int me = flight->rank;
    int last = flight->size - 1;
    bool is_root = me == flight->root;
    switch (flight->kind) {
    case BARRIER:
        check_barrier(flight);
        break;
    case BROADCAST:
        check_block(flight, flight->dst, flight->root, -1, flight->count);
        break;
    case SCATTER:
        check_block(flight, flight->dst, flight->root, me, flight->count);
        break;
    case SCATTERV:
        check_block(flight, flight->dst, flight->root, me,
                    flight->counts[0][me] / sizeof(uint64_t));
        break;
    case GATHER:
    case ALLGATHER:
        if (is_root || flight->kind == ALLGATHER)
            check_all(flight, -1);
        break;
    case GATHERV:
    case ALLGATHERV:
        if (is_root || flight->kind == ALLGATHERV)
            check_places(flight, -1);
        break;
    case ALLTOALL:
        check_all(flight, me);
        break;
    case ALLTOALLV:
        check_places(flight, me);
        break;
    case REDUCE:
    case ALLREDUCE:
        if (is_root || flight->kind == ALLREDUCE)
            check_combined(flight, 0, flight->count, last);
        break;
    case REDUCE_SCATTER:
        check_combined(flight, elements_before(flight, me), flight->elements[me], last);
        break;
    case INCLUSIVE:
        check_combined(flight, 0, flight->count, me);
        break;
    default:
        if (me > 0)
            check_combined(flight, 0, flight->count, me - 1);
    }
}
