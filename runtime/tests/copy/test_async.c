/**
 * Copies completed later, against a plain model of memory: by handles, by all the ways to
 * synchronise several, without handles and in access regions, with tens of thousands in flight.
 */
#include <sched.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "job_random.h"

/*
 * Every thread's segment has a room for each thread, which only that thread writes. A batch of
 * copies cuts the rooms and the private memory into slots, one for each copy, so that no two copies
 * of a batch meet in a byte, and what each leaves is known before it starts.
 */
enum {
    ROOM = 1 << 20,
    MOST_COPIES = 200,
    BATCHES = 8,
    REGIONS = 60,
    COPIES_OF_REGION = 3,
    IN_FLIGHT = 65535,
    LARGE = 4 << 20,
    TURNS = 100,
    MOST_THREADS = 16
};

typedef enum kind {
    GET,
    PUT,
    COPY,
    SET,
    KINDS
} kind_t;

typedef struct copy {
    kind_t kind;
    size_t owner; /* of the shared side, or of the destination */
    size_t from; /* of the source, if both are shared */
    size_t shared; /* offsets in a room, and in private memory */
    size_t source;
    size_t private;
    size_t nbytes;
    int value;
} copy_t;

static size_t threads;
static size_t me;
static uint64_t state;
static pgas_ptr_t rooms;
static char *model[MOST_THREADS];
static char *memory; /* private */
static char *expected; /* its model */

static pgas_ptr_t in_room(size_t owner, size_t offset)
{
    pgas_ptr_t ptr = rooms;
    ptr.thread = (uint32_t)owner;
    ptr.offset += (uint64_t)me * ROOM + offset;
    return ptr;
}

static size_t below(size_t bound)
{
    CHECK(bound > 0);
    return random_below(&state, bound);
}

static void shuffle(size_t *order, size_t count)
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

/* A random copy within slot `index` of `count`; the model is what it will leave. The two halves of
 * a slot are source and destination of a copy between shared memory. */
static copy_t plan(size_t index, size_t count)
{
    size_t slot = ROOM / count;
    size_t half = slot / 2;
    copy_t copy = {.kind = (kind_t)below(KINDS), .owner = below(threads), .from = below(threads)};
    copy.nbytes = random_size(&state, half);
    copy.shared = index * slot + below(half - copy.nbytes + 1);
    copy.source = index * slot + half + below(half - copy.nbytes + 1);
    copy.private = index * slot + below(slot - copy.nbytes + 1);
    copy.value = (int)below(1000) - 500;
    char *to = model[copy.owner] + copy.shared;
    if (copy.kind == GET) {
        memcpy(expected + copy.private, to, copy.nbytes);
    } else if (copy.kind == PUT) {
        for (size_t i = copy.private; i < copy.private + copy.nbytes; i++)
            memory[i] = expected[i] = (char)random_next(&state);
        memcpy(to, expected + copy.private, copy.nbytes);
    } else if (copy.kind == COPY) {
        memcpy(to, model[copy.from] + copy.source, copy.nbytes);
    } else {
        memset(to, copy.value, copy.nbytes);
    }
    return copy;
}

static pgas_handle_t start(const copy_t *copy)
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

static void start_implicit(const copy_t *copy)
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

/* What a copy leaves, once synchronised: on its private side, and as another get sees it. */
static void check_copy(const copy_t *copy)
{
    static char there[ROOM];
    CHECK(memcmp(memory + copy->private, expected + copy->private, copy->nbytes) == 0);
    pgas_memget(there, in_room(copy->owner, copy->shared), copy->nbytes);
    CHECK(memcmp(there, model[copy->owner] + copy->shared, copy->nbytes) == 0);
}

static size_t count_complete(const pgas_handle_t *handles, size_t count)
{
    size_t complete = 0;
    for (size_t i = 0; i < count; i++)
        complete += pgas_handle_is_complete(handles[i]);
    return complete;
}

/* Handles change only into complete ones. */
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

static void (*const ways[])(pgas_handle_t *handles, size_t count) = {
    wait_each, try_each, wait_all, try_all, wait_some, try_some,
};

enum {
    WAYS = sizeof ways / sizeof ways[0]
};

static void synchronise(pgas_handle_t *handles, size_t count)
{
    ways[below(WAYS)](handles, count);
}

