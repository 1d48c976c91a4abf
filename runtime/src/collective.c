#include "collective.h"

#include <inttypes.h>
#include <stdio.h>

#include <pgas/detail.h>

#include "activity.h"
#include "in_job.h"

static const char *const names[] = {
#define NAME(member, name) name,
    PGASI_COLLECTIVES(NAME)
#undef NAME
};

static unsigned depth;

/* Any function does that seldom gives two different calls the same number, and never 0. */
static uint32_t sign(const pgasi_call_t *call)
{
    uint64_t hash = call->call;
    for (uint32_t i = 0; i < call->count; i++)
        hash = (hash ^ call->arguments[i] ^ hash >> 32) * UINT64_C(0x9e3779b97f4a7c15);
    uint32_t signature = (uint32_t)(hash >> 32) ^ (uint32_t)hash;
    return signature != 0 ? signature : 1;
}

void pgasi_collective_begin(pgasi_collective_t call, size_t count, const uint64_t *arguments)
{
    pgasi_require_job(names[call]);
    if (depth++ > 0)
        return;
    pgasi_call_t begun = {.thread = pgasi_job.thread + 1, .call = call, .count = (uint32_t)count};
    for (size_t i = 0; i < count; i++)
        begun.arguments[i] = arguments[i];
    begun.signature = sign(&begun);
    pgasi_activity_begin(&begun);
}

void pgasi_collective_end(void)
{
    if (--depth == 0)
        pgasi_activity_end();
}

const char *pgasi_collective_name(const pgasi_call_t *call)
{
    return call->call < PGASI_COLLECTIVE_COUNT ? names[call->call] : names[PGASI_BARRIER];
}

const char *pgasi_collective_describe(const pgasi_call_t *call, char *text, size_t size)
{
    int used = snprintf(text, size, "%s(", pgasi_collective_name(call));
    for (uint32_t i = 0; i < call->count && used > 0 && (size_t)used < size; i++)
        used += snprintf(text + used, size - (size_t)used, i == 0 ? "%" PRIu64 : ", %" PRIu64,
                         call->arguments[i]);
    if (used > 0 && (size_t)used < size)
        snprintf(text + used, size - (size_t)used, ")");
    return text;
}

void pgasi_collective_differ(const pgasi_call_t *mine, const pgasi_call_t *other)
{
    char here[128];
    char there[128];
    pgasi_fatal(pgasi_collective_name(mine), "thread %u calls %s, but thread %u calls %s",
                mine->thread - 1, pgasi_collective_describe(mine, here, sizeof here),
                other->thread - 1, pgasi_collective_describe(other, there, sizeof there));
}
