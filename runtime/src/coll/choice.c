#include "coll/choice.h"

#include <string.h>

#include <pgas/team.h>

#include "base/config.h"
#include "base/hash.h"
#include "base/log.h"
#include "coll/library.h"
#include "coll/setting.h"
#include "node/processors.h"
#include "team/carry.h"
#include "team/seats.h"

_Static_assert(PGASI_COLL_EAGER_HEAD == PGASI_STAGE_WORDS, "a unit tells where its block is");
_Static_assert(PGASI_COLL_EAGER_HEAD_OF_EACH == PGASI_STAGE_WORDS_OF_EACH, "and of the others");

static pgasi_coll_rules_t rules;
/* The rules for calls that the library does not serve. */
static pgasi_coll_rules_t own_rules;

/* The last choice for each kind, and of what: a program repeats its calls. All zero: none. */
typedef struct made {
    pgasi_coll_shape_t shape;
    size_t nbytes;
    pgasi_coll_algorithm_t algorithm;
} made_t;

static made_t made[PGASI_COLL_KIND_COUNT];

pgas_status_t pgasi_choice_load(void)
{
    pgas_status_t status = pgasi_coll_setting_read(&rules);
    if (status != PGAS_OK)
        return status;
    own_rules = (pgasi_coll_rules_t){.count = 0};
    memset(made, 0, sizeof made);
    for (uint32_t i = 0; i < rules.count; i++)
        if (rules.rules[i].algorithm != PGASI_ALGORITHM_LIBRARY)
            own_rules.rules[own_rules.count++] = rules.rules[i];
    if (own_rules.count == rules.count || pgasi_library_name() != NULL)
        return PGAS_OK;
    pgasi_log_alike("PGAS_COLL='%s': no library of collectives is built into this runtime",
                    pgasi_settings.coll);
    return PGAS_ERR_ARGUMENT;
}

/* Of the rules, not of the text: where only one thread is to show them, they are the same. */
uint64_t pgasi_choice_hash(void)
{
    uint64_t hash = rules.count;
    for (uint32_t i = 0; i < rules.count; i++) {
        const pgasi_coll_rule_t *rule = &rules.rules[i];
        hash = pgasi_hash_add(hash, (uint64_t)rule->kind << 32 | (uint64_t)rule->algorithm);
        hash = pgasi_hash_add(hash, rule->from);
    }
    return hash;
}

static pgasi_coll_shape_t shape_of(const pgas_team_t *team)
{
    return (pgasi_coll_shape_t){.members = team->size,
                                .nodes = team->nodes,
                                .most_on_node = team->most_on_node,
                                .is_split = team->kind == PGASI_KIND_SPLIT,
                                .has_processors = team->nodes == 1 && pgasi_has_processors()};
}

void pgasi_choice_show(void)
{
    const pgasi_coll_shape_t shape = shape_of(PGAS_TEAM_ALL);
    if (!rules.shows)
        return;
    for (int kind = 0; kind < PGASI_COLL_KIND_COUNT; kind++) {
        char text[2048]; /* a choice for each rule, and those of the table */
        pgasi_note("%s: %s", pgasi_coll_kind_name((pgasi_coll_kind_t)kind),
                   pgasi_coll_describe(&rules, (pgasi_coll_kind_t)kind, &shape, text, sizeof text));
    }
    if (pgasi_library_name() != NULL)
        pgasi_note("library: %s, where it serves a call", pgasi_library_name());
}

static pgasi_coll_shape_t shape_of_call(const pgasi_coll_t *coll)
{
    pgasi_coll_shape_t shape = shape_of(pgasi_coll_team(coll));
    if (pgasi_coll_has(coll->kind, PGASI_ALGORITHM_COMBINING)) {
        shape.is_interleaved =
            !coll->operation.commutes && pgasi_seats_are_interleaved(pgasi_coll_team(coll));
        shape.is_own = coll->operation.is_own;
    }
    return shape;
}

static bool is_same(const pgasi_coll_shape_t *a, const pgasi_coll_shape_t *b)
{
    return a->members == b->members && a->nodes == b->nodes && a->most_on_node == b->most_on_node &&
           a->is_interleaved == b->is_interleaved && a->is_split == b->is_split &&
           a->is_own == b->is_own && a->has_processors == b->has_processors;
}