/* 1: copies with handles, synchronised in every way, a barrier among them. */
static void test_explicit(void)
{
    copy_t copies[MOST_COPIES];
    pgas_handle_t handles[MOST_COPIES];
    for (size_t batch = 0; batch < (size_t)WAYS * BATCHES; batch++) {
        size_t count = 1 + random_size(&state, MOST_COPIES - 1);
        for (size_t i = 0; i < count; i++) {
            copies[i] = plan(i, count);
            handles[i] = start(&copies[i]);
        }
        if (batch % BATCHES == 0)
            pgas_barrier();
        ways[batch % WAYS](handles, count);
        for (size_t i = 0; i < count; i++)
            check_copy(&copies[i]);
        CHECK(memcmp(memory, expected, ROOM) == 0);
    }
}

/* 2: nothing to wait for. */
static void test_complete(void)
{
    pgas_handle_t handles[3] = {PGAS_HANDLE_COMPLETE, PGAS_HANDLE_COMPLETE, PGAS_HANDLE_COMPLETE};
    for (size_t count = 0; count <= 3; count++) {
        pgas_handle_t *some = count == 0 ? NULL : handles;
        pgas_waitsync_all(some, count);
        pgas_waitsync_some(some, count);
        CHECK(pgas_trysync_all(some, count));
        CHECK(pgas_trysync_some(some, count));
    }
    for (int twice = 0; twice < 2; twice++) {
        pgas_waitsync(handles[0]);
        CHECK(pgas_trysync(handles[0]));
    }
    CHECK(count_complete(handles, 3) == 3);
    pgas_ptr_t place = in_room(threads - 1 - me, 0);
    CHECK(pgas_handle_is_complete(pgas_memget_async(memory, place, 0)));
    CHECK(pgas_handle_is_complete(pgas_memput_async(place, memory, 0)));
    CHECK(pgas_handle_is_complete(pgas_memcpy_async(place, place, 0)));
    CHECK(pgas_handle_is_complete(pgas_memset_async(place, 1, 0)));
}

/*
 * 3: one that has finished, one complete, one in flight. A put has finished if a later one to the
 * same thread has; a get of some MiB takes longer than one look.
 */
static void test_mixed(void)
{
    pgas_ptr_t large;
    char *got = malloc(LARGE);
    char *filled = malloc(LARGE);
    CHECK(got != NULL && filled != NULL);
    CHECK(pgas_all_alloc(threads, LARGE, &large) == PGAS_OK);
    large.thread = (uint32_t)me;
    memset(filled, (int)me + 1, LARGE);
    pgas_memput(large, filled, LARGE);
    pgas_barrier();
    large.thread = (uint32_t)((me + 1) % threads);
    memset(filled, (int)large.thread + 1, LARGE);
    for (int turn = 0; turn < 8; turn++) {
        pgas_handle_t handles[3] = {PGAS_HANDLE_COMPLETE};
        pgas_ptr_t place = in_room(large.thread, 0);
        handles[1] = pgas_memput_async(place, model[large.thread], 8);
        pgas_handle_t later = pgas_memput_async(place, model[large.thread], 8);
        pgas_waitsync(later);
        memset(got, 0, LARGE);
        handles[2] = pgas_memget_async(got, large, LARGE);
        bool some = turn % 2 != 0;
        bool was_in_flight = count_complete(handles, 3) < 3;
        bool done = some ? pgas_trysync_some(handles, 3) : pgas_trysync_all(handles, 3);
        CHECK(count_complete(handles, 2) == 2);
        CHECK(done == (some || pgas_handle_is_complete(handles[2])) || !was_in_flight);
        pgas_waitsync_some(handles, 3);
        CHECK(count_complete(handles, 3) == 3);
        CHECK(memcmp(got, filled, LARGE) == 0);
    }
    pgas_barrier();
    large.thread = 0;
    pgas_all_free(large);
    free(got);
    free(filled);
}

/* A barrier makes no difference to handles. */
static void barrier_between(const pgas_handle_t *handles, pgas_handle_t *before)
{
    memcpy(before, handles, IN_FLIGHT * sizeof *handles);
    pgas_barrier();
    CHECK(memcmp(before, handles, IN_FLIGHT * sizeof *handles) == 0);
}

static uint64_t word_of(size_t writer, size_t i)
{
    return (writer + 1) * UINT64_C(0x9e3779b97f4a7c15) ^ i * UINT64_C(0xbf58476d1ce4e5b9);
}

