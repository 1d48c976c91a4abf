/**
 * The algorithms of collectives by name, and which one serves a call.
 *
 * The choice is a function of the collective, its size, the team's shape, and a table and a setting
 * (PGAS_COLL) that do not change while a job runs: what the job measures has no part in it, since
 * another algorithm may combine in another order. So the performance model predicts what the
 * runtime will do by asking this header, which with team/arena.h stands alone.
 */
#ifndef PGASI_COLL_ALGORITHM_H
#define PGASI_COLL_ALGORITHM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "team/arena.h"

/** X(member, name). Names are those of the calls; both scans are one. */
#define PGASI_COLL_KINDS(X) \
    X(BARRIER, "barrier") \
    X(BROADCAST, "broadcast") \
    X(SCATTER, "scatter") \
    X(SCATTERV, "scatterv") \
    X(GATHER, "gather") \
    X(GATHERV, "gatherv") \
    X(ALLGATHER, "allgather") \
    X(ALLGATHERV, "allgatherv") \
    X(ALLTOALL, "alltoall") \
    X(ALLTOALLV, "alltoallv") \
    X(REDUCE, "reduce") \
    X(ALLREDUCE, "allreduce") \
    X(REDUCE_SCATTER, "reduce_scatter") \
    X(SCAN, "scan")

typedef enum pgasi_coll_kind {
#define PGASI_MEMBER(member, name) PGASI_KIND_OF_##member,
    PGASI_COLL_KINDS(PGASI_MEMBER)
#undef PGASI_MEMBER
    PGASI_COLL_KIND_COUNT
} pgasi_coll_kind_t;

/**
 * X(member, name):
 *
 * - dissemination: of N nodes, node i signals node i + 2^r in round r (shm/dissemination.h).
 * - linear: all members meet by a barrier, and each reads what it needs from every member that has
 *   it: by loads on its node, by gets from other nodes. A reduction so is done by whoever wants its
 *   result.
 * - binomial, bruck: the bytes travel with the signals of a dissemination among the nodes, one
 *   message per node and round, which has the bytes of all the node's members and what has come in
 *   the rounds before (team/arena.h). Then members read, in their own node's memory, and who wants
 *   the result of a reduction combines all operands. Along a binomial tree from the root
 *   (broadcast, scatter) or to the root (gather, reduce), and by Bruck's algorithms where all nodes
 *   need the bytes of all, or each those that all have for it (alltoall). Only between nodes, and
 *   as long as an arena holds the bytes; those of an alltoall may travel with several meetings, in
 *   each of which some members of each node have theirs travel (pgasi_coll_senders).
 * - combining: as binomial and bruck, but the last member of a node to come combines the operands
 *   of the node, and only that travels; who wants the result combines what the nodes have. An arena
 *   holds larger operands so. Only between nodes, one of which has several members, and for
 *   predefined operations, since the one that comes last may be the progress thread.
 * - eager: as binomial and bruck, for blocks of which members know the sizes of their own alone. A
 *   member's part of a message has one size, which depends on the team's shape: if its block fits
 *   into that it travels there, else where it is does. All learn so how large the others are. Those
 *   travel with a second meeting, or are read where they are if they are too large for that, or few
 *   among many small ones; then all may have to meet once more. Only between nodes, as long as an
 *   arena holds the parts.
 * - rabenseifner: a linear reduce_scatter of slices of the elements, one for each member, and then
 *   a linear gather or allgather of the slices.
 * - hierarchical: on each node, each member combines a slice of the node's operands; then each
 *   combines its slice of all nodes, which it reads from the members with the same slice there; and
 *   who wants the result reads the slices of its own node. In an all-gather each reads the blocks
 *   of its own node and those of the members with its place on other nodes, and then what others of
 *   its node have read there; in a broadcast a share of the root's bytes, and then the shares of
 *   its node. So bytes cross between two nodes once. For teams of several nodes with equally many
 *   members, at least two, on each.
 * - multilane: as hierarchical, but each combines a part of its slice of all nodes, one for each
 *   node, and then reads the others' parts. So a node of N reads 2 (N - 1) / N operands from others
 *   in place of N - 1, and all meet once more. From three nodes on.
 * - pipelined: a member whose bytes lie in private memory shows them a piece at a time, before a
 *   meeting for each, so that all of it stays in the caches (coll/pipelined.c). What lies in shared
 *   memory is read there, at once if nothing else is read. On one node.
 * - library: that of a library of collectives (coll/library.h), where one is built in, and only by
 *   a rule: the table does not know how fast it is, nor the model what it moves.
 */
