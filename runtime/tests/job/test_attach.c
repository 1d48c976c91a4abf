/* Several operating-system threads of a process that communicate at once (pgas/attach.h).
 *
 * - Four of each process do everything, mixed at random, with all threads of the job: puts, gets,
 *   values, atomics, handles, copies without a handle, regions, strided copies, fences, polls,
 *   messages whose replies are counted.
 * - The main thread is one of them; it only computes; it waits in a barrier meanwhile.
 * - Collective calls and locks by one after the other, the halves of a barrier by two.
 * - Counts: the same operations by one thread and by four give the same sums.
 * - Threads that come and go, one by one and several at once: memory and descriptors stay.
 * - A thread detaches with everything in flight: it is complete then.
 * - A number that is given again goes on where its last owner stopped.
 * - The main thread attaches again. */
#include <dirent.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "job_random.h"

enum {
    WORKERS = 4,
    AREA = 48 << 10, /* of one worker at one thread */
    LARGE = 160 << 10,
    FLIGHT = 24,
    MESSAGES = 16
};

static pgas_ptr_t room; /* AREA bytes of each worker of each thread, at every thread */
static pgas_ptr_t large; /* LARGE bytes likewise */
static uint64_t seed;
static int rounds;
static pgas_am_t request;
static pgas_am_t reply;
static _Atomic long handled;
static _Atomic long replies[WORKERS];
static int numbers[WORKERS + 1] = {0, 1, 2, 3, 4}; /* what start passes on */

static void on_request(pgas_am_token_t *token, const int32_t *args, unsigned nargs, void *payload,
                       size_t nbytes)
{
    handled++;
    for (size_t i = 0; i < nbytes; i++)
        CHECK(((unsigned char *)payload)[i] == (unsigned char)args[1]);
    if (nbytes % 2 == 0)
        pgas_am_reply_short(token, reply, args, nargs);
    else
        pgas_am_reply_medium(token, reply, args, nargs, payload, nbytes);
}

/* The first argument is the worker. */
static void on_reply(pgas_am_token_t *token, const int32_t *args, unsigned nargs, void *payload,
                     size_t nbytes)
{
    (void)token;
    (void)payload;
    (void)nbytes;
    CHECK(nargs == 2);
    replies[args[0]]++;
}

/* What a worker knows. */
typedef struct worker {
    int number;
    uint64_t random;
    /* Its areas at all threads, as they must be. */
    unsigned char *model;
    unsigned char *large_model;
    unsigned char *buffer;
    long requests;
    /* In flight: gets to be compared when they are complete. */
    size_t gets;
    struct {
        size_t at;
        size_t nbytes;
        unsigned char *to;
        int thread;
    } got[FLIGHT];
} worker_t;

static size_t below(worker_t *w, size_t bound)
{
    return random_below(&w->random, bound);
}

static size_t area_of(int number)
{
    return (size_t)pgas_mythread() * WORKERS + (size_t)number;
}

static pgas_ptr_t place_of(const worker_t *w, int thread, size_t at)
{
    size_t area = area_of(w->number);
    return (pgas_ptr_t){.thread = (uint32_t)thread, .offset = room.offset + area * AREA + at};
}

static unsigned char *model_of(worker_t *w, int thread, size_t at)
{
    return w->model + (size_t)thread * AREA + at;
}

static void fill(worker_t *w, unsigned char *bytes, size_t nbytes)
{
    uint64_t value = random_next(&w->random);
    for (size_t i = 0; i < nbytes; i++)
        bytes[i] = (unsigned char)(value >> i % 8 * 8) + (unsigned char)i;
}

/* A random part of an area. */
static size_t part(worker_t *w, size_t *nbytes)
{
    *nbytes = 1 + random_size(&w->random, AREA - 1);
    return below(w, AREA - *nbytes + 1);
}

