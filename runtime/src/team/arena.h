/**
 * What travels with the signals of a team's barrier: pure functions.
 *
 * Of N nodes, node i signals node i + 2^r (mod N) in round r of a meeting (shm/dissemination.h).
 * With the signals the bytes of the members travel, in blocks of a node each. A node keeps them in
 * an arena, in which position j is for the block of the node j before it (mod N), its own at 0: so
 * what a node has before round r is positions 0 to 2^r - 1, which arrive at the next one behind
 * what that has, one behind the other. This is Bruck's algorithm where all need all blocks, and a
 * binomial tree where one needs all, or all need that of one.
 *
 * Where each node has another block for each, Bruck's other algorithm: the block for the node at
 * distance d travels in the rounds of d's bits, from the lowest on. Its arena has the node's own
 * block at 0, and for each round the blocks that are sent, in the order of their distances, and
 * behind them those that come. Members write theirs where they are sent first; what has come and
 * goes on is copied to where it is sent next (pgasi_arena_origin).
 *
 * There are two arenas, for odd and for even phases of the barrier. One is written again, by the
 * node's members and by other nodes, in phase p + 2, by those that have completed phase p + 1: so
 * all nodes have started phase p + 1, and all their members have read what phase p brought; and all
 * messages of phase p have arrived, since their receivers have completed it. So nothing that comes
 * early is kept anywhere else, whatever the order of messages, and a sender gets no further ahead
 * than that.
 */
#ifndef PGASI_TEAM_ARENA_H
#define PGASI_TEAM_ARENA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** Which nodes need which blocks. */
typedef enum pgasi_carry_pattern {
    PGASI_CARRY_NOTHING,
    /** All nodes need all blocks. */
    PGASI_CARRY_ALL,
    /** All need that of the root's node, which is at position 0 everywhere. */
    PGASI_CARRY_FROM_ROOT,
    /** The root's node needs all. */
    PGASI_CARRY_TO_ROOT,
    /** Each node needs those that all have for it. */
    PGASI_CARRY_EACH
} pgasi_carry_pattern_t;

/** What the signals of a meeting carry. All zero: nothing. */
typedef struct pgasi_carry {
    uint32_t pattern;
    /** The index of the root's node among the team's. */
    uint32_t root;
    /** Bytes of a member, or of what one has for another; and of a block. */
    uint32_t unit;
    uint32_t block;
} pgasi_carry_t;

/** Positions that a signal carries, and the first one's at the receiver. */
typedef struct pgasi_carried {
    uint32_t first;
    uint32_t count;
    uint32_t to;
} pgasi_carried_t;

/** The most bytes of an arena, and those for each member where that is less: of a predefined team,
 *  whose arenas have addresses of their own, and memory where they are used; and of a split team,
 *  which takes them from the heap. */
#define PGASI_ARENA_MOST 524288
#define PGASI_ARENA_PER_MEMBER 131072
#define PGASI_ARENA_SPLIT_MOST 65536
#define PGASI_ARENA_SPLIT_PER_MEMBER 16384

/** The bytes of a member are aligned for elements of every type. */
#define PGASI_ARENA_ALIGN 16

/** The bytes of an arena of a team: in proportion to its members, up to a limit. */
static inline uint32_t pgasi_arena_size(uint32_t nodes, uint32_t most_on_node, bool is_split)
{
    uint64_t members = (uint64_t)nodes * most_on_node;
    uint32_t most = is_split ? PGASI_ARENA_SPLIT_MOST : PGASI_ARENA_MOST;
    uint32_t per_member = is_split ? PGASI_ARENA_SPLIT_PER_MEMBER : PGASI_ARENA_PER_MEMBER;
    if (nodes <= 1)
        return 0;
    return members < most / per_member ? (uint32_t)members * per_member : most;
}

/** What `nbytes` bytes of a member, or of one for another, take there. */
static inline size_t pgasi_arena_unit(size_t nbytes)
{
    return (nbytes + PGASI_ARENA_ALIGN - 1) / PGASI_ARENA_ALIGN * PGASI_ARENA_ALIGN;
}

/** Of the distances below this one, those whose blocks travel in a round of PGASI_CARRY_EACH: they
 *  have its bit. */
static inline uint32_t pgasi_arena_travelling(uint32_t distance, uint32_t round)
{
    uint64_t bit = UINT64_C(1) << round;
    uint64_t rest = distance % (2 * bit);
    return (uint32_t)(distance / (2 * bit) * bit + (rest > bit ? rest - bit : 0));
}

