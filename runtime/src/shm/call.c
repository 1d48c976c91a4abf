#include "shm/call.h"

#include <inttypes.h>
#include <stdio.h>

#include "base/hash.h"

static const char *const names[] = {
#define NAME(member, name) name,
    PGASI_COLLECTIVES(NAME)
#undef NAME
};

/* The arguments of a call with counts. */
enum {
    SUM,
    WEIGHTED_SUM,
    BEHIND_COUNTS
};

static bool has_counts(const pgasi_call_t *call)
{
    return call->call == PGASI_ALLGATHERV || call->call == PGASI_REDUCE_SCATTER;
}

/* Odd, so that a count that differs changes the sum. */
static uint64_t weight_of(uint32_t rank)
{
    return pgasi_hash_add(0, rank) | 1;
}

void pgasi_call_set_counts(pgasi_call_t *call, const size_t *counts, uint32_t members)
{
    call->arguments[SUM] = 0;
    call->arguments[WEIGHTED_SUM] = 0;
    for (uint32_t rank = 0; rank < members; rank++) {
        call->arguments[SUM] += counts[rank];
        call->arguments[WEIGHTED_SUM] += counts[rank] * weight_of(rank);
    }
}

static bool differ_in_counts_alone(const pgasi_call_t *mine, const pgasi_call_t *other)
{
    if (!has_counts(mine) || mine->call != other->call || mine->count != other->count)
        return false;
    for (uint32_t i = BEHIND_COUNTS; i < mine->count && i < PGASI_CALL_ARGUMENTS; i++)
        if (mine->arguments[i] != other->arguments[i])
            return false;
    return mine->arguments[SUM] != other->arguments[SUM] ||
           mine->arguments[WEIGHTED_SUM] != other->arguments[WEIGHTED_SUM];
}

bool pgasi_call_counts_differ(const pgasi_call_t *mine, const pgasi_call_t *other, uint32_t members,
                              char *text, size_t size)
{
    if (!differ_in_counts_alone(mine, other))
        return false;
    bool is_mine_more = mine->arguments[SUM] > other->arguments[SUM];
    const pgasi_call_t *more = is_mine_more ? mine : other;
    const pgasi_call_t *less = is_mine_more ? other : mine;
    uint64_t by = more->arguments[SUM] - less->arguments[SUM];
    uint64_t weighted = more->arguments[WEIGHTED_SUM] - less->arguments[WEIGHTED_SUM];
    uint32_t rank = 0;
    while (rank < members && by * weight_of(rank) != weighted)
        rank++;
    if (by > 0 && rank < members)
        snprintf(text, size,
                 "the count of rank %" PRIu32 " is larger by %" PRIu64 " in thread %" PRIu32
                 " than in thread %" PRIu32,
                 rank, by, more->thread - 1, less->thread - 1);
    else
        snprintf(text, size,
                 "more than one count differs between thread %" PRIu32 ", whose sum is %" PRIu64
                 ", and thread %" PRIu32 ", whose sum is %" PRIu64,
                 mine->thread - 1, mine->arguments[SUM], other->thread - 1, other->arguments[SUM]);
    return true;
}

uint32_t pgasi_call_sign(const pgasi_call_t *call)
{
    uint64_t hash = pgasi_hash_add(call->call + UINT64_C(1), call->count);
    for (uint32_t i = 0; i < call->count; i++)
        hash = (hash ^ call->arguments[i] ^ hash >> 32) * UINT64_C(0x9e3779b97f4a7c15);
    uint32_t signature = (uint32_t)(hash >> 32) ^ (uint32_t)hash;
    return signature != 0 ? signature : 1;
}

const char *pgasi_call_name(const pgasi_call_t *call)
{
    return call->call < PGASI_COLLECTIVE_COUNT ? names[call->call] : names[PGASI_BARRIER];
}

const char *pgasi_call_describe(const pgasi_call_t *call, char *text, size_t size)
{
    int used = snprintf(text, size, "%s(", pgasi_call_name(call));
    uint32_t first = 0;
    if (has_counts(call) && used > 0 && (size_t)used < size) {
        used += snprintf(text + used, size - (size_t)used, "counts of %" PRIu64 " in all",
                         call->arguments[SUM]);
        first = BEHIND_COUNTS;
    }
    for (uint32_t i = first; i < call->count && used > 0 && (size_t)used < size; i++)
        used += snprintf(text + used, size - (size_t)used, i == 0 ? "%" PRIu64 : ", %" PRIu64,
                         call->arguments[i]);
    if (used > 0 && (size_t)used < size)
        snprintf(text + used, size - (size_t)used, ")");
    return text;
}
