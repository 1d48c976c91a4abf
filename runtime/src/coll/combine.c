#include "coll/combine.h"

#include <pgas/detail.h>
#include <pgas/ptr.h>

#include "coll/fetch.h"
#include "copy/transfer.h"

enum {
    /* Bytes of each operand at a time, so that they stay in a cache; more if some come from other
     * nodes, a round trip for each piece; and of all that come from there together. */
    PIECE = 32768,
    FETCHED_PIECE = 524288,
    MOST_FETCHED = 2 << 20,
    LEAST_PIECE = 4096
};

/* Whether the operand of a rank is one of those that are combined. */
static bool is_combined(const pgasi_coll_t *coll, uint32_t rank)
{
    const pgas_team_t *team = pgasi_coll_team(coll);
    if (coll->combining.of == PGASI_COMBINED_ALL)
        return true;
    const pgasi_team_seat_t *seat = &team->seats[rank];
    if (coll->combining.of == PGASI_COMBINED_NODES)
        return seat->local == 0;
    const pgasi_team_seat_t *own = &team->seats[team->rank];
    return coll->combining.of == PGASI_COMBINED_NODE ? seat->node == own->node
                                                     : seat->local == own->local;
}

static const void *local_operand(const pgasi_coll_t *coll, uint32_t rank, size_t offset)
{
    pgas_ptr_t at = coll->shown[rank].at;
    if (rank == pgasi_coll_team(coll)->rank && coll->combining.own != NULL)
        return coll->combining.own + offset;
    at.offset += offset;
    return pgasi_fetch_local(at);
}

static uint32_t count_remote(const pgasi_coll_t *coll, uint32_t last)
{
    uint32_t remote = 0;
    for (uint32_t rank = 0; rank <= last; rank++)
        remote += is_combined(coll, rank) && local_operand(coll, rank, 0) == NULL;
    return remote;
}

/* Elements that are combined at a time. */
static size_t piece_of(const pgasi_coll_t *coll, uint32_t remote)
{
    size_t nbytes = remote > 0 ? FETCHED_PIECE : PIECE;
    if (remote > 0 && MOST_FETCHED / remote < nbytes)
        nbytes = MOST_FETCHED / remote;
    if (nbytes < LEAST_PIECE)
        nbytes = LEAST_PIECE;
    size_t count = nbytes / coll->operation.size;
    return count > 0 ? count : 1;
}

/* What has been written of coll->combining says what is combined. */
static void begin(pgasi_coll_t *coll)
{
    pgasi_combining_t *combining = &coll->combining;
    uint32_t remote = count_remote(coll, combining->last);
    size_t piece = piece_of(coll, remote);
    if (piece > combining->count)
        piece = combining->count;
    if (remote > 0)
        pgasi_fetch_scratch(coll, remote * piece * coll->operation.size);
    combining->remote = remote;
    combining->piece = piece;
}

void pgasi_combine_begin(pgasi_coll_t *coll, size_t first, size_t count, uint32_t last, void *dst)
{
    coll->combining = (pgasi_combining_t){
        .first = first,
        .count = count,
        .last = last,
        .own = coll->src == dst ? NULL : coll->src,
        .dst = dst,
    };
    begin(coll);
}

void pgasi_combine_begin_some(pgasi_coll_t *coll, pgasi_combined_t of, size_t first, size_t count,
                              const void *own, void *dst)
{
    coll->combining = (pgasi_combining_t){
        .of = of,
        .first = first,
        .count = count,
        .last = pgasi_coll_team(coll)->size - 1,
        .own = own,
        .dst = dst,
    };
    begin(coll);
}

/* What comes from other nodes lies in the scratch memory in ascending order. */
static void fetch_piece(pgasi_coll_t *coll, size_t count)
{
    const pgas_team_t *team = pgasi_coll_team(coll);
    const pgasi_combining_t *combining = &coll->combining;
    char *scratch = coll->memory->scratch.memory;
    size_t nbytes = count * coll->operation.size;
    size_t offset = (combining->first + combining->done) * coll->operation.size;
    for (uint32_t rank = 0; rank <= combining->last; rank++) {
        if (!is_combined(coll, rank))
            continue;
        if (local_operand(coll, rank, 0) == NULL) {
            pgasi_fetch(coll, scratch, rank, offset, nbytes);
            scratch += nbytes;
        } else {
            bool is_own = rank == team->rank;
            pgasi_count_read(coll->lane->counted, is_own, coll->shown[rank].at.thread, nbytes);
            if (!is_own)
                pgasi_count_get(pgasi_team_member(team, rank), nbytes);
        }
    }
}

/* From the highest rank down. */
static void combine_piece(const pgasi_coll_t *coll)
{
    const pgasi_combining_t *combining = &coll->combining;
    const pgasi_operation_t *operation = &coll->operation;
    size_t nbytes = combining->fetched * operation->size;
    size_t offset = (combining->first + combining->done) * operation->size;
    const char *scratch_end = coll->memory->scratch.memory;
    if (combining->remote > 0)
        scratch_end += combining->remote * nbytes;
    char *dst = (char *)combining->dst + combining->done * operation->size;
    bool is_first = true;
    for (uint32_t rank = combining->last + 1; rank-- > 0;) {
        if (!is_combined(coll, rank))
            continue;
        const void *operand = local_operand(coll, rank, offset);
        if (operand == NULL)
            operand = scratch_end -= nbytes;
        if (is_first)
            pgasi_copy(dst, operand, nbytes);
        else
            operation->combine(operand, dst, combining->fetched, operation->type);
        is_first = false;
    }
}

bool pgasi_combine_next(pgasi_coll_t *coll)
{
    pgasi_combining_t *combining = &coll->combining;
    do {
        if (combining->fetched > 0)
            combine_piece(coll);
        combining->done += combining->fetched;
        size_t left = combining->count - combining->done;
        combining->fetched = left < combining->piece ? left : combining->piece;
        if (combining->fetched > 0)
            fetch_piece(coll, combining->fetched);
    } while (combining->fetched > 0 && combining->remote == 0);
    return combining->fetched > 0;
}
