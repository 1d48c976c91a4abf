/**
 * Atomic domains: every operation of every type that the network has, against the processor's; all
 * threads at once on one word, by the network and by the processor; who acquires a value sees what
 * was written before its release.
 *
 * Usage: runtime_atomic_domain [network|processor|null|unknown|mixed]: the way that is expected for
 * operations that networks have; or a misuse, which ends the job
 *
 * Hostile orders: the first operations on a word, which has no key yet and is reached by messages,
 * beside later ones by the network; operations in flight whose old values nobody wants, and a
 * blocking one to the same word after them; words of 4 bytes whose neighbour changes too.
 */
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "job_random.h"
#include "shm/word.h"

enum {
    STEPS = 300,
    ADDITIONS = 3000,
    FLAGS = 200
};

static const uint32_t bits_ops = PGAS_OP_SET(PGAS_LOAD) | PGAS_OP_SET(PGAS_STORE) |
                                 PGAS_OP_SET(PGAS_SWAP) | PGAS_OP_SET(PGAS_COMPARE_SWAP);
static const uint32_t number_ops =
    PGAS_OP_SET(PGAS_ADD) | PGAS_OP_SET(PGAS_SUB) | PGAS_OP_SET(PGAS_INC) | PGAS_OP_SET(PGAS_DEC);
static const uint32_t logical_ops =
    PGAS_OP_SET(PGAS_AND) | PGAS_OP_SET(PGAS_OR) | PGAS_OP_SET(PGAS_XOR);

static uint64_t state;
static pgas_atomic_way_t expected_way;
static pgas_ptr_t words;

static pgas_atomic_domain_t *create(pgas_type_t type, uint32_t ops)
{
    pgas_atomic_domain_t *domain = NULL;
    CHECK(pgas_atomic_domain_create(type, ops, &domain) == PGAS_OK);
    return domain;
}

static bool is_float(pgas_type_t type)
{
    return type == PGAS_FLOAT || type == PGAS_DOUBLE;
}

static uint32_t ops_of(pgas_type_t type)
{
    return is_float(type) ? bits_ops : bits_ops | number_ops;
}

/* The word that this thread alone uses on the next one: the one at `half`, of two of 4 bytes. */
static pgas_ptr_t own_word(unsigned half)
{
    pgas_ptr_t there = pgas_ptr_on(words, (pgas_mythread() + 1) % pgas_threads());
    return pgas_ptr_shift(there, 64 * (ptrdiff_t)pgas_mythread() + 4 * (ptrdiff_t)half);
}

static uint64_t random_bits(size_t nbytes)
{
    uint64_t value = random_below(&state, 3) == 0 ? random_below(&state, 3) : random_next(&state);
    return nbytes == 4 ? (uint32_t)value : value;
}

/* Returns the old value, where the form has one; `*has_old` says whether. */
static uint64_t apply_somehow(const pgas_atomic_domain_t *domain, pgas_atomic_op_t op,
                              pgas_ptr_t at, uint64_t operand, uint64_t compare, bool *has_old)
{
    static const pgas_order_t orders[] = {PGAS_RELAXED, PGAS_ACQUIRE, PGAS_RELEASE, PGAS_ACQ_REL};
    pgas_order_t order = op == PGAS_LOAD    ? orders[random_below(&state, 2)]
                         : op == PGAS_STORE ? orders[2 * random_below(&state, 2)]
                                            : orders[random_below(&state, 4)];
    bool needs_old = op == PGAS_LOAD || op == PGAS_COMPARE_SWAP;
    uint64_t old = 0;
    *has_old = op != PGAS_STORE && (needs_old || random_below(&state, 2) == 0);
    switch (random_below(&state, 3)) {
    case 0:
        *has_old = op != PGAS_STORE;
        return pgas_atomic_domain_apply(domain, op, at, operand, compare, order);
    case 1:
        pgas_waitsync(pgas_atomic_domain_apply_async(domain, op, at, operand, compare, order,
                                                     *has_old ? &old : NULL));
        return old;
    default:
        pgas_atomic_domain_apply_asynci(domain, op, at, operand, compare, order,
                                        *has_old ? &old : NULL);
        pgas_waitsynci();
        return old;
    }
}

