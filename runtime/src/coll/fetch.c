#include "coll/fetch.h"

#include <stdlib.h>

#include <pgas/detail.h>

#include "copy/async.h"
#include "copy/group.h"
#include "copy/transfer.h"
#include "team/team.h"

/* What is kept from one collective for the next. */
typedef struct kept {
    void *memory;
    size_t size;
} kept_t;

static kept_t table;
static kept_t scratch;

static void *keep(const char *call, kept_t *kept, size_t nbytes)
{
    if (nbytes <= kept->size)
        return kept->memory;
    free(kept->memory);
    *kept = (kept_t){.memory = malloc(nbytes), .size = nbytes};
    if (kept->memory == NULL)
        pgasi_fatal(call, "no memory for %zu bytes", nbytes);
    return kept->memory;
}

pgasi_shown_t *pgasi_fetch_table(const char *call, const pgas_team_t *team)
{
    return keep(call, &table, team->size * sizeof(pgasi_shown_t));
}

void *pgasi_fetch_scratch(const char *call, size_t nbytes)
{
    return keep(call, &scratch, nbytes);
}

void pgasi_fetch(void *dst, pgas_ptr_t at, size_t offset, size_t nbytes)
{
    if (nbytes == 0)
        return;
    at.offset += offset;
    if (at.thread != pgasi_job.thread)
        pgasi_count_get(at.thread, nbytes);
    pgasi_start_get(pgasi_empty_group(), dst, at, nbytes);
}

void pgasi_fetch_wait(void)
{
    pgasi_group_wait(pgasi_empty_group());
}

void pgasi_fetch_check_buffer(const char *call, const void *buffer, size_t nbytes)
{
    if (nbytes > 0)
        pgasi_check_private(call, buffer);
}

void pgasi_fetch_check_root(const char *call, const pgas_team_t *team, int root)
{
    if (root < 0 || (uint32_t)root >= team->size)
        pgasi_fatal(call, "there is no rank %d in a team of %u", root, team->size);
}

size_t pgasi_fetch_product(const char *call, size_t a, size_t b)
{
    size_t product;
    if (__builtin_mul_overflow(a, b, &product))
        pgasi_fatal(call, "%zu times %zu bytes overflow", a, b);
    return product;
}

size_t pgasi_fetch_sum(const char *call, size_t a, size_t b)
{
    size_t sum;
    if (__builtin_add_overflow(a, b, &sum))
        pgasi_fatal(call, "the sizes of all blocks together overflow");
    return sum;
}

void pgasi_fetch_check_size(const char *call, const pgas_team_t *team, uint32_t rank, size_t given,
                            size_t nbytes)
{
    if (given != nbytes)
        pgasi_fatal(call, "expects %zu bytes of thread %u, which gives %zu", nbytes,
                    pgasi_team_member(team, rank), given);
}

uint64_t pgasi_fetch_hash(const size_t *counts, uint32_t count)
{
    uint64_t hash = count;
    for (uint32_t i = 0; i < count; i++)
        hash = ((hash ^ counts[i]) * UINT64_C(0x9e3779b97f4a7c15)) ^ hash >> 31;
    return hash;
}
