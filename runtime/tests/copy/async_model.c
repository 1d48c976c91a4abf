#include "async_model.h"

#include <stdlib.h>
#include <string.h>

#include "random.h"

size_t threads;
size_t me;
uint64_t generator;
static pgas_ptr_t rooms;
char *model[MOST_THREADS];
char *memory;
char *expected;

pgas_ptr_t in_room(size_t owner, size_t offset)
{
    pgas_ptr_t ptr = rooms;
    ptr.thread = (uint32_t)owner;
    ptr.offset += (uint64_t)me * ROOM + offset;
    return ptr;
}

size_t below(size_t bound)
{
    CHECK(bound > 0);
    return random_below(&generator, bound);
}

void shuffle(size_t *order, size_t count)
{
    for (size_t i = 0; i < count; i++)
        order[i] = i;
    for (size_t i = count; i > 1; i--) {
        size_t j = below(i);
        size_t other = order[j];
        order[j] = order[i - 1];
        order[i - 1] = other;
    }
}

/* Starts a random copy within slot `index` of `count`; the model has what it will leave. The two
 * halves of a slot are source and destination of a copy from shared to shared memory. */
copy_t plan(size_t index, size_t count)
{
    size_t slot = ROOM / count;
    size_t half = slot / 2;
    copy_t copy = {.kind = (kind_t)below(KINDS), .owner = below(threads), .from = below(threads)};
    copy.nbytes = random_size(&generator, half);
    copy.shared = index * slot + below(half - copy.nbytes + 1);
    copy.source = index * slot + half + below(half - copy.nbytes + 1);
    copy.private = index * slot + below(slot - copy.nbytes + 1);
    copy.value = (int)below(1000) - 500;
    char *to = model[copy.owner] + copy.shared;
    if (copy.kind == GET) {
        memcpy(expected + copy.private, to, copy.nbytes);
    } else if (copy.kind == PUT) {
        for (size_t i = copy.private; i < copy.private + copy.nbytes; i++)
            memory[i] = expected[i] = (char)random_next(&generator);
        memcpy(to, expected + copy.private, copy.nbytes);
    } else if (copy.kind == COPY) {
        memcpy(to, model[copy.from] + copy.source, copy.nbytes);
    } else {
        memset(to, copy.value, copy.nbytes);
    }
    return copy;
}

pgas_handle_t start(const copy_t *copy)
{
    pgas_ptr_t shared = in_room(copy->owner, copy->shared);
    char *private = memory + copy->private;
    switch (copy->kind) {
    case GET:
        return pgas_memget_async(private, shared, copy->nbytes);
    case PUT:
        return pgas_memput_async(shared, private, copy->nbytes);
    case COPY:
        return pgas_memcpy_async(shared, in_room(copy->from, copy->source), copy->nbytes);
    default:
        return pgas_memset_async(shared, copy->value, copy->nbytes);
    }
}

void start_implicit(const copy_t *copy)
{
    pgas_ptr_t shared = in_room(copy->owner, copy->shared);
    char *private = memory + copy->private;
    switch (copy->kind) {
    case GET:
        pgas_memget_asynci(private, shared, copy->nbytes);
        break;
    case PUT:
        pgas_memput_asynci(shared, private, copy->nbytes);
        break;
    case COPY:
        pgas_memcpy_asynci(shared, in_room(copy->from, copy->source), copy->nbytes);
        break;
    default:
        pgas_memset_asynci(shared, copy->value, copy->nbytes);
    }
}

/* Checks what a copy leaves, once synchronised: on its private side, and as another get sees it. */
void check_copy(const copy_t *copy)
{
    static char there[ROOM];
    CHECK(memcmp(memory + copy->private, expected + copy->private, copy->nbytes) == 0);
    pgas_memget(there, in_room(copy->owner, copy->shared), copy->nbytes);
    CHECK(memcmp(there, model[copy->owner] + copy->shared, copy->nbytes) == 0);
}

