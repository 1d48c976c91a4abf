#include "internal.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include <pgas/async.h>
#include <pgas/sync.h>

#include "everything.h"
#include "held.h"

/*
 * A handle of GASNet is one of Fathom's, or a set of operations of our own. Handles of Fathom never
 * have bits 61 and 62 both (net/net.h, copy/group.c, copy/handle_check.c). With
 * GASNET_SEGMENT_EVERYTHING the operations of everything.c, whose handles have bit 60 too, stand in
 * the place of Fathom's, in sets only: these find a handle that is synchronised twice, and
 * complete what is left over at the end of a client thread.
 */
#define OWN ((uint64_t)3 << 61)

/* Operations in flight, each with memory that is freed when it is complete, or NULL. Starts as
 * zeros. */
typedef struct queue {
    pgas_handle_t *handles;
    void **memory;
    size_t count;
    size_t size;
} queue_t;

/* The implicit operations of a client thread. */
typedef struct implicit {
    queue_t gets;
    queue_t puts;
    queue_t region;
    bool in_region;
} implicit_t;

void *gasneti_allocate(const char *call, size_t nbytes)
{
    void *memory = malloc(nbytes);
    if (memory == NULL)
        gasneti_fatal(call, "no memory for %zu bytes", nbytes);
    return memory;
}

/* Without a poll no handlers run. */
static bool try_native(pgas_handle_t handle, bool polls)
{
    if (gasneti_is_op(handle))
        return gasneti_op_test(handle, polls);
    return polls ? pgas_trysync(handle) : pgasi_trysync_quietly(handle);
}

static void try_native_all(pgas_handle_t *handles, size_t count, bool polls)
{
    if (!gasneti_everything && polls) {
        pgas_trysync_all(handles, count);
        return;
    }
    for (size_t i = 0; i < count; i++)
        if (!pgas_handle_is_complete(handles[i]) && try_native(handles[i], polls))
            handles[i] = PGAS_HANDLE_COMPLETE;
}

bool gasneti_waits_by_testing(void)
{
#ifdef GASNET_PAR
    return true;
#else
    return gasneti_everything;
#endif
}

void gasneti_wait_native(pgas_handle_t handle)
{
    gasneti_enter();
    if (gasneti_waits_by_testing()) {
        for (unsigned rounds = 0; !try_native(handle, true); gasneti_enter()) {
            gasneti_leave();
            gasneti_pause(&rounds);
        }
    } else {
        pgas_waitsync(handle);
    }
    gasneti_leave();
}

/* ---- Queues ---- */

enum {
    /* Larger queues drop what is complete before they grow. Testing sends what waits to travel with
     * others, so it is not done often. */
    SELDOM_TESTED = 4096
};

static void resize(queue_t *queue, size_t size)
{
    queue->handles = realloc(queue->handles, size * sizeof *queue->handles);
    queue->memory = realloc(queue->memory, size * sizeof *queue->memory);
    if (queue->handles == NULL || queue->memory == NULL)
        gasneti_fatal("gasnet", "no memory for %zu operations in flight", size);
    queue->size = size;
}

/* Frees the memory of complete operations, and drops these. */
static void compact(queue_t *queue)
{
    size_t kept = 0;
    for (size_t i = 0; i < queue->count; i++) {
        if (pgas_handle_is_complete(queue->handles[i])) {
            gasneti_held_free(queue->memory[i]);
        } else {
            queue->handles[kept] = queue->handles[i];
            queue->memory[kept++] = queue->memory[i];
        }
    }
    queue->count = kept;
}

static bool queue_test_with(queue_t *queue, bool polls)
{
    if (queue->count > 0) {
        try_native_all(queue->handles, queue->count, polls);
        compact(queue);
    }
    return queue->count == 0;
}

/* True if all are complete; in the runtime. Drops those that are. */
static bool queue_test(queue_t *queue)
{
    return queue_test_with(queue, true);
}

/* Adds an operation that has just been started, in the runtime. Frees the memory if it is complete
 * already. */
static void queue_add(queue_t *queue, pgas_handle_t handle, void *memory)
{
    if (pgas_handle_is_complete(handle)) {
        gasneti_held_free(memory);
        return;
    }
    if (queue->count == queue->size) {
        if (queue->size >= SELDOM_TESTED)
            queue_test(queue);
        if (queue->count >= queue->size / 2) /* from 1: most sets have one operation */
            resize(queue, queue->size == 0 ? 1 : 2 * queue->size);
    }
    queue->handles[queue->count] = handle;
    queue->memory[queue->count++] = memory;
}