#define PGASI_COLL_ALGORITHMS(X) \
    X(DISSEMINATION, "dissemination") \
    X(LINEAR, "linear") \
    X(BINOMIAL, "binomial") \
    X(BRUCK, "bruck") \
    X(COMBINING, "combining") \
    X(EAGER, "eager") \
    X(RABENSEIFNER, "rabenseifner") \
    X(HIERARCHICAL, "hierarchical") \
    X(MULTILANE, "multilane") \
    X(PIPELINED, "pipelined") \
    X(LIBRARY, "library")

typedef enum pgasi_coll_algorithm {
#define PGASI_MEMBER(member, name) PGASI_ALGORITHM_##member,
    PGASI_COLL_ALGORITHMS(PGASI_MEMBER)
#undef PGASI_MEMBER
    PGASI_COLL_ALGORITHM_COUNT
} pgasi_coll_algorithm_t;

/** What of a team matters. */
typedef struct pgasi_coll_shape {
    uint32_t members;
    uint32_t nodes;
    /** The largest number of members on one node. */
    uint32_t most_on_node;
    /** The call must combine in the order of ranks, and the members of a node do not all come
     *  before those of the next. */
    bool is_interleaved;
    /** It is none of the predefined teams, and has smaller arenas. */
    bool is_split;
    /** The call combines by a function of the program's. */
    bool is_own;
    /** It has one node, whose host has a processor for each of its threads (node/processors.h). */
    bool has_processors;
} pgasi_coll_shape_t;

/** The most bytes that a member shows others in memory that its team has. */
#define PGASI_COLL_SHORT 4096

/** A collective of `from` bytes or more runs by `algorithm`, if that serves it. */
typedef struct pgasi_coll_rule {
    pgasi_coll_kind_t kind;
    pgasi_coll_algorithm_t algorithm;
    size_t from;
} pgasi_coll_rule_t;

#define PGASI_COLL_RULES 32

/** What a setting says: later rules go before earlier ones. All zero: nothing. */
typedef struct pgasi_coll_rules {
    pgasi_coll_rule_t rules[PGASI_COLL_RULES];
    uint32_t count;
    /** Whether the choices are to be printed. */
    bool shows;
} pgasi_coll_rules_t;

static inline const char *pgasi_coll_kind_name(pgasi_coll_kind_t kind)
{
    static const char *const names[] = {
#define PGASI_NAME(member, name) name,
        PGASI_COLL_KINDS(PGASI_NAME)
#undef PGASI_NAME
    };
    return names[kind];
}

static inline const char *pgasi_coll_algorithm_name(pgasi_coll_algorithm_t algorithm)
{
    static const char *const names[] = {
#define PGASI_NAME(member, name) name,
        PGASI_COLL_ALGORITHMS(PGASI_NAME)
#undef PGASI_NAME
    };
    return names[algorithm];
}

/** Which nodes need the bytes of which, if they travel with signals; PGASI_CARRY_NOTHING: they
 * never do. */
