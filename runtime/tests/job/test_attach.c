/* Several operating-system threads of a process that communicate at once (pgas/attach.h).
 *
 * - Four of each process do everything, mixed at random, with all threads of the job: puts, gets,
 *   values, atomics, handles, copies without a handle, regions, strided copies, fences, polls,
 *   messages whose replies are counted.
 * - The main thread is one of them; it only computes; it waits in a barrier meanwhile.
 * - The main thread attaches again. */
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "attach_workers.h"
#include "job_random.h"

enum {
    FLIGHT = 24,
    MESSAGES = 16
};

static uint64_t seed;
static int rounds;
static pgas_am_t request;
static pgas_am_t reply;
static _Atomic long handled;
static _Atomic long replies[WORKERS];

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

static void test_mixed(void)
{
    pthread_t workers[WORKERS];
    workers_start(workers, 1, work);
    work(&numbers[1]);
    workers_join(workers, 1);
    pgas_barrier();
    workers_start(workers, 1, work);
    workers_join(workers, 1); /* the main thread serves nobody */
    pgas_barrier();
    workers_start(workers, 1, work);
    for (int i = 0; i < 20; i++)
        pgas_barrier();
    workers_join(workers, 1);
    pgas_barrier();
}

int main(int argc, char **argv)
{
    bool is_sanitized = getenv("FATHOM_TEST_SANITIZED") != NULL;
    rounds = argc > 1 ? atoi(argv[1]) : is_sanitized ? 60 : 250;
    request = pgas_am_register("request", on_request, PGAS_AM_POLL);
    reply = pgas_am_register("reply", on_reply, PGAS_AM_ANYWHERE);
    CHECK(pgas_init() == PGAS_OK);
    workers_allocate();
    seed = random_seed_of_job();
    CHECK(pgas_attach_thread() == PGAS_OK);
    test_mixed();
    pgas_detach_thread();
    pgas_barrier();
    CHECK(pgas_attach_thread() == PGAS_OK);
    rounds = rounds / 5;
    test_mixed();
    CHECK(handled > 0);
    pgas_stats_t before;
    pgas_stats_t after;
    pgas_stats_get(&before);
    pgas_finalize();
    pgas_stats_get(&after);
    for (int place = 0; place < PGAS_PLACES; place++)
        for (int mode = 0; mode < PGAS_MODES; mode++)
            for (int way = 0; way < PGAS_DIRECTIONS; way++)
                CHECK(after.traffic[place][mode][way].operations >=
                      before.traffic[place][mode][way].operations);
    return 0;
}