/* Waits for all, outside the runtime. */
static void queue_wait(queue_t *queue)
{
    gasneti_enter();
    if (gasneti_waits_by_testing()) {
        for (unsigned rounds = 0; !queue_test(queue); gasneti_enter()) {
            gasneti_leave();
            gasneti_pause(&rounds);
        }
    } else {
        pgas_waitsync_all(queue->handles, queue->count);
        compact(queue);
    }
    gasneti_leave();
}

static void clear(queue_t *queue)
{
    free(queue->handles);
    free((void *)queue->memory);
    *queue = (queue_t){0};
}

/* ---- Explicit handles ---- */

/* A set with a handle: OWN, its generation, its place in the table of its client thread. The
 * generation is another one for each handle of the place, so that none is taken for a later one. */
typedef struct set {
    queue_t queue;
    struct set *next_free;
    uint32_t index;
    uint32_t generation;
    bool is_open;
} set_t;

enum {
    INDEX_BITS = 32,
    /* The arrays of larger queues are not kept. */
    KEPT = 16
};

#define GENERATION_MASK (((uint32_t)1 << 28) - 1)

/* Sets are found where they are however large the table gets. They are kept for later handles. */
static GASNETI_PER_CLIENT struct {
    set_t **table;
    uint32_t count;
    uint32_t size;
    set_t *free;
} sets;

static set_t *set_create(void)
{
    if (sets.count == sets.size) {
        sets.size = sets.size == 0 ? 64 : 2 * sets.size;
        sets.table = realloc(sets.table, sets.size * sizeof(set_t *));
        if (sets.table == NULL)
            gasneti_fatal("gasnet", "no memory for %u operations in flight", sets.size);
    }
    set_t *set = gasneti_allocate("gasnet", sizeof *set);
    *set = (set_t){.index = sets.count};
    sets.table[sets.count++] = set;
    return set;
}

static set_t *set_open(void)
{
    set_t *set = sets.free;
    if (set != NULL)
        sets.free = set->next_free;
    else
        set = set_create();
    set->is_open = true;
    set->generation = (set->generation + 1) & GENERATION_MASK;
    return set;
}

static void set_close(set_t *set)
{
    if (set->queue.size > KEPT)
        clear(&set->queue);
    set->is_open = false;
    set->next_free = sets.free;
    sets.free = set;
}

/* A handle is a pointer by its type only: nothing is there. */
_Static_assert(sizeof(gasnet_handle_t) == sizeof(uint64_t), "a handle has all bits of Fathom's");

static gasnet_handle_t of_bits(uint64_t bits)
{
    return (gasnet_handle_t)(uintptr_t)bits;
}

static uint64_t bits_of(gasnet_handle_t handle)
{
    return (uintptr_t)handle;
}

static pgas_handle_t native_of(gasnet_handle_t handle)
{
    return (pgas_handle_t){bits_of(handle)};
}

static gasnet_handle_t handle_of(const set_t *set)
{
    return of_bits(OWN | (uint64_t)set->generation << INDEX_BITS | set->index);
}

static bool is_own(gasnet_handle_t handle)
{
    return (bits_of(handle) & OWN) == OWN;
}

static set_t *set_of(const char *call, gasnet_handle_t handle)
{
    uint32_t index = (uint32_t)bits_of(handle);
    set_t *set = index < sets.count ? sets.table[index] : NULL;
    if (set == NULL || !set->is_open || handle_of(set) != handle)
        gasneti_fatal(call,
                      "handle %#" PRIx64 " is none of this thread's in flight: it has been "
                      "synchronised already, or is another's",
                      bits_of(handle));
    return set;
}

/* A handle for all of a queue, which is empty then. */
static gasnet_handle_t handle_of_queue(queue_t *queue)
{
    if (queue->count == 0)
        return GASNET_INVALID_HANDLE;
    set_t *set = set_open();
    queue_t kept = set->queue;
    set->queue = *queue;
    *queue = kept;
    return handle_of(set);
}

