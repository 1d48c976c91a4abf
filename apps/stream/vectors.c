#include "vectors.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/large.h"
#include "common/timing.h"
#include "job.h"

enum {
    LINE = 64 / sizeof(double),
    DENSE = 0,
    BY_LINE = 1,
    LISTS = 2,
    NEAR = 0,
    FAR = 1
};

#define PLACES_OF(move) "move_" move "_near", "move_" move "_far"

const char *stream_move_name(int rate)
{
    static const char *const names[STREAM_MOVE_RATES] = {
        PLACES_OF("copy"),         PLACES_OF("copy_other"), PLACES_OF("put"),
        PLACES_OF("pack"),         PLACES_OF("pack_lines"), PLACES_OF("unpack"),
        PLACES_OF("unpack_lines"), PLACES_OF("plan"),       PLACES_OF("plan_lines"),
    };
    return names[rate];
}

/* The other thread of the node, or the own one. */
static int other_thread(void)
{
    int partner = stream_partner(pgas_mythread(), PGAS_LOCAL);
    return partner < 0 ? pgas_mythread() : partner;
}

static size_t first_of(const stream_vectors_t *vectors, int thread)
{
    return vectors->count * (size_t)thread;
}

static size_t far_bytes(reuse_caches_t caches)
{
    return 2 * caches.share;
}

/* Too much for the second level, too little for the share of the last; no more than a product reads
 * between two moves. */
static size_t near_bytes(size_t nbytes, reuse_caches_t caches)
{
    size_t wanted = caches.share / 4;
    if (wanted > nbytes)
        wanted = nbytes;
    if (wanted < 2 * caches.second_level)
        wanted = 2 * caches.second_level;
    return wanted < caches.share / 2 ? wanted : caches.share / 2;
}

/* Value k of a list: all but one, or a plan would not need the list; or one of every line, in
 * changing places. */
static uint32_t index_of(int list, size_t k)
{
    return (uint32_t)(list == DENSE ? k + (k > 0) : k * LINE + k * 5 % LINE);
}

static void create_list(stream_vectors_t *vectors, int list)
{
    size_t count = list == DENSE ? vectors->count - 1 : vectors->count / LINE;
    vectors->index_count[list] = count;
    vectors->indices[list] = common_alloc("indexes of values", count, sizeof(uint32_t));
    for (size_t k = 0; k < count; k++)
        vectors->indices[list][k] = index_of(list, k);
}

/* Needs the values of a list of this thread's and of the other one's. */
static void create_plan(stream_vectors_t *vectors, int list)
{
    size_t count = vectors->index_count[list];
    size_t *wanted = common_alloc("indexes of a plan", 2 * count, sizeof *wanted);
    size_t *positions = common_alloc("positions of a plan", 2 * count, sizeof *positions);
    for (size_t k = 0; k < count; k++) {
        wanted[k] = first_of(vectors, pgas_mythread()) + vectors->indices[list][k];
        wanted[count + k] = first_of(vectors, other_thread()) + vectors->indices[list][k];
    }
    if (pgas_plan_create(&vectors->x, wanted, 2 * count, PGAS_PLAN_IN_ARRIVAL_ORDER, positions,
                         &vectors->plans[list]) != PGAS_OK)
        pgas_exit(1);
    free(positions);
    free(wanted);
}

static double *create_array(size_t count, pgas_array_t *array)
{
    if (pgas_array_create(count * (size_t)pgas_threads(), sizeof(double), count, array) != PGAS_OK)
        pgas_exit(1);
    return pgas_array_mine(array);
}

void stream_vectors_create(size_t count, size_t nbytes, reuse_caches_t caches,
                           stream_vectors_t *vectors)
{
    size_t others = far_bytes(caches) / sizeof(double);
    *vectors = (stream_vectors_t){
        .caches = caches, .near_bytes = near_bytes(nbytes, caches), .count = count, .right = true};
    vectors->own_x = create_array(count, &vectors->x);
    create_array(count, &vectors->landed);
    vectors->copy = common_alloc("copied values", 2 * count, sizeof(double));
    vectors->buffer = common_alloc("packed values", count, sizeof(double));
    vectors->other_memory = common_alloc("other memory", others, sizeof(double));
    for (size_t k = 0; k < others; k++)
        vectors->other_memory[k] = 0.0;
    for (int list = 0; list < LISTS; list++) {
        create_list(vectors, list);
        create_plan(vectors, list);
    }
}

void stream_vectors_free(stream_vectors_t *vectors)
{
    for (int list = 0; list < LISTS; list++) {
        pgas_plan_free(vectors->plans[list]);
        free(vectors->indices[list]);
    }
    free(vectors->other_memory);
    free(vectors->buffer);
    free(vectors->copy);
    pgas_array_free(&vectors->landed);
    pgas_array_free(&vectors->x);
}

static double value_of(const stream_vectors_t *vectors, int thread, size_t k)
{
    return vectors->version + (double)(first_of(vectors, thread) + k);
}

