#include "team/stage.h"

#include <inttypes.h>
#include <string.h>

#include <pgas/detail.h>
#include <pgas/ptr.h>

#include "base/touch.h"
#include "copy/async.h"
#include "net/net.h"
#include "node/node.h"
#include "node/segment.h"
#include "team/carry.h"
#include "team/spare.h"

static uint64_t stage_of(pgasi_lane_t *lane, size_t nbytes)
{
    uint64_t used;
    if (nbytes <= lane->stage.size)
        return lane->stage.offset;
    pgasi_spare_keep(lane->is_in_flight, lane->stage);
    lane->stage = pgasi_spare_take(lane->is_in_flight, nbytes, &used);
    if (lane->stage.offset == 0)
        pgasi_fatal(pgasi_call_name(&(pgasi_call_t){.call = lane->call}),
                    "%zu bytes for other members to read, in a heap of %" PRIu64
                    " bytes with %" PRIu64 " in use; PGAS_HEAP_SIZE sets its size",
                    nbytes, pgasi_node_memory.heap_size, used);
    return lane->stage.offset;
}

static size_t parity_of(const pgasi_lane_t *lane)
{
    return lane->rounds % 2;
}

static pgas_ptr_t slot_of(const pgasi_lane_t *lane, uint32_t rank)
{
    pgas_ptr_t at = pgasi_team_board(lane, rank);
    at.offset += offsetof(pgasi_team_board_t, slots) + parity_of(lane) * sizeof(pgasi_team_slot_t);
    return at;
}

static uint64_t offset_of_bytes(const pgasi_lane_t *lane)
{
    return slot_of(lane, lane->team->rank).offset + offsetof(pgasi_team_slot_t, bytes);
}

/* Whether others are told where the bytes are. */
static bool is_by_place(const pgasi_lane_t *lane, size_t nbytes)
{
    return pgasi_stage_is_long(nbytes) && !pgasi_carry_brings_bytes(lane);
}

/* What a slot begins with, and what travels if places do. No block has so many bytes that the
 * highest bit is needed for them: it says that the round needs the second meeting. */
typedef struct words {
    uint64_t offset;
    uint64_t nbytes;
} words_t;

/* What travels if those of blocks for each do, before the block. */
typedef struct words_of_each {
    words_t words;
    uint64_t largest;
    uint64_t all;
} words_of_each_t;

#define IS_LONG (UINT64_C(1) << 63)

_Static_assert(offsetof(pgasi_team_slot_t, nbytes) == 8, "a slot begins with two words");
_Static_assert(sizeof(words_t) == PGASI_STAGE_WORDS, "they are what tells");
_Static_assert(sizeof(words_of_each_t) == PGASI_STAGE_WORDS_OF_EACH, "and these");
_Static_assert(sizeof(words_of_each_t) <= sizeof(pgasi_shown_t), "they are read there");

static size_t words_bytes(const pgasi_lane_t *lane)
{
    return lane->carry.pattern == PGASI_CARRY_EACH ? sizeof(words_of_each_t) : sizeof(words_t);
}

static words_t words_of(uint64_t offset, size_t nbytes, bool is_long)
{
    return (words_t){offset, nbytes | (is_long ? IS_LONG : 0)};
}

/* What lies on the caller's node. */
static char *address_of(pgas_ptr_t at)
{
    return pgasi_job.peers[at.thread].base + at.offset;
}

/* Whether bytes go behind the words that tell where others are. */
static bool is_eager(const pgasi_lane_t *lane, size_t nbytes)
{
    return lane->room > 0 && nbytes <= lane->room;
}

/* What is told to all by what travels may be another place than the one that the slot has. */
static void say_both(pgasi_lane_t *lane, uint64_t in_slot, uint64_t to_all, size_t nbytes)
{
    bool is_long = pgasi_stage_is_long(nbytes) && !is_eager(lane, nbytes);
    words_t words = words_of(in_slot, nbytes, is_long);
    memcpy(&lane->board->slots[parity_of(lane)], &words, sizeof words);
    words.offset = to_all;
    if (lane->tells)
        memcpy(address_of(pgasi_carry_place(lane, lane->team->rank)), &words, sizeof words);
}