static void put(worker_t *w, int thread)
{
    size_t nbytes;
    size_t at = part(w, &nbytes);
    unsigned char *model = model_of(w, thread, at);
    fill(w, model, nbytes);
    switch (below(w, 4)) {
    case 0:
        pgas_memput(place_of(w, thread, at), model, nbytes);
        break;
    case 1:
        pgas_waitsync(pgas_memput_async(place_of(w, thread, at), model, nbytes));
        break;
    case 2:
        pgas_memput_asynci(place_of(w, thread, at), model, nbytes);
        pgas_waitsynci();
        break;
    default:
        pgas_begin_accessregion();
        pgas_memput_asynci(place_of(w, thread, at), model, nbytes);
        pgas_handle_t region = pgas_end_accessregion();
        while (!pgas_trysync(region))
            continue;
    }
}

static void get(worker_t *w, int thread)
{
    size_t nbytes;
    size_t at = part(w, &nbytes);
    memset(w->buffer, 0, nbytes);
    if (below(w, 2) == 0)
        pgas_memget(w->buffer, place_of(w, thread, at), nbytes);
    else
        pgas_waitsync(pgas_memget_async(w->buffer, place_of(w, thread, at), nbytes));
    CHECK(memcmp(w->buffer, model_of(w, thread, at), nbytes) == 0);
}

static void values(worker_t *w, int thread)
{
    size_t at = below(w, AREA / 8) * 8;
    uint64_t value = random_next(&w->random);
    unsigned char *model = model_of(w, thread, at);
    memcpy(model, &value, sizeof value);
    if (below(w, 2) == 0) {
        PGAS_WRITE(uint64_t, place_of(w, thread, at), value);
        CHECK(PGAS_READ(uint64_t, place_of(w, thread, at)) == value);
    } else {
        pgas_waitsync(pgas_put_val_async(place_of(w, thread, at), value, 8));
        pgas_valget_t read = pgas_get_val_async(place_of(w, thread, at), 8);
        CHECK(pgas_get_val(place_of(w, thread, at), 8) == value);
        CHECK(pgas_wait_val(read) == value);
    }
}

static void atomics(worker_t *w, int thread)
{
    size_t at = below(w, AREA / 8) * 8;
    pgas_ptr_t word = place_of(w, thread, at);
    uint64_t value = random_next(&w->random);
    uint64_t old;
    PGAS_ATOMIC_SWAP(uint64_t, word, value, PGAS_RELAXED);
    pgas_waitsync(PGAS_ATOMIC_UPDATE_ASYNC(uint64_t, PGAS_ADD, word, 3, PGAS_RELAXED));
    pgas_waitsync(PGAS_ATOMIC_FETCH_ASYNC(uint64_t, &old, PGAS_XOR, word, value, PGAS_ACQ_REL));
    CHECK(old == value + 3);
    value ^= value + 3;
    memcpy(model_of(w, thread, at), &value, sizeof value);
}

/* Puts and gets in flight together, of which no two touch the same bytes. */
static void flight(worker_t *w)
{
    pgas_handle_t handles[2 * FLIGHT];
    size_t piece = AREA / FLIGHT;
    size_t count = 1 + below(w, FLIGHT);
    for (size_t i = 0; i < count; i++) {
        int thread = (int)below(w, (size_t)pgas_threads());
        size_t nbytes = 1 + below(w, piece);
        unsigned char *model = model_of(w, thread, i * piece);
        if (below(w, 2) == 0) {
            fill(w, model, nbytes);
            handles[i] = pgas_memput_async(place_of(w, thread, i * piece), model, nbytes);
            w->got[i].nbytes = 0;
        } else {
            handles[i] =
                pgas_memget_async(w->buffer + i * piece, place_of(w, thread, i * piece), nbytes);
            w->got[i].nbytes = nbytes;
            w->got[i].thread = thread;
        }
    }
    if (below(w, 2) == 0)
        pgas_waitsync_all(handles, count);
    else
        while (!pgas_trysync_all(handles, count))
            continue;
    for (size_t i = 0; i < count; i++)
        CHECK(memcmp(w->buffer + i * piece, model_of(w, w->got[i].thread, i * piece),
                     w->got[i].nbytes) == 0);
}

