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
    size_t bytes_of[MOST_CLASS + 1];
} held;

static unsigned class_held(size_t usable)
{
    return 63 - (unsigned)__builtin_clzll(usable);
}

static unsigned class_holding(size_t nbytes)
{
    return nbytes <= (size_t)1 << LEAST_CLASS ? LEAST_CLASS : class_held(nbytes - 1) + 1;
}

static void keep(kept_t *block, unsigned class, size_t usable)
{
    block->next = held.kept[class];
    held.kept[class] = block;
    held.bytes_of[class] += usable;
    held.kept_bytes += usable;
}

/* One of those that are kept; NULL: there is none. */
static void *take(unsigned class)
{
    kept_t *block = held.kept[class];
    if (block == NULL)
        return NULL;
    size_t usable = malloc_usable_size(block);
    held.kept[class] = block->next;
    held.bytes_of[class] -= usable;
    held.kept_bytes -= usable;
    return block;
}

static unsigned fullest_class(void)
{
    unsigned fullest = LEAST_CLASS;
    for (unsigned class = LEAST_CLASS; class <= MOST_CLASS; class ++)
        if (held.bytes_of[class] > held.bytes_of[fullest])
            fullest = class;
    return fullest;
}

/* Whether there is room for one more of the class, of which what is kept of another that has more
 * is given up: many operations with a little have had their time. */
static bool make_room(unsigned class, size_t usable)
{
    while (held.kept_bytes + usable > GASNETI_HELD_AT_MOST) {
        unsigned fullest = fullest_class();
        if (fullest == class)
            return false;
        free(take(fullest));
    }
    return true;
}

static void *allocate(const char *call, size_t nbytes)
{
    if (nbytes > (size_t)1 << MOST_CLASS)
        return gasneti_allocate(call, nbytes);
    unsigned class = class_holding(nbytes);
    void *memory = take(class);
    return memory != NULL ? memory : gasneti_allocate(call, (size_t)1 << class);
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
    if (class <= MOST_CLASS && make_room(class, usable))
        keep(memory, class, usable);
    else
        free(memory);
}

bool gasneti_held_is_full(void)
{
    return held.bytes >= GASNETI_HELD_AT_MOST;
}

#ifndef GASNET_SEQ

void gasneti_held_end(void)
{
    for (unsigned class = LEAST_CLASS; class <= MOST_CLASS; class ++)
        while (held.kept[class] != NULL)
            free(take(class));
}

#endif