/* From all that it depends on, and from nothing else: members have made different calls before. */
static pgasi_coll_algorithm_t choose(pgasi_coll_kind_t kind, const pgasi_coll_shape_t *shape,
                                     size_t nbytes)
{
    made_t *last = &made[kind];
    if (last->nbytes != nbytes || !is_same(&last->shape, shape))
        *last = (made_t){*shape, nbytes, pgasi_coll_choose(&rules, kind, nbytes, shape)};
    return last->algorithm;
}

void pgasi_choice_make(pgasi_coll_t *coll, pgasi_coll_kind_t kind, size_t nbytes)
{
    coll->kind = kind;
    const pgasi_coll_shape_t shape = shape_of_call(coll);
    coll->algorithm = choose(kind, &shape, nbytes);
    if (coll->algorithm == PGASI_ALGORITHM_LIBRARY && !pgasi_library_take(coll, nbytes))
        coll->algorithm = pgasi_coll_choose(&own_rules, kind, nbytes, &shape);
    if (coll->algorithm == PGASI_ALGORITHM_LIBRARY)
        coll->runs_program = true;
}

/* Of a member, or of what it has for another. */
static size_t carried_bytes(const pgasi_coll_t *coll)
{
    return pgasi_coll_pattern(coll->kind) == PGASI_CARRY_EACH ? coll->nbytes : coll->shown_bytes;
}

bool pgasi_choice_carries(const pgasi_coll_t *coll)
{
    if (pgasi_coll_is_uneven(coll->kind))
        return false;
    if (coll->algorithm == PGASI_ALGORITHM_LINEAR)
        return pgasi_carry_has_trays(pgasi_coll_team(coll), carried_bytes(coll));
    return pgasi_coll_carries(coll->algorithm);
}

static uint32_t root_of(const pgasi_coll_t *coll, pgasi_carry_pattern_t pattern)
{
    bool has_root = pattern == PGASI_CARRY_FROM_ROOT || pattern == PGASI_CARRY_TO_ROOT;
    return has_root ? coll->root : 0;
}

bool pgasi_choice_carries_rest(const pgasi_coll_t *coll, size_t largest, uint64_t all)
{
    const pgasi_coll_shape_t shape = shape_of(pgasi_coll_team(coll));
    return coll->algorithm == PGASI_ALGORITHM_EAGER && largest > coll->lane->room &&
           pgasi_coll_carries_rest(coll->kind, largest, all, &shape);
}

void pgasi_choice_carry_rest(pgasi_coll_t *coll, size_t largest)
{
    pgasi_carry_pattern_t pattern = pgasi_coll_pattern_of_rest(coll->kind);
    coll->travelled = coll->lane->room;
    coll->shown = NULL;
    pgasi_stage_next(coll->lane);
    pgasi_carry_nothing(coll->lane);
    pgasi_carry_set(coll->lane, pattern, root_of(coll, pattern), largest);
}

void pgasi_choice_senders(pgasi_coll_t *coll)
{
    const pgasi_coll_shape_t shape = shape_of(pgasi_coll_team(coll));
    coll->senders = pgasi_coll_senders(coll->nbytes, &shape);
    coll->first_sender = 0;
}

void pgasi_choice_carry_some(const pgasi_coll_t *coll)
{
    pgasi_carry_some(coll->lane, coll->nbytes, coll->first_sender, coll->senders);
}

void pgasi_choice_carry(const pgasi_coll_t *coll)
{
    pgasi_carry_pattern_t pattern = pgasi_coll_pattern(coll->kind);
    uint32_t root = root_of(coll, pattern);
    if (coll->algorithm == PGASI_ALGORITHM_EAGER) {
        const pgasi_coll_shape_t shape = shape_of(pgasi_coll_team(coll));
        pgasi_stage_tell_eagerly(coll->lane, pattern, root,
                                 pgasi_coll_eager_unit(coll->kind, &shape));
        return;
    }
    if (pgasi_coll_is_long(coll))
        pgasi_stage_tell(coll->lane);
    if (!pgasi_choice_carries(coll))
        return;
    pgasi_carry_set(coll->lane, pattern, root, carried_bytes(coll));
    if (coll->algorithm == PGASI_ALGORITHM_COMBINING)
        pgasi_carry_combined(coll->lane, &(pgasi_joining_t){.combine = coll->operation.combine,
                                                            .type = coll->operation.type,
                                                            .count = coll->count,
                                                            .nbytes = coll->nbytes});
}
