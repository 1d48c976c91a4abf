/* Atomic operations: each operation of each type, in all forms and at each place, against a plain
 * calculation; then all threads at once on the same words.
 *
 * What must hold: no update is lost and none is done twice, in whatever way the threads reach a
 * word and whatever is in flight; who acquires a value sees what was written before its release.
 *
 * Orders that would break it:
 *  - updates that travel together with puts, beside blocking ones to the same word, beside plain
 *    `__atomic_` operations of the word's node;
 *  - a message of updates that overtakes another, or comes twice (runtime_overtaking, malformed);
 *  - a flag that arrives before the data that it stands for: of the own node, of a third node;
 *  - a word of 4 bytes whose neighbour changes at the same time. */
#include <pgas/pgas.h>

#include <sched.h>
#include <stdint.h>
#include <string.h>

#include "check.h"
#include "random.h"

enum {
    WORDS = 4,
    STEPS = 60,
    TURNS = 200,
    ROUNDS = 12
};

static pgas_array_t words;
static uint64_t state;

static pgas_ptr_t word_of(int thread, int index)
{
    return pgas_array_at(&words, (size_t)thread * WORDS + (size_t)index);
}

/* ---- Against a plain calculation ---- */

/* A type cannot stand in parentheses. */
/* NOLINTBEGIN(bugprone-macro-parentheses) */
/* The operation on `*value`, and its old value; integers of `type` calculate as `unsigned_type`. */
#define DEFINE_MODEL(type, unsigned_type, name) \
    static type model_##name(type *value, pgas_atomic_op_t op, type operand, type compare) \
    { \
        type old = *value; \
        unsigned_type a = (unsigned_type)old; \
        unsigned_type b = (unsigned_type)operand; \
        if (op == PGAS_STORE || op == PGAS_SWAP) \
            *value = operand; \
        else if (op == PGAS_COMPARE_SWAP) \
            *value = PGASI_BITS(type, old) == PGASI_BITS(type, compare) ? operand : old; \
        else if (op == PGAS_ADD || op == PGAS_INC) \
            *value = (type)(a + (op == PGAS_INC ? 1 : b)); \
        else if (op == PGAS_SUB || op == PGAS_DEC) \
            *value = (type)(a - (op == PGAS_DEC ? 1 : b)); \
        else if (op == PGAS_MUL) \
            *value = (type)(a * b); \
        else if (op == PGAS_MIN) \
            *value = operand < old ? operand : old; /* of 0 and -0 the old one stays */ \
        else if (op == PGAS_MAX) \
            *value = operand > old ? operand : old; \
        else \
            *value = model_bits_##name(old, op, operand); \
        return old; \
    }
/* NOLINTEND(bugprone-macro-parentheses) */

#define DEFINE_BITS(type, name) \
    static type model_bits_##name(type old, pgas_atomic_op_t op, type operand) \
    { \
        return (type)(op == PGAS_AND   ? old & operand \
                      : op == PGAS_OR  ? old | operand \
                      : op == PGAS_XOR ? old ^ operand \
                                       : old); \
    }

#define DEFINE_NO_BITS(type, name) \
    static type model_bits_##name(type old, pgas_atomic_op_t op, type operand) \
    { \
        (void)op; \
        (void)operand; \
        return old; \
    }

DEFINE_BITS(int32_t, int32)
DEFINE_BITS(uint32_t, uint32)
DEFINE_BITS(int64_t, int64)
DEFINE_BITS(uint64_t, uint64)
DEFINE_NO_BITS(float, float)
DEFINE_NO_BITS(double, double)
DEFINE_MODEL(int32_t, uint32_t, int32)
DEFINE_MODEL(uint32_t, uint32_t, uint32)
DEFINE_MODEL(int64_t, uint64_t, int64)
DEFINE_MODEL(uint64_t, uint64_t, uint64)
DEFINE_MODEL(float, float, float)
DEFINE_MODEL(double, double, double)