static void say(pgasi_lane_t *lane, uint64_t offset, size_t nbytes)
{
    say_both(lane, offset, offset, nbytes);
}

static char *show_at(pgasi_lane_t *lane, uint64_t offset, size_t nbytes)
{
    say(lane, offset, nbytes);
    return pgasi_job.peers[pgasi_job.thread].base + offset;
}

void pgasi_stage_tell(pgasi_lane_t *lane)
{
    lane->tells = pgasi_carry_to_all(lane, sizeof(words_t));
}

void pgasi_stage_tell_eagerly(pgasi_lane_t *lane, pgasi_carry_pattern_t pattern, uint32_t root,
                              size_t unit)
{
    pgasi_carry_set(lane, pattern, root, unit);
    lane->tells = true;
    lane->room = (uint32_t)(unit - words_bytes(lane));
}

void *pgasi_stage_begin(pgasi_lane_t *lane, size_t nbytes)
{
    if (pgasi_carry_brings_bytes(lane))
        return address_of(pgasi_carry_own_place(lane));
    if (is_eager(lane, nbytes) && lane->carry.pattern != PGASI_CARRY_EACH) {
        say(lane, 0, nbytes);
        return address_of(pgasi_carry_place(lane, lane->team->rank)) + sizeof(words_t);
    }
    bool is_long = pgasi_stage_is_long(nbytes);
    return show_at(lane, is_long ? stage_of(lane, nbytes) : offset_of_bytes(lane), nbytes);
}

void *pgasi_stage_begin_pieces(pgasi_lane_t *lane, size_t nbytes)
{
    return show_at(lane, stage_of(lane, nbytes), 0);
}

char *pgasi_stage_reserve(pgasi_lane_t *lane, size_t nbytes)
{
    return pgasi_job.peers[pgasi_job.thread].base + stage_of(lane, nbytes);
}

bool pgasi_stage_is_shared(const void *src, size_t nbytes)
{
    uintptr_t offset = (uintptr_t)src - (uintptr_t)pgasi_job.peers[pgasi_job.thread].base;
    return offset >= PGASI_HEAP_BEGIN && offset < pgasi_node_memory.stride &&
           nbytes <= pgasi_node_memory.stride - offset;
}

void pgasi_stage_lend(pgasi_lane_t *lane, const void *src, size_t nbytes)
{
    const char *base = pgasi_job.peers[pgasi_job.thread].base;
    show_at(lane, (uint64_t)((const char *)src - base), nbytes);
}

/* For members on other nodes: those of the own one read from shared memory only. */
static bool lend_private(pgasi_lane_t *lane, const void *src, size_t nbytes)
{
    if (nbytes == 0 || lane->part->nodes == 1)
        return false;
    pgasi_touch_source(src, nbytes);
    lane->lent = pgasi_net_lend(src, nbytes);
    return lane->lent != 0;
}

bool pgasi_stage_show_in_place(pgasi_lane_t *lane, const void *src, size_t nbytes)
{
    if (nbytes > 0 && pgasi_stage_is_shared(src, nbytes)) {
        pgasi_stage_lend(lane, src, nbytes);
        return true;
    }
    if (lane->part->locals > 1 || !lend_private(lane, src, nbytes))
        return false;
    say(lane, lane->lent, nbytes);
    return true;
}

void pgasi_stage_show(pgasi_lane_t *lane, const void *src, size_t nbytes)
{
    if (is_by_place(lane, nbytes) && pgasi_stage_show_in_place(lane, src, nbytes))
        return;
    if (nbytes > 0)
        pgasi_copy(pgasi_stage_begin(lane, nbytes), src, nbytes);
    else
        pgasi_stage_begin(lane, 0);
}

void pgasi_stage_show_to(pgasi_lane_t *lane, const void *src, size_t nbytes, uint32_t reader)
{
    if (is_by_place(lane, nbytes) && !pgasi_stage_is_shared(src, nbytes) &&
        !pgasi_team_is_on_node(lane->team, reader) && lend_private(lane, src, nbytes))
        say(lane, lane->lent, nbytes);
    else
        pgasi_stage_show(lane, src, nbytes);
}

void pgasi_stage_copy_others(char *to, const void *src, size_t nbytes, size_t own,
                             size_t own_nbytes)
{
    size_t behind = own + own_nbytes;
    if (nbytes == 0)
        return;
    pgasi_copy(to, src, own);
    pgasi_copy(to + behind, (const char *)src + behind, nbytes - behind);
}

