/**
 * What travels with the signals of a barrier: for every number of nodes up to 40, every root and
 * pattern, each block reaches every node that needs it, from a node that has it, once, and nothing
 * goes beyond the arena. Pure functions, without a job; the rounds are those of a dissemination.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "shm/dissemination.h"
#include "team/arena.h"

enum {
    MOST = 40
};

/* What is at each position of each node: the block of which node, + 1. */
static uint32_t arenas[MOST][MOST];

static void begin(const pgasi_carry_t *carry, uint32_t nodes)
{
    memset(arenas, 0, sizeof arenas);
    for (uint32_t node = 0; node < nodes; node++)
        if (carry->pattern != PGASI_CARRY_FROM_ROOT || node == carry->root)
            arenas[node][0] = node + 1;
}

/* All messages of a round; returns how many positions travelled. */
static uint32_t perform_round(const pgasi_carry_t *carry, uint32_t nodes, uint32_t round)
{
    uint32_t travelled = 0;
    static uint32_t before[MOST][MOST];
    memcpy(before, arenas, sizeof before);
    for (uint32_t node = 0; node < nodes; node++) {
        pgasi_carried_t carried = pgasi_arena_carried(carry, nodes, node, round);
        uint32_t to = (uint32_t)((node + (UINT64_C(1) << round)) % nodes);
        for (uint32_t i = 0; i < carried.count; i++) {
            assert_in_range(carried.to + i, 0, nodes - 1);
            assert_int_not_equal(before[node][carried.first + i], 0);
            assert_int_equal(arenas[to][carried.to + i], 0);
            arenas[to][carried.to + i] = before[node][carried.first + i];
        }
        travelled += carried.count;
    }
    return travelled;
}

static void check_end(const pgasi_carry_t *carry, uint32_t nodes)
{
    for (uint32_t node = 0; node < nodes; node++) {
        if (carry->pattern == PGASI_CARRY_FROM_ROOT)
            assert_int_equal(arenas[node][0], carry->root + 1);
        bool needs_all = carry->pattern == PGASI_CARRY_ALL ||
                         (carry->pattern == PGASI_CARRY_TO_ROOT && node == carry->root);
        for (uint32_t other = 0; other < nodes && needs_all; other++)
            assert_int_equal(arenas[node][pgasi_arena_position(carry, nodes, node, other)],
                             other + 1);
    }
}

static void test_patterns(void **state)
{
    (void)state;
    for (uint32_t nodes = 1; nodes <= MOST; nodes++)
        for (uint32_t root = 0; root < nodes; root++)
            for (uint32_t pattern = PGASI_CARRY_NOTHING; pattern <= PGASI_CARRY_TO_ROOT;
                 pattern++) {
                const pgasi_carry_t carry = {.pattern = pattern, .root = root};
                uint32_t travelled = 0;
                begin(&carry, nodes);
                for (uint32_t round = 0; round < pgasi_dissemination_rounds(nodes); round++)
                    travelled += perform_round(&carry, nodes, round);
                check_end(&carry, nodes);
                if (pattern == PGASI_CARRY_NOTHING)
                    assert_int_equal(travelled, 0);
                if (pattern == PGASI_CARRY_FROM_ROOT)
                    assert_int_equal(travelled, nodes - 1);
                if (pattern == PGASI_CARRY_ALL)
                    assert_int_equal(travelled, nodes * (nodes - 1));
            }
}

static void test_sizes(void **state)
{
    (void)state;
    assert_int_equal(pgasi_arena_size(1, 64, false), 0);
    assert_int_equal(pgasi_arena_size(2, 1, false), 262144);
    assert_int_equal(pgasi_arena_size(3, 1, false), 393216);
    assert_int_equal(pgasi_arena_size(3, 2, false), 524288);
    assert_int_equal(pgasi_arena_size(UINT32_MAX, UINT32_MAX, false), 524288);
    assert_int_equal(pgasi_arena_size(1, 64, true), 0);
    assert_int_equal(pgasi_arena_size(2, 1, true), 32768);
    assert_int_equal(pgasi_arena_size(3, 2, true), 65536);
    assert_int_equal(pgasi_arena_size(UINT32_MAX, UINT32_MAX, true), 65536);
    assert_int_equal(pgasi_arena_unit(0), 0);
    assert_int_equal(pgasi_arena_unit(1), 16);
    assert_int_equal(pgasi_arena_unit(16), 16);
    assert_int_equal(pgasi_arena_unit(17), 32);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_patterns),
        cmocka_unit_test(test_sizes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