static pgas_order_t random_order(pgas_atomic_op_t op)
{
    pgas_order_t order = (pgas_order_t)random_below(&state, 4);
    if (op == PGAS_LOAD)
        return order == PGAS_RELAXED ? order : PGAS_ACQUIRE;
    if (op == PGAS_STORE)
        return order == PGAS_RELAXED ? order : PGAS_RELEASE;
    return order;
}

static void complete(pgas_handle_t handle)
{
    if (random_below(&state, 2) == 0)
        pgas_waitsync(handle);
    else
        while (!pgas_trysync(handle))
            continue;
}

/* One operation by value, in a random form. `*old` is unchanged where it is not returned. */
static void apply(pgas_atomic_op_t op, pgas_type_t type, pgas_ptr_t at, uint64_t operand,
                  uint64_t compare, void *old, size_t nbytes)
{
    pgas_order_t order = random_order(op);
    void *wanted =
        op == PGAS_LOAD || op == PGAS_COMPARE_SWAP || random_below(&state, 2) == 0 ? old : NULL;
    uint64_t bits;
    switch (random_below(&state, 4)) {
    case 0:
        complete(pgas_atomic_async(op, type, at, operand, compare, order, wanted));
        break;
    case 1:
        pgas_atomic_asynci(op, type, at, operand, compare, order, wanted);
        pgas_waitsynci();
        break;
    case 2:
        pgas_begin_accessregion();
        pgas_atomic_asynci(op, type, at, operand, compare, order, wanted);
        complete(pgas_end_accessregion());
        break;
    default:
        bits = pgas_atomic(op, type, at, operand, compare, order);
        if (op != PGAS_STORE)
            memcpy(old, &bits, nbytes);
    }
}

/* A number of few bits, so that comparisons succeed now and then, and floats stay exact. */
#define RANDOM_NUMBER(type) ((type)((int)random_below(&state, 9) - 4))

/* Nobody else uses the word, which is the second half of 8 bytes if it has 4. */
#define DEFINE_CHECK(type, name, code) \
    static void check_##name(pgas_ptr_t at) \
    { \
        CHECK(PGASI_TYPE(type) == (code)); \
        at.offset += 8 - sizeof(type); \
        type value = RANDOM_NUMBER(type); \
        PGAS_ATOMIC_STORE(type, at, value, PGAS_RELAXED); \
        for (int step = 0; step < STEPS; step++) { \
            bool is_float = (code) == PGAS_FLOAT || (code) == PGAS_DOUBLE; \
            pgas_atomic_op_t op = \
                (pgas_atomic_op_t)random_below(&state, is_float ? PGAS_AND : PGAS_ATOMIC_OPS); \
            type operand = RANDOM_NUMBER(type); \
            type compare = RANDOM_NUMBER(type); \
            if (value > (type)1000000 || -value > (type)1000000) \
                op = PGAS_SWAP; \
            type untouched = (type)77; \
            type old = untouched; \
            type expected = model_##name(&value, op, operand, compare); \
            apply(op, code, at, PGASI_BITS(type, operand), PGASI_BITS(type, compare), &old, \
                  sizeof old); \
            CHECK(old == expected || (old == untouched && op != PGAS_LOAD)); \
            type now = PGAS_ATOMIC_LOAD(type, at, PGAS_ACQUIRE); \
            CHECK(now == value); \
            CHECK(PGAS_READ(type, at) == value); \
        } \
    }

DEFINE_CHECK(int32_t, int32, PGAS_INT32)
DEFINE_CHECK(uint32_t, uint32, PGAS_UINT32)
DEFINE_CHECK(int64_t, int64, PGAS_INT64)
DEFINE_CHECK(uint64_t, uint64, PGAS_UINT64)
DEFINE_CHECK(float, float, PGAS_FLOAT)
DEFINE_CHECK(double, double, PGAS_DOUBLE)