gasnet_handle_t gasneti_handle_with(pgas_handle_t handle, void *memory)
{
    if (memory == NULL && !gasneti_is_op(handle))
        return of_bits(handle.bits);
    if (pgas_handle_is_complete(handle)) {
        gasneti_held_free(memory);
        return GASNET_INVALID_HANDLE;
    }
    set_t *set = set_open();
    queue_add(&set->queue, handle, memory);
    return handle_of(set);
}

gasnet_handle_t gasneti_handle_without(void)
{
    return handle_of(set_open());
}

void gasneti_wait(gasnet_handle_t handle)
{
    if (!is_own(handle)) {
        gasneti_wait_native(native_of(handle));
        return;
    }
    set_t *set = set_of("gasnet_wait_syncnb", handle);
    queue_wait(&set->queue);
    set_close(set);
}

static int try_handle(gasnet_handle_t handle, bool polls)
{
    set_t *set = is_own(handle) ? set_of("gasnet_try_syncnb", handle) : NULL;
    gasneti_enter();
    bool done =
        set != NULL ? queue_test_with(&set->queue, polls) : try_native(native_of(handle), polls);
    gasneti_leave();
    if (done && set != NULL)
        set_close(set);
    return done ? GASNET_OK : GASNET_ERR_NOT_READY;
}

int gasneti_try(gasnet_handle_t handle)
{
    return try_handle(handle, true);
}

int gasneti_try_nopoll(gasnet_handle_t handle)
{
    return try_handle(handle, false);
}

/* Starts everything that is held, and then waits once. */
static void wait_all_native(gasnet_handle_t *handles, size_t count)
{
    pgas_handle_t native[64];
    size_t n = 0;
    for (size_t i = 0; i < count; i++) {
        if (handles[i] != GASNET_INVALID_HANDLE && !is_own(handles[i])) {
            native[n++] = native_of(handles[i]);
            handles[i] = GASNET_INVALID_HANDLE;
        }
        if (n == sizeof native / sizeof *native || (n > 0 && i + 1 == count)) {
            gasneti_enter();
            pgas_waitsync_all(native, n);
            gasneti_leave();
            n = 0;
        }
    }
}

void gasnet_wait_syncnb_all(gasnet_handle_t *handles, size_t numhandles)
{
    gasneti_require_list(__func__, handles, numhandles);
    if (!gasneti_waits_by_testing())
        wait_all_native(handles, numhandles);
    for (size_t i = 0; i < numhandles; i++) {
        gasnet_wait_syncnb(handles[i]);
        handles[i] = GASNET_INVALID_HANDLE;
    }
}

/* How many handles were in flight before a try, and how many still are. One that polls does so in
 * any case: a program may wait for others by trying, while what it has sent waits to travel. */
static size_t try_each(const char *call, gasnet_handle_t *handles, size_t count, bool polls,
                       size_t *before)
{
    gasneti_require_list(call, handles, count);
    size_t after = 0;
    *before = 0;
    for (size_t i = 0; i < count; i++) {
        if (handles[i] == GASNET_INVALID_HANDLE)
            continue;
        ++*before;
        if (try_handle(handles[i], polls) == GASNET_OK)
            handles[i] = GASNET_INVALID_HANDLE;
        else
            after++;
    }
    if (polls && *before == 0)
        gasnet_AMPoll();
    return after;
}

static int try_all(const char *call, gasnet_handle_t *handles, size_t numhandles, bool polls)
{
    size_t before;
    size_t after = try_each(call, handles, numhandles, polls, &before);
    return after == 0 ? GASNET_OK : GASNET_ERR_NOT_READY;
}

int gasnet_try_syncnb_all(gasnet_handle_t *handles, size_t numhandles)
{
    return try_all(__func__, handles, numhandles, true);
}

int gasnet_try_syncnb_all_nopoll(gasnet_handle_t *handles, size_t numhandles)
{
    return try_all(__func__, handles, numhandles, false);
}

static int try_some(const char *call, gasnet_handle_t *handles, size_t numhandles, bool polls)
{
    size_t before;
    size_t after = try_each(call, handles, numhandles, polls, &before);
    return before == 0 || after < before ? GASNET_OK : GASNET_ERR_NOT_READY;
}

int gasnet_try_syncnb_some(gasnet_handle_t *handles, size_t numhandles)
{
    return try_some(__func__, handles, numhandles, true);
}

int gasnet_try_syncnb_some_nopoll(gasnet_handle_t *handles, size_t numhandles)
{
    return try_some(__func__, handles, numhandles, false);
}