static void test_type(pgas_type_t type, uint32_t ops, pgas_atomic_way_t way)
{
    size_t nbytes = pgasi_size_of_type(type);
    pgas_atomic_domain_t *domain = create(type, ops);
    CHECK(pgas_atomic_domain_way(domain) == way);
    uint64_t model[2] = {0, 0};
    for (unsigned half = 0; half * nbytes < 8; half++)
        pgas_atomic_domain_apply(domain, PGAS_STORE, own_word(half), 0, 0, PGAS_RELEASE);
    for (int i = 0; i < STEPS; i++) {
        unsigned half = (unsigned)random_below(&state, 8 / nbytes);
        pgas_atomic_op_t op = (pgas_atomic_op_t)random_below(&state, PGAS_ATOMIC_OPS);
        if ((ops >> op & 1) == 0)
            continue;
        uint64_t operand = random_bits(nbytes);
        uint64_t compare = random_below(&state, 2) == 0 ? model[half] : random_bits(nbytes);
        uint64_t expected = pgasi_word_apply(op, type, &model[half], operand, compare);
        bool has_old;
        uint64_t old = apply_somehow(domain, op, own_word(half), operand, compare, &has_old);
        CHECK(!has_old || old == expected);
    }
    for (unsigned half = 0; half * nbytes < 8; half++)
        CHECK(pgas_atomic_domain_apply(domain, PGAS_LOAD, own_word(half), 0, 0, PGAS_ACQUIRE) ==
              model[half]);
    pgas_atomic_domain_free(domain);
}

/* All threads, the owner by its processor: no update is lost, none is done twice. */
static void test_together(void)
{
    pgas_atomic_domain_t *domain = create(PGAS_UINT64, ops_of(PGAS_UINT64));
    pgas_ptr_t counter = pgas_ptr_on(words, 0);
    pgas_ptr_t cas = pgas_ptr_shift(counter, 64);
    if (pgas_mythread() == 0)
        memset(pgas_local(counter), 0, 128);
    pgas_barrier();
    for (int i = 0; i < ADDITIONS; i++) {
        if (i % 3 == 0)
            pgas_atomic_domain_apply(domain, PGAS_INC, counter, 0, 0, PGAS_RELAXED);
        else
            pgas_atomic_domain_apply_asynci(domain, PGAS_ADD, counter, 1, 0, PGAS_RELAXED, NULL);
        if (i % 10 == 0) {
            uint64_t seen = pgas_atomic_domain_apply(domain, PGAS_LOAD, cas, 0, 0, PGAS_RELAXED);
            for (uint64_t old;
                 (old = pgas_atomic_domain_apply(domain, PGAS_COMPARE_SWAP, cas, seen + 1, seen,
                                                 PGAS_ACQ_REL)) != seen;)
                seen = old;
        }
    }
    pgas_waitsynci();
    pgas_barrier();
    uint64_t all = (uint64_t)pgas_threads();
    CHECK(pgas_atomic_domain_apply(domain, PGAS_LOAD, counter, 0, 0, PGAS_ACQUIRE) ==
          ADDITIONS * all);
    CHECK(pgas_atomic_domain_apply(domain, PGAS_LOAD, cas, 0, 0, PGAS_ACQUIRE) ==
          ADDITIONS / 10 * all);
    pgas_atomic_domain_free(domain);
}

/* Thread 0 tells the last one, by a word of thread 0 and of the last one in turn, that data on the
 * last one's node and on its own has been written. */
static void test_release_and_acquire(void)
{
    pgas_atomic_domain_t *domain = create(PGAS_UINT32, ops_of(PGAS_UINT32));
    int last = pgas_threads() - 1;
    pgas_ptr_t data = pgas_ptr_shift(pgas_ptr_on(words, last), 128);
    pgas_ptr_t homes[] = {pgas_ptr_on(words, 0), pgas_ptr_on(words, last)};
    memset(pgas_local(pgas_ptr_on(words, pgas_mythread())), 0, 256);
    pgas_barrier();
    for (uint32_t i = 1; i <= FLAGS && last > 0; i++) {
        pgas_ptr_t flag = homes[i % 2];
        pgas_ptr_t back = pgas_ptr_shift(flag, 64);
        if (pgas_mythread() == 0) {
            PGAS_WRITE(uint64_t, data, i);
            pgas_atomic_domain_apply(domain, PGAS_STORE, flag, i, 0, PGAS_RELEASE);
            while (pgas_atomic_domain_apply(domain, PGAS_LOAD, back, 0, 0, PGAS_ACQUIRE) != i)
                pgas_poll();
        } else if (pgas_mythread() == last) {
            while (pgas_atomic_domain_apply(domain, PGAS_LOAD, flag, 0, 0, PGAS_ACQUIRE) != i)
                pgas_poll();
            CHECK(*(volatile uint64_t *)pgas_local(data) == i);
            pgas_atomic_domain_apply(domain, PGAS_STORE, back, i, 0, PGAS_RELEASE);
        }
    }
    pgas_atomic_domain_free(domain);
}

