/**
 * What a team is made of: a private description, and in several lanes a board of each member and a
 * part on each node.
 *
 * The n-th collective call on a team runs on lane n modulo PGASI_LANES, which has a barrier of its
 * own: so that many may be in flight at once. On a lane a member runs one call at a time; those
 * that it has started beyond that are in a queue of its own.
 *
 * Two members meet in shared memory only where they know each other's places. Those of the
 * predefined teams are fixed offsets in every segment (node/memory.h); those of a split team come
 * from the heap, and its members have exchanged them (team/split.c, team/assemble.h).
 */
#ifndef PGASI_TEAM_TYPES_H
#define PGASI_TEAM_TYPES_H

#include <stdalign.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include <pgas/detail.h>
#include <pgas/team.h>

#include "node/memory.h"
#include "node/node.h"
#include "shm/attendance.h"
#include "shm/call.h"
#include "shm/dissemination.h"
#include "shm/event.h"
#include "shm/guard.h"
#include "stats/collectives.h"
#include "team/arena.h"
#include "team/spare.h"

/** A predefined team's number is its id; that of a split team is greater. */
typedef enum pgasi_team_kind {
    PGASI_KIND_ALL = 1,
    PGASI_KIND_NODE,
    PGASI_KIND_LEADERS,
    PGASI_KIND_SPLIT,
    PGASI_KIND_FREED
} pgasi_team_kind_t;

/** A member's node, by index among the team's, and how many members of that node have a lower rank.
 */
typedef struct pgasi_team_seat {
    uint32_t node;
    uint32_t local;
} pgasi_team_seat_t;

/** A member on the own node, or the lowest member of a node of the team: its thread, its rank or
 *  0, and the offset of its board, or of the node's part, in its segment. */
typedef struct pgasi_team_place {
    uint32_t thread;
    uint32_t rank;
    uint64_t offset;
} pgasi_team_place_t;

/** Collectives of a team whose messages may be under way at once. */
#define PGASI_LANES 4

/** The most bytes that a slot of a board holds. */
#define PGASI_TEAM_SLOT 4096

/** And that a member of a team of two on one node shows beside the word that both wait on. */
#define PGASI_TEAM_TRAY 8

/** What a member shows the others in a round (team/stage.h). */
typedef struct pgasi_team_slot {
    /** Where the bytes are in the member's segment, here or elsewhere, and how many. */
    alignas(64) uint64_t offset;
    uint64_t nbytes;
    unsigned char bytes[PGASI_TEAM_SLOT];
} pgasi_team_slot_t;

/** A member's board of a lane, in its segment, where those of all lanes lie together. Starts as
 *  zeros. */
typedef struct pgasi_team_board {
    /** The call that it has made last on the lane; and in one word the phase that it has arrived
     *  at, in the low half, and that call's signature. */
    alignas(64) pgasi_call_t call;
    _Atomic uint64_t arrived;
    pgasi_team_slot_t slots[2];
} pgasi_team_board_t;

/**
 * The part of a lane on one node, in the segment of the team's lowest member there, where those of
 * all lanes lie together. Starts as zeros. Those of a split team have as many rounds of `state` as
 * are needed. All parts are followed by the arenas (team/arena.h), two for each lane, and those of
 * a split team by the places of the node's members and, if it has several nodes, by those of the
 * nodes.
 */
typedef struct pgasi_team_part {
    /** Who has come; the marks are the signatures of the calls. Ahead of the two lines that every
     *  call reads, which lie together: with these lines between them calls of two members took up
     *  to a tenth longer. */
    pgasi_attendance_t attendance;
    alignas(64) pgasi_attending_t few;
    /** The number of the last complete phase; and what a root raises that has come, if members of
     *  its node sleep until then. */
    pgasi_event_t phase;
    pgasi_event_t root_came;
    /** How many have left the barrier that begins the team's end. */
    pgasi_event_t left;
    /** What two members show each other in even and in odd phases, if it is little: it comes with
     *  the word that says that all have come. */
    alignas(8) unsigned char trays[2][2][PGASI_TEAM_TRAY];
    alignas(64) uint64_t id;
    /** Nodes of the team, this one's index, and its members here. */
    uint32_t nodes;
    uint32_t mine;
    uint32_t locals;
    uint32_t lane;
    /** Bytes of an arena; and what the signals of the phase carry that runs, under the guard. */
    uint32_t arena;
    pgasi_carry_t carry;
    pgasi_guard_t guard;
    pgasi_dissemination_t state;
} pgasi_team_part_t;

_Static_assert(offsetof(pgasi_team_part_t, id) - offsetof(pgasi_team_part_t, few) == 64,
               "trays lie in the line that members wait on");

/** What is at the fixed place of each segment, one per predefined team. */
typedef struct pgasi_team_fixed {
    pgasi_team_board_t boards[PGASI_LANES];
    pgasi_team_part_t parts[PGASI_LANES];
    unsigned char arenas[PGASI_LANES][2][PGASI_ARENA_MOST];
} pgasi_team_fixed_t;

_Static_assert(3 * sizeof(pgasi_team_fixed_t) <= PGASI_TEAMS_SIZE, "it fits");

/** Operands that the last member of a node to come combines before they travel: `count` elements of
 *  a `type`, `nbytes` bytes in all, by a predefined operation (pgas_op_function_t). All zero: none.
 */