static inline pgasi_carry_pattern_t pgasi_coll_pattern(pgasi_coll_kind_t kind)
{
    switch (kind) {
    case PGASI_KIND_OF_BROADCAST:
    case PGASI_KIND_OF_SCATTER:
    case PGASI_KIND_OF_SCATTERV:
        return PGASI_CARRY_FROM_ROOT;
    case PGASI_KIND_OF_GATHER:
    case PGASI_KIND_OF_REDUCE:
        return PGASI_CARRY_TO_ROOT;
    case PGASI_KIND_OF_GATHERV: /* all learn of which sizes blocks are */
    case PGASI_KIND_OF_ALLGATHER:
    case PGASI_KIND_OF_ALLGATHERV:
    case PGASI_KIND_OF_ALLREDUCE:
    case PGASI_KIND_OF_REDUCE_SCATTER:
    case PGASI_KIND_OF_SCAN:
        return PGASI_CARRY_ALL;
    case PGASI_KIND_OF_ALLTOALL:
    case PGASI_KIND_OF_ALLTOALLV:
        return PGASI_CARRY_EACH;
    default:
        return PGASI_CARRY_NOTHING;
    }
}

/** Whether members know the sizes of their own blocks only. */
static inline bool pgasi_coll_is_uneven(pgasi_coll_kind_t kind)
{
    return kind == PGASI_KIND_OF_SCATTERV || kind == PGASI_KIND_OF_GATHERV ||
           kind == PGASI_KIND_OF_ALLTOALLV;
}

/** Whether what a member shows are blocks, one for each of the others. */
static inline bool pgasi_coll_is_each(pgasi_coll_kind_t kind)
{
    return kind == PGASI_KIND_OF_SCATTER || kind == PGASI_KIND_OF_ALLTOALL;
}

/** Whether the algorithm is one in which they do. */
static inline bool pgasi_coll_carries(pgasi_coll_algorithm_t algorithm)
{
    return algorithm == PGASI_ALGORITHM_BINOMIAL || algorithm == PGASI_ALGORITHM_BRUCK ||
           algorithm == PGASI_ALGORITHM_COMBINING;
}

/** Whether members show in another round what they have made of what they read: slices that they
 * have combined, or blocks of other nodes. */
static inline bool pgasi_coll_is_sliced(pgasi_coll_algorithm_t algorithm)
{
    return algorithm == PGASI_ALGORITHM_RABENSEIFNER || algorithm == PGASI_ALGORITHM_HIERARCHICAL ||
           algorithm == PGASI_ALGORITHM_MULTILANE;
}

/** Whether it may take more meetings than others, which must be worth it. */
static inline bool pgasi_coll_meets_more(pgasi_coll_algorithm_t algorithm)
{
    return pgasi_coll_is_sliced(algorithm) || algorithm == PGASI_ALGORITHM_PIPELINED ||
           algorithm == PGASI_ALGORITHM_BRUCK;
}

/** Whether the collective has that algorithm, at some size and in some shape. */
static inline bool pgasi_coll_has(pgasi_coll_kind_t kind, pgasi_coll_algorithm_t algorithm)
{
    switch (algorithm) {
    case PGASI_ALGORITHM_DISSEMINATION:
        return kind == PGASI_KIND_OF_BARRIER;
    case PGASI_ALGORITHM_LINEAR:
        return kind != PGASI_KIND_OF_BARRIER;
    case PGASI_ALGORITHM_EAGER:
        return pgasi_coll_is_uneven(kind);
    case PGASI_ALGORITHM_BINOMIAL:
        return !pgasi_coll_is_uneven(kind) && (pgasi_coll_pattern(kind) == PGASI_CARRY_FROM_ROOT ||
                                               pgasi_coll_pattern(kind) == PGASI_CARRY_TO_ROOT);
    case PGASI_ALGORITHM_BRUCK:
        return !pgasi_coll_is_uneven(kind) && (pgasi_coll_pattern(kind) == PGASI_CARRY_ALL ||
                                               pgasi_coll_pattern(kind) == PGASI_CARRY_EACH);
    case PGASI_ALGORITHM_COMBINING:
        return kind == PGASI_KIND_OF_REDUCE || kind == PGASI_KIND_OF_ALLREDUCE ||
               kind == PGASI_KIND_OF_REDUCE_SCATTER;
    case PGASI_ALGORITHM_RABENSEIFNER:
    case PGASI_ALGORITHM_MULTILANE:
        return kind == PGASI_KIND_OF_REDUCE || kind == PGASI_KIND_OF_ALLREDUCE;
    case PGASI_ALGORITHM_HIERARCHICAL:
        return kind == PGASI_KIND_OF_REDUCE || kind == PGASI_KIND_OF_ALLREDUCE ||
               kind == PGASI_KIND_OF_ALLGATHER || kind == PGASI_KIND_OF_BROADCAST;
    case PGASI_ALGORITHM_PIPELINED:
        return kind == PGASI_KIND_OF_BROADCAST || kind == PGASI_KIND_OF_SCATTER ||
               kind == PGASI_KIND_OF_GATHER || kind == PGASI_KIND_OF_ALLGATHER ||
               kind == PGASI_KIND_OF_ALLTOALL;
    case PGASI_ALGORITHM_LIBRARY:
        return kind == PGASI_KIND_OF_BROADCAST || kind == PGASI_KIND_OF_SCATTER ||
               kind == PGASI_KIND_OF_GATHER || kind == PGASI_KIND_OF_ALLGATHER ||
               kind == PGASI_KIND_OF_ALLTOALL || kind == PGASI_KIND_OF_REDUCE ||
               kind == PGASI_KIND_OF_ALLREDUCE;
    default:
        return false;
    }
}

