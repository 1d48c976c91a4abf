#include "team/carry.h"

#include <stdatomic.h>

#include "node/segment.h"
#include "team/part.h"
#include "team/seats.h"

/* The phase that will come next on the lane. */
static uint32_t next_phase(const pgasi_lane_t *lane)
{
    return atomic_load_explicit(&lane->part->phase.value, memory_order_relaxed) + 1;
}

bool pgasi_carry_has_trays(const pgas_team_t *team, size_t nbytes)
{
    return team->nodes == 1 && team->size == 2 && nbytes <= PGASI_TEAM_TRAY;
}

/* As an arena. Of what each has for each, two units are for the members themselves, the first and
 * the last: those are not written, and have no trays. */
static void set_trays(pgasi_lane_t *lane, pgasi_carry_pattern_t pattern)
{
    lane->carry = (pgasi_carry_t){.pattern = pattern, .unit = PGASI_TEAM_TRAY};
    lane->arena = pgasi_segment_place(lane->part->trays[next_phase(lane) % 2]);
    if (pattern == PGASI_CARRY_EACH)
        lane->arena.offset -= PGASI_TEAM_TRAY;
}

void pgasi_carry_set(pgasi_lane_t *lane, pgasi_carry_pattern_t pattern, uint32_t root,
                     size_t nbytes)
{
    pgas_team_t *team = lane->team;
    uint32_t unit = (uint32_t)pgasi_arena_unit(nbytes);
    uint32_t most = team->most_on_node;
    uint32_t units = pattern == PGASI_CARRY_FROM_ROOT ? 1
                     : pattern == PGASI_CARRY_EACH    ? most * most
                                                      : most;
    pgasi_seats_make(team);
    if (unit == 0)
        return;
    if (lane->part->nodes == 1) {
        set_trays(lane, pattern);
        return;
    }
    lane->carry = (pgasi_carry_t){
        .pattern = pattern,
        .root = team->seats[root].node,
        .unit = unit,
        .block = units * unit,
    };
    lane->arena = pgasi_segment_place(pgasi_part_arena(lane->part, next_phase(lane)));
}

void pgasi_carry_some(pgasi_lane_t *lane, size_t nbytes, uint32_t first, uint32_t senders)
{
    pgasi_carry_set(lane, PGASI_CARRY_EACH, 0, nbytes);
    lane->first_sender = first;
    lane->carry.block = senders * lane->team->most_on_node * lane->carry.unit;
}

bool pgasi_carry_to_all(pgasi_lane_t *lane, size_t nbytes)
{
    const pgas_team_t *team = lane->team;
    uint64_t members = (uint64_t)team->nodes * team->most_on_node;
    if (members * pgasi_arena_unit(nbytes) > lane->part->arena)
        return false;
    pgasi_carry_set(lane, PGASI_CARRY_ALL, 0, nbytes);
    return true;
}

void pgasi_carry_combined(pgasi_lane_t *lane, const pgasi_joining_t *joining)
{
    if (lane->carry.pattern == PGASI_CARRY_NOTHING)
        return;
    lane->joining = *joining;
    lane->carry.block = lane->carry.unit;
}

void pgasi_carry_nothing(pgasi_lane_t *lane)
{
    lane->carry = (pgasi_carry_t){.pattern = PGASI_CARRY_NOTHING};
    lane->joining = (pgasi_joining_t){.combine = NULL};
    lane->first_sender = 0;
    lane->tells = false;
    lane->room = 0;
}
