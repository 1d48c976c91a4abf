#include "team/spare.h"

#include <pthread.h>

#include <pgas/detail.h>

#include "heap/heap_node.h"

enum {
    /* Blocks of a class are up to four times as large as those of the one before. */
    CLASSES = 5,
    SMALL = 256 << 10
};

/* What is larger than the last class is not kept: what is freed gives its pages back, and they cost
 * their faults again. */
_Static_assert((size_t)SMALL << 2 * (CLASSES - 1) == 64 << 20, "as pgas/coll.h says");

/* Under the guard a block is here, or in use, or free: who finds no memory finds what is kept. */
static pgasi_spare_t spares[2][CLASSES];
static pthread_mutex_t guard = PTHREAD_MUTEX_INITIALIZER;

static unsigned class_of(size_t nbytes)
{
    unsigned class = 0;
    while (class < CLASSES && nbytes > (size_t)SMALL << 2 * class)
        class ++;
    return class;
}

static void free_block(pgasi_spare_t block)
{
    if (block.offset != 0)
        pgasi_heap_free_own(pgasi_job.thread, block.offset);
}

static pgasi_spare_t empty(pgasi_spare_t *spare)
{
    pgasi_spare_t kept = *spare;
    *spare = (pgasi_spare_t){.offset = 0};
    return kept;
}

/* Of its class; what has become too small there is not kept any longer. */
static pgasi_spare_t take_kept(bool is_in_flight, size_t nbytes)
{
    unsigned class = class_of(nbytes);
    pgasi_spare_t kept = {.offset = 0};
    if (class == CLASSES)
        return kept;
    pthread_mutex_lock(&guard);
    kept = empty(&spares[is_in_flight][class]);
    if (kept.size < nbytes) {
        free_block(kept);
        kept.offset = 0;
    }
    pthread_mutex_unlock(&guard);
    return kept;
}

/* The smallest that is large enough, but none of which most would lie idle: a call may be in flight
 * for long, and a large one that comes meanwhile needs the room. All are given up then. */
static pgasi_spare_t take_larger(size_t nbytes)
{
    size_t most = 4 * nbytes;
    pgasi_spare_t kept = {.offset = 0};
    pthread_mutex_lock(&guard);
    for (unsigned class = class_of(nbytes); class < CLASSES && kept.offset == 0; class ++)
        for (unsigned kind = 0; kind < 2 && kept.offset == 0; kind++)
            if (spares[kind][class].size >= nbytes && spares[kind][class].size <= most)
                kept = empty(&spares[kind][class]);
    pthread_mutex_unlock(&guard);
    return kept;
}

static void give_up(void)
{
    pthread_mutex_lock(&guard);
    for (unsigned i = 0; i < 2 * CLASSES; i++)
        free_block(empty(&spares[i / CLASSES][i % CLASSES]));
    pthread_mutex_unlock(&guard);
}

void pgasi_spare_start(void)
{
    pgasi_heap_on_shortage(give_up);
}

pgasi_spare_t pgasi_spare_take(bool is_in_flight, size_t nbytes, uint64_t *used)
{
    pgasi_spare_t block = take_kept(is_in_flight, nbytes);
    if (block.offset != 0)
        return block;
    block = (pgasi_spare_t){.offset = pgasi_heap_try_own(nbytes, used), .size = nbytes};
    if (block.offset == 0)
        block = take_larger(nbytes);
    if (block.offset == 0)
        block = (pgasi_spare_t){.offset = pgasi_heap_alloc_own(nbytes, used), .size = nbytes};
    return block;
}

void pgasi_spare_keep(bool is_in_flight, pgasi_spare_t block)
{
    unsigned class = class_of(block.size);
    pthread_mutex_lock(&guard);
    if (class < CLASSES && block.size > spares[is_in_flight][class].size) {
        pgasi_spare_t kept = spares[is_in_flight][class];
        spares[is_in_flight][class] = block;
        block = kept;
    }
    free_block(block);
    pthread_mutex_unlock(&guard);
}