typedef struct pgasi_joining {
    void (*combine)(const void *in, void *inout, size_t count, int type);
    int type;
    size_t count;
    size_t nbytes;
} pgasi_joining_t;

/** A lane as a member has it. */
typedef struct pgasi_lane {
    pgas_team_t *team;
    pgasi_team_board_t *board;
    pgasi_team_part_t *part;
    uint32_t index;
    /** The call that runs on it, for messages. */
    pgasi_collective_t call;
    /** Where its meetings and messages count. */
    pgasi_counted_t *counted;
    /** The barrier: the phase before the one that the member has arrived at; and whether it has
     *  gone on without waiting until that is complete (team/rooted.h). */
    uint32_t phase_before;
    bool left_early;
    /** How many rounds of the boards there were; and, if what members show in this one travels with
     *  the signals, how, and the arena's place in the segment of the node's part. */
    uint64_t rounds;
    pgasi_carry_t carry;
    pgasi_joining_t joining;
    /** Of what each has for each, the place on the node of the first member whose blocks travel. */
    uint32_t first_sender;
    pgas_ptr_t arena;
    /** What travels is not the bytes, but where they are; and the bytes of who has no more than so
     *  many. */
    bool tells;
    uint32_t room;
    /** The member's own memory for a round of many bytes (team/stage.h). */
    pgasi_spare_t stage;
    /** And private memory of its caller that it lends to other nodes; 0: none. */
    uint64_t lent;
    /** The member's calls on the lane that are in flight, in the order in which they run; and the
     *  next lane that has such (coll/flight.c). All is written by who has the turn (base/turn.h);
     * while there are none, the lane belongs to the agent that makes collective calls. */
    struct pgasi_flight *_Atomic first;
    struct pgasi_flight *last;
    struct pgasi_lane *next_busy;
    bool is_in_flight;
} pgasi_lane_t;

struct pgas_team {
    pgasi_team_kind_t kind;
    uint64_t id;
    uint32_t size;
    uint32_t rank;
    /** How many nodes it has, the largest number of members on one, and how many members of the own
     *  one come before the own thread. */
    uint32_t nodes;
    uint32_t most_on_node;
    uint32_t place;
    /** Threads by rank, the ranks in ascending order of their threads, and the offsets of the
     *  boards by rank; NULL where the kind tells. */
    uint32_t *members;
    uint32_t *sorted;
    uint64_t *boards;
    /** By rank, where its bytes are in arenas; NULL until they are used. */
    struct pgasi_team_seat *seats;
    /** Where the first lane's board and part are, in the own segment; a part of another member's is
     *  0. */
    uint64_t board_offset;
    uint64_t part_offset;
    pgasi_lane_t lanes[PGASI_LANES];
    /** How many collective calls were made, how many of them are in flight, and how many teams were
     *  split off. */
    uint64_t calls;
    size_t in_flight;
    uint64_t splits;
    /** The lane on which the caller has notified, NULL: it has not; and the barrier in flight that
     *  pgas_team_wait will wait for, if others on the lane come before it. */
    pgasi_lane_t *notified;
    bool notified_in_flight;
    uint64_t notified_flight;
    /** What a library of collectives has for the team (coll/library.h). */
    void *library;
    /** Of the split teams that are not freed (team/team.h). */
    pgas_team_t *before;
    pgas_team_t *next;
};

/** Whether the caller has calls in flight on the lane; if not, it acquires what they did. */
static inline bool pgasi_lane_has_flight(const pgasi_lane_t *lane)
{
    return atomic_load_explicit(&lane->first, memory_order_acquire) != NULL;
}

/** The thread of a rank, unchecked. */
static inline uint32_t pgasi_team_member(const pgas_team_t *team, uint32_t rank)
{
    if (team->members != NULL)
        return team->members[rank];
    return rank;
}

/** Whether a rank's thread is on the caller's node. */
static inline bool pgasi_team_is_on_node(const pgas_team_t *team, uint32_t rank)
{
    return pgasi_job.peers[pgasi_team_member(team, rank)].node == pgasi_nodes.mine;
}

/** The board of a rank on a lane. */
static inline pgas_ptr_t pgasi_team_board(const pgasi_lane_t *lane, uint32_t rank)
{
    const pgas_team_t *team = lane->team;
    uint64_t boards = team->boards != NULL ? team->boards[rank] : team->board_offset;
    return (pgas_ptr_t){
        .thread = pgasi_team_member(team, rank),
        .offset = boards + lane->index * sizeof(pgasi_team_board_t),
    };
}

/** The offset of a predefined team's first board or part, the same in every segment. */
static inline uint64_t pgasi_team_fixed_board(pgasi_team_kind_t kind)
{
    return PGASI_TEAMS_BEGIN + ((uint64_t)kind - 1) * sizeof(pgasi_team_fixed_t) +
           offsetof(pgasi_team_fixed_t, boards);
}

static inline uint64_t pgasi_team_fixed_part(pgasi_team_kind_t kind)
{
    return PGASI_TEAMS_BEGIN + ((uint64_t)kind - 1) * sizeof(pgasi_team_fixed_t) +
           offsetof(pgasi_team_fixed_t, parts);
}

#endif