static void strided(worker_t *w, int thread)
{
    size_t stride = 16 + below(w, 48);
    size_t width = 1 + below(w, 16);
    size_t count = 1 + below(w, 60);
    unsigned char *model = model_of(w, thread, 0);
    for (size_t i = 0; i < count; i++)
        fill(w, model + i * stride, width);
    pgas_memput_fstrided(place_of(w, thread, 0), width, stride, count, model, width, stride, count);
    memset(w->buffer, 0, count * stride);
    pgas_memget_fstrided(w->buffer, width, stride, count, place_of(w, thread, 0), width, stride,
                         count);
    for (size_t i = 0; i < count; i++)
        CHECK(memcmp(w->buffer + i * stride, model + i * stride, width) == 0);
}

static void messages(worker_t *w, int thread)
{
    for (size_t i = 1 + below(w, MESSAGES); i > 0; i--) {
        const int32_t args[] = {w->number, (int32_t)i};
        size_t nbytes = below(w, 4) == 0 ? 0 : random_size(&w->random, 9000);
        memset(w->buffer, (int)i, nbytes);
        pgas_am_request_medium(thread, request, args, 2, w->buffer, nbytes);
        w->requests++;
    }
    while (below(w, 2) == 0 && replies[w->number] < w->requests)
        pgas_poll();
}

static void much(worker_t *w, int thread)
{
    size_t area = area_of(w->number);
    pgas_ptr_t place = {.thread = (uint32_t)thread, .offset = large.offset + area * LARGE};
    fill(w, w->large_model, LARGE);
    pgas_handle_t there = pgas_memput_async(place, w->large_model, LARGE);
    values(w, thread);
    pgas_waitsync(there);
    pgas_memget(w->buffer, place, LARGE);
    CHECK(memcmp(w->buffer, w->large_model, LARGE) == 0);
}

static void one_round(worker_t *w)
{
    int thread = (int)below(w, (size_t)pgas_threads());
    switch (below(w, 16)) {
    case 0:
        much(w, thread);
        break;
    case 1:
    case 2:
        strided(w, thread);
        break;
    case 3:
        pgas_fence();
        pgas_poll();
        atomics(w, thread);
        break;
    case 4:
    case 5:
    case 6:
        values(w, thread);
        break;
    case 7:
    case 8:
        messages(w, thread);
        break;
    case 9:
    case 10:
        flight(w);
        break;
    case 11:
    case 12:
        get(w, thread);
        break;
    default:
        put(w, thread);
    }
}

static worker_t *new_worker(int number)
{
    worker_t *w = calloc(1, sizeof *w);
    CHECK(w != NULL);
    w->number = number;
    replies[number] = 0;
    w->random = random_seed_of_thread(seed) + (uint64_t)number * 7919;
    w->model = malloc((size_t)pgas_threads() * AREA);
    w->large_model = malloc(LARGE);
    w->buffer = malloc(LARGE);
    CHECK(w->model != NULL && w->large_model != NULL && w->buffer != NULL);
    for (int thread = 0; thread < pgas_threads(); thread++) {
        fill(w, model_of(w, thread, 0), AREA);
        pgas_memput(place_of(w, thread, 0), model_of(w, thread, 0), AREA);
    }
    return w;
}

static void *work(void *argument)
{
    int number = *(const int *)argument - 1;
    if (number > 0)
        CHECK(pgas_attach_thread() == PGAS_OK);
    worker_t *w = new_worker(number);
    for (int i = 0; i < rounds; i++)
        one_round(w);
    while (replies[w->number] < w->requests)
        pgas_poll();
    for (int thread = 0; thread < pgas_threads(); thread++) {
        pgas_memget(w->buffer, place_of(w, thread, 0), AREA);
        CHECK(memcmp(w->buffer, model_of(w, thread, 0), AREA) == 0);
    }
    if (number > 0)
        pgas_detach_thread();
    free(w->model);
    free(w->large_model);
    free(w->buffer);
    free(w);
    return NULL;
}

/* Runs `body` in workers `first` to WORKERS - 1, in operating-system threads of their own. The
 * argument is the worker's number + 1. */
static void start(pthread_t *workers, int first, void *(*body)(void *))
{
    for (int i = first; i < WORKERS; i++)
        CHECK(pthread_create(&workers[i], NULL, body, &numbers[i + 1]) == 0);
}

