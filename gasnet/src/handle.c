#include "internal.h"

#include <stdlib.h>
#include <string.h>

#include <pgas/async.h>
#include <pgas/sync.h>

#include "everything.h"

/*
 * A handle of GASNet is one of Fathom's, or a set of operations of our own. Handles of Fathom never
 * have bits 61 and 62 both (net/net.h, copy/group.c, copy/handle_check.c). With
 * GASNET_SEGMENT_EVERYTHING the operations of everything.c, whose handles have bit 60 too, stand in
 * the place of Fathom's.
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

static bool try_native(pgas_handle_t handle)
{
    return gasneti_is_op(handle) ? gasneti_op_test(handle) : pgas_trysync(handle);
}

static void try_native_all(pgas_handle_t *handles, size_t count)
{
    if (!gasneti_everything)
        pgas_trysync_all(handles, count);
    for (size_t i = 0; gasneti_everything && i < count; i++)
        if (gasneti_is_op(handles[i]) && gasneti_op_test(handles[i]))
            handles[i] = PGAS_HANDLE_COMPLETE;
}

/* What waits by testing does not stay in the runtime meanwhile: another thread of PAR may end the
 * job. */
#ifdef GASNET_PAR
#define WAITS_BY_TESTING true
#else
#define WAITS_BY_TESTING gasneti_everything
#endif

void gasneti_wait_native(pgas_handle_t handle)
{
    gasneti_enter();
    if (WAITS_BY_TESTING) {
        for (unsigned rounds = 0; !try_native(handle); gasneti_enter()) {
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
            free(queue->memory[i]);
        } else {
            queue->handles[kept] = queue->handles[i];
            queue->memory[kept++] = queue->memory[i];
        }
    }
    queue->count = kept;
}

/* True if all are complete; in the runtime. Drops those that are. */
static bool queue_test(queue_t *queue)
{
    if (queue->count > 0) {
        try_native_all(queue->handles, queue->count);
        compact(queue);
    }
    return queue->count == 0;
}

/* Adds an operation that has just been started, in the runtime. Frees the memory if it is complete
 * already. */
static void queue_add(queue_t *queue, pgas_handle_t handle, void *memory)
{
    if (pgas_handle_is_complete(handle)) {
        free(memory);
        return;
    }
    if (queue->count == queue->size) {
        if (queue->size >= SELDOM_TESTED)
            queue_test(queue);
        if (queue->count >= queue->size / 2)
            resize(queue, queue->size == 0 ? 16 : 2 * queue->size);
    }
    queue->handles[queue->count] = handle;
    queue->memory[queue->count++] = memory;
}

/* Waits for all, outside the runtime. */
static void queue_wait(queue_t *queue)
{
    gasneti_enter();
    if (WAITS_BY_TESTING) {
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

static queue_t *own_of(gasnet_handle_t handle)
{
    if ((handle & OWN) != OWN || gasneti_is_op((pgas_handle_t){handle}))
        return NULL;
    return (queue_t *)(uintptr_t)(handle & ~OWN);
}

/* A handle for all of a queue, which is empty then. */
static gasnet_handle_t handle_of_queue(queue_t *queue)
{
    if (queue->count == 0)
        return GASNET_INVALID_HANDLE;
    queue_t *own = gasneti_allocate("gasnet", sizeof *own);
    *own = *queue;
    *queue = (queue_t){0};
    return (uint64_t)(uintptr_t)own | OWN;
}

gasnet_handle_t gasneti_handle_with(pgas_handle_t handle, void *memory)
{
    if (memory == NULL)
        return handle.bits;
    queue_t queue = {0};
    queue_add(&queue, handle, memory);
    return handle_of_queue(&queue);
}

void gasneti_wait(gasnet_handle_t handle)
{
    queue_t *own = own_of(handle);
    if (own == NULL) {
        gasneti_wait_native((pgas_handle_t){handle});
        return;
    }
    queue_wait(own);
    clear(own);
    free(own);
}

int gasneti_try(gasnet_handle_t handle)
{
    queue_t *own = own_of(handle);
    gasneti_enter();
    bool done = own != NULL ? queue_test(own) : try_native((pgas_handle_t){handle});
    gasneti_leave();
    if (done && own != NULL) {
        clear(own);
        free(own);
    }
    return done ? GASNET_OK : GASNET_ERR_NOT_READY;
}

/* Starts everything that is held, and then waits once. */
static void wait_all_native(gasnet_handle_t *handles, size_t count)
{
    pgas_handle_t native[64];
    for (size_t i = 0; i < count; i += sizeof native / sizeof *native) {
        size_t n = 0;
        for (size_t k = i; k < count && n < sizeof native / sizeof *native; k++)
            native[n++] = (pgas_handle_t){own_of(handles[k]) == NULL ? handles[k] : 0};
        gasneti_enter();
        pgas_waitsync_all(native, n);
        gasneti_leave();
        for (size_t k = i; k < i + n; k++)
            if (own_of(handles[k]) == NULL)
                handles[k] = GASNET_INVALID_HANDLE;
    }
}

void gasnet_wait_syncnb_all(gasnet_handle_t *handles, size_t numhandles)
{
    if (!WAITS_BY_TESTING)
        wait_all_native(handles, numhandles);
    for (size_t i = 0; i < numhandles; i++) {
        gasnet_wait_syncnb(handles[i]);
        handles[i] = GASNET_INVALID_HANDLE;
    }
}

/* How many handles were in flight before a try, and how many still are. Polls in any case: a
 * program may wait for others by trying, while what it has sent waits to travel. */
static size_t try_each(gasnet_handle_t *handles, size_t count, size_t *before)
{
    size_t after = 0;
    *before = 0;
    for (size_t i = 0; i < count; i++) {
        if (handles[i] == GASNET_INVALID_HANDLE)
            continue;
        ++*before;
        if (gasneti_try(handles[i]) == GASNET_OK)
            handles[i] = GASNET_INVALID_HANDLE;
        else
            after++;
    }
    if (*before == 0)
        gasnet_AMPoll();
    return after;
}

int gasnet_try_syncnb_all(gasnet_handle_t *handles, size_t numhandles)
{
    size_t before;
    return try_each(handles, numhandles, &before) == 0 ? GASNET_OK : GASNET_ERR_NOT_READY;
}

int gasnet_try_syncnb_some(gasnet_handle_t *handles, size_t numhandles)
{
    size_t before;
    size_t after = try_each(handles, numhandles, &before);
    return before == 0 || after < before ? GASNET_OK : GASNET_ERR_NOT_READY;
}

void gasnet_wait_syncnb_some(gasnet_handle_t *handles, size_t numhandles)
{
    for (unsigned rounds = 0; gasnet_try_syncnb_some(handles, numhandles) != GASNET_OK;)
        gasneti_pause(&rounds);
}

/* ---- Implicit operations ---- */

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