size_t count_complete(const pgas_handle_t *handles, size_t count)
{
    size_t complete = 0;
    for (size_t i = 0; i < count; i++)
        complete += pgas_handle_is_complete(handles[i]);
    return complete;
}

/* A handle may change only into a complete one. */
static void check_kept(const pgas_handle_t *handles, const pgas_handle_t *before, size_t count)
{
    for (size_t i = 0; i < count; i++)
        CHECK(pgas_handle_is_complete(handles[i]) || handles[i].bits == before[i].bits);
}

static void wait_each(pgas_handle_t *handles, size_t count)
{
    size_t order[MOST_COPIES];
    shuffle(order, count);
    for (size_t i = 0; i < count; i++)
        pgas_waitsync(handles[order[i]]);
}

static void try_each(pgas_handle_t *handles, size_t count)
{
    size_t order[MOST_COPIES];
    shuffle(order, count);
    for (size_t i = 0; i < count; i++)
        while (!pgas_trysync(handles[order[i]]))
            ;
}

static void wait_all(pgas_handle_t *handles, size_t count)
{
    pgas_waitsync_all(handles, count);
    CHECK(count_complete(handles, count) == count);
}

static void try_all(pgas_handle_t *handles, size_t count)
{
    pgas_handle_t before[MOST_COPIES];
    bool done;
    do {
        memcpy(before, handles, count * sizeof *handles);
        done = pgas_trysync_all(handles, count);
        check_kept(handles, before, count);
        CHECK(done == (count_complete(handles, count) == count));
    } while (!done);
}

static void wait_some(pgas_handle_t *handles, size_t count)
{
    pgas_handle_t before[MOST_COPIES];
    size_t complete = count_complete(handles, count);
    while (complete < count) {
        memcpy(before, handles, count * sizeof *handles);
        pgas_waitsync_some(handles, count);
        check_kept(handles, before, count);
        CHECK(count_complete(handles, count) > complete);
        complete = count_complete(handles, count);
    }
    pgas_waitsync_some(handles, count);
}

static void try_some(pgas_handle_t *handles, size_t count)
{
    pgas_handle_t before[MOST_COPIES];
    size_t complete = count_complete(handles, count);
    while (complete < count) {
        memcpy(before, handles, count * sizeof *handles);
        bool some = pgas_trysync_some(handles, count);
        check_kept(handles, before, count);
        CHECK(some == (count_complete(handles, count) > complete));
        complete = count_complete(handles, count);
    }
    CHECK(pgas_trysync_some(handles, count));
}

void (*const ways[])(pgas_handle_t *handles, size_t count) = {
    wait_each, try_each, wait_all, try_all, wait_some, try_some,
};

void synchronise(pgas_handle_t *handles, size_t count)
{
    ways[below(WAYS)](handles, count);
}

void model_begin(void)
{
    memory = calloc(1, ROOM);
    expected = calloc(1, ROOM);
    CHECK(memory != NULL && expected != NULL);
    CHECK(pgas_all_alloc(threads, threads * ROOM, &rooms) == PGAS_OK);
    for (size_t owner = 0; owner < threads; owner++) {
        model[owner] = calloc(1, ROOM);
        CHECK(model[owner] != NULL);
        pgas_memset(in_room(owner, 0), 0, ROOM);
    }
}

/* Checks that nothing was written but by copies. */
static void check_rooms(void)
{
    for (size_t owner = 0; owner < threads; owner++) {
        pgas_memget(memory, in_room(owner, 0), ROOM);
        CHECK(memcmp(memory, model[owner], ROOM) == 0);
    }
}

void model_end(void)
{
    check_rooms();
    pgas_barrier();
    pgas_all_free(rooms);
    for (size_t owner = 0; owner < threads; owner++)
        free(model[owner]);
    free(memory);
    free(expected);
}
