/**
 * Comparisons of signals, and waits for any, some and all of several.
 *
 * Hostile orders:
 *   - several signals compare so at once: waits for any take turns
 *   - loops over two arrays in alternation
 *   - senders that signal again as soon as they are served: each is passed over fewer than `count`
 *     times
 *   - all signals are skipped, or there are none
 *   - a signal is set and added to at once, by threads of this node and of others, near 2^32 and
 *     2^64: what is not overwritten adds up, and each waiting thread sees it
 */
#include <stdlib.h>
#include <string.h>

#include "check.h"

enum {
    SENDERS_MAX = 16,
    COUNT = 5
};

/* At every thread, by sender: two signals. */
static pgas_ptr_t come;
static pgas_ptr_t seen;
static size_t threads;
static size_t me;
static bool is_short;

static pgas_ptr_t signal_of(pgas_ptr_t signals, size_t thread, size_t other)
{
    return pgas_ptr_shift(pgas_ptr_on(signals, (int)thread),
                          (ptrdiff_t)(other * sizeof(pgas_signal_t)));
}

static pgas_signal_t *own(pgas_ptr_t signals)
{
    return pgas_local(pgas_ptr_on(signals, (int)me));
}

static void send(size_t to, pgas_ptr_t signals, size_t index, pgas_signal_op_t op, uint64_t value)
{
    pgas_put_signal((pgas_ptr_t){0}, NULL, 0, signal_of(signals, to, index), op, value);
}

static void reset(void)
{
    pgas_barrier();
    for (size_t i = 0; i < threads; i++) {
        pgas_signal_set(&own(come)[i], 0);
        pgas_signal_set(&own(seen)[i], 0);
    }
    pgas_barrier();
}

static void comparisons(void)
{
    static const bool expected[3][6] = {
        /* EQ NE GT GE LT LE, of 4, 5 and 6 with 5 */
        {false, true, false, false, true, true},
        {true, false, false, true, false, true},
        {false, true, true, true, false, false},
    };
    pgas_signal_t *signal = own(come);
    for (uint64_t is = 0; is < 3; is++)
        for (int compare = PGAS_EQ; compare <= PGAS_LE; compare++) {
            pgas_signal_set(signal, is + 4);
            CHECK(pgas_signal_fetch(signal) == is + 4);
            CHECK(pgas_signal_test(signal, (pgas_compare_t)compare, 5) == expected[is][compare]);
        }
    pgas_signal_set(signal, UINT64_MAX);
    CHECK(pgas_signal_test(signal, PGAS_GT, 1));
}

/* Calls for one array take turns: within as many calls as there are signals, each comes once. */
static void any_takes_turns(const pgas_signal_t *signals, const bool *skip)
{
    unsigned open = 0;
    for (size_t i = 0; i < COUNT; i++)
        open += !skip[i] && pgas_signal_fetch(&signals[i]) == 7;
    for (int round = 0; round < 20; round++) {
        unsigned found[COUNT] = {0};
        for (unsigned i = 0; i < open; i++)
            found[pgas_signal_wait_any(signals, COUNT, skip, PGAS_EQ, 7)]++;
        for (size_t i = 0; i < COUNT; i++)
            CHECK(found[i] <= 1);
    }
}

/* Of two arrays in alternation, the second shorter: none is passed over for long. */
static void any_of_two_arrays(const pgas_signal_t *signals, const bool *skip)
{
    unsigned first[COUNT] = {0};
    unsigned second[2] = {0};
    for (int i = 0; i < 500; i++) {
        first[pgas_signal_wait_any(signals, COUNT, skip, PGAS_EQ, 7)]++;
        second[pgas_signal_wait_any(signals + 3, 2, NULL, PGAS_EQ, 7)]++;
    }
    CHECK(first[0] > 0 && first[3] > 0 && first[4] > 0 && second[0] > 0 && second[1] > 0);
}

/* Of several signals that compare so, none is passed over for ever. */
static void any_and_some(void)
{
    pgas_ptr_t place;
    CHECK(pgas_alloc(COUNT * sizeof(pgas_signal_t), &place) == PGAS_OK);
    pgas_signal_t *signals = pgas_local(place);
    bool skip[COUNT] = {false, true, false, false, false};
    size_t indexes[COUNT];
    unsigned found[COUNT] = {0};
    for (size_t i = 0; i < COUNT; i++)
        pgas_signal_set(&signals[i], i == 2 ? 0 : 7);
    for (int i = 0; i < 500; i++)
        found[pgas_signal_wait_any(signals, COUNT, skip, PGAS_EQ, 7)]++;
    CHECK(found[0] > 0 && found[1] == 0 && found[2] == 0 && found[3] > 0 && found[4] > 0);
    any_takes_turns(signals, skip);
    any_of_two_arrays(signals, skip);
    CHECK(pgas_signal_wait_some(signals, COUNT, skip, indexes, PGAS_EQ, 7) == 3);
    CHECK(indexes[0] == 0 && indexes[1] == 3 && indexes[2] == 4);
    CHECK(pgas_signal_wait_some(signals, COUNT, NULL, indexes, PGAS_NE, 7) == 1 && indexes[0] == 2);
    skip[2] = true;
    pgas_signal_wait_all(signals, COUNT, skip, PGAS_GE, 7);
    memset(skip, true, sizeof skip);
    CHECK(pgas_signal_wait_any(signals, COUNT, skip, PGAS_EQ, 1) == COUNT);
    CHECK(pgas_signal_wait_some(signals, COUNT, skip, indexes, PGAS_EQ, 1) == 0);
    CHECK(pgas_signal_wait_any(signals, 0, NULL, PGAS_EQ, 1) == 0);
    pgas_signal_wait_all(signals, 0, NULL, PGAS_EQ, 1);
    pgas_free(place);
}

