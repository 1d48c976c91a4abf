/**
 * Signals that are held until the messages before them have arrived, against a table of which are:
 * in any order, each once, in the order of their numbers. And so many, in orders in which they
 * come, that the test would not end if each cost a look at all the others.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "net/ucx/held.h"
#include "random.h"

enum {
    SIGNALS = 300,
    ROUNDS = 300,
    MANY = 1 << 20,
    /* Signals of a bundle. */
    TOGETHER = 256
};

/* Around the ends of 40, 32 and 64 bits. */
static const uint64_t starts[] = {0, (UINT64_C(1) << 40) - 100, (UINT64_C(1) << 32) - 100,
                                  UINT64_MAX - SIGNALS - 1};

static void add(pgasi_ucx_held_t *held, uint64_t start, uint64_t number)
{
    const pgasi_net_signal_t signal = {.offset = number, .value = 3 * number, .op = number % 2};
    assert_true(pgasi_ucx_held_add(held, start + number, &signal));
}

/* Takes the next one, which is to be `number`. */
static void take(pgasi_ucx_held_t *held, uint64_t done, uint64_t number)
{
    pgasi_net_signal_t signal;
    assert_true(pgasi_ucx_held_take(held, done, &signal));
    assert_int_equal(signal.offset, number);
    assert_int_equal(signal.value, 3 * number);
    assert_int_equal(signal.op, number % 2);
}

static void none_is_left(pgasi_ucx_held_t *held, uint64_t done)
{
    pgasi_net_signal_t signal;
    assert_false(pgasi_ucx_held_take(held, done, &signal));
}

static void shuffle(uint64_t *random, uint64_t *order)
{
    for (size_t i = 0; i < SIGNALS; i++)
        order[i] = i + 1;
    for (size_t i = SIGNALS; i > 1; i--) {
        size_t k = random_below(random, i);
        uint64_t other = order[k];
        order[k] = order[i - 1];
        order[i - 1] = other;
    }
}

static void in_any_order(void **unused)
{
    (void)unused;
    uint64_t random = random_seed();
    for (size_t round = 0; round < ROUNDS; round++) {
        uint64_t start = starts[round % (sizeof starts / sizeof starts[0])];
        uint64_t order[SIGNALS];
        bool is_held[SIGNALS + 2] = {false};
        pgasi_ucx_held_t held = {.heap = NULL};
        shuffle(&random, order);
        for (size_t i = 0; i < SIGNALS; i++) {
            add(&held, start, order[i]);
            is_held[order[i]] = true;
            if (random_below(&random, 8) > 0)
                continue;
            uint64_t done = random_below(&random, SIGNALS + 2);
            for (uint64_t number = 1; number <= done; number++) {
                if (is_held[number])
                    take(&held, start + done, number);
                is_held[number] = false;
            }
            none_is_left(&held, start + done);
        }
        for (uint64_t number = 1; number <= SIGNALS; number++)
            if (is_held[number])
                take(&held, UINT64_MAX, number);
        none_is_left(&held, UINT64_MAX);
        assert_null(held.heap);
    }
}

/* In ascending order, in descending order, each bundle after the next one, and two rows that take
 * turns: the number of the i-th to come. */
static uint64_t ascending(uint64_t i)
{
    return i + 1;
}

static uint64_t descending(uint64_t i)
{
    return MANY - i;
}

static uint64_t bundles_in_pairs(uint64_t i)
{
    return (i ^ TOGETHER) + 1;
}

static uint64_t two_rows(uint64_t i)
{
    return (i % 2 == 0 ? 0 : MANY / 2) + i / 2 + 1;
}

static void very_many(void **unused)
{
    (void)unused;
    uint64_t (*const orders[])(uint64_t) = {ascending, descending, bundles_in_pairs, two_rows};
    for (size_t k = 0; k < sizeof orders / sizeof orders[0]; k++) {
        pgasi_ucx_held_t held = {.heap = NULL};
        for (uint64_t i = 0; i < MANY; i++)
            add(&held, 0, orders[k](i));
        none_is_left(&held, 0);
        for (uint64_t number = 1; number <= MANY; number++)
            take(&held, number, number);
        assert_null(held.heap);
    }
}

static void forgotten(void **unused)
{
    (void)unused;
    pgasi_ucx_held_t held = {.heap = NULL};
    for (uint64_t i = 0; i < SIGNALS; i++)
        add(&held, 0, i + 1);
    pgasi_ucx_held_free(&held);
    none_is_left(&held, UINT64_MAX);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(in_any_order),
        cmocka_unit_test(very_many),
        cmocka_unit_test(forgotten),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
