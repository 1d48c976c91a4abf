/**
 * Remote memory access needs nobody at the target: puts, gets and atomic operations of a domain
 * complete while the other thread sleeps, without a call of the runtime and without a thread that
 * progresses (PGAS_PROGRESS=poll).
 *
 * Hostile orders: the target sleeps before the initiator has started; it computes; puts that are
 * not waited for one by one; a put that is read back at once; transfers of every size; a key that
 * is still to come when the target falls asleep (then it is a message, and completes later).
 */
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "net/net.h"
#include "pause.h"
#include "random.h"

enum {
    SLEEP_US = 2000000,
    /* Operations that must complete before the target wakes up: each takes some 50 ns. */
    LEAST = 1000,
    MOST = 5000,
    LARGE = 1 << 20
};

/* In the target's segment: the target writes `asleep` and `awake`, the initiator all else. */
typedef struct board {
    uint64_t asleep;
    uint64_t awake;
    uint64_t done;
    uint64_t counter;
    uint64_t words[64];
    unsigned char bytes[LARGE];
} board_t;

static pgas_ptr_t board;
static pgas_atomic_domain_t *domain;
static uint64_t seed;

static pgas_ptr_t at(size_t offset)
{
    return pgas_ptr_shift(pgas_ptr_on(board, 1), (ptrdiff_t)offset);
}

static uint64_t word_at(size_t offset)
{
    return PGAS_READ(uint64_t, at(offset));
}

/* The first access to a part of memory asks for its key, and travels as a message. */
static void get_key(void)
{
    uint64_t before = pgasi_net_rma_operations();
    for (int i = 0; i < 1000 && pgasi_net_rma_operations() == before; i++)
        word_at(offsetof(board_t, words));
    CHECK(pgasi_net_rma_operations() > before);
}

static void small_round(uint64_t i)
{
    size_t offset = offsetof(board_t, words) + 8 * (i % 64);
    PGAS_WRITE(uint64_t, at(offset), i);
    CHECK(word_at(offset) == i);
    pgas_handle_t handles[8];
    for (uint64_t k = 0; k < 8; k++) {
        uint64_t value = i + k;
        handles[k] = pgas_memput_async(at(offsetof(board_t, words) + 8 * k), &value, sizeof value);
    }
    pgas_waitsync_all(handles, 8);
    uint64_t back[8];
    pgas_memget_asynci(back, at(offsetof(board_t, words)), sizeof back);
    pgas_waitsynci();
    for (uint64_t k = 0; k < 8; k++)
        CHECK(back[k] == i + k);
    pgas_ptr_t counter = at(offsetof(board_t, counter));
    CHECK(pgas_atomic_domain_apply(domain, PGAS_ADD, counter, 1, 0, PGAS_ACQ_REL) == 2 * i);
    pgas_waitsync(
        pgas_atomic_domain_apply_async(domain, PGAS_ADD, counter, 1, 0, PGAS_RELAXED, NULL));
    pgas_fence();
}

static void large_round(void)
{
    static unsigned char sent[LARGE];
    static unsigned char back[LARGE];
    size_t nbytes = 1 + random_below(&seed, LARGE);
    size_t from = random_below(&seed, LARGE - nbytes + 1);
    for (size_t i = 0; i < nbytes; i += 64)
        sent[i] = (unsigned char)random_next(&seed);
    pgas_handle_t handle = pgas_memput_async(at(offsetof(board_t, bytes) + from), sent, nbytes);
    while (!pgas_trysync(handle))
        ;
    pgas_memget(back, at(offsetof(board_t, bytes) + from), nbytes);
    CHECK(memcmp(sent, back, nbytes) == 0);
}

/* Returns how many rounds were complete before the target woke up. */
static uint64_t initiate(void)
{
    uint64_t rounds = 0;
    while (word_at(offsetof(board_t, asleep)) == 0)
        ;
    uint64_t before = pgasi_net_rma_operations();
    while (rounds < MOST && word_at(offsetof(board_t, awake)) == 0) {
        small_round(rounds);
        if (rounds % 100 == 0)
            large_round();
        rounds++;
    }
    CHECK(pgasi_net_rma_operations() > before + 10 * rounds);
    PGAS_WRITE(uint64_t, at(offsetof(board_t, done)), 1);
    return rounds;
}

/* Until the initiator is done; it can only be told by a put. */
static void compute(const volatile board_t *mine)
{
    volatile double sum = 0;
    while (mine->done == 0 && own_cpu_seconds() < 20)
        for (int i = 1; i < 1000; i++)
            sum = sum + 1.0 / i;
    CHECK(mine->done != 0);
}

static void test_target_that(bool sleeps)
{
    board_t *mine = pgas_local(pgas_ptr_on(board, pgas_mythread()));
    memset(mine, 0, offsetof(board_t, bytes));
    pgas_barrier();
    if (pgas_mythread() == 0)
        get_key();
    pgas_barrier();
    if (pgas_mythread() == 0) {
        CHECK(initiate() >= LEAST);
    } else if (pgas_mythread() == 1) {
        __atomic_store_n(&mine->asleep, 1, __ATOMIC_SEQ_CST);
        if (sleeps)
            sleep_microseconds(SLEEP_US);
        else
            compute(mine);
        __atomic_store_n(&mine->awake, 1, __ATOMIC_SEQ_CST);
    }
    pgas_barrier();
}

/* What cannot go by remote memory access yet goes as a message, and arrives. */
static void test_without_a_key(void)
{
    pgas_ptr_t fresh;
    CHECK(pgas_all_alloc((size_t)pgas_threads(), 64, &fresh) == PGAS_OK);
    pgas_ptr_t there = pgas_ptr_on(fresh, 1);
    pgas_barrier();
    if (pgas_mythread() == 0) {
        pgas_handle_t handle = pgas_put_val_async(there, 7, 8);
        pgas_waitsync(handle);
        CHECK(PGAS_READ(uint64_t, there) == 7);
    } else if (pgas_mythread() == 1) {
        sleep_microseconds(20000);
    }
    pgas_barrier();
    pgas_all_free(fresh);
}

/* A split reads what lies below the heap, for which there are no keys: as the first access to
 * another thread it must not stand for the heap's. */
static void test_split_first(void)
{
    pgas_team_t *team;
    CHECK(pgas_team_split(PGAS_TEAM_ALL, 0, -pgas_mythread(), &team) == PGAS_OK);
    pgas_team_free(team);
}

int main(void)
{
    CHECK(pgas_init() == PGAS_OK);
    CHECK(pgas_threads() >= 2 && pgas_place_of(1) != PGAS_LOCAL);
    CHECK(strcmp(pgasi_net_rma(), "posix") == 0);
    seed = pgas_mythread() == 0 ? random_seed() : 0;
    test_split_first();
    test_without_a_key();
    CHECK(pgas_all_alloc((size_t)pgas_threads(), sizeof(board_t), &board) == PGAS_OK);
    CHECK(pgas_atomic_domain_create(PGAS_UINT64, PGAS_OP_SET(PGAS_ADD), &domain) == PGAS_OK);
    CHECK(pgas_atomic_domain_way(domain) == PGAS_BY_NETWORK);
    test_target_that(true);
    test_target_that(false);
    pgas_atomic_domain_free(domain);
    pgas_finalize();
    return 0;
}