void pgasi_stage_show_others(pgasi_lane_t *lane, const void *src, size_t nbytes, size_t own,
                             size_t own_nbytes)
{
    if (!is_by_place(lane, nbytes)) {
        pgasi_stage_show(lane, src, nbytes);
        return;
    }
    if (pgasi_stage_show_in_place(lane, src, nbytes))
        return;
    pgasi_stage_copy_others(pgasi_stage_begin(lane, nbytes), src, nbytes, own, own_nbytes);
}

static bool is_neighbour(const pgasi_lane_t *lane, uint32_t rank)
{
    return rank != lane->team->rank && pgasi_team_is_on_node(lane->team, rank);
}

void pgasi_stage_show_apart(pgasi_lane_t *lane, const void *src, size_t block)
{
    const pgas_team_t *team = lane->team;
    const size_t nbytes = team->size * block;
    if (!is_by_place(lane, nbytes) || lane->part->locals == 1 || !lane->tells ||
        pgasi_stage_is_shared(src, nbytes) || !lend_private(lane, src, nbytes)) {
        pgasi_stage_show_others(lane, src, nbytes, team->rank * block, block);
        return;
    }
    uint64_t stage = stage_of(lane, (lane->part->locals - 1) * block);
    char *to = pgasi_job.peers[pgasi_job.thread].base + stage;
    for (uint32_t rank = 0; rank < team->size; rank++)
        if (is_neighbour(lane, rank)) {
            pgasi_copy(to, (const char *)src + rank * block, block);
            to += block;
        }
    say_both(lane, stage, lane->lent, nbytes);
}

void pgasi_stage_show_each(pgasi_lane_t *lane, const void *src, size_t nbytes)
{
    const pgas_team_t *team = lane->team;
    for (uint32_t rank = 0; rank < team->size && nbytes > 0; rank++) {
        pgas_ptr_t at = pgasi_carry_place_for(lane, rank);
        if (rank != team->rank)
            pgasi_copy(address_of(at), (const char *)src + rank * nbytes, nbytes);
    }
}

/* Lends the blocks that members of other nodes read where they lie, with what is between them;
 * returns where the first one begins. */
static const char *lend_blocks(pgasi_lane_t *lane, const char *src, const size_t *counts,
                               const size_t *displs)
{
    const char *first = NULL;
    const char *end = NULL;
    for (uint32_t rank = 0; rank < lane->team->size; rank++) {
        if (is_eager(lane, counts[rank]) || pgasi_team_is_on_node(lane->team, rank))
            continue;
        const char *block = src + displs[rank];
        pgasi_touch_source(block, counts[rank]);
        first = first == NULL || block < first ? block : first;
        end = block + counts[rank] > end ? block + counts[rank] : end;
    }
    if (first != NULL)
        lane->lent = pgasi_net_lend(first, (size_t)(end - first));
    return first;
}

void pgasi_stage_show_blocks(pgasi_lane_t *lane, const void *src, const size_t *counts,
                             const size_t *displs)
{
    const pgas_team_t *team = lane->team;
    words_of_each_t words = {.all = 0};
    size_t of_node = 0;
    for (uint32_t rank = 0; rank < team->size; rank++)
        if (rank != team->rank && !is_eager(lane, counts[rank])) {
            words.all += counts[rank];
            words.largest = counts[rank] > words.largest ? counts[rank] : words.largest;
            of_node += is_neighbour(lane, rank) ? counts[rank] : 0;
        }
    bool is_long = pgasi_stage_is_long(words.all);
    const char *first = is_long ? lend_blocks(lane, src, counts, displs) : NULL;
    char *at = pgasi_stage_begin(lane, lane->lent != 0 ? of_node : words.all);
    for (uint32_t rank = 0; rank < team->size; rank++) {
        char *unit = address_of(pgasi_carry_place_for(lane, rank));
        bool travels = is_eager(lane, counts[rank]);
        bool is_lent = lane->lent != 0 && !travels && !pgasi_team_is_on_node(team, rank);
        const char *block = counts[rank] > 0 ? (const char *)src + displs[rank] : NULL;
        uint64_t offset = is_lent ? lane->lent + (uint64_t)(block - first)
                                  : (uint64_t)(at - pgasi_job.peers[pgasi_job.thread].base);
        words.words = words_of(offset, counts[rank], is_long);
        memcpy(unit, &words, sizeof words);
        if (rank == team->rank || is_lent)
            continue;
        if (counts[rank] > 0)
            pgasi_copy(travels ? unit + sizeof words : at, block, counts[rank]);
        at += travels ? 0 : counts[rank];
    }
}