/* The macros by name, once each. */
static void check_names(pgas_ptr_t at)
{
    int old = 0;
    PGAS_ATOMIC_STORE(int, at, 12, PGAS_RELEASE);
    CHECK(PGAS_ATOMIC_FETCH_ADD(int, at, -2, PGAS_ACQ_REL) == 12);
    CHECK(PGAS_ATOMIC_FETCH_SUB(int, at, 1, PGAS_RELAXED) == 10);
    CHECK(PGAS_ATOMIC_FETCH_INC(int, at, PGAS_ACQUIRE) == 9);
    CHECK(PGAS_ATOMIC_FETCH_DEC(int, at, PGAS_RELEASE) == 10);
    CHECK(PGAS_ATOMIC_FETCH_MUL(int, at, -3, PGAS_RELAXED) == 9);
    CHECK(PGAS_ATOMIC_FETCH_MIN(int, at, 4, PGAS_RELAXED) == -27);
    CHECK(PGAS_ATOMIC_FETCH_MAX(int, at, 4, PGAS_RELAXED) == -27);
    CHECK(PGAS_ATOMIC_FETCH_OR(int, at, 3, PGAS_RELAXED) == 4);
    CHECK(PGAS_ATOMIC_FETCH_AND(int, at, 6, PGAS_RELAXED) == 7);
    CHECK(PGAS_ATOMIC_FETCH_XOR(int, at, 5, PGAS_RELAXED) == 6);
    CHECK(PGAS_ATOMIC_SWAP(int, at, 8, PGAS_RELAXED) == 3);
    CHECK(PGAS_ATOMIC_COMPARE_SWAP(int, at, 7, 1, PGAS_ACQ_REL) == 8);
    CHECK(PGAS_ATOMIC_COMPARE_SWAP(int, at, 8, 1, PGAS_ACQ_REL) == 8);
    PGAS_ATOMIC_UPDATE(int, PGAS_ADD, at, 1, PGAS_RELAXED);
    complete(PGAS_ATOMIC_UPDATE_ASYNC(int, PGAS_MUL, at, 5, PGAS_RELAXED));
    complete(PGAS_ATOMIC_FETCH_ASYNC(int, &old, PGAS_MAX, at, 11, PGAS_RELAXED));
    CHECK(old == 10);
    complete(PGAS_ATOMIC_COMPARE_SWAP_ASYNC(int, &old, at, 11, 5, PGAS_RELAXED));
    CHECK(old == 11);
    PGAS_ATOMIC_UPDATE_ASYNCI(int, PGAS_INC, at, 0, PGAS_RELAXED);
    pgas_waitsynci();
    PGAS_ATOMIC_FETCH_ASYNCI(int, &old, PGAS_LOAD, at, 0, PGAS_ACQUIRE);
    pgas_waitsynci();
    CHECK(old == 6);
    PGAS_ATOMIC_COMPARE_SWAP_ASYNCI(int, &old, at, 6, -1, PGAS_RELAXED);
    pgas_waitsynci();
    CHECK(old == 6 && PGAS_ATOMIC_LOAD(int, at, PGAS_RELAXED) == -1);
}

