#include "shm/call.h"

#include <inttypes.h>
#include <stdio.h>

static const char *const names[] = {
#define NAME(member, name) name,
    PGASI_COLLECTIVES(NAME)
#undef NAME
};

uint32_t pgasi_call_sign(const pgasi_call_t *call)
{
    uint64_t hash = call->call;
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
    for (uint32_t i = 0; i < call->count && used > 0 && (size_t)used < size; i++)
        used += snprintf(text + used, size - (size_t)used, i == 0 ? "%" PRIu64 : ", %" PRIu64,
                         call->arguments[i]);
    if (used > 0 && (size_t)used < size)
        snprintf(text + used, size - (size_t)used, ")");
    return text;
}
