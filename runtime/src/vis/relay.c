/* From other nodes to other nodes: many gets into a private buffer, then many puts out of it. */
#include <stdlib.h>

#include "vis/move.h"

enum {
    RELAY_SIZE = 1 << 18,
    ENTRIES_MAX = RELAY_SIZE / 16
};

typedef struct relay {
    char bytes[RELAY_SIZE];
    struct {
        pgas_ptr_t dst;
        /* out of the buffer */
        pgasi_chunks_t chunks;
    } entries[ENTRIES_MAX];
    size_t count;
    size_t size;
} relay_t;

static _Thread_local relay_t *relay;
static _Thread_local pgasi_group_t arriving;
static _Thread_local pgasi_group_t leaving;

static relay_t *get_relay(void)
{
    if (relay == NULL) {
        relay = malloc(sizeof *relay);
        if (relay == NULL)
            pgasi_fatal("copy", "no memory for a buffer of %zu bytes", sizeof *relay);
        relay->count = relay->size = 0;
    }
    return relay;
}

void pgasi_relay_finish(void)
{
    if (relay == NULL || relay->count == 0)
        return;
    pgasi_group_wait(&arriving);
    const char *from = relay->bytes;
    for (size_t i = 0; i < relay->count; i++) {
        const pgasi_chunks_t *chunks = &relay->entries[i].chunks;
        pgasi_move_out(&leaving, relay->entries[i].dst, from, *chunks);
        from += chunks->count * chunks->nbytes;
    }
    pgasi_group_wait(&leaving);
    relay->count = relay->size = 0;
}

/* Adds as many chunks as the buffer has space for, at least one; returns their number. */
static size_t relay_some(relay_t *r, pgas_ptr_t dst, pgas_ptr_t src, const pgasi_chunks_t *chunks)
{
    ptrdiff_t nbytes = (ptrdiff_t)chunks->nbytes;
    if (r->count == ENTRIES_MAX || RELAY_SIZE - r->size < chunks->nbytes)
        pgasi_relay_finish();
    size_t space = (RELAY_SIZE - r->size) / chunks->nbytes;
    size_t count = space < chunks->count ? space : chunks->count;
    pgasi_chunks_t arriving_chunks = {chunks->nbytes, count, nbytes, chunks->src};
    pgasi_move_in(&arriving, r->bytes + r->size, src, arriving_chunks);
    r->entries[r->count].dst = dst;
    r->entries[r->count].chunks = (pgasi_chunks_t){chunks->nbytes, count, chunks->dst, nbytes};
    r->count++;
    r->size += count * chunks->nbytes;
    return count;
}

/* A chunk that is larger than the buffer. */
static void relay_large(relay_t *r, pgas_ptr_t dst, pgas_ptr_t src, size_t nbytes)
{
    while (nbytes > 0) {
        pgasi_chunks_t part = {.nbytes = nbytes < RELAY_SIZE ? nbytes : RELAY_SIZE, .count = 1};
        relay_some(r, dst, src, &part);
        dst.offset += part.nbytes;
        src.offset += part.nbytes;
        nbytes -= part.nbytes;
    }
}

void pgasi_relay(pgas_ptr_t dst, pgas_ptr_t src, const pgasi_chunks_t *chunks)
{
    relay_t *r = get_relay();
    pgasi_chunks_t left = *chunks;
    while (left.count > 0) {
        size_t count = 1;
        if (left.nbytes > RELAY_SIZE)
            relay_large(r, dst, src, left.nbytes);
        else
            count = relay_some(r, dst, src, &left);
        left.count -= count;
        dst.offset += count * (uint64_t)left.dst;
        src.offset += count * (uint64_t)left.src;
    }
}

void pgasi_relay_detach(void)
{
    free(relay);
    relay = NULL;
    pgasi_group_free(&arriving);
    pgasi_group_free(&leaving);
}