/* What C's comparison says of numbers that are not ordered, and of bits. */
static void check_not_a_number(pgas_ptr_t at)
{
    double nan = __builtin_nan("");
    PGAS_ATOMIC_STORE(double, at, nan, PGAS_RELAXED);
    PGAS_ATOMIC_UPDATE(double, PGAS_MIN, at, 1, PGAS_RELAXED);
    PGAS_ATOMIC_UPDATE(double, PGAS_MAX, at, 1, PGAS_RELAXED);
    CHECK(__builtin_isnan(PGAS_ATOMIC_COMPARE_SWAP(double, at, nan, -0.0, PGAS_RELAXED)));
    PGAS_ATOMIC_COMPARE_SWAP(double, at, 0.0, 2, PGAS_RELAXED);
    CHECK(PGAS_ATOMIC_COMPARE_SWAP(double, at, -0.0, 3, PGAS_RELAXED) == 0);
    PGAS_ATOMIC_UPDATE(double, PGAS_MIN, at, nan, PGAS_RELAXED);
    CHECK(PGAS_ATOMIC_LOAD(double, at, PGAS_RELAXED) == 3);
    PGAS_ATOMIC_STORE(double, at, -0.0, PGAS_RELAXED);
    PGAS_ATOMIC_UPDATE(double, PGAS_MIN, at, 0.0, PGAS_RELAXED);
    PGAS_ATOMIC_UPDATE(double, PGAS_MAX, at, 0.0, PGAS_RELAXED);
    PGAS_ATOMIC_COMPARE_SWAP(double, at, -0.0, 4, PGAS_RELAXED);
    CHECK(PGAS_ATOMIC_LOAD(double, at, PGAS_RELAXED) == 4);
}

static void check_alone(int thread)
{
    pgas_ptr_t at = word_of(thread, 0);
    PGAS_ATOMIC_STORE(uint64_t, at, UINT64_MAX, PGAS_RELAXED);
    check_int32(at);
    check_uint32(at);
    check_float(at);
    CHECK(PGAS_ATOMIC_LOAD(uint32_t, at, PGAS_RELAXED) == UINT32_MAX); /* the neighbour */
    check_int64(at);
    check_uint64(at);
    check_double(at);
    check_names(at);
    check_not_a_number(at);
}

/* ---- All at once ---- */

/* Adds to word 0 (both halves, apart) in every form at once, with puts in between. */
static void add_to_all(uint64_t *old_sum)
{
    uint64_t olds[TURNS];
    pgas_handle_t handles[TURNS];
    int threads = pgas_threads();
    for (int turn = 0; turn < TURNS; turn++) {
        int thread = (int)random_below(&state, (size_t)threads);
        pgas_ptr_t at = word_of(thread, 0);
        pgas_ptr_t half = at;
        half.offset += 4 * random_below(&state, 2);
        olds[turn] = 0;
        handles[turn] = PGAS_HANDLE_COMPLETE;
        switch (random_below(&state, 6)) {
        case 0:
            PGAS_ATOMIC_FETCH_INC(uint32_t, half, PGAS_RELAXED);
            break;
        case 1:
            PGAS_ATOMIC_UPDATE_ASYNCI(uint32_t, PGAS_ADD, half, 1, PGAS_RELAXED);
            break;
        case 2:
            handles[turn] = PGAS_ATOMIC_UPDATE_ASYNC(int32_t, PGAS_SUB, half, -1, PGAS_RELEASE);
            break;
        case 3:
            handles[turn] = PGAS_ATOMIC_FETCH_ASYNC(uint64_t, &olds[turn], PGAS_ADD, at,
                                                    UINT64_C(1) << 32, PGAS_ACQ_REL);
            break;
        case 4:
            pgas_put_val_asynci(word_of(thread, 3), (uint64_t)turn, 8);
            PGAS_ATOMIC_UPDATE_ASYNCI(uint64_t, PGAS_INC, at, 0, PGAS_RELAXED);
            break;
        default:
            if (pgas_local(half) != NULL)
                __atomic_fetch_add((uint32_t *)pgas_local(half), 1, __ATOMIC_RELAXED);
            else
                PGAS_ATOMIC_UPDATE(uint32_t, PGAS_INC, half, 0, PGAS_RELAXED);
        }
        if (turn % 32 == 31)
            pgas_waitsync_all(handles, (size_t)turn + 1);
    }
    pgas_waitsync_all(handles, TURNS);
    pgas_waitsynci();
    *old_sum = olds[TURNS - 1];
}

