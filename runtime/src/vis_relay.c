/* From other nodes to other nodes: many gets into a private buffer, then many puts out of it. */
#include <stdlib.h>

#include "vis_move.h"

enum {
    RELAY_SIZE = 1 << 18,
    ENTRIES_MAX = RELAY_SIZE / 16
};

typedef struct relay {
    char bytes[RELAY_SIZE];
    struct {
        pgas_ptr_t dst;
        size_t nbytes;
    } entries[ENTRIES_MAX];
    size_t count;
    size_t size;
} relay_t;

static relay_t *relay;
static pgasi_group_t arriving;
static pgasi_group_t leaving;

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
        pgas_ptr_t dst = relay->entries[i].dst;
        size_t nbytes = relay->entries[i].nbytes;
        pgasi_move_out(&leaving, dst, from, nbytes);
        from += nbytes;
    }
    pgasi_group_wait(&leaving);
    relay->count = relay->size = 0;
}

void pgasi_relay(pgas_ptr_t dst, pgas_ptr_t src, size_t nbytes)
{
    relay_t *r = get_relay();
    while (nbytes > 0) {
        if (r->count == ENTRIES_MAX || r->size == RELAY_SIZE)
            pgasi_relay_finish();
        size_t step = nbytes < RELAY_SIZE - r->size ? nbytes : RELAY_SIZE - r->size;
        pgasi_move_in(&arriving, r->bytes + r->size, src, step);
        r->entries[r->count].dst = dst;
        r->entries[r->count].nbytes = step;
        r->count++;
        r->size += step;
        dst.offset += step;
        src.offset += step;
        nbytes -= step;
    }
}