void gasnet_wait_syncnb_some(gasnet_handle_t *handles, size_t numhandles)
{
    for (unsigned rounds = 0; try_some(__func__, handles, numhandles, true) != GASNET_OK;)
        gasneti_pause(&rounds);
}

/* ---- Implicit operations ---- */

#ifndef GASNET_SEQ

/* What nobody has synchronised completes; in the runtime. */
static void sets_release(void)
{
    for (uint32_t i = 0; i < sets.count; i++) {
        queue_wait(&sets.table[i]->queue);
        clear(&sets.table[i]->queue);
        free(sets.table[i]);
    }
    free((void *)sets.table);
    memset(&sets, 0, sizeof sets);
}

#endif

#ifdef GASNET_SEQ

static implicit_t implicit_of_program;

static implicit_t *implicit(void)
{
    return &implicit_of_program;
}

#else

static _Thread_local implicit_t *implicit_of_thread;

void gasneti_implicit_release(void)
{
    implicit_t *mine = implicit_of_thread;
    sets_release();
    if (mine == NULL)
        return;
    queue_wait(&mine->gets);
    queue_wait(&mine->puts);
    queue_wait(&mine->region);
    clear(&mine->gets);
    clear(&mine->puts);
    clear(&mine->region);
    free(mine);
    implicit_of_thread = NULL;
}

static implicit_t *implicit(void)
{
    if (implicit_of_thread != NULL)
        return implicit_of_thread;
    implicit_of_thread = gasneti_allocate("gasnet", sizeof *implicit_of_thread);
    memset(implicit_of_thread, 0, sizeof *implicit_of_thread);
    return implicit_of_thread;
}

#endif

static void note(const implicit_t *mine)
{
#ifdef GASNET_SEQ
    gasneti_map.implicit = mine->in_region || mine->gets.count > 0 || mine->puts.count > 0;
#else
    (void)mine;
#endif
}

/*
 * Waits for whole queues, in place of the oldest copies: once in GASNETI_HELD_AT_MOST bytes. The
 * operations leave their queues and sets, whose later syncs find nothing left to wait for.
 */
void gasneti_bound_memory(void)
{
    if (!gasneti_held_is_full())
        return;
    implicit_t *mine = implicit();
    queue_wait(&mine->puts);
    queue_wait(&mine->region);
    queue_wait(&mine->gets);
    for (uint32_t i = 0; i < sets.count; i++)
        if (sets.table[i]->queue.count > 0)
            queue_wait(&sets.table[i]->queue);
    note(mine);
}

void gasneti_implicit_add(bool is_get, pgas_handle_t handle, void *memory)
{
    implicit_t *mine = implicit();
    queue_t *queue = mine->in_region ? &mine->region : is_get ? &mine->gets : &mine->puts;
    queue_add(queue, handle, memory);
    note(mine);
}

static implicit_t *outside_region(const char *call)
{
    implicit_t *mine = implicit();
    if (mine->in_region)
        gasneti_fatal(call, "called inside an access region");
    return mine;
}

void gasneti_wait_implicit(const char *call, int gets, int puts)
{
    implicit_t *mine = outside_region(call);
    if (gets)
        queue_wait(&mine->gets);
    if (puts)
        queue_wait(&mine->puts);
    note(mine);
}

int gasneti_try_implicit(const char *call, int gets, int puts)
{
    implicit_t *mine = outside_region(call);
    gasneti_enter();
    pgas_poll();
    bool done = (!gets || queue_test(&mine->gets));
    done = (!puts || queue_test(&mine->puts)) && done;
    gasneti_leave();
    note(mine);
    return done ? GASNET_OK : GASNET_ERR_NOT_READY;
}

void gasnet_begin_nbi_accessregion(void)
{
    implicit_t *mine = implicit();
    if (mine->in_region)
        gasneti_fatal("gasnet_begin_nbi_accessregion", "called inside an access region");
    mine->in_region = true;
    note(mine);
}

gasnet_handle_t gasnet_end_nbi_accessregion(void)
{
    implicit_t *mine = implicit();
    if (!mine->in_region)
        gasneti_fatal("gasnet_end_nbi_accessregion", "called outside an access region");
    mine->in_region = false;
    note(mine);
    return handle_of_queue(&mine->region);
}
