/**
 * How the polling of a network follows from what a look at it costs: costs as recorded over sockets
 * and over shared memory, and whatever a clock may say.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "net/polling.h"

/* Virtual machines with AMD EPYC processors, quiet and busy, 2026-11: an empty progress call. */
static const double sockets_ns[] = {63.8, 65, 70, 126, 450, 1300};
static const double memory_ns[] = {3.8, 5, 5.2, 7};

enum {
    COSTS_OF_SOCKETS = sizeof sockets_ns / sizeof sockets_ns[0],
    COSTS_OF_MEMORY = sizeof memory_ns / sizeof memory_ns[0]
};

/* As they were found best over TCP, before they were measured. */
static void test_sockets(void **state)
{
    (void)state;
    for (size_t i = 0; i < COSTS_OF_SOCKETS; i++) {
        pgasi_polling_t alone = pgasi_polling_for(sockets_ns[i], true);
        assert_in_range(alone.spins, 200, 204);
        assert_int_equal(alone.per_yield, 4);
        assert_int_equal(alone.per_refusal, 0);
        assert_int_equal(alone.per_target, 3);
        pgasi_polling_t crowded = pgasi_polling_for(sockets_ns[i], false);
        assert_int_equal(crowded.spins, 24);
        assert_int_equal(crowded.per_yield, 1);
        assert_int_equal(crowded.per_refusal, 2);
    }
}

/* A round trip, of less than a microsecond, is over before the first yield, and a spin lasts some
 * ten microseconds at least. */
static void test_memory(void **state)
{
    (void)state;
    for (size_t i = 0; i < COSTS_OF_MEMORY; i++) {
        pgasi_polling_t alone = pgasi_polling_for(memory_ns[i], true);
        assert_int_equal(alone.per_target, 1);
        assert_in_range(alone.per_yield, 32, 256);
        assert_true(alone.spins * memory_ns[i] >= 10000);
        assert_true(alone.spins * memory_ns[i] <= 100000);
        pgasi_polling_t crowded = pgasi_polling_for(memory_ns[i], false);
        assert_in_range(crowded.spins, 24, 120);
        assert_in_range(crowded.per_yield, 1, 5);
    }
}

/* The dearer the looks, the fewer; never none. */
static void test_all(void **state)
{
    (void)state;
    const double costs[] = {-1, 0, 0.1, 1, 2, 5, 10, 20, 39, 40, 59, 60, 100, 1e4, 1e9, 1e300};
    for (int alone = 0; alone < 2; alone++) {
        pgasi_polling_t before = {.spins = UINT32_MAX, .per_yield = UINT32_MAX, .per_target = 1};
        for (size_t i = 0; i < sizeof costs / sizeof costs[0]; i++) {
            pgasi_polling_t now = pgasi_polling_for(costs[i], alone != 0);
            assert_true(now.spins > 0 && now.spins <= before.spins);
            assert_true(now.per_yield > 0 && now.per_yield <= before.per_yield);
            assert_true(now.per_target >= before.per_target && now.per_target <= 3);
            before = now;
        }
    }
}

/* However long the time looked at, one time in 100 us is seldom and one in 10 us frequent. */
static void test_frequent(void **state)
{
    (void)state;
    assert_false(pgasi_polling_is_frequent(0, 0));
    assert_true(pgasi_polling_is_frequent(1, 0));
    for (unsigned times = 1; times < 100000; times *= 3) {
        assert_true(pgasi_polling_is_frequent(times, (uint64_t)10 * times));
        assert_false(pgasi_polling_is_frequent(times, (uint64_t)100 * times));
    }
    assert_false(pgasi_polling_is_frequent(1000, UINT64_MAX));
    assert_true(pgasi_polling_is_frequent(0U - 0x10U, 1000000)); /* the count has wrapped since */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sockets),
        cmocka_unit_test(test_memory),
        cmocka_unit_test(test_all),
        cmocka_unit_test(test_frequent),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
