#include "net/ucx/packed.h"

#include <string.h>

#include "net/ucx/request.h"

static bool read_bytes(pgasi_ucx_packed_t *packed, void *to, size_t nbytes)
{
    if (nbytes > packed->left)
        return false;
    memcpy(to, packed->next, nbytes);
    packed->next += nbytes;
    packed->left -= nbytes;
    return true;
}

/* Whether all of a strided run of chunks lies in the segment. */
static bool is_run_in_segment(uint64_t offset, const pgasi_ucx_run_t *run, size_t nbytes)
{
    int64_t way;
    uint64_t last;
    return run->count > 0 && run->count <= INT64_MAX && pgasi_ucx_is_in_segment(offset, nbytes) &&
           !__builtin_mul_overflow(run->stride, (int64_t)run->count - 1, &way) &&
           !__builtin_add_overflow((int64_t)offset, way, (int64_t *)&last) &&
           pgasi_ucx_is_in_segment(last, nbytes);
}

/* Reads a piece whose place counts from `offset`: where it begins here, its chunks and, as their
 * `dst`, the bytes from one to the next. False for one that makes no sense. */
static bool read_piece(pgasi_ucx_packed_t *packed, uint64_t offset, char **begin,
                       pgasi_chunks_t *chunks)
{
    pgasi_ucx_piece_t piece;
    pgasi_ucx_run_t run = {.stride = 0, .count = 1};
    if (!read_bytes(packed, &piece, sizeof piece))
        return false;
    bool is_run = (piece.nbytes & PGASI_UCX_IS_RUN) != 0;
    if (is_run && !read_bytes(packed, &run, sizeof run))
        return false;
    size_t nbytes = piece.nbytes & ~PGASI_UCX_IS_RUN;
    uint64_t first = offset + piece.distance;
    if (nbytes == 0 || first < offset || !is_run_in_segment(first, &run, nbytes))
        return false;
    *begin = pgasi_ucx_segment_at(first);
    *chunks = (pgasi_chunks_t){nbytes, run.count, run.stride, (ptrdiff_t)nbytes};
    return true;
}

static bool is_atomic(const pgasi_ucx_packed_t *packed)
{
    pgasi_ucx_piece_t piece;
    if (packed->left < sizeof piece)
        return false;
    memcpy(&piece, packed->next, sizeof piece);
    return (piece.nbytes & (PGASI_UCX_IS_RUN | PGASI_UCX_IS_ATOMIC)) == PGASI_UCX_IS_ATOMIC;
}

/* Executes an atomic operation; `*size` is how many bytes of `*old` the word has. False for one
 * that makes no sense. */
static bool execute(pgasi_ucx_packed_t *packed, uint64_t offset, uint64_t *old, size_t *size)
{
    pgasi_ucx_piece_t piece;
    pgasi_ucx_operands_t operands = {0};
    if (!read_bytes(packed, &piece, sizeof piece))
        return false;
    uint32_t op = (piece.nbytes & ~PGASI_UCX_IS_ATOMIC) >> PGASI_UCX_OP_SHIFT;
    uint32_t type = piece.nbytes & ((1U << PGASI_UCX_OP_SHIFT) - 1);
    uint64_t at = offset + piece.distance;
    void *word = at < offset ? NULL : pgasi_ucx_word_at(op, type, at);
    if (word == NULL || !read_bytes(packed, &operands, pgasi_ucx_operands_size(op)))
        return false;
    *old = pgasi_word_apply(op, type, word, operands.operand, operands.compare);
    *size = pgasi_size_of_type(type);
    return true;
}

bool pgasi_ucx_packed_put(pgasi_ucx_packed_t *packed, uint64_t offset)
{
    char *begin;
    pgasi_chunks_t chunks;
    size_t nbytes;
    uint64_t old;
    if (is_atomic(packed))
        return execute(packed, offset, &old, &nbytes);
    if (!read_piece(packed, offset, &begin, &chunks) ||
        __builtin_mul_overflow(chunks.count, chunks.nbytes, &nbytes) || nbytes > packed->left ||
        pgasi_ucx_padded(nbytes) > packed->left)
        return false;
    pgasi_chunks_copy(begin, packed->next, &chunks);
    packed->next += pgasi_ucx_padded(nbytes);
    packed->left -= pgasi_ucx_padded(nbytes);
    return true;
}

bool pgasi_ucx_packed_get(pgasi_ucx_packed_t *packed, uint64_t offset, char **to, size_t *left)
{
    char *begin;
    pgasi_chunks_t chunks;
    size_t nbytes;
    uint64_t old;
    if (is_atomic(packed)) {
        if (!execute(packed, offset, &old, &nbytes) || nbytes > *left)
            return false;
        memcpy(*to, &old, nbytes);
        *to += nbytes;
        *left -= nbytes;
        return true;
    }
    if (!read_piece(packed, offset, &begin, &chunks) ||
        __builtin_mul_overflow(chunks.count, chunks.nbytes, &nbytes) || nbytes > *left)
        return false;
    pgasi_chunks_t one_by_one = {chunks.nbytes, chunks.count, chunks.src, chunks.dst};
    pgasi_chunks_copy(*to, begin, &one_by_one);
    *to += nbytes;
    *left -= nbytes;
    return true;
}
