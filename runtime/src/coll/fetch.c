#include "coll/fetch.h"

#include <stdlib.h>

#include <pgas/detail.h>

#include "copy/async.h"
#include "copy/transfer.h"

static void *keep(const char *name, pgasi_kept_t *kept, size_t nbytes)
{
    if (nbytes <= kept->size)
        return kept->memory;
    free(kept->memory);
    *kept = (pgasi_kept_t){.memory = malloc(nbytes), .size = nbytes};
    if (kept->memory == NULL)
        pgasi_fatal(name, "no memory for %zu bytes", nbytes);
    return kept->memory;
}

pgasi_shown_t *pgasi_fetch_table(pgasi_coll_t *coll)
{
    return keep(coll->name, &coll->memory->table,
                pgasi_coll_team(coll)->size * sizeof(pgasi_shown_t));
}

void *pgasi_fetch_scratch(pgasi_coll_t *coll, size_t nbytes)
{
    return keep(coll->name, &coll->memory->scratch, nbytes);
}

pgasi_next_t pgasi_fetch_look(pgasi_coll_t *coll, uint32_t first, uint32_t count,
                              pgasi_step_function_t *then)
{
    coll->step = then;
    coll->shown = pgasi_fetch_table(coll);
    coll->first_shown = first;
    coll->shown_count = count;
    pgasi_stage_look(coll->lane, &coll->memory->group, first, count, coll->shown + first);
    return PGASI_NEXT_READ;
}

pgasi_next_t pgasi_fetch_find(pgasi_coll_t *coll, uint32_t first, uint32_t count,
                              pgasi_step_function_t *then)
{
    return pgasi_coll_is_long(coll) ? pgasi_fetch_look(coll, first, count, then) : then(coll);
}

void pgasi_fetch_found(pgasi_coll_t *coll)
{
    if (coll->shown != NULL)
        pgasi_stage_seen(coll->lane, coll->first_shown, coll->shown_count,
                         coll->shown + coll->first_shown);
}

void pgasi_fetch(pgasi_coll_t *coll, void *dst, uint32_t rank, size_t offset, size_t nbytes)
{
    if (nbytes == 0)
        return;
    const pgas_team_t *team = pgasi_coll_team(coll);
    pgas_ptr_t at = pgasi_fetch_at(coll, rank);
    at.offset += offset;
    pgasi_count_read(coll->lane->counted, rank == team->rank, at.thread, nbytes);
    if (rank != team->rank)
        pgasi_count_get(pgasi_team_member(team, rank), nbytes);
    const void *from = pgasi_fetch_local(at);
    if (from != NULL && from != dst)
        pgasi_copy(dst, from, nbytes);
    else if (from == NULL)
        pgasi_start_get(&coll->memory->group, dst, at, nbytes);
}

void pgasi_fetch_own(pgasi_coll_t *coll, void *dst, const void *src, size_t nbytes)
{
    if (nbytes == 0)
        return;
    pgasi_count_message(coll->lane->counted, pgasi_job.thread, nbytes);
    if (dst != src)
        pgasi_copy(dst, src, nbytes);
}

void pgasi_fetch_check_buffer(const char *call, const void *buffer, size_t nbytes)
{
    if (nbytes > PTRDIFF_MAX)
        pgasi_fatal(call, "%zu bytes are more than a process has", nbytes);
    if (nbytes > 0)
        pgasi_check_private(call, buffer);
}

void pgasi_fetch_check_apart(const char *call, const void *src, size_t src_bytes, const void *dst,
                             size_t dst_bytes, bool may_be_same)
{
#ifdef PGAS_DEBUG
    uintptr_t from = (uintptr_t)src;
    uintptr_t to = (uintptr_t)dst;
    if (may_be_same && from == to)
        return;
    if (from < to ? to - from < src_bytes && dst_bytes > 0 : from - to < dst_bytes && src_bytes > 0)
        pgasi_fatal(call,
                    "what is received, %zu bytes at %p, overlaps what is sent, %zu bytes at %p",
                    dst_bytes, dst, src_bytes, src);
#else
    (void)call, (void)src, (void)src_bytes, (void)dst, (void)dst_bytes, (void)may_be_same;
#endif
}

void pgasi_fetch_check_block(const char *call, const void *block, size_t nbytes, const void *whole,
                             size_t whole_bytes, size_t place)
{
    if ((uintptr_t)block != (uintptr_t)whole + place)
        pgasi_fetch_check_apart(call, block, nbytes, whole, whole_bytes, false);
}

void pgasi_fetch_set_root(pgasi_coll_t *coll, int root)
{
    uint32_t size = pgasi_coll_team(coll)->size;
    if (root < 0 || (uint32_t)root >= size)
        pgasi_fatal(coll->name, "there is no rank %d in a team of %u", root, size);
    coll->root = (uint32_t)root;
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

void pgasi_fetch_check_size(const pgasi_coll_t *coll, uint32_t rank, size_t given, size_t nbytes)
{
    if (given != nbytes)
        pgasi_fatal(coll->name, "expects %zu bytes of thread %u, which gives %zu", nbytes,
                    pgasi_team_member(pgasi_coll_team(coll), rank), given);
}