/* 4: as many as must be possible, puts and then gets, synchronised backwards. */
static void test_many(void)
{
    pgas_ptr_t words;
    pgas_handle_t *handles = malloc(IN_FLIGHT * sizeof *handles);
    pgas_handle_t *before = malloc(IN_FLIGHT * sizeof *handles);
    uint64_t *mine = malloc(IN_FLIGHT * sizeof *mine);
    CHECK(handles != NULL && before != NULL && mine != NULL);
    CHECK(pgas_all_alloc(threads, IN_FLIGHT * sizeof *mine, &words) == PGAS_OK);
    pgas_ptr_t next = words;
    next.thread = (uint32_t)((me + 1) % threads);
    for (size_t i = 0; i < IN_FLIGHT; i++) {
        mine[i] = word_of(me, i);
        handles[i] = pgas_memput_async(next, &mine[i], sizeof mine[i]);
        next.offset += sizeof mine[i];
    }
    barrier_between(handles, before);
    for (size_t i = IN_FLIGHT; i-- > 0;)
        pgas_waitsync(handles[i]);
    pgas_barrier();
    pgas_ptr_t own = words;
    own.thread = (uint32_t)me;
    const uint64_t *here = pgas_local(own);
    for (size_t i = 0; i < IN_FLIGHT; i++)
        CHECK(here[i] == word_of((me + threads - 1) % threads, i));

    for (size_t i = IN_FLIGHT; i-- > 0;) {
        next.offset -= sizeof mine[i];
        mine[i] = 0;
        handles[i] = pgas_memget_async(&mine[i], next, sizeof mine[i]);
    }
    barrier_between(handles, before);
    for (size_t i = IN_FLIGHT; i-- > 0;)
        pgas_waitsync(handles[i]);
    for (size_t i = 0; i < IN_FLIGHT; i++)
        CHECK(mine[i] == word_of(me, i));
    pgas_barrier();
    pgas_all_free(words);
    free(handles);
    free(before);
    free(mine);
}

static void complete_implicit(void)
{
    if (below(2) == 0)
        pgas_waitsynci();
    else
        while (!pgas_trysynci())
            ;
    CHECK(pgas_trysynci());
}

/* 5: copies without handles, among others with. */
static void test_implicit(void)
{
    copy_t copies[MOST_COPIES];
    pgas_handle_t handles[MOST_COPIES];
    bool has_handle[MOST_COPIES];
    CHECK(pgas_trysynci());
    pgas_waitsynci();
    for (int batch = 0; batch < BATCHES; batch++) {
        size_t count = 1 + random_size(&state, MOST_COPIES - 1);
        size_t explicit = 0;
        for (size_t i = 0; i < count; i++) {
            copies[i] = plan(i, count);
            has_handle[i] = below(3) == 0;
            if (has_handle[i])
                handles[explicit ++] = start(&copies[i]);
            else
                start_implicit(&copies[i]);
        }
        bool handles_first = below(2) == 0;
        if (handles_first)
            synchronise(handles, explicit);
        else
            complete_implicit();
        for (size_t i = 0; i < count; i++)
            if (has_handle[i] == handles_first)
                check_copy(&copies[i]);
        if (handles_first)
            complete_implicit();
        else
            synchronise(handles, explicit);
        for (size_t i = 0; i < count; i++)
            check_copy(&copies[i]);
    }
}

enum {
    OUTSIDE,
    INSIDE,
    WITH_HANDLE,
    SETS
};

static void check_set(const copy_t *copies, const size_t *set_of, size_t count, size_t set)
{
    for (size_t i = 0; i < count; i++)
        if (set_of[i] == set)
            check_copy(&copies[i]);
}

/* 6: copies before, in and after an access region, in and out of it by handles too; the three sets
 * are synchronised in any order, and one says nothing of another. */
static void test_region(void)
{
    copy_t copies[MOST_COPIES];
    pgas_handle_t handles[MOST_COPIES];
    size_t set_of[MOST_COPIES];
    size_t order[SETS];
    for (int batch = 0; batch < BATCHES; batch++) {
        size_t count = 3 + random_size(&state, MOST_COPIES - 3);
        size_t explicit = 0;
        pgas_handle_t region = PGAS_HANDLE_COMPLETE;
        for (size_t i = 0; i < count; i++) {
            bool in_region = i >= count / 3 && i < 2 * count / 3;
            if (i == count / 3)
                pgas_begin_accessregion();
            if (i == 2 * count / 3)
                region = pgas_end_accessregion();
            copies[i] = plan(i, count);
            set_of[i] = below(3) == 0 ? WITH_HANDLE : in_region ? INSIDE : OUTSIDE;
            if (set_of[i] == WITH_HANDLE)
                handles[explicit ++] = start(&copies[i]);
            else
                start_implicit(&copies[i]);
        }
        shuffle(order, SETS);
        for (size_t i = 0; i < SETS; i++) {
            if (order[i] == OUTSIDE)
                complete_implicit();
            else if (order[i] == INSIDE)
                synchronise(&region, 1);
            else
                synchronise(handles, explicit);
            check_set(copies, set_of, count, order[i]);
        }
        CHECK(memcmp(memory, expected, ROOM) == 0);
    }
}