/** Bytes that a member shows at a time where blocks go piece by piece, for all others together, and
 *  the least for each. */
#define PGASI_COLL_PIECE ((size_t)131072)
#define PGASI_COLL_LEAST_PIECE ((size_t)4096)

/** And those of a block: of that for each other member, or of the one for all. */
static inline size_t pgasi_coll_piece(pgasi_coll_kind_t kind, uint32_t members)
{
    size_t each = PGASI_COLL_PIECE / (pgasi_coll_is_each(kind) ? members - 1 : 1) / 64 * 64;
    return each > PGASI_COLL_LEAST_PIECE ? each : PGASI_COLL_LEAST_PIECE;
}

/** The units of an arena that a collective takes by which bytes travel. Where a node's operands are
 *  combined, one of them is in the place of what travels. */
static inline uint64_t pgasi_coll_units(pgasi_coll_kind_t kind, pgasi_coll_algorithm_t algorithm,
                                        const pgasi_coll_shape_t *shape)
{
    uint64_t most = shape->most_on_node;
    if (algorithm == PGASI_ALGORITHM_COMBINING)
        return shape->nodes + most - 1;
    switch (pgasi_coll_pattern(kind)) {
    case PGASI_CARRY_FROM_ROOT:
        return 1;
    case PGASI_CARRY_EACH:
        return pgasi_arena_positions(shape->nodes) * most * most;
    default:
        return shape->nodes * most;
    }
}

/** Of an all-to-all, how many members of each node have blocks of `nbytes` bytes for all others
 *  travel with one meeting; 0: an arena does not hold those of one. */
static inline uint32_t pgasi_coll_senders(size_t nbytes, const pgasi_coll_shape_t *shape)
{
    uint64_t arena = pgasi_arena_size(shape->nodes, shape->most_on_node, shape->is_split);
    uint64_t most = shape->most_on_node;
    if (nbytes > arena || shape->nodes > arena || most > arena)
        return 0;
    uint64_t of_one = pgasi_arena_positions(shape->nodes) * most * pgasi_arena_unit(nbytes);
    return (uint32_t)(of_one == 0 || arena / of_one > most ? most : arena / of_one);
}

/** And how many meetings that are. */
static inline uint32_t pgasi_coll_passes(size_t nbytes, const pgasi_coll_shape_t *shape)
{
    uint32_t senders = pgasi_coll_senders(nbytes, shape);
    return senders > 0 ? (shape->most_on_node - 1) / senders + 1 : 0;
}

/** Whether an arena holds what travels. The root of a scatter has as many blocks as there are
 *  members. */