static void test_other_sets(void)
{
    pgas_atomic_domain_t *domain =
        create(PGAS_INT64, PGAS_OP_SET(PGAS_ADD) | PGAS_OP_SET(PGAS_MIN));
    CHECK(pgas_atomic_domain_way(domain) == PGAS_BY_PROCESSOR);
    pgas_ptr_t at = own_word(0);
    pgas_atomic(PGAS_STORE, PGAS_INT64, at, 5, 0, PGAS_RELEASE);
    CHECK(pgas_atomic_domain_apply(domain, PGAS_MIN, at, (uint64_t)-3, 0, PGAS_ACQ_REL) == 5);
    CHECK((int64_t)pgas_atomic_domain_apply(domain, PGAS_ADD, at, 1, 0, PGAS_ACQ_REL) == -3);
    pgas_atomic_domain_free(domain);
    pgas_atomic_domain_t *none = NULL;
    CHECK(pgas_atomic_domain_create(PGAS_UINT32, 0, &none) == PGAS_ERR_ARGUMENT);
    CHECK(pgas_atomic_domain_create(PGAS_DOUBLE, PGAS_OP_SET(PGAS_XOR), &none) ==
          PGAS_ERR_ARGUMENT);
    CHECK(pgas_atomic_domain_create(PGAS_UINT32, (uint32_t)1 << 31, &none) == PGAS_ERR_ARGUMENT);
    CHECK(none == NULL);
    pgas_atomic_domain_free(NULL);
}

/* Ends the job, if it is found. */
static void misuse(const char *how)
{
    pgas_atomic_domain_t *domain = create(PGAS_UINT64, PGAS_OP_SET(PGAS_ADD));
    pgas_ptr_t at = own_word(0);
    if (pgas_mythread() == 0 && strcmp(how, "null") == 0)
        pgas_atomic_domain_apply(NULL, PGAS_ADD, at, 1, 0, PGAS_RELAXED);
    if (pgas_mythread() == 0 && strcmp(how, "null_way") == 0)
        pgas_atomic_domain_way(NULL);
    if (pgas_mythread() == 0 && strcmp(how, "unknown") == 0)
        pgas_atomic_domain_apply(domain, PGAS_SUB, at, 1, 0, PGAS_RELAXED);
    if (pgas_mythread() == 0 && strcmp(how, "mixed") == 0) {
        pgas_atomic_domain_apply(domain, PGAS_ADD, at, 1, 0, PGAS_RELAXED);
        pgas_fence();
        CHECK(PGAS_READ(uint64_t, at) == 1); /* allowed again */
        pgas_atomic_domain_apply(domain, PGAS_ADD, at, 1, 0, PGAS_RELAXED);
        PGAS_READ(uint64_t, pgas_ptr_shift(at, 8));
        PGAS_READ(uint64_t, at);
    }
    if (pgas_mythread() == 0 && strcmp(how, "part") == 0) {
        pgas_atomic_domain_apply(domain, PGAS_ADD, at, 1, 0, PGAS_RELAXED);
        PGAS_READ(uint32_t, pgas_ptr_shift(at, 4));
    }
    pgas_atomic_domain_free(domain);
}

int main(int argc, char **argv)
{
    const char *mode = argc > 1 ? argv[1] : "processor";
    CHECK(pgas_init() == PGAS_OK);
    expected_way = strcmp(mode, "network") == 0 ? PGAS_BY_NETWORK : PGAS_BY_PROCESSOR;
    state = random_seed_of_thread(random_seed_of_job());
    CHECK(pgas_all_alloc((size_t)pgas_threads(), 64 * (size_t)pgas_threads() + 256, &words) ==
          PGAS_OK);
    pgas_barrier();
    bool is_misuse = strcmp(mode, "network") != 0 && strcmp(mode, "processor") != 0;
    if (is_misuse) {
        misuse(mode);
    } else {
        for (unsigned type = 0; type < PGAS_TYPES; type++)
            test_type((pgas_type_t)type, ops_of((pgas_type_t)type), expected_way);
        test_type(PGAS_UINT32, ops_of(PGAS_UINT32) | logical_ops, PGAS_BY_PROCESSOR);
        test_type(PGAS_INT64, bits_ops | logical_ops, PGAS_BY_PROCESSOR);
        test_together();
        test_release_and_acquire();
        test_other_sets();
    }
    pgas_finalize();
    return 0;
}