void pgasi_stage_show_rest(pgasi_lane_t *lane, const void *src, const size_t *counts,
                           const size_t *displs, size_t least)
{
    for (uint32_t rank = 0; rank < lane->team->size; rank++)
        if (rank != lane->team->rank && counts[rank] > least)
            pgasi_copy(address_of(pgasi_carry_place_for(lane, rank)),
                       (const char *)src + displs[rank], counts[rank]);
}

void pgasi_stage_next(pgasi_lane_t *lane)
{
    lane->rounds++;
}

pgas_ptr_t pgasi_stage_find(const pgasi_lane_t *lane, uint32_t rank)
{
    if (pgasi_carry_brings_bytes(lane))
        return pgasi_carry_place(lane, rank);
    pgas_ptr_t at = slot_of(lane, rank);
    at.offset += offsetof(pgasi_team_slot_t, bytes);
    return at;
}

/* The words are read to where the result of a member will be. */
void pgasi_stage_look(const pgasi_lane_t *lane, pgasi_group_t *group, uint32_t first,
                      uint32_t count, pgasi_shown_t *shown)
{
    for (uint32_t i = 0; i < count; i++) {
        uint32_t rank = first + i;
        pgas_ptr_t at = lane->tells ? pgasi_carry_place(lane, rank) : slot_of(lane, rank);
        pgasi_count_read(lane->counted, rank == lane->team->rank, at.thread, words_bytes(lane));
        pgasi_start_get(group, &shown[i], at, words_bytes(lane));
    }
}

/* Who lends blocks for all, `nbytes` bytes, to other nodes has told those of its own of a copy.
 * That has blocks for them alone, in the order of their places: what is returned is where the first
 * one of all would be if the caller's lay behind those of all lower ranks. */
static uint64_t begin_of_copy(const pgasi_lane_t *lane, uint32_t rank, uint64_t nbytes)
{
    const pgas_team_t *team = lane->team;
    const pgasi_team_seat_t *mine = &team->seats[team->rank];
    uint64_t before = mine->local - (mine->local > team->seats[rank].local);
    words_t words;
    memcpy(&words, address_of(slot_of(lane, rank)), sizeof words);
    return words.offset + (before - team->rank) * (nbytes / team->size);
}

void pgasi_stage_seen(const pgasi_lane_t *lane, uint32_t first, uint32_t count,
                      pgasi_shown_t *shown)
{
    words_of_each_t words = {.all = 0};
    for (uint32_t i = 0; i < count; i++) {
        memcpy(&words, &shown[i], words_bytes(lane));
        shown[i] = (pgasi_shown_t){
            .at = {.thread = pgasi_team_member(lane->team, first + i),
                   .offset = words.words.offset},
            .nbytes = words.words.nbytes & ~IS_LONG,
            .is_long = (words.words.nbytes & IS_LONG) != 0,
            .largest = words.largest,
            .all = words.all,
        };
        if (pgasi_net_is_lent(words.words.offset) && is_neighbour(lane, first + i))
            shown[i].at.offset = begin_of_copy(lane, first + i, shown[i].nbytes);
        if (!is_eager(lane, shown[i].nbytes))
            continue;
        shown[i].at = pgasi_carry_place(lane, first + i);
        shown[i].at.offset += words_bytes(lane);
    }
}

void pgasi_stage_end(pgasi_lane_t *lane)
{
    if (lane->stage.offset != 0)
        pgasi_spare_keep(lane->is_in_flight, lane->stage);
    lane->stage = (pgasi_spare_t){.offset = 0};
    if (lane->lent != 0)
        pgasi_net_lent_back(lane->lent);
    lane->lent = 0;
    pgasi_carry_nothing(lane);
    lane->rounds++;
}
