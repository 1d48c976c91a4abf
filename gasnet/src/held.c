#include "held.h"

#include <malloc.h>
#include <stdlib.h>

#include "internal.h"

enum {
    /* Kept are blocks of 2^4 to 2^14 bytes, in lists by the largest power of two that they hold. */
    LEAST_CLASS = 4,
    MOST_CLASS = 14
};

/* A block that is kept. */
typedef struct kept {
    struct kept *next;
} kept_t;

/* Starts as zeros. */
static GASNETI_PER_CLIENT struct {
    size_t bytes;
    size_t kept_bytes;
    kept_t *kept[MOST_CLASS + 1];
} held;

static unsigned class_held(size_t usable)
{
    return 63 - (unsigned)__builtin_clzll(usable);
}

static unsigned class_holding(size_t nbytes)
{
    return nbytes <= (size_t)1 << LEAST_CLASS ? LEAST_CLASS : class_held(nbytes - 1) + 1;
}

static void *allocate(const char *call, size_t nbytes)
{
    if (nbytes > (size_t)1 << MOST_CLASS)
        return gasneti_allocate(call, nbytes);
    unsigned class = class_holding(nbytes);
    kept_t *block = held.kept[class];
    if (block == NULL)
        return gasneti_allocate(call, (size_t)1 << class);
    held.kept[class] = block->next;
    held.kept_bytes -= malloc_usable_size(block);
    return block;
}

void *gasneti_held_allocate(const char *call, size_t nbytes)
{
    void *memory = allocate(call, nbytes);
    held.bytes += malloc_usable_size(memory);
    return memory;
}

void gasneti_held_free(void *memory)
{
    if (memory == NULL)
        return;
    size_t usable = malloc_usable_size(memory);
    unsigned class = class_held(usable);
    held.bytes -= usable;
    if (class > MOST_CLASS || held.kept_bytes + usable > GASNETI_HELD_AT_MOST) {
        free(memory);
        return;
    }
    kept_t *block = memory;
    block->next = held.kept[class];
    held.kept[class] = block;
    held.kept_bytes += usable;
}

bool gasneti_held_is_full(void)
{
    return held.bytes >= GASNETI_HELD_AT_MOST;
}

#ifndef GASNET_SEQ

void gasneti_held_end(void)
{
    for (unsigned class = LEAST_CLASS; class <= MOST_CLASS; class ++) {
        while (held.kept[class] != NULL) {
            kept_t *block = held.kept[class];
            held.kept[class] = block->next;
            free(block);
        }
    }
    held.kept_bytes = 0;
}

#endif