static inline bool pgasi_coll_fits(pgasi_coll_kind_t kind, pgasi_coll_algorithm_t algorithm,
                                   size_t nbytes, const pgasi_coll_shape_t *shape)
{
    uint32_t arena = pgasi_arena_size(shape->nodes, shape->most_on_node, shape->is_split);
    bool is_of_all = kind == PGASI_KIND_OF_SCATTER;
    if (arena == 0 || nbytes > arena || shape->nodes > arena || shape->most_on_node > arena)
        return false;
    if (kind == PGASI_KIND_OF_ALLTOALL)
        return pgasi_coll_senders(nbytes, shape) > 0;
    uint64_t units = pgasi_coll_units(kind, algorithm, shape);
    uint64_t unit = pgasi_arena_unit(is_of_all ? (uint64_t)nbytes * shape->members : nbytes);
    return units <= arena && units * unit <= arena;
}

/** By eager: bytes of a unit before its block, also where members have blocks for each; the largest
 *  and the smallest block that it has room for, and bytes of blocks in a message above which there
 *  is room for less than the largest. The root of a scatterv sends one unit, of a table and so many
 *  bytes of all blocks at most. As measured (docs/decisions.md, 151). */
#define PGASI_COLL_EAGER_HEAD ((size_t)16)
#define PGASI_COLL_EAGER_HEAD_OF_EACH ((size_t)32)
#define PGASI_COLL_EAGER_MOST ((size_t)1024)
#define PGASI_COLL_EAGER_LEAST ((size_t)16)
#define PGASI_COLL_EAGER_MESSAGE ((uint64_t)16384)
#define PGASI_COLL_EAGER_SCATTERED ((size_t)8192)

static inline size_t pgasi_coll_eager_head(pgasi_coll_kind_t kind)
{
    return kind == PGASI_KIND_OF_ALLTOALLV ? PGASI_COLL_EAGER_HEAD_OF_EACH : PGASI_COLL_EAGER_HEAD;
}

/** The unit; 0: an arena does not hold what travels. */
static inline size_t pgasi_coll_eager_unit(pgasi_coll_kind_t kind, const pgasi_coll_shape_t *shape)
{
    uint64_t arena = pgasi_arena_size(shape->nodes, shape->most_on_node, shape->is_split);
    uint64_t most = shape->most_on_node;
    size_t block = PGASI_COLL_EAGER_MOST;
    if (shape->nodes > arena || most > arena || shape->members > arena)
        return 0;
    if (kind == PGASI_KIND_OF_SCATTERV) {
        size_t blocks = shape->members * block;
        block = (shape->members + (size_t)1) * sizeof(uint64_t) +
                (blocks < PGASI_COLL_EAGER_SCATTERED ? blocks : PGASI_COLL_EAGER_SCATTERED);
    } else {
        uint64_t sent = shape->nodes / 2 * most * (kind == PGASI_KIND_OF_ALLTOALLV ? most : 1);
        while (block > PGASI_COLL_EAGER_LEAST && sent * block > PGASI_COLL_EAGER_MESSAGE)
            block /= 2;
    }
    size_t unit = pgasi_arena_unit(pgasi_coll_eager_head(kind) + block);
    uint64_t units = pgasi_coll_units(kind, PGASI_ALGORITHM_EAGER, shape);
    return units <= arena && units * unit <= arena ? unit : 0;
}

/** What travels with the second meeting has one size, too: whether it does if the largest block has
 *  `largest` bytes, and all that have not travelled have `all`. What is not used of it may be as
 *  much again, or a message. For a scatterv both are the bytes of the table and of all blocks. */
static inline bool pgasi_coll_carries_rest(pgasi_coll_kind_t kind, size_t largest, uint64_t all,
                                           const pgasi_coll_shape_t *shape)
{
    uint64_t others = shape->members - (uint64_t)1;
    uint64_t blocks = kind == PGASI_KIND_OF_SCATTERV    ? 1
                      : kind == PGASI_KIND_OF_ALLTOALLV ? others * shape->members
                                                        : others;
    if (!pgasi_coll_fits(kind, PGASI_ALGORITHM_EAGER, largest, shape))
        return false;
    uint64_t unused = blocks * pgasi_arena_unit(largest) - all;
    return unused <= (all > PGASI_COLL_EAGER_MESSAGE ? all : PGASI_COLL_EAGER_MESSAGE);
}