/* A counter of which every thread draws numbers: none twice, none left out. */
static uint64_t draw(pgas_ptr_t counter)
{
    uint64_t sum = 0;
    uint64_t last = 0;
    for (int turn = 0; turn < TURNS; turn++) {
        uint64_t drawn = turn % 2 == 0 ? PGAS_ATOMIC_FETCH_ADD(uint64_t, counter, 1, PGAS_RELAXED)
                                       : PGAS_ATOMIC_FETCH_INC(uint64_t, counter, PGAS_ACQ_REL);
        CHECK(turn == 0 || drawn > last);
        last = drawn;
        sum += drawn;
    }
    return sum;
}

/* More where they take no message. */
static int additions_to(int owner)
{
    return pgas_place_of(owner) == PGAS_REMOTE ? TURNS / 4 : 100 * TURNS;
}

/* Values that are swapped in come out once. A float counts by compare and swap, and by additions,
 * for which the processor has no operation. */
static void swap_and_count(int owner, uint64_t *in, uint64_t *out)
{
    *in = *out = 0;
    for (int turn = 0; turn < TURNS / 4; turn++) {
        uint64_t value = random_next(&state);
        *in += value;
        *out += PGAS_ATOMIC_SWAP(uint64_t, word_of(owner, 2), value, PGAS_ACQ_REL);
        float old = PGAS_ATOMIC_LOAD(float, word_of(owner, 3), PGAS_RELAXED);
        for (float found; (found = PGAS_ATOMIC_COMPARE_SWAP(float, word_of(owner, 3), old, old + 1,
                                                            PGAS_RELAXED)) != old;)
            old = found;
    }
    for (int turn = 0; turn < additions_to(owner); turn++)
        PGAS_ATOMIC_UPDATE(float, PGAS_ADD, word_of(owner, 3), 1, PGAS_RELAXED);
}

static uint64_t sum_of(uint64_t mine)
{
    pgas_array_t all;
    CHECK(pgas_array_create((size_t)pgas_threads(), sizeof mine, 1, &all) == PGAS_OK);
    PGAS_PUT(uint64_t, &all, (size_t)pgas_mythread(), mine);
    pgas_barrier();
    uint64_t sum = 0;
    for (int t = 0; t < pgas_threads(); t++)
        sum += PGAS_GET(uint64_t, &all, (size_t)t);
    pgas_array_free(&all);
    return sum;
}

static void clear_words(void)
{
    pgas_barrier();
    memset(pgas_local(word_of(pgas_mythread(), 0)), 0, WORDS * sizeof(uint64_t));
    pgas_barrier();
}

static void check_together(void)
{
    uint64_t threads = (uint64_t)pgas_threads();
    uint64_t ignored;
    clear_words();
    add_to_all(&ignored);
    pgas_barrier();
    const uint32_t *halves = pgas_local(word_of(pgas_mythread(), 0));
    CHECK(sum_of((uint64_t)halves[0] + halves[1]) == threads * TURNS);
    for (int owner = 0; owner < pgas_threads(); owner++) {
        uint64_t drawn = sum_of(draw(word_of(owner, 1)));
        CHECK(drawn == threads * TURNS * (threads * TURNS - 1) / 2);
        clear_words();
        uint64_t in;
        uint64_t out;
        swap_and_count(owner, &in, &out);
        in = sum_of(in);
        out = sum_of(out);
        CHECK(in == out + PGAS_READ(uint64_t, word_of(owner, 2)));
        uint64_t counted = sum_of(TURNS / 4 + (uint64_t)additions_to(owner));
        CHECK(PGAS_READ(float, word_of(owner, 3)) == (float)counted);
        clear_words();
    }
}

/* ---- Orders ---- */

static void await(pgas_ptr_t flag, int value)
{
    while (PGAS_ATOMIC_LOAD(int, flag, PGAS_ACQUIRE) != value) {
        pgas_poll();
        sched_yield();
    }
}

/* `writer` writes data, by a plain store to its own segment and by a put to another thread's, and
 * releases a flag; its neighbour acquires the flag and reads both. */
