/**
 * Asynchronous copies against a plain model of memory: with handles, in all the ways to synchronise
 * several, without handles and in access regions, with tens of thousands in flight.
 */
#include <sched.h>
#include <stdlib.h>
#include <string.h>

#include "async_model.h"
#include "job_random.h"

enum {
    IN_FLIGHT = 65535,
    LARGE = 4 << 20,
    TURNS = 100
};

/* 1: copies with handles, synchronised in every way, with a barrier in between. */
static void test_explicit(void)
{
    copy_t copies[MOST_COPIES];
    pgas_handle_t handles[MOST_COPIES];
    for (size_t batch = 0; batch < (size_t)WAYS * BATCHES; batch++) {
        size_t count = 1 + random_size(&generator, MOST_COPIES - 1);
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

/* 2b: a copy of 0 bytes looks at none of its pointers, in any form. */
static void test_nothing_anywhere(void)
{
    const pgas_ptr_t places[] = {
        pgas_ptr_null(), {.thread = UINT32_MAX, .offset = 1}, {.offset = UINT64_MAX}};
    char *nowhere[] = {NULL, (char *)1};
    for (int i = 0; i < 6; i++) {
        pgas_ptr_t place = places[i % 3];
        char *bytes = nowhere[i % 2];
        pgas_memget(bytes, place, 0);
        pgas_memput(place, bytes, 0);
        pgas_memcpy(place, place, 0);
        pgas_memset(place, 1, 0);
        CHECK(pgas_handle_is_complete(pgas_memget_async(bytes, place, 0)));
        CHECK(pgas_handle_is_complete(pgas_memput_async(place, bytes, 0)));
        CHECK(pgas_handle_is_complete(pgas_memcpy_async(place, place, 0)));
        CHECK(pgas_handle_is_complete(pgas_memset_async(place, 1, 0)));
        pgas_memget_asynci(bytes, place, 0);
        pgas_memput_asynci(place, bytes, 0);
        pgas_memcpy_asynci(place, place, 0);
        pgas_memset_asynci(place, 1, 0);
    }
    CHECK(pgas_trysynci());
}

/*
 * 3: one handle that has finished, one complete, one in flight. A put has finished if a later one
 * to the same thread has; a get of some MiB takes longer than one test.
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

/* A barrier does not affect handles. */
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

/* 4: as many as must be possible, puts and then gets, synchronised in reverse order. */
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

/* 8: a put, synchronised, then a flag: a thread that sees the flag reads what was put to a third
 * thread. */
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

int main(void)
{
    CHECK(pgas_init() == PGAS_OK);
    generator = random_seed_of_thread(random_seed_of_job());
    threads = (size_t)pgas_threads();
    me = (size_t)pgas_mythread();
    CHECK(threads > 0 && threads <= MOST_THREADS);
    model_begin();
    test_explicit();
    test_complete();
    test_nothing_anywhere();
    test_mixed();
    test_many();
    test_implicit();
    test_region();
    test_regions();
    test_third_party();
    model_end();
    pgas_finalize();
    return 0;
}
