/**
 * What travels with the signals of a barrier: for every number of nodes up to 40, every root and
 * pattern, each block reaches every node that needs it, from a node that has it, once, and nothing
 * goes beyond the arena; where each node has a block for each, also whatever the order in which
 * nodes begin, and send as soon as they may. Pure functions, without a job; the rounds are those of
 * a dissemination.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "shm/dissemination.h"
#include "team/arena.h"

enum {
    MOST = 40,
    /* Of all positions where each has a block for each, of so many nodes. */
    MOST_POSITIONS = 256,
    ORDERS = 8
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

/* ---- A block of each node for each ---- */

/* What is at each position of each node: a block, or 0. */
static uint32_t blocks[MOST][MOST_POSITIONS];

static uint32_t block_of(uint32_t from, uint32_t to)
{
    return from * MOST + to + 1;
}

static void begin_each(uint32_t nodes, uint32_t node)
{
    for (uint32_t to = 0; to < nodes; to++) {
        uint32_t position = pgasi_arena_position_for(nodes, node, to);
        assert_true(position < pgasi_arena_positions(nodes));
        assert_int_equal(blocks[node][position], 0);
        blocks[node][position] = block_of(node, to);
    }
}

/* What is passed on, and then the message. Nothing is written that is there. */
static void send_each(const pgasi_carry_t *carry, uint32_t nodes, uint32_t node, uint32_t round)
{
    pgasi_carried_t carried = pgasi_arena_carried(carry, nodes, node, round);
    uint32_t to = (uint32_t)((node + (UINT64_C(1) << round)) % nodes);
    for (uint32_t i = 0; i < carried.count; i++) {
        uint32_t *sent = &blocks[node][carried.first + i];
        uint32_t origin = pgasi_arena_origin(nodes, round, i);
        assert_true(origin == carried.first + i || *sent == 0);
        *sent = blocks[node][origin];
        assert_int_not_equal(*sent, 0);
        assert_true(carried.to + i < pgasi_arena_positions(nodes));
        assert_int_equal(blocks[to][carried.to + i], 0);
        blocks[to][carried.to + i] = *sent;
    }
}

/* Whether a node has begun, and what has come to it: it sends in a round when all of the rounds
 * before have come. */
typedef struct each_node {
    bool has_begun;
    uint32_t has_sent;
    bool has_come[PGASI_ROUNDS];
} each_node_t;

static bool may_send(const each_node_t *node)
{
    for (uint32_t round = 0; round < node->has_sent; round++)
        if (!node->has_come[round])
            return false;
    return node->has_begun;
}

static void run_each(const pgasi_carry_t *carry, uint32_t nodes)
{
    static each_node_t states[MOST];
    uint32_t rounds = pgasi_dissemination_rounds(nodes);
    memset(blocks, 0, sizeof blocks);
    memset(states, 0, sizeof states);
    for (uint32_t left = nodes * (rounds + 1); left > 0;) {
        uint32_t node = (uint32_t)rand() % nodes;
        each_node_t *state = &states[node];
        uint32_t round = state->has_sent;
        if (!state->has_begun) {
            begin_each(nodes, node);
            state->has_begun = true;
            left--;
        } else if (round < rounds && may_send(state)) {
            send_each(carry, nodes, node, round);
            states[(node + (UINT64_C(1) << round)) % nodes].has_come[round] = true;
            state->has_sent++;
            left--;
        }
    }
}

static void test_each(void **state)
{
    (void)state;
    const pgasi_carry_t carry = {.pattern = PGASI_CARRY_EACH};
    srand(20261125);
    for (uint32_t nodes = 1; nodes <= MOST; nodes++)
        for (int order = 0; order < ORDERS; order++) {
            assert_in_range(pgasi_arena_positions(nodes), 1, MOST_POSITIONS);
            run_each(&carry, nodes);
            for (uint32_t node = 0; node < nodes; node++)
                for (uint32_t from = 0; from < nodes; from++)
                    assert_int_equal(blocks[node][pgasi_arena_position(&carry, nodes, node, from)],
                                     block_of(from, node));
        }
    assert_int_equal(pgasi_arena_positions(1), 1);
    assert_int_equal(pgasi_arena_positions(2), 3);
    assert_int_equal(pgasi_arena_positions(4), 9);
    assert_int_equal(pgasi_arena_positions(8), 25);
    assert_true(pgasi_arena_positions(UINT32_MAX) == 1 + 2 * (UINT64_C(1) << 36) - 64);
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
        cmocka_unit_test(test_each),
        cmocka_unit_test(test_sizes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
