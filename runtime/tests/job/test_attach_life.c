/* The life of attached operating-system threads (pgas/attach.h), and what they do for the process.
 *
 * - Collective calls and locks by one after the other, the halves of a barrier by two.
 * - Counts: the same operations by one thread and by four give the same sums.
 * - Threads that come and go, one by one and several at once: memory and descriptors stay.
 * - A number that is given again goes on where its last owner stopped.
 * - A thread detaches with everything in flight, collectives too: it is complete then. So it is
 *   when the main thread does.
 * - A thread waits for what only comes when another one has read and written remote memory. */
#include <dirent.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "attach_workers.h"
#include "memory.h"
#include "pause.h"

enum {
    FLOOD = 1000
};

static pgas_lock_t lock;

static void *collective(void *argument)
{
    pgas_ptr_t memory;
    (void)argument;
    CHECK(pgas_attach_thread() == PGAS_OK);
    pgas_wait(5); /* the main thread has notified */
    CHECK(pgas_all_alloc(3, 64, &memory) == PGAS_OK);
    pgas_all_free(memory);
    pgas_lock(lock);
    uint64_t value = PGAS_READ(uint64_t, room);
    PGAS_WRITE(uint64_t, room, value + 1);
    pgas_detach_thread();
    return NULL;
}

static void *leave_in_flight(void *argument)
{
    int64_t *sum = argument;
    CHECK(pgas_attach_thread() == PGAS_OK);
    pgas_waitsync(pgas_team_barrier_async(PGAS_TEAM_ALL));
    pgas_handle_t handle = pgas_allreduce_async(PGAS_TEAM_ALL, sum, sum, 1, PGAS_INT64, PGAS_SUM);
    pgas_detach_thread();
    (void)handle;
    return NULL;
}

/* The main thread goes on with collectives when the other one has left. */
static void test_in_flight(void)
{
    for (int64_t i = 1; i <= 10; i++) {
        pthread_t other;
        int64_t sum = i;
        CHECK(pthread_create(&other, NULL, leave_in_flight, &sum) == 0);
        CHECK(pthread_join(other, NULL) == 0);
        CHECK(sum == i * pgas_threads());
        CHECK(pgas_allreduce_int64(PGAS_TEAM_ALL, i, PGAS_MAX) == i);
    }
}

/* The main thread's handles stay valid, too. */
static void test_main_in_flight(void)
{
    static char bytes[AREA];
    uint32_t next = (uint32_t)(pgas_mythread() + 1) % (uint32_t)pgas_threads();
    pgas_ptr_t theirs = {.thread = next, .offset = room.offset};
    for (int i = 1; i <= 10; i++) {
        int64_t sum = i;
        PGAS_WRITE(int64_t, pgas_ptr_on(room, pgas_mythread()), i);
        memset(bytes, 0, sizeof bytes);
        pgas_barrier();
        CHECK(pgas_attach_thread() == PGAS_OK);
        pgas_handle_t get = pgas_memget_async(bytes, theirs, sizeof bytes);
        pgas_handle_t all =
            pgas_allreduce_async(PGAS_TEAM_ALL, &sum, &sum, 1, PGAS_INT64, PGAS_SUM);
        pgas_detach_thread();
        int64_t got;
        memcpy(&got, bytes, sizeof got);
        CHECK(got == i);
        CHECK(sum == (int64_t)i * pgas_threads());
        pgas_waitsync(get);
        pgas_waitsync(all);
        pgas_barrier();
    }
}

static void test_collective(void)
{
    PGAS_WRITE(uint64_t, room, 0);
    CHECK(pgas_all_lock_alloc(&lock) == PGAS_OK);
    for (int i = 0; i < 10; i++) {
        pthread_t other;
        pgas_notify(5);
        CHECK(pthread_create(&other, NULL, collective, NULL) == 0);
        CHECK(pthread_join(other, NULL) == 0);
        pgas_unlock(lock);
    }
    pgas_barrier();
    CHECK(PGAS_READ(uint64_t, room) == (uint64_t)pgas_threads() * 10);
    pgas_barrier();
    if (pgas_mythread() == 0)
        pgas_lock_free(lock);
}