/** And how: a gatherv's go to its root alone. */
static inline pgasi_carry_pattern_t pgasi_coll_pattern_of_rest(pgasi_coll_kind_t kind)
{
    return kind == PGASI_KIND_OF_GATHERV ? PGASI_CARRY_TO_ROOT : pgasi_coll_pattern(kind);
}

/** Whether members can be combined node by node, each with one of every other node. */
static inline bool pgasi_coll_is_even(const pgasi_coll_shape_t *shape)
{
    return shape->nodes > 1 && shape->most_on_node > 1 && !shape->is_interleaved &&
           shape->members == shape->nodes * shape->most_on_node;
}

/** Whether it serves calls of this size in a team of this shape. `nbytes` is the size of a block in
 *  calls that move equal blocks, of the largest in an allgatherv, and of all the elements of a
 *  member in those that combine; 0 in the others, and in a barrier. */
static inline bool pgasi_coll_serves(pgasi_coll_kind_t kind, pgasi_coll_algorithm_t algorithm,
                                     size_t nbytes, const pgasi_coll_shape_t *shape)
{
    if (pgasi_coll_carries(algorithm) && !pgasi_coll_fits(kind, algorithm, nbytes, shape))
        return false;
    if (algorithm == PGASI_ALGORITHM_EAGER && pgasi_coll_eager_unit(kind, shape) == 0)
        return false;
    if (algorithm == PGASI_ALGORITHM_COMBINING &&
        (shape->most_on_node == 1 || shape->is_interleaved || shape->is_own))
        return false;
    if (algorithm == PGASI_ALGORITHM_PIPELINED &&
        (shape->nodes > 1 || shape->members == 1 || nbytes <= PGASI_COLL_SHORT))
        return false;
    if (algorithm == PGASI_ALGORITHM_HIERARCHICAL && !pgasi_coll_is_even(shape))
        return false;
    if (algorithm == PGASI_ALGORITHM_MULTILANE && (!pgasi_coll_is_even(shape) || shape->nodes < 3))
        return false;
    return pgasi_coll_has(kind, algorithm);
}

/** The most bytes that a member reads of others in a reduction before slices, which cost another
 *  meeting or two, are faster: as measured with two and four members, on one node and between two.
 */
#define PGASI_COLL_UNSLICED ((size_t)131072)
#define PGASI_COLL_UNSLICED_REMOTE ((size_t)196608)

/** Bytes that a member of an all-reduce on one node does not read because it combines a slice,
 *  before that is worth the meetings, and the least operand of which there are slices: as measured
 *  with 4 to 16 members on as many processors, and on two (docs/decisions.md, 126). */
#define PGASI_COLL_SLICES_SPARED ((uint64_t)49152)
#define PGASI_COLL_LEAST_SLICED 2048

/** The least operand that the last member of a node to come combines with the others' there, if an
 *  arena holds those of all: until then who wants the result is as soon done with all of them. */
#define PGASI_COLL_LEAST_COMBINED 16384

/** The least operand of which a single root between nodes has slices, node by node and by all:
 * until then only the root reads, while all members come to the meetings that slices cost. */
#define PGASI_COLL_ROOTED_BY_NODE ((size_t)524288)
#define PGASI_COLL_ROOTED_SLICES ((size_t)1048577)

/** Bytes that a member of an all-gather or a broadcast between nodes does not read from there
 * because others of its node do, before that is worth another meeting; and the most that it then
 * holds for them in its heap. */
#define PGASI_COLL_SPARED ((uint64_t)131072)
#define PGASI_COLL_HELD ((size_t)8 << 20)

static inline bool pgasi_coll_gathers_by_node(size_t nbytes, const pgasi_coll_shape_t *shape)
{
    uint64_t others = shape->nodes - 1;
    return nbytes > PGASI_COLL_SPARED / (others * (shape->most_on_node - 1)) &&
           nbytes <= PGASI_COLL_HELD / others;
}

