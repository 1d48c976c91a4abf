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
    PGASI_CARRY_TO_ROOT
} pgasi_carry_pattern_t;

/** What the signals of a meeting carry. All zero: nothing. */
typedef struct pgasi_carry {
    uint32_t pattern;
    /** The index of the root's node among the team's. */
    uint32_t root;
    /** Bytes of a member, and of a block. */
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

/** What `nbytes` bytes of a member take there. */
static inline size_t pgasi_arena_unit(size_t nbytes)
{
    return (nbytes + PGASI_ARENA_ALIGN - 1) / PGASI_ARENA_ALIGN * PGASI_ARENA_ALIGN;
}

/** The position of a node's block at node `mine`. */
static inline uint32_t pgasi_arena_position(const pgasi_carry_t *carry, uint32_t nodes,
                                            uint32_t mine, uint32_t node)
{
    return carry->pattern == PGASI_CARRY_FROM_ROOT ? 0 : (mine + nodes - node) % nodes;
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
    default:
        break;
    }
    return carried;
}

#endif