/** Positions before those of a round. */
static inline uint64_t pgasi_arena_before(uint32_t nodes, uint32_t rounds)
{
    uint64_t before = 1;
    for (uint32_t round = 0; round < rounds; round++)
        before += 2 * (uint64_t)pgasi_arena_travelling(nodes, round);
    return before;
}

/** The position from which a block of that distance is sent in a round, one of its rounds; and the
 *  one to which it comes. */
static inline uint32_t pgasi_arena_sent(uint32_t nodes, uint32_t distance, uint32_t round)
{
    return (uint32_t)pgasi_arena_before(nodes, round) + pgasi_arena_travelling(distance, round);
}

static inline uint32_t pgasi_arena_come(uint32_t nodes, uint32_t distance, uint32_t round)
{
    return pgasi_arena_sent(nodes, distance, round) + pgasi_arena_travelling(nodes, round);
}

/** The lowest and the highest round in which a block of a distance, not 0, travels. */
static inline uint32_t pgasi_arena_first_round(uint32_t distance)
{
    uint32_t round = 0;
    while ((distance >> round & 1) == 0)
        round++;
    return round;
}

static inline uint32_t pgasi_arena_last_round(uint32_t distance)
{
    uint32_t round = 0;
    while (distance >> round > 1)
        round++;
    return round;
}

/** How many positions there are. */
static inline uint64_t pgasi_arena_positions(uint32_t nodes)
{
    return nodes > 1 ? pgasi_arena_before(nodes, pgasi_arena_last_round(nodes - 1) + 1) : 1;
}

/** Where node `mine` puts the block that it has for another. */
static inline uint32_t pgasi_arena_position_for(uint32_t nodes, uint32_t mine, uint32_t node)
{
    uint32_t distance = (node + nodes - mine) % nodes;
    return distance == 0 ? 0 : pgasi_arena_sent(nodes, distance, pgasi_arena_first_round(distance));
}

/** The position of which the i-th one that is sent in a round must become a copy first, as it has
 *  come there in an earlier round; its own: it is there. */
static inline uint32_t pgasi_arena_origin(uint32_t nodes, uint32_t round, uint32_t i)
{
    uint32_t step = (uint32_t)1 << round;
    uint32_t behind = i % step;
    uint32_t distance = i / step * 2 * step + step + behind;
    return behind == 0 ? pgasi_arena_sent(nodes, distance, round)
                       : pgasi_arena_come(nodes, distance, pgasi_arena_last_round(behind));
}

/** The position of a node's block, or of the one that it has for node `mine`, at node `mine`. */
static inline uint32_t pgasi_arena_position(const pgasi_carry_t *carry, uint32_t nodes,
                                            uint32_t mine, uint32_t node)
{
    uint32_t distance = (mine + nodes - node) % nodes;
    if (carry->pattern == PGASI_CARRY_FROM_ROOT || distance == 0)
        return 0;
    return carry->pattern == PGASI_CARRY_EACH
               ? pgasi_arena_come(nodes, distance, pgasi_arena_last_round(distance))
               : distance;
}

/** What node `mine` sends in a round. */
static inline pgasi_carried_t pgasi_arena_carried(const pgasi_carry_t *carry, uint32_t nodes,
                                                  uint32_t mine, uint32_t round)
{
    uint32_t step = (uint32_t)1 << round;
    uint32_t behind = (mine + nodes - carry->root) % nodes;
    uint32_t before = (nodes - behind) % nodes;
    pgasi_carried_t carried = {.first = 0, .count = 0, .to = step};
    switch (carry->pattern) {
    case PGASI_CARRY_ALL:
        carried.count = step < nodes - step ? step : nodes - step;
        break;
    case PGASI_CARRY_FROM_ROOT:
        carried.to = 0;
        carried.count = behind < step && step < nodes - behind;
        break;
    case PGASI_CARRY_TO_ROOT:
        if (before % step == 0 && before / step % 2 == 1)
            carried.count = step < nodes - before ? step : nodes - before;
        break;
    case PGASI_CARRY_EACH:
        carried.first = pgasi_arena_sent(nodes, step, round);
        carried.count = pgasi_arena_travelling(nodes, round);
        carried.to = carried.first + carried.count;
        break;
    default:
        break;
    }
    return carried;
}

#endif
