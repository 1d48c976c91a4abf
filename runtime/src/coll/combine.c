#include "coll/combine.h"

#include <string.h>

#include <pgas/ptr.h>

#include "coll/fetch.h"
#include "copy/transfer.h"

enum {
    /* Bytes of each operand at a time, so that they stay in a cache; and of all that come from
     * other nodes together. */
    PIECE = 32768,
    MOST_FETCHED = 1 << 20,
    LEAST_PIECE = 4096
};

void pgasi_operands_find(pgasi_operands_t *operands)
{
    pgas_team_t *team = operands->team;
    size_t nbytes = operands->count * operands->operation.size;
    pgasi_shown_t *shown = pgasi_fetch_table(operands->call, team);
    if (pgasi_stage_is_long(nbytes))
        pgasi_stage_look_all(team, 0, team->size, shown);
    for (uint32_t rank = 0; rank < team->size && !pgasi_stage_is_long(nbytes); rank++)
        shown[rank] = (pgasi_shown_t){pgasi_stage_find(team, rank, nbytes), nbytes};
    operands->shown = shown;
}

static const void *local_operand(const pgasi_operands_t *operands, uint32_t rank, size_t offset)
{
    pgas_ptr_t at = operands->shown[rank].at;
    at.offset += offset;
    return pgas_local(at);
}

static uint32_t count_remote(const pgasi_operands_t *operands, uint32_t last)
{
    uint32_t remote = 0;
    for (uint32_t rank = 0; rank <= last; rank++)
        remote += local_operand(operands, rank, 0) == NULL;
    return remote;
}

/* Elements that are combined at a time. */
static size_t piece_of(const pgasi_operands_t *operands, uint32_t remote)
{
    size_t nbytes = PIECE;
    if (remote > 0 && MOST_FETCHED / remote < nbytes)
        nbytes = MOST_FETCHED / remote;
    if (nbytes < LEAST_PIECE)
        nbytes = LEAST_PIECE;
    size_t count = nbytes / operands->operation.size;
    return count > 0 ? count : 1;
}

static void fetch_remote(const pgasi_operands_t *operands, uint32_t last, size_t offset,
                         size_t nbytes, char *scratch)
{
    for (uint32_t rank = 0; rank <= last; rank++) {
        uint32_t thread = operands->shown[rank].at.thread;
        if (local_operand(operands, rank, 0) == NULL) {
            pgasi_fetch(scratch, operands->shown[rank].at, offset, nbytes);
            scratch += nbytes;
        } else if (thread != pgasi_job.thread) {
            pgasi_count_get(thread, nbytes);
        }
    }
    pgasi_fetch_wait();
}

/* From the highest rank down; what has come from other nodes lies in ascending order. */
static void combine_piece(const pgasi_operands_t *operands, size_t offset, size_t count,
                          uint32_t last, const char *scratch_end, void *dst)
{
    const pgasi_operation_t *operation = &operands->operation;
    size_t nbytes = count * operation->size;
    for (uint32_t rank = last + 1; rank-- > 0;) {
        const void *operand = local_operand(operands, rank, offset);
        if (operand == NULL)
            operand = scratch_end -= nbytes;
        if (rank == last)
            memcpy(dst, operand, nbytes);
        else
            operation->combine(operand, dst, count, operation->type);
    }
}

void pgasi_operands_combine(const pgasi_operands_t *operands, size_t first, size_t count,
                            uint32_t last, void *dst)
{
    size_t size = operands->operation.size;
    uint32_t remote = count_remote(operands, last);
    size_t piece = piece_of(operands, remote);
    if (piece > count)
        piece = count;
    char *scratch = pgasi_fetch_scratch(operands->call, remote * piece * size);
    for (size_t done = 0; done < count; done += piece) {
        size_t now = count - done < piece ? count - done : piece;
        size_t offset = (first + done) * size;
        fetch_remote(operands, last, offset, now * size, scratch);
        combine_piece(operands, offset, now, last, scratch + remote * now * size,
                      (char *)dst + done * size);
    }
}