static inline bool pgasi_coll_broadcasts_by_node(size_t nbytes, const pgasi_coll_shape_t *shape)
{
    return nbytes > PGASI_COLL_SPARED / (shape->most_on_node - 1) &&
           nbytes / shape->most_on_node <= PGASI_COLL_HELD;
}

/** Bytes that a member of an all-reduce does not read from other nodes because it combines a part
 *  of its slice, before that is worth another meeting. One to a root has the root's node alone read
 *  whole slices, which on shared processors is less work than parts for all nodes. */
#define PGASI_COLL_PARTS_SPARED ((uint64_t)393216)

static inline bool pgasi_coll_has_parts(pgasi_coll_kind_t kind, size_t nbytes,
                                        const pgasi_coll_shape_t *shape)
{
    uint64_t nodes = shape->nodes;
    return kind == PGASI_KIND_OF_ALLREDUCE &&
           nbytes / shape->most_on_node >=
               PGASI_COLL_PARTS_SPARED * nodes / ((nodes - 1) * (nodes - 2));
}

/** Two members read as much of each other either way. */
static inline bool pgasi_coll_spares_slices(pgasi_coll_kind_t kind, size_t nbytes,
                                            const pgasi_coll_shape_t *shape)
{
    uint64_t members = shape->members;
    return kind == PGASI_KIND_OF_ALLREDUCE && shape->nodes == 1 && members > 2 &&
           nbytes >= PGASI_COLL_SLICES_SPARED * members / ((members - 1) * (members - 2));
}

/** Bytes that a member shows others before it is worth the meetings to show them in pieces: where
 *  others read while it writes, and where all write and then read or few bytes are for each, so
 * that only the caches gain. As measured with two members (docs/decisions.md, 138). */
#define PGASI_COLL_PIPELINED ((size_t)262144)
#define PGASI_COLL_PIPELINED_BLOCKS ((size_t)2097152)

static inline bool pgasi_coll_pays_in_pieces(pgasi_coll_kind_t kind, size_t nbytes,
                                             const pgasi_coll_shape_t *shape)
{
    bool is_one_way = kind == PGASI_KIND_OF_BROADCAST || kind == PGASI_KIND_OF_GATHER;
    size_t blocks = pgasi_coll_is_each(kind) ? shape->members - 1 : 1;
    size_t most = is_one_way ? PGASI_COLL_PIPELINED : PGASI_COLL_PIPELINED_BLOCKS;
    return shape->has_processors && nbytes > most / blocks;
}

/** An all-to-all takes a meeting more where that spares each member so many reads from other nodes,
 *  for each of which it would need a connection, too. */
#define PGASI_COLL_READS_SPARED 32

static inline bool pgasi_coll_pays_in_passes(size_t nbytes, const pgasi_coll_shape_t *shape)
{
    uint64_t passes = pgasi_coll_passes(nbytes, shape);
    return passes == 1 || passes * PGASI_COLL_READS_SPARED <= shape->members - shape->most_on_node;
}

/** Whether an algorithm that serves and may take more meetings than others is worth them. */
static inline bool pgasi_coll_pays(pgasi_coll_kind_t kind, pgasi_coll_algorithm_t algorithm,
                                   size_t nbytes, const pgasi_coll_shape_t *shape)
{
    bool is_by_node = algorithm == PGASI_ALGORITHM_HIERARCHICAL;
    if (algorithm == PGASI_ALGORITHM_PIPELINED)
        return pgasi_coll_pays_in_pieces(kind, nbytes, shape);
    if (algorithm == PGASI_ALGORITHM_BRUCK)
        return kind != PGASI_KIND_OF_ALLTOALL || pgasi_coll_pays_in_passes(nbytes, shape);
    if (algorithm == PGASI_ALGORITHM_MULTILANE)
        return pgasi_coll_has_parts(kind, nbytes, shape);
    if (kind == PGASI_KIND_OF_ALLGATHER)
        return pgasi_coll_gathers_by_node(nbytes, shape);
    if (kind == PGASI_KIND_OF_BROADCAST)
        return pgasi_coll_broadcasts_by_node(nbytes, shape);
    if (pgasi_coll_spares_slices(kind, nbytes, shape))
        return true;
    if (nbytes <= PGASI_COLL_SHORT)
        return false;
    if (kind == PGASI_KIND_OF_REDUCE && shape->nodes > 1)
        return nbytes >= (is_by_node ? PGASI_COLL_ROOTED_BY_NODE : PGASI_COLL_ROOTED_SLICES);
    /* Two on two nodes read as much of each other either way; slices would spare half of the
     * combining, and cost a meeting. */
    if (shape->nodes > 1 && shape->members == 2)
        return false;
    size_t unsliced = shape->nodes > 1 ? PGASI_COLL_UNSLICED_REMOTE : PGASI_COLL_UNSLICED;
    return shape->members > 1 && nbytes > unsliced / (shape->members - 1);
}