/* A share of some operations: the `k`-th of `n`. */
static void operate(int k, int n)
{
    char bytes[512] = {0};
    uint64_t value = 0;
    pgas_handle_t handle;
    for (int i = k; i < 120; i += n) {
        int thread = i % pgas_threads();
        pgas_ptr_t place = {.thread = (uint32_t)thread, .offset = room.offset + area_of(k) * AREA};
        pgas_memput(place, bytes, 100 + (size_t)i);
        pgas_memget(bytes, place, (size_t)i + 1);
        handle = pgas_memput_async(place, bytes, 16);
        pgas_waitsync(handle);
        PGAS_WRITE(uint64_t, place, value);
        value += PGAS_READ(uint32_t, place);
        pgas_put_val(place, value, 3);
        pgas_memput_fstrided(place, 4, 8, 5, bytes, 4, 8, 5);
    }
}

static void *operate_aside(void *argument)
{
    CHECK(pgas_attach_thread() == PGAS_OK);
    operate(*(const int *)argument - 1, WORKERS);
    pgas_detach_thread();
    return NULL;
}

static void test_counts(void)
{
    static pgas_stats_t alone;
    static pgas_stats_t together;
    pthread_t workers[WORKERS];
    pgas_stats_reset();
    operate(0, 1);
    pgas_stats_get(&alone);
    pgas_stats_reset();
    workers_start(workers, 0, operate_aside);
    workers_join(workers, 0);
    pgas_stats_get(&together);
    CHECK(memcmp(&alone, &together, sizeof alone) == 0);
    CHECK(together.traffic[PGAS_OWN][PGAS_CONDENSED][PGAS_TO].operations > 0);
    pgas_barrier();
}

static size_t descriptors(void)
{
    size_t count = 0;
    DIR *directory = opendir("/proc/self/fd");
    CHECK(directory != NULL);
    while (readdir(directory) != NULL)
        count++;
    closedir(directory);
    return count;
}

/* Leaves everything in flight behind. */
static void *live_shortly(void *argument)
{
    int number = *(const int *)argument - 1;
    static unsigned char source[LARGE];
    unsigned char there[64];
    uint64_t here[8];
    int to = (pgas_mythread() + 1) % pgas_threads();
    size_t area = area_of(number);
    pgas_ptr_t place = {.thread = (uint32_t)to, .offset = room.offset + area * AREA};
    CHECK(pgas_attach_thread() == PGAS_OK);
    uint64_t value = (uint64_t)number + 3;
    pgas_memput(place, &value, sizeof value);
    pgas_begin_accessregion();
    for (size_t i = 0; i < 8; i++)
        pgas_memget_asynci(&here[i], place, 8);
    pgas_handle_t region = pgas_end_accessregion();
    for (size_t i = 0; i < 20; i++)
        pgas_memput_asynci((pgas_ptr_t){.thread = place.thread, .offset = place.offset + 64 + i},
                           "x", 1);
    pgas_memput_async((pgas_ptr_t){.thread = place.thread, .offset = large.offset + area * LARGE},
                      source, LARGE);
    pgas_memget_async(there, place, 8);
    (void)region;
    pgas_detach_thread();
    for (size_t i = 0; i < 8; i++)
        CHECK(here[i] == value);
    CHECK(memcmp(there, &value, sizeof value) == 0);
    return NULL;
}

static pthread_barrier_t all_attached;

static void *live_quietly(void *argument)
{
    uint64_t value = 0;
    pgas_ptr_t place = room;
    place.thread = (uint32_t)((pgas_mythread() + 1) % pgas_threads());
    CHECK(pgas_attach_thread() == PGAS_OK);
    if (argument == NULL)
        pthread_barrier_wait(&all_attached);
    value += PGAS_READ(uint64_t, place);
    pgas_waitsync(pgas_memget_async(&value, place, 8));
    pgas_detach_thread();
    return NULL;
}

