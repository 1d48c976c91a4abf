#include "team/stage.h"

#include <inttypes.h>
#include <string.h>

#include <pgas/ptr.h>

#include "copy/async.h"
#include "copy/group.h"
#include "heap/heap_node.h"
#include "node/activity.h"
#include "node/segment.h"
#include "team/meet.h"
#include "team/team.h"

enum {
    /* A larger stage is not kept: what is freed gives its pages back, and they cost their faults
     * again. */
    MOST_KEPT = 64 << 20
};

/* The stage of this process: a block of its own heap. */
static uint64_t stage;
static size_t stage_size;

static void drop_stage(void)
{
    if (stage != 0)
        pgasi_heap_free_own(pgasi_job.thread, stage);
    stage = 0;
    stage_size = 0;
}

static uint64_t stage_of(size_t nbytes)
{
    uint64_t used;
    if (nbytes <= stage_size)
        return stage;
    drop_stage();
    stage = pgasi_heap_alloc_own(nbytes, &used);
    if (stage == 0)
        pgasi_fatal(pgasi_call_name(&pgasi_activity_of(pgasi_job.thread)->call),
                    "%zu bytes for other members to read, in a heap of %" PRIu64
                    " bytes with %" PRIu64 " in use; PGAS_HEAP_SIZE sets its size",
                    nbytes, pgasi_node_memory.heap_size, used);
    stage_size = nbytes;
    return stage;
}

static size_t parity_of(const pgas_team_t *team)
{
    return team->rounds % 2;
}

static pgas_ptr_t slot_of(const pgas_team_t *team, uint32_t rank)
{
    uint64_t board = team->boards != NULL ? team->boards[rank] : team->board_offset;
    return (pgas_ptr_t){
        .thread = pgasi_team_member(team, rank),
        .offset = board + offsetof(pgasi_team_board_t, slots) +
                  parity_of(team) * sizeof(pgasi_team_slot_t),
    };
}

static uint64_t offset_of_bytes(const pgas_team_t *team)
{
    return slot_of(team, team->rank).offset + offsetof(pgasi_team_slot_t, bytes);
}

static char *show_at(pgas_team_t *team, uint64_t offset, size_t nbytes)
{
    pgasi_team_slot_t *slot = &team->board->slots[parity_of(team)];
    slot->offset = offset;
    slot->nbytes = nbytes;
    return pgasi_job.peers[pgasi_job.thread].base + offset;
}

void *pgasi_stage_begin(pgas_team_t *team, size_t nbytes)
{
    bool is_long = pgasi_stage_is_long(nbytes);
    return show_at(team, is_long ? stage_of(nbytes) : offset_of_bytes(team), nbytes);
}

char *pgasi_stage_reserve(size_t nbytes)
{
    return pgasi_job.peers[pgasi_job.thread].base + stage_of(nbytes);
}

bool pgasi_stage_is_shared(const void *src, size_t nbytes)
{
    uintptr_t offset = (uintptr_t)src - (uintptr_t)pgasi_job.peers[pgasi_job.thread].base;
    return offset >= PGASI_HEAP_BEGIN && offset < pgasi_node_memory.stride &&
           nbytes <= pgasi_node_memory.stride - offset;
}

void pgasi_stage_lend(pgas_team_t *team, const void *src, size_t nbytes)
{
    const char *base = pgasi_job.peers[pgasi_job.thread].base;
    show_at(team, (uint64_t)((const char *)src - base), nbytes);
}

void pgasi_stage_show(pgas_team_t *team, const void *src, size_t nbytes)
{
    if (pgasi_stage_is_long(nbytes) && pgasi_stage_is_shared(src, nbytes))
        pgasi_stage_lend(team, src, nbytes);
    else if (nbytes > 0)
        memcpy(pgasi_stage_begin(team, nbytes), src, nbytes);
    else
        pgasi_stage_begin(team, 0);
}

void pgasi_stage_next(pgas_team_t *team)
{
    team->rounds++;
}

pgas_ptr_t pgasi_stage_find(const pgas_team_t *team, uint32_t rank, size_t nbytes)
{
    if (pgasi_stage_is_long(nbytes))
        return pgasi_stage_look(team, rank).at;
    pgas_ptr_t at = slot_of(team, rank);
    at.offset += offsetof(pgasi_team_slot_t, bytes);
    return at;
}

pgasi_shown_t pgasi_stage_look(const pgas_team_t *team, uint32_t rank)
{
    pgasi_shown_t shown;
    pgasi_stage_look_all(team, rank, 1, &shown);
    return shown;
}

_Static_assert(offsetof(pgasi_team_slot_t, nbytes) == 8, "a slot begins with two words");

/* The two words are read to where the result of a member will be. */
void pgasi_stage_look_all(const pgas_team_t *team, uint32_t first, uint32_t count,
                          pgasi_shown_t *shown)
{
    uint64_t words[2];
    pgasi_group_t *group = pgasi_empty_group();
    for (uint32_t i = 0; i < count; i++)
        pgasi_start_get(group, &shown[i], slot_of(team, first + i), sizeof words);
    pgasi_group_wait(group);
    for (uint32_t i = 0; i < count; i++) {
        memcpy(words, &shown[i], sizeof words);
        shown[i] = (pgasi_shown_t){
            .at = {.thread = pgasi_team_member(team, first + i), .offset = words[0]},
            .nbytes = words[1],
        };
    }
}

void pgasi_stage_end(pgas_team_t *team, bool is_long)
{
    if (is_long) {
        pgasi_team_meet(team);
        if (stage_size > MOST_KEPT)
            drop_stage();
    }
    team->rounds++;
}