static void pass_messages(int writer, int home)
{
    int reader = (writer + 1) % pgas_threads();
    int third = (writer + 2) % pgas_threads();
    pgas_ptr_t own = word_of(writer, 2);
    pgas_ptr_t put = word_of(third, 3);
    pgas_ptr_t flag = word_of(home, 0);
    pgas_ptr_t acknowledged = word_of(home, 1);
    for (int round = 1; round <= ROUNDS; round++) {
        if (pgas_mythread() == writer) {
            *(volatile int *)pgas_local(own) = round;
            pgas_handle_t handle = pgas_put_val_async(put, (uint64_t)round, 8);
            pgas_waitsync(handle);
            if (round % 3 == 0)
                PGAS_ATOMIC_STORE(int, flag, round, PGAS_RELEASE);
            else if (round % 3 == 1)
                PGAS_ATOMIC_UPDATE(int, PGAS_INC, flag, 0, PGAS_ACQ_REL);
            else
                pgas_waitsync(PGAS_ATOMIC_UPDATE_ASYNC(int, PGAS_ADD, flag, 1, PGAS_RELEASE));
            if (reader != writer)
                await(acknowledged, round);
        }
        if (pgas_mythread() == reader) {
            await(flag, round);
            CHECK(PGAS_READ(int, own) == round);
            CHECK(PGAS_READ(uint64_t, put) == (uint64_t)round);
            PGAS_ATOMIC_STORE(int, acknowledged, round, PGAS_RELEASE);
        }
    }
}

/* ---- Counted ---- */

static void check_counts(int thread)
{
    pgas_ptr_t at = word_of(thread, 0);
    pgas_traffic_t from = pgas_stats_with(thread, PGAS_MODE_ATOMIC, PGAS_FROM);
    pgas_traffic_t to = pgas_stats_with(thread, PGAS_MODE_ATOMIC, PGAS_TO);
    double old;
    PGAS_ATOMIC_FETCH_INC(int64_t, at, PGAS_RELAXED);
    pgas_waitsync(PGAS_ATOMIC_FETCH_ASYNC(double, &old, PGAS_MUL, at, 1, PGAS_RELAXED));
    PGAS_ATOMIC_UPDATE(float, PGAS_ADD, at, 0, PGAS_RELAXED);
    PGAS_ATOMIC_UPDATE_ASYNCI(int, PGAS_INC, at, 0, PGAS_RELAXED);
    PGAS_ATOMIC_STORE(int, at, 0, PGAS_RELAXED);
    pgas_waitsynci();
    pgas_traffic_t from_now = pgas_stats_with(thread, PGAS_MODE_ATOMIC, PGAS_FROM);
    pgas_traffic_t to_now = pgas_stats_with(thread, PGAS_MODE_ATOMIC, PGAS_TO);
    CHECK(from_now.operations - from.operations == 2 && from_now.bytes - from.bytes == 16);
    CHECK(to_now.operations - to.operations == 3 && to_now.bytes - to.bytes == 12);
}

int main(void)
{
    if (pgas_init() != PGAS_OK)
        return 1;
    state = random_seed() + (uint64_t)pgas_mythread();
    size_t count = (size_t)pgas_threads() * WORDS;
    CHECK(pgas_array_create(count, sizeof(uint64_t), WORDS, &words) == PGAS_OK);
    for (int thread = 0; thread < pgas_threads(); thread++) {
        /* In each round every thread has the word of another. */
        check_alone((pgas_mythread() + thread) % pgas_threads());
        check_counts((pgas_mythread() + thread) % pgas_threads());
        pgas_barrier();
    }
    check_together();
    for (int home = 0; home < pgas_threads(); home++) {
        clear_words();
        pass_messages(home == 0 ? 0 : home - 1, home);
    }
    pgas_barrier();
    pgas_array_free(&words);
    pgas_finalize();
    return 0;
}
