/**
 * Chunks of memory at a constant stride, and copies of them.
 */
#ifndef PGASI_BASE_CHUNKS_H
#define PGASI_BASE_CHUNKS_H

#include <stddef.h>

#include <pgas/detail.h>

typedef struct pgasi_chunks {
    /** Bytes of a chunk, and the number of chunks; both > 0. */
    size_t nbytes;
    size_t count;
    /** The strides of destination and source: bytes from the start of one chunk to that of the
     * next; may be negative. Ignored for one chunk. */
    ptrdiff_t dst;
    ptrdiff_t src;
} pgasi_chunks_t;

/** Copies `count` chunks; fast if `nbytes` is a constant. */
static inline __attribute__((always_inline)) void pgasi_chunks_move(char *dst, ptrdiff_t dst_step,
                                                                    const char *src,
                                                                    ptrdiff_t src_step,
                                                                    size_t count, size_t nbytes)
{
    for (size_t i = 0; i < count; i++) {
        pgasi_copy(dst, src, nbytes);
        dst += dst_step;
        src += src_step;
    }
}

/** Copies chunks of any size. */
static inline void pgasi_chunks_copy(char *dst, const char *src, const pgasi_chunks_t *chunks)
{
    switch (chunks->nbytes) {
    case 4:
        pgasi_chunks_move(dst, chunks->dst, src, chunks->src, chunks->count, 4);
        break;
    case 8:
        pgasi_chunks_move(dst, chunks->dst, src, chunks->src, chunks->count, 8);
        break;
    case 16:
        pgasi_chunks_move(dst, chunks->dst, src, chunks->src, chunks->count, 16);
        break;
    default:
        pgasi_chunks_move(dst, chunks->dst, src, chunks->src, chunks->count, chunks->nbytes);
    }
}

#endif