/* As a product: new values of x, then other memory. */
static void renew(stream_vectors_t *vectors, int place)
{
    size_t nbytes = place == NEAR ? vectors->near_bytes : far_bytes(vectors->caches);
    double sum = 0.0;
    vectors->version += 1.0;
    for (size_t k = 0; k < vectors->count; k++)
        vectors->own_x[k] = value_of(vectors, pgas_mythread(), k);
    for (size_t i = 0; i < nbytes / sizeof(double); i += LINE)
        sum += vectors->other_memory[i];
    vectors->right &= sum == 0.0;
    pgas_barrier();
}

/* Keeps the least of all times so far, per value. */
static void book(double *least, double start, size_t count)
{
    *least = fmin(*least, (common_seconds() - start) / (double)count);
}

static void check_copy(stream_vectors_t *vectors, int thread, const double *copy, int list)
{
    for (size_t k = 0; k < vectors->index_count[list]; k++) {
        uint32_t at = vectors->indices[list][k];
        vectors->right &= copy[at] == value_of(vectors, thread, at);
    }
}

/* As v2. */
static void copy_blocks(stream_vectors_t *vectors, int place, double *least)
{
    size_t nbytes = vectors->count * sizeof(double);
    int thread = other_thread();
    renew(vectors, place);
    double start = common_seconds();
    pgas_memget(vectors->copy, pgas_array_at(&vectors->x, first_of(vectors, pgas_mythread())),
                nbytes);
    book(&least[STREAM_MOVE_COPY], start, vectors->count);
    start = common_seconds();
    pgas_memget(vectors->copy + vectors->count,
                pgas_array_at(&vectors->x, first_of(vectors, thread)), nbytes);
    book(&least[STREAM_MOVE_COPY_OTHER], start, vectors->count);
    pgas_barrier();
    check_copy(vectors, pgas_mythread(), vectors->copy, DENSE);
    check_copy(vectors, thread, vectors->copy + vectors->count, DENSE);
}

/* As v3. */
static void send_values(stream_vectors_t *vectors, int list, int place, double *least)
{
    const uint32_t *indices = vectors->indices[list];
    size_t count = vectors->index_count[list];
    double *copy = vectors->copy;
    renew(vectors, place);
    double start = common_seconds();
    for (size_t k = 0; k < count; k++)
        vectors->buffer[k] = vectors->own_x[indices[k]];
    book(&least[list == DENSE ? STREAM_MOVE_PACK : STREAM_MOVE_PACK_LINES], start, count);
    start = common_seconds();
    pgas_memput(pgas_array_at(&vectors->landed, first_of(vectors, other_thread())), vectors->buffer,
                count * sizeof(double));
    if (list == DENSE)
        book(&least[STREAM_MOVE_PUT], start, count);
    pgas_barrier();
    const double *landed = pgas_array_mine(&vectors->landed);
    start = common_seconds();
    for (size_t k = 0; k < count; k++)
        copy[indices[k]] = landed[k];
    book(&least[list == DENSE ? STREAM_MOVE_UNPACK : STREAM_MOVE_UNPACK_LINES], start, count);
    check_copy(vectors, (int)((landed[0] - vectors->version) / (double)vectors->count), copy, list);
    pgas_barrier();
}

/* As v4. */
static void run_plan(stream_vectors_t *vectors, int list, int place, double *least)
{
    size_t count = pgas_plan_length(vectors->plans[list]);
    renew(vectors, place);
    double start = common_seconds();
    pgas_plan_begin(vectors->plans[list], &vectors->x, NULL);
    book(&least[list == DENSE ? STREAM_MOVE_PLAN : STREAM_MOVE_PLAN_LINES], start, count);
    const double *arrived = pgas_plan_finish(vectors->plans[list]);
    int first = other_thread() < pgas_mythread() ? other_thread() : pgas_mythread();
    vectors->right &= arrived[0] == value_of(vectors, first, vectors->indices[list][0]);
    pgas_barrier();
}

void stream_vectors_measure(stream_vectors_t *vectors, double seconds[STREAM_MOVE_RATES])
{
    enum {
        TIMES = 3
    };
    for (int place = 0; place < STREAM_MOVE_PLACES; place++) {
        double least[STREAM_MOVES];
        for (int move = 0; move < STREAM_MOVES; move++)
            least[move] = INFINITY;
        for (int i = 0; i < TIMES; i++) {
            copy_blocks(vectors, place, least);
            for (int list = 0; list < LISTS; list++) {
                send_values(vectors, list, place, least);
                run_plan(vectors, list, place, least);
            }
        }
        for (int move = 0; move < STREAM_MOVES; move++)
            seconds[move * STREAM_MOVE_PLACES + place] = stream_largest(least[move]);
    }
}

bool stream_vectors_check(const stream_vectors_t *vectors)
{
    return stream_all(vectors->right);
}