static void churn(int times, void *(*body)(void *))
{
    pthread_t workers[WORKERS];
    for (int i = 0; i < times; i++) {
        workers_start(workers, i % WORKERS, body);
        workers_join(workers, i % WORKERS);
    }
}

static void test_churn(int times)
{
    pthread_t all[WORKERS];
    CHECK(pthread_barrier_init(&all_attached, NULL, WORKERS) == 0);
    for (int i = 0; i < WORKERS; i++) /* every number has its connections then */
        CHECK(pthread_create(&all[i], NULL, live_quietly, NULL) == 0);
    workers_join(all, 0);
    churn(times / 10 + 8, live_quietly);
    pgas_barrier();
    size_t fds = descriptors();
    size_t kib = memory_kib("RssAnon");
    churn(times, live_quietly);
    CHECK(descriptors() == fds);
    if (getenv("FATHOM_TEST_SANITIZED") == NULL && memory_kib("RssAnon") > kib + 8192)
        pgas_fail(1, "memory has grown from %zu to %zu KiB", kib, memory_kib("RssAnon"));
    pgas_barrier();
}

/* Thread 0 polls when its word has been written; until then the last thread, on another node, has
 * no credit for more messages. */
static pgas_am_t flood;
static _Atomic long flooded;
static _Atomic long sent;

static void on_flood(pgas_am_token_t *token, const int32_t *args, unsigned nargs, void *payload,
                     size_t nbytes)
{
    (void)token;
    (void)args;
    (void)nargs;
    (void)payload;
    (void)nbytes;
    flooded++;
}

static void *flood_thread_0(void *unused)
{
    (void)unused;
    CHECK(pgas_attach_thread() == PGAS_OK);
    for (; sent < FLOOD; sent++)
        pgas_am_request_short(0, flood, NULL, 0);
    pgas_detach_thread();
    return NULL;
}

/* The other one waits when it has sent nothing for a while. */
static void release_thread_0(void)
{
    static char buffer[LARGE];
    pthread_t other;
    pgas_ptr_t word = {.thread = 0, .offset = room.offset};
    uint64_t value = 1;
    CHECK(pthread_create(&other, NULL, flood_thread_0, NULL) == 0);
    for (long before = -1; before != sent || sent == 0;) {
        before = sent;
        sleep_microseconds(50000);
    }
    value += PGAS_READ(uint64_t, word);
    pgas_memget(buffer, (pgas_ptr_t){.thread = 0, .offset = large.offset}, LARGE);
    PGAS_WRITE(uint64_t, word, value);
    CHECK(pthread_join(other, NULL) == 0);
}

static void test_wait_for_another(void)
{
    int last = pgas_threads() - 1;
    const char *progress = getenv("PGAS_PROGRESS");
    pgas_ptr_t word = {.thread = 0, .offset = room.offset};
    if (pgas_node_of(0) == pgas_node_of(last) ||
        (progress != NULL && strcmp(progress, "poll") == 0))
        return;
    if (pgas_mythread() == 0)
        PGAS_WRITE(uint64_t, word, 0);
    pgas_barrier();
    if (pgas_mythread() == last)
        release_thread_0();
    if (pgas_mythread() == 0) {
        while (__atomic_load_n((uint64_t *)pgas_local(word), __ATOMIC_ACQUIRE) == 0)
            sleep_microseconds(1000);
        while (flooded < FLOOD)
            pgas_poll();
    }
    pgas_barrier();
}

int main(int argc, char **argv)
{
    bool is_sanitized = getenv("FATHOM_TEST_SANITIZED") != NULL;
    int times = argc > 1 ? atoi(argv[1]) : is_sanitized ? 60 : 500;
    flood = pgas_am_register("flood", on_flood, PGAS_AM_POLL);
    CHECK(pgas_init() == PGAS_OK);
    workers_allocate();
    test_main_in_flight();
    pgas_stats_reset();
    CHECK(pgas_attach_thread() == PGAS_OK);
    test_collective();
    test_in_flight();
    test_counts();
    test_churn(times);
    churn(8, live_shortly);
    test_wait_for_another();
    pgas_finalize();
    return 0;
}
