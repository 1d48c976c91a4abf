/* Atomic operations of the network layer on remote words of 4 and 8 bytes, each against its
 * expected result, and many threads at once on one word: operations that the public interface does
 * not have yet. */
#include <pgas/pgas.h>

#include <stdint.h>

#include "check.h"

#include "net/net.h"

enum {
    TURNS = 500
};

static pgas_array_t words;

static uint64_t apply(pgasi_net_atomic_t atomic, int thread, size_t nbytes, uint64_t operand,
                      uint64_t compare)
{
    return pgasi_net_atomic(atomic, pgas_array_at(&words, (size_t)thread), nbytes, operand,
                            compare);
}

/* One thread at a time: no other thread uses the word of `thread` meanwhile. */
static void check_each(int thread, size_t nbytes)
{
    uint64_t ones = nbytes == 4 ? UINT32_MAX : UINT64_MAX;
    apply(PGASI_NET_STORE, thread, nbytes, 12, 0);
    CHECK(apply(PGASI_NET_FETCH, thread, nbytes, 99, 99) == 12);
    CHECK(apply(PGASI_NET_ADD, thread, nbytes, ones - 1, 0) == 12); /* -2 */
    CHECK(apply(PGASI_NET_AND, thread, nbytes, 6, 0) == 10);
    CHECK(apply(PGASI_NET_OR, thread, nbytes, 9, 0) == 2);
    CHECK(apply(PGASI_NET_XOR, thread, nbytes, 1, 0) == 11);
    CHECK(apply(PGASI_NET_SWAP, thread, nbytes, 7, 0) == 10);
    CHECK(apply(PGASI_NET_COMPARE_SWAP, thread, nbytes, 1, 8) == 7);
    CHECK(apply(PGASI_NET_COMPARE_SWAP, thread, nbytes, ones, 7) == 7);
    CHECK(apply(PGASI_NET_FETCH, thread, nbytes, 0, 0) == ones);
}

/* An operation on 4 bytes leaves the next 4 unchanged. */
static void check_width(int thread)
{
    apply(PGASI_NET_STORE, thread, 8, UINT64_MAX, 0);
    apply(PGASI_NET_ADD, thread, 4, 1, 0);
    CHECK(apply(PGASI_NET_FETCH, thread, 8, 0, 0) == UINT64_C(0xffffffff00000000));
}

static bool is_far(int thread)
{
    return pgas_place_of(thread) == PGAS_REMOTE;
}

/* All threads of other nodes add to one word, and its owner reads it. */
static void check_counting(int owner)
{
    if (pgas_mythread() == owner)
        PGAS_PUT(uint64_t, &words, (size_t)owner, 0);
    pgas_barrier();
    uint64_t counting = 0;
    for (int thread = 0; thread < pgas_threads(); thread++)
        counting += pgas_node_of(thread) != pgas_node_of(owner);
    uint64_t last = 0;
    for (int turn = 0; turn < TURNS && is_far(owner); turn++) {
        uint64_t old = apply(PGASI_NET_ADD, owner, turn % 2 == 0 ? 8 : 4, 1, 0);
        CHECK(turn == 0 || old > last);
        last = old;
    }
    pgas_barrier();
    if (pgas_mythread() == owner)
        CHECK(PGAS_GET(uint64_t, &words, (size_t)owner) == counting * TURNS);
    pgas_barrier();
}

int main(void)
{
    if (pgas_init() != PGAS_OK)
        return 1;
    CHECK(pgas_array_create((size_t)pgas_threads(), sizeof(uint64_t), 1, &words) == PGAS_OK);
    for (int turn = 0; turn < pgas_threads(); turn++) {
        for (int thread = 0; thread < pgas_threads(); thread++)
            if (pgas_mythread() == turn && is_far(thread)) {
                check_each(thread, 4);
                check_each(thread, 8);
                check_width(thread);
            }
        pgas_barrier();
    }
    for (int owner = 0; owner < pgas_threads(); owner++)
        check_counting(owner);
    pgas_array_free(&words);
    pgas_finalize();
    return 0;
}