/* Everybody signals to everybody; each takes them as they come. */
static void any_of_all(void)
{
    bool skip[SENDERS_MAX] = {false};
    for (size_t i = 0; i < threads; i++)
        send(i, come, me, PGAS_SIGNAL_ADD, 1);
    for (size_t left = threads; left > 0; left--) {
        size_t i = pgas_signal_wait_any(own(come), threads, skip, PGAS_GE, 1);
        CHECK(i < threads && !skip[i]);
        skip[i] = true;
    }
    CHECK(pgas_signal_wait_any(own(come), threads, skip, PGAS_GE, 1) == threads);
}

/* Everybody has a message for thread 0, which takes one at a time, and sends the next as soon as it
 * is taken: each is served in turns, however fast the others are. */
static void any_of_busy_senders(void)
{
    uint64_t rounds = is_short ? 20 : 100;
    for (uint64_t round = 1; me != 0 && round <= rounds; round++) {
        send(0, come, me, PGAS_SIGNAL_SET, 1);
        pgas_signal_wait(&own(seen)[0], PGAS_GE, round);
    }
    uint64_t served[SENDERS_MAX] = {0};
    uint64_t passed[SENDERS_MAX] = {0};
    for (uint64_t left = rounds * (threads - 1); me == 0 && left > 0; left--) {
        bool was_there[SENDERS_MAX] = {false};
        for (size_t i = 0; i < threads; i++)
            was_there[i] = pgas_signal_fetch(&own(come)[i]) == 1;
        size_t i = pgas_signal_wait_any(own(come), threads, NULL, PGAS_EQ, 1);
        for (size_t k = 0; k < threads; k++)
            if (was_there[k] && k != i)
                CHECK(++passed[k] < threads);
        passed[i] = 0;
        CHECK(++served[i] <= rounds);
        pgas_signal_set(&own(come)[i], 0);
        send(i, seen, 0, PGAS_SIGNAL_ADD, 1);
    }
}

/* Every thread adds to one word of thread 0, from `begin` on, and all wait for the sum there: the
 * word passes 2^32, or 0. */
static void add_across(uint64_t begin)
{
    uint64_t count = is_short ? 20 : 200;
    uint64_t step = 7;
    if (me == 0)
        pgas_signal_set(own(come), begin);
    pgas_barrier();
    for (uint64_t i = 0; i < count; i++)
        send(0, come, 0, PGAS_SIGNAL_ADD, step);
    uint64_t end = begin + threads * count * step;
    if (me == 0)
        CHECK(pgas_signal_wait(own(come), PGAS_EQ, end) == end);
    pgas_barrier();
}

/* The even threads set a word of thread 0 in its upper half, the odd ones add to its lower half:
 * once all have come, the word is the last set value and the additions that came after it. */
static void set_and_add(void)
{
    uint64_t count = is_short ? 20 : 200;
    for (uint64_t i = 1; i <= count; i++)
        if (me % 2 == 0)
            send(0, come, 0, PGAS_SIGNAL_SET, (me * count + i) << 32);
        else
            send(0, come, 0, PGAS_SIGNAL_ADD, 1);
    send(0, seen, 0, PGAS_SIGNAL_ADD, 1);
    if (me == 0) {
        pgas_signal_wait(own(seen), PGAS_EQ, threads);
        uint64_t is = pgas_signal_fetch(own(come));
        CHECK((is >> 32) % count == 0 && is >> 32 != 0 && (is >> 32) / count % 2 == 1);
        CHECK((uint32_t)is <= threads / 2 * count);
    }
}

int main(void)
{
    CHECK(pgas_init() == PGAS_OK);
    threads = (size_t)pgas_threads();
    me = (size_t)pgas_mythread();
    is_short = getenv("FATHOM_TEST_SANITIZED") != NULL;
    size_t nbytes = threads * sizeof(pgas_signal_t);
    CHECK(threads <= SENDERS_MAX);
    CHECK(pgas_all_alloc(threads, nbytes, &come) == PGAS_OK);
    CHECK(pgas_all_alloc(threads, nbytes, &seen) == PGAS_OK);
    reset();
    comparisons();
    any_and_some();
    reset();
    any_of_all();
    reset();
    any_of_busy_senders();
    reset();
    add_across((UINT64_C(1) << 32) - 50);
    add_across(UINT64_MAX - 50);
    reset();
    set_and_add();
    reset();
    pgas_all_free(seen);
    pgas_all_free(come);
    pgas_finalize();
    return 0;
}
