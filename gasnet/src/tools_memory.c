#include <gasnet.h>
#include <gasnet_tools.h>

#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/*
 * An object: this, the bytes of the caller, and a word behind them. All objects are in a ring. The
 * words before and behind the bytes tell of writes beyond them.
 */
typedef struct object {
    struct object *next;
    struct object *previous;
    const char *place;
    size_t size;
    uint64_t unused;
    uint64_t before;
} object_t;

_Static_assert(sizeof(object_t) % 16 == 0, "what follows is aligned for any type");

#define LIVE UINT64_C(0x6f626a6563742031)
#define DEAD UINT64_C(0x6f626a6563742030)

static pthread_mutex_t guard = PTHREAD_MUTEX_INITIALIZER;
static object_t ring = {.next = &ring, .previous = &ring};
static object_t *next_checked = &ring;
static gasnett_heapstats_t totals;

enum {
    KEPT = 64
};

/* The last that have been freed stay for some time, so that a second free finds them. */
static object_t *freed[KEPT];
static size_t freed_count;

static char *bytes_of(object_t *object)
{
    return (char *)(object + 1);
}

static object_t *object_of(void *memory)
{
    return (object_t *)memory - 1;
}

static void check(object_t *object, const char *place)
{
    uint64_t behind;
    if (object->before == DEAD)
        gasnett_fatalerror("%s: memory at %p has been freed", place, (void *)bytes_of(object));
    if (object->before != LIVE)
        gasnett_fatalerror("%s: memory at %p was not allocated here, or written before its start",
                           place, (void *)bytes_of(object));
    memcpy(&behind, bytes_of(object) + object->size, sizeof behind);
    if (behind != LIVE)
        gasnett_fatalerror("%s: memory at %p of %zu bytes, allocated at %s, written beyond its end",
                           place, (void *)bytes_of(object), object->size, object->place);
}

static void count_allocated(size_t size)
{
    totals.allocated_bytes += size;
    totals.allocated_objects++;
    totals.live_bytes += size;
    totals.live_objects++;
    totals.overhead_bytes += sizeof(object_t) + sizeof(uint64_t);
    if (totals.live_bytes > totals.live_bytes_max)
        totals.live_bytes_max = totals.live_bytes;
    if (totals.live_objects > totals.live_objects_max)
        totals.live_objects_max = totals.live_objects;
}

void *gasneti_debug_malloc(size_t size, const char *place)
{
    const uint64_t behind = LIVE;
    if (size == 0)
        return NULL;
    object_t *object = size < SIZE_MAX / 2 ? malloc(sizeof *object + size + sizeof behind) : NULL;
    if (object == NULL)
        gasnett_fatalerror("%s: no memory for %zu bytes", place, size);
    *object = (object_t){.place = place, .size = size, .before = LIVE};
    memcpy(bytes_of(object) + size, &behind, sizeof behind);
    pthread_mutex_lock(&guard);
    object->next = ring.next;
    object->previous = &ring;
    ring.next->previous = object;
    ring.next = object;
    count_allocated(size);
    pthread_mutex_unlock(&guard);
    return bytes_of(object);
}

void *gasneti_debug_calloc(size_t count, size_t size, const char *place)
{
    size_t total;
    if (__builtin_mul_overflow(count, size, &total))
        gasnett_fatalerror("%s: no memory for %zu objects of %zu bytes", place, count, size);
    void *memory = gasneti_debug_malloc(total, place);
    return memory != NULL ? memset(memory, 0, total) : NULL;
}

void gasneti_debug_free(void *memory, const char *place)
{
    if (memory == NULL)
        return;
    object_t *object = object_of(memory);
    pthread_mutex_lock(&guard);
    check(object, place);
    if (next_checked == object)
        next_checked = object->next;
    object->previous->next = object->next;
    object->next->previous = object->previous;
    totals.freed_bytes += object->size;
    totals.freed_objects++;
    totals.live_bytes -= object->size;
    totals.live_objects--;
    totals.overhead_bytes -= sizeof(object_t) + sizeof(uint64_t);
    object->before = DEAD;
    object_t *oldest = freed[freed_count % KEPT];
    freed[freed_count++ % KEPT] = object;
    pthread_mutex_unlock(&guard);
    free(oldest);
}

void *gasneti_debug_realloc(void *memory, size_t size, const char *place)
{
    void *moved = gasneti_debug_malloc(size, place);
    if (memory == NULL)
        return moved;
    gasneti_debug_memcheck(memory, place);
    size_t before = object_of(memory)->size;
    if (moved != NULL)
        memcpy(moved, memory, before < size ? before : size);
    gasneti_debug_free(memory, place);
    return moved;
}

char *gasneti_debug_strndup(const char *text, size_t most, const char *place)
{
    size_t length = strnlen(text, most);
    char *copy = gasneti_debug_malloc(length + 1, place);
    memcpy(copy, text, length);
    copy[length] = '\0';
    return copy;
}

void gasneti_debug_memcheck(void *memory, const char *place)
{
    if (memory == NULL)
        gasnett_fatalerror("%s: a check of NULL", place);
    pthread_mutex_lock(&guard);
    check(object_of(memory), place);
    pthread_mutex_unlock(&guard);
}

/* Checks go on where the last one has stopped. */
void gasneti_debug_memcheck_all(size_t most, const char *place)
{
    pthread_mutex_lock(&guard);
    size_t objects = totals.live_objects + 1; /* the ring's own is skipped */
    for (size_t i = 0; i < objects && most > 0; i++) {
        if (next_checked != &ring) {
            check(next_checked, place);
            most--;
        }
        next_checked = next_checked->next;
    }
    pthread_mutex_unlock(&guard);
}

int gasneti_getheapstats(gasnett_heapstats_t *stats)
{
    pthread_mutex_lock(&guard);
    *stats = totals;
    pthread_mutex_unlock(&guard);
    return 0;
}

static char *map(uintptr_t size)
{
    return mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
}

/* GASNETT_PAGESIZE is the largest page of the processor's systems. Where pages are smaller, more is
 * mapped, and what lies around the aligned ones is given back. */
void *gasnett_mmap(uintptr_t size)
{
    char *pages = map(size);
    if (pages == MAP_FAILED || (uintptr_t)pages % GASNETT_PAGESIZE == 0)
        return pages;
    munmap(pages, size);
    pages = map(size + GASNETT_PAGESIZE);
    if (pages == MAP_FAILED)
        return pages;
    const uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
    const uintptr_t before = GASNETT_PAGESIZE - (uintptr_t)pages % GASNETT_PAGESIZE;
    const uintptr_t wanted = (size + page - 1) / page * page;
    munmap(pages, before);
    if (before < GASNETT_PAGESIZE)
        munmap(pages + before + wanted, GASNETT_PAGESIZE - before);
    return pages + before;
}