/* 7: many regions in flight, some of them empty; what they have is not for pgas_trysynci. */
static void test_regions(void)
{
    copy_t copies[REGIONS * COPIES_OF_REGION];
    pgas_handle_t handles[REGIONS];
    for (int way = 0; way < WAYS; way++) {
        size_t count = 0;
        for (size_t i = 0; i < REGIONS; i++) {
            size_t last = count + below(COPIES_OF_REGION + 1);
            pgas_begin_accessregion();
            bool is_empty = count == last;
            for (; count < last; count++) {
                copies[count] = plan(count, sizeof copies / sizeof copies[0]);
                start_implicit(&copies[count]);
            }
            handles[i] = pgas_end_accessregion();
            CHECK(!is_empty || pgas_handle_is_complete(handles[i]));
            CHECK(pgas_trysynci());
        }
        ways[way](handles, REGIONS);
        for (size_t i = 0; i < count; i++)
            check_copy(&copies[i]);
    }
}

/* 8: a put, synchronised, then a flag: who sees the flag reads what was put to a third thread. */
static void test_third_party(void)
{
    pgas_ptr_t data;
    pgas_ptr_t flags;
    CHECK(pgas_all_alloc(threads, threads * sizeof(uint64_t), &data) == PGAS_OK);
    CHECK(pgas_all_alloc(threads, sizeof(uint64_t), &flags) == PGAS_OK);
    pgas_ptr_t own = flags;
    own.thread = (uint32_t)me;
    uint64_t zero = 0;
    pgas_memput(own, &zero, sizeof zero);
    volatile const uint64_t *flag = pgas_local(own);
    size_t reader = (me + 1) % threads;
    size_t writer = (me + threads - 1) % threads;
    for (uint64_t turn = 1; turn <= TURNS; turn++) {
        pgas_barrier();
        uint64_t word = word_of(me, turn);
        pgas_ptr_t place = data;
        place.thread = (uint32_t)((me + 2) % threads);
        place.offset += me * sizeof word;
        if (turn % 2 == 0) {
            pgas_waitsync(pgas_memput_async(place, &word, sizeof word));
        } else {
            pgas_memput_asynci(place, &word, sizeof word);
            pgas_waitsynci();
        }
        pgas_fence();
        pgas_ptr_t there = flags;
        there.thread = (uint32_t)reader;
        PGAS_WRITE(uint64_t, there, turn);
        while (*flag < turn)
            sched_yield();
        pgas_fence();
        place.thread = (uint32_t)((writer + 2) % threads);
        place.offset = data.offset + writer * sizeof word;
        pgas_waitsync(pgas_memget_async(&word, place, sizeof word));
        CHECK(word == word_of(writer, turn));
    }
    pgas_barrier();
    pgas_all_free(flags);
    pgas_all_free(data);
}

/* Nothing was written that no copy was to write. */
static void check_rooms(void)
{
    for (size_t owner = 0; owner < threads; owner++) {
        pgas_memget(memory, in_room(owner, 0), ROOM);
        CHECK(memcmp(memory, model[owner], ROOM) == 0);
    }
}

int main(void)
{
    CHECK(pgas_init() == PGAS_OK);
    state = random_seed_of_thread(random_seed_of_job());
    threads = (size_t)pgas_threads();
    me = (size_t)pgas_mythread();
    CHECK(threads > 0 && threads <= MOST_THREADS);
    memory = calloc(1, ROOM);
    expected = calloc(1, ROOM);
    CHECK(memory != NULL && expected != NULL);
    CHECK(pgas_all_alloc(threads, threads * ROOM, &rooms) == PGAS_OK);
    for (size_t owner = 0; owner < threads; owner++) {
        model[owner] = calloc(1, ROOM);
        CHECK(model[owner] != NULL);
        pgas_memset(in_room(owner, 0), 0, ROOM);
    }
    test_explicit();
    test_complete();
    test_mixed();
    test_many();
    test_implicit();
    test_region();
    test_regions();
    test_third_party();
    check_rooms();
    pgas_barrier();
    pgas_all_free(rooms);
    for (size_t owner = 0; owner < threads; owner++)
        free(model[owner]);
    free(memory);
    free(expected);
    pgas_finalize();
    return 0;
}