static void join(const pthread_t *workers, int first)
{
    for (int i = first; i < WORKERS; i++)
        CHECK(pthread_join(workers[i], NULL) == 0);
}

/* 1, 2. */
static void test_mixed(void)
{
    pthread_t workers[WORKERS];
    start(workers, 1, work);
    work(&numbers[1]);
    join(workers, 1);
    pgas_barrier();
    start(workers, 1, work);
    join(workers, 1); /* the main thread serves nobody */
    pgas_barrier();
    start(workers, 1, work);
    for (int i = 0; i < 20; i++)
        pgas_barrier();
    join(workers, 1);
    pgas_barrier();
}

/* 3. */
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

/* 4. A share of some operations: the `k`-th of `n`. */
static void operate(int k, int n)
{
    char bytes[512] = {0};
    uint64_t value = 0;
    pgas_handle_t handle;
    for (int i = k; i < 120; i += n) {
        int thread = i % pgas_threads();
        pgas_ptr_t place = {.thread = (uint32_t)thread, .offset = room.offset + (size_t)k * AREA};
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
    start(workers, 0, operate_aside);
    join(workers, 0);
    pgas_stats_get(&together);
    CHECK(memcmp(&alone, &together, sizeof alone) == 0);
    CHECK(together.traffic[PGAS_OWN][PGAS_CONDENSED][PGAS_TO].operations > 0);
    pgas_barrier();
}

/* 5, 6, 7. */
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

static size_t private_kib(void)
{
    FILE *file = fopen("/proc/self/status", "re");
    char line[256];
    size_t kib = 0;
    CHECK(file != NULL);
    while (fgets(line, sizeof line, file) != NULL)
        if (sscanf(line, "RssAnon: %zu kB", &kib) == 1)
            break;
    fclose(file);
    return kib;
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
        start(workers, i % WORKERS, body);
        join(workers, i % WORKERS);
    }
}

static void test_churn(int times)
{
    pthread_t all[WORKERS];
    CHECK(pthread_barrier_init(&all_attached, NULL, WORKERS) == 0);
    for (int i = 0; i < WORKERS; i++) /* every number has its connections then */
        CHECK(pthread_create(&all[i], NULL, live_quietly, NULL) == 0);
    join(all, 0);
    churn(times / 10 + 8, live_quietly);
    pgas_barrier();
    size_t fds = descriptors();
    size_t kib = private_kib();
    churn(times, live_quietly);
    CHECK(descriptors() == fds);
    if (getenv("FATHOM_TEST_SANITIZED") == NULL && private_kib() > kib + 8192)
        pgas_fail(1, "memory has grown from %zu to %zu KiB", kib, private_kib());
    pgas_barrier();
}

int main(int argc, char **argv)
{
    bool is_sanitized = getenv("FATHOM_TEST_SANITIZED") != NULL;
    int times = argc > 1 ? atoi(argv[1]) : is_sanitized ? 60 : 500;
    rounds = argc > 1 ? 10 * times : is_sanitized ? 60 : 250;
    request = pgas_am_register("request", on_request, PGAS_AM_POLL);
    reply = pgas_am_register("reply", on_reply, PGAS_AM_ANYWHERE);
    CHECK(pgas_init() == PGAS_OK);
    size_t areas = (size_t)pgas_threads() * WORKERS;
    CHECK(pgas_all_alloc((size_t)pgas_threads(), areas * AREA, &room) == PGAS_OK);
    CHECK(pgas_all_alloc((size_t)pgas_threads(), areas * LARGE, &large) == PGAS_OK);
    seed = random_seed_of_job();
    CHECK(pgas_attach_thread() == PGAS_OK);
    test_mixed();
    test_collective();
    test_counts();
    test_churn(times);
    churn(8, live_shortly);
    pgas_detach_thread();
    pgas_barrier();
    CHECK(pgas_attach_thread() == PGAS_OK);
    rounds = rounds / 5;
    test_mixed();
    CHECK(handled > 0);
    pgas_finalize();
    return 0;
}