/** The algorithm that the table names, without a setting. */
static inline pgasi_coll_algorithm_t pgasi_coll_by_table(pgasi_coll_kind_t kind, size_t nbytes,
                                                         const pgasi_coll_shape_t *shape)
{
    /* The first row that serves is taken. */
    static const struct {
        pgasi_coll_algorithm_t algorithm;
        size_t from;
    } table[] = {
        {PGASI_ALGORITHM_DISSEMINATION, 0},
        {PGASI_ALGORITHM_COMBINING, PGASI_COLL_LEAST_COMBINED},
        {PGASI_ALGORITHM_BINOMIAL, 0},
        {PGASI_ALGORITHM_BRUCK, 0},
        {PGASI_ALGORITHM_COMBINING, 0},
        {PGASI_ALGORITHM_EAGER, 0},
        {PGASI_ALGORITHM_MULTILANE, PGASI_COLL_SHORT + 1},
        {PGASI_ALGORITHM_HIERARCHICAL, PGASI_COLL_SHORT + 1},
        {PGASI_ALGORITHM_RABENSEIFNER, PGASI_COLL_LEAST_SLICED},
        {PGASI_ALGORITHM_PIPELINED, PGASI_COLL_SHORT + 1},
    };
    for (size_t i = 0; i < sizeof table / sizeof table[0]; i++)
        if (nbytes >= table[i].from && pgasi_coll_serves(kind, table[i].algorithm, nbytes, shape) &&
            (!pgasi_coll_meets_more(table[i].algorithm) ||
             pgasi_coll_pays(kind, table[i].algorithm, nbytes, shape)))
            return table[i].algorithm;
    return PGASI_ALGORITHM_LINEAR;
}

/** The algorithm by which the runtime runs a collective, under the rules of a setting. One that a
 *  rule names and that does not serve the size or the shape is passed over. */
static inline pgasi_coll_algorithm_t pgasi_coll_choose(const pgasi_coll_rules_t *rules,
                                                       pgasi_coll_kind_t kind, size_t nbytes,
                                                       const pgasi_coll_shape_t *shape)
{
    for (uint32_t i = rules->count; i-- > 0;) {
        const pgasi_coll_rule_t *rule = &rules->rules[i];
        if (rule->kind == kind && nbytes >= rule->from &&
            pgasi_coll_serves(kind, rule->algorithm, nbytes, shape))
            return rule->algorithm;
    }
    return pgasi_coll_by_table(kind, nbytes, shape);
}

/**
 * Reads rules: "broadcast=linear,allreduce=rabenseifner:65536", the number being the bytes from
 * which on the rule holds, and "show" that the choices are to be printed. Returns true; or false
 * with a line that says what is wrong, and which names there are, in `wrong` of `size` bytes.
 */
bool pgasi_coll_rules_read(const char *text, pgasi_coll_rules_t *rules, char *wrong, size_t size);

/** Writes which algorithm serves which sizes of a collective in a team of this shape: "linear, from
 *  4097 bytes on rabenseifner". With more than a thousand nodes one may be left out that serves
 *  only sizes less than a factor of two apart. Returns `text`. */
const char *pgasi_coll_describe(const pgasi_coll_rules_t *rules, pgasi_coll_kind_t kind,
                                const pgasi_coll_shape_t *shape, char *text, size_t size);

#endif
