/**
 * What is reported complete is complete: copies of all forms and of all sizes in flight at once,
 * started, tried and waited for in a random order. As soon as the library says that one is done,
 * its destination is read by another way and its source is overwritten.
 *
 * Usage: runtime_completion [STEPS]
 */
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "job_random.h"
#include "pause.h"

/*
 * The spaces that copies meet in: in each thread's segment a room that only the calling thread
 * uses, and private memory as large. Each has a model, which is what the space holds once all
 * copies are done. An interval of a space belongs to one copy at a time.
 */
enum {
    ROOM = 48 << 20,
    MOST_THREADS = 8,
    MOST_IN_FLIGHT = 32,
    STEPS = 24000,
    PLAN_INDICES = 3000
};

typedef enum kind {
    PUT,
    GET,
    COPY,
    SET,
    VALUE,
    PUT_CHUNKS,
    GET_CHUNKS,
    COPY_CHUNKS,
    PUT_LIST,
    KINDS
} kind_t;

typedef struct interval {
    size_t space; /* a thread's number, or `threads` for private memory */
    size_t begin;
    size_t nbytes;
} interval_t;

typedef struct copy {
    kind_t kind;
    interval_t dst;
    interval_t src; /* no bytes for SET and VALUE */
    size_t chunk; /* bytes that are copied of every 2 * chunk, or all if 0 */
    pgas_handle_t handle;
    bool is_implicit;
    bool is_of_region;
    /* Of PUT_LIST: they stay until it is done. */
    pgas_ptr_t *dst_list;
    const void **src_list;
} copy_t;

static size_t threads;
static size_t me;
static uint64_t state;
static pgas_ptr_t rooms;
static char *model[MOST_THREADS + 1];
static char *memory;
static char *seen; /* what a look at a destination reads */
static copy_t copies[MOST_IN_FLIGHT];
static size_t in_flight;
static bool in_region;
static pgas_handle_t region_handle;
static bool region_is_open; /* ended, but not synchronised */
static size_t reported;

/* For some time most copies are alike and go to one thread, so that they meet on the way, and are
 * synchronised in one way: what only some ways ask for must not be done for the others. */
static struct {
    size_t steps;
    kind_t kind;
    size_t target;
    size_t choice;
} fashion;

static pgas_ptr_t at(size_t thread, size_t offset)
{
    pgas_ptr_t ptr = rooms;
    ptr.thread = (uint32_t)thread;
    ptr.offset += (uint64_t)me * ROOM + offset;
    return ptr;
}

static size_t below(size_t bound)
{
    return random_below(&state, bound);
}

/* The sizes at which a library may change its way, with their neighbours. */
static size_t random_length(void)
{
    static const size_t borders[] = {1,     8,     64,    256,    4096,    8192,    16384,
                                     32768, 65536, 98304, 131072, 1 << 20, 4 << 20, 16 << 20};
    enum {
        BORDERS = sizeof borders / sizeof borders[0]
    };
    size_t border = borders[below(2) == 0 ? below(BORDERS) : below(BORDERS - 5)];
    switch (below(4)) {
    case 0:
        return border;
    case 1:
        return border - 1 + below(3) > 0 ? border - 1 + below(3) : 1;
    default:
        return 1 + below(border);
    }
}

static bool overlap(const interval_t *a, const interval_t *b)
{
    return a->space == b->space && a->begin < b->begin + b->nbytes &&
           b->begin < a->begin + a->nbytes;
}

static bool is_free(const interval_t *interval)
{
    for (size_t c = 0; c < in_flight; c++)
        if (overlap(interval, &copies[c].dst) || overlap(interval, &copies[c].src))
            return false;
    return true;
}

/* An interval of a space that no copy in flight has; false if none is found. */
static bool choose(size_t space, size_t nbytes, interval_t *interval)
{
    for (int i = 0; i < 20; i++) {
        *interval = (interval_t){space, below(ROOM - nbytes), nbytes};
        if (is_free(interval))
            return true;
    }
    return false;
}

/* Numbers that no other copy has. */
static void fill(char *bytes, size_t nbytes)
{
    uint64_t word = random_next(&state);
    for (size_t i = 0; i < nbytes; i += sizeof word) {
        memcpy(bytes + i, &word, nbytes - i < sizeof word ? nbytes - i : sizeof word);
        word = word * 3 + 1;
    }
}

static void copy_in_model(const copy_t *copy)
{
    char *to = model[copy->dst.space] + copy->dst.begin;
    const char *from = model[copy->src.space] + copy->src.begin;
    if (copy->chunk == 0) {
        memmove(to, from, copy->dst.nbytes);
        return;
    }
    for (size_t i = 0; i < copy->dst.nbytes; i += 2 * copy->chunk)
        memmove(to + i, from + i, copy->chunk);
}

static void start_list(copy_t *copy)
{
    size_t count = copy->dst.nbytes / (2 * copy->chunk);
    copy->dst_list = malloc(count * sizeof *copy->dst_list);
    copy->src_list = malloc(count * sizeof *copy->src_list);
    CHECK(copy->dst_list != NULL && copy->src_list != NULL);
    for (size_t i = 0; i < count; i++) {
        copy->dst_list[i] = at(copy->dst.space, copy->dst.begin + 2 * i * copy->chunk);
        copy->src_list[i] = memory + copy->src.begin + 2 * i * copy->chunk;
    }
    if (copy->is_implicit)
        pgas_memput_ilist_asynci(count, copy->dst_list, copy->chunk, count, copy->src_list,
                                 copy->chunk);
    else
        copy->handle = pgas_memput_ilist_async(count, copy->dst_list, copy->chunk, count,
                                               copy->src_list, copy->chunk);
}

static void start_chunks(copy_t *copy)
{
    size_t chunk = copy->chunk;
    size_t count = copy->dst.nbytes / (2 * chunk);
    void *near_dst = memory + copy->dst.begin;
    const void *near_src = memory + copy->src.begin;
    pgas_ptr_t dst = at(copy->dst.space % threads, copy->dst.begin);
    pgas_ptr_t src = at(copy->src.space % threads, copy->src.begin);
#define START(how, dst, src) \
    do { \
        if (copy->is_implicit) \
            pgas_##how##_fstrided_asynci(dst, chunk, 2 * chunk, count, src, chunk, 2 * chunk, \
                                         count); \
        else \
            copy->handle = pgas_##how##_fstrided_async(dst, chunk, 2 * chunk, count, src, chunk, \
                                                       2 * chunk, count); \
    } while (0)
    if (copy->kind == PUT_CHUNKS)
        START(memput, dst, near_src);
    else if (copy->kind == GET_CHUNKS)
        START(memget, near_dst, src);
    else
        START(memcpy, dst, src);
#undef START
}

static void start_whole(copy_t *copy)
{
    size_t nbytes = copy->dst.nbytes;
    void *near_dst = memory + copy->dst.begin;
    const void *near_src = memory + copy->src.begin;
    pgas_ptr_t dst = at(copy->dst.space % threads, copy->dst.begin);
    pgas_ptr_t src = at(copy->src.space % threads, copy->src.begin);
#define START(how, ...) \
    do { \
        if (copy->is_implicit) \
            pgas_##how##_asynci(__VA_ARGS__); \
        else \
            copy->handle = pgas_##how##_async(__VA_ARGS__); \
    } while (0)
    if (copy->kind == PUT)
        START(memput, dst, near_src, nbytes);
    else if (copy->kind == GET)
        START(memget, near_dst, src, nbytes);
    else
        START(memcpy, dst, src, nbytes);
#undef START
}

static void start_set(copy_t *copy)
{
    int value = (int)below(256);
    pgas_ptr_t dst = at(copy->dst.space, copy->dst.begin);
    memset(model[copy->dst.space] + copy->dst.begin, value, copy->dst.nbytes);
    if (copy->is_implicit)
        pgas_memset_asynci(dst, value, copy->dst.nbytes);
    else
        copy->handle = pgas_memset_async(dst, value, copy->dst.nbytes);
}

static void start_value(copy_t *copy)
{
    uint64_t value = random_next(&state);
    pgas_ptr_t dst = at(copy->dst.space, copy->dst.begin);
    memcpy(model[copy->dst.space] + copy->dst.begin, &value, copy->dst.nbytes);
    if (copy->is_implicit)
        pgas_put_val_asynci(dst, value, copy->dst.nbytes);
    else
        copy->handle = pgas_put_val_async(dst, value, copy->dst.nbytes);
}

/* New values for a source. Seldom in another thread's memory: that waits, and so lets much else
 * complete. */
static void refill(const interval_t *interval)
{
    if (interval->space != threads && below(10) > 0)
        return;
    char *bytes = model[interval->space] + interval->begin;
    fill(bytes, interval->nbytes);
    if (interval->space == threads)
        memcpy(memory + interval->begin, bytes, interval->nbytes);
    else
        pgas_memput(at(interval->space, interval->begin), bytes, interval->nbytes);
}

static bool gets_to_private(kind_t kind)
{
    return kind == GET || kind == GET_CHUNKS;
}

static bool puts_from_private(kind_t kind)
{
    return kind == PUT || kind == PUT_CHUNKS || kind == PUT_LIST;
}

static void follow_fashion(copy_t *copy, size_t *target)
{
    bool follows = below(4) > 0;
    copy->kind = follows ? fashion.kind : (kind_t)below(KINDS);
    *target = follows ? fashion.target : below(threads);
}

static void start(void)
{
    copy_t copy = {.is_implicit = below(4) == 0};
    size_t target;
    follow_fashion(&copy, &target);
    size_t nbytes = random_length();
    if (copy.kind == VALUE)
        nbytes = 1 + below(8);
    if (copy.kind >= PUT_CHUNKS) {
        copy.chunk = 1 + below(below(2) == 0 ? 64 : 40000);
        nbytes = (1 + below(nbytes / copy.chunk < 3000 ? nbytes / copy.chunk + 1 : 3000)) * 2 *
                 copy.chunk;
    }
    if (nbytes > ROOM / 2 ||
        !choose(gets_to_private(copy.kind) ? threads : target, nbytes, &copy.dst))
        return;
    bool has_source = copy.kind != SET && copy.kind != VALUE;
    if (has_source &&
        (!choose(puts_from_private(copy.kind) ? threads : below(threads), nbytes, &copy.src) ||
         overlap(&copy.src, &copy.dst)))
        return;
    copy.is_of_region = copy.is_implicit && in_region;
    if (has_source) {
        refill(&copy.src);
        copy_in_model(&copy);
    }
    if (copy.kind == SET)
        start_set(&copy);
    else if (copy.kind == VALUE)
        start_value(&copy);
    else if (copy.kind == PUT_LIST)
        start_list(&copy);
    else if (copy.chunk > 0)
        start_chunks(&copy);
    else
        start_whole(&copy);
    copies[in_flight++] = copy;
}

/* Of a large destination a few pieces, the last bytes among them. */
static void look_at(const interval_t *interval)
{
    size_t piece = interval->nbytes < 70000 ? interval->nbytes : 1 + below(70000);
    for (int i = 0; i < 3; i++) {
        size_t from = i == 0 ? interval->nbytes - piece : below(interval->nbytes - piece + 1);
        size_t begin = interval->begin + from;
        if (interval->space == threads)
            memcpy(seen, memory + begin, piece);
        else
            pgas_memget(seen, at(interval->space, begin), piece);
        CHECK(memcmp(seen, model[interval->space] + begin, piece) == 0);
        if (piece == interval->nbytes)
            return;
    }
}

/* The copy is reported complete. It may have overwritten what the model of gaps says nothing of:
 * chunks leave them as they were, and so does the model. */
static void finish(size_t number)
{
    copy_t copy = copies[number];
    copies[number] = copies[--in_flight];
    reported++;
    /* The source first: a look drives the network, and what has left too late may arrive by it. */
    if (copy.src.nbytes > 0)
        refill(&copy.src);
    look_at(&copy.dst);
    free(copy.dst_list);
    free(copy.src_list);
}

/* All of the implicit ones outside the region, or all of the region's. */
static void finish_all(bool of_region)
{
    for (size_t c = in_flight; c > 0; c--)
        if (copies[c - 1].is_implicit && copies[c - 1].is_of_region == of_region)
            finish(c - 1);
}

static void finish_one(bool wait)
{
    size_t number = below(in_flight);
    copy_t *copy = &copies[number];
    if (copy->is_implicit)
        return;
    if (wait)
        pgas_waitsync(copy->handle);
    else if (!pgas_trysync(copy->handle))
        return;
    finish(number);
}

typedef enum several {
    WAIT_ALL,
    TRY_ALL,
    WAIT_SOME,
    TRY_SOME
} several_t;

/* What the library has found complete among some of the copies. */
static void finish_several(several_t how)
{
    pgas_handle_t handles[MOST_IN_FLIGHT];
    size_t number[MOST_IN_FLIGHT];
    size_t count = 0;
    for (size_t c = 0; c < in_flight; c++) {
        if (copies[c].is_implicit || below(3) == 0)
            continue;
        handles[count] = copies[c].handle;
        number[count++] = c;
    }
    switch (how) {
    case WAIT_ALL:
        pgas_waitsync_all(handles, count);
        break;
    case TRY_ALL:
        pgas_trysync_all(handles, count);
        break;
    case WAIT_SOME:
        pgas_waitsync_some(handles, count);
        break;
    case TRY_SOME:
        pgas_trysync_some(handles, count);
        break;
    }
    for (size_t i = count; i > 0; i--) /* from the last: finish moves the last one into the gap */
        if (pgas_handle_is_complete(handles[i - 1]))
            finish(number[i - 1]);
        else
            copies[number[i - 1]].handle = handles[i - 1];
}

static void change_region(void)
{
    if (in_region) {
        region_handle = pgas_end_accessregion();
        in_region = false;
        region_is_open = true;
    } else if (region_is_open) {
        if (below(2) == 0)
            pgas_waitsync(region_handle);
        else if (!pgas_trysync(region_handle))
            return;
        region_is_open = false;
        finish_all(true);
    } else {
        pgas_begin_accessregion();
        in_region = true;
    }
}

static void finish_implicit(bool wait)
{
    if (in_region)
        return;
    if (wait)
        pgas_waitsynci();
    else if (!pgas_trysynci())
        return;
    finish_all(false);
}

/* Computes, sleeps or polls: time in which others' messages come. */
static void pause(void)
{
    if (below(2) == 0) {
        pgas_fence();
        return;
    }
    volatile double sum = 0;
    for (size_t i = 0, count = below(20000); i < count; i++)
        sum = sum + 1;
}

static void step(void)
{
    if (fashion.steps-- == 0) {
        fashion.steps = 1 + below(100);
        fashion.kind = (kind_t)below(KINDS);
        fashion.target = below(threads);
        fashion.choice = below(12);
    }
    if (in_flight < MOST_IN_FLIGHT && below(2) == 0) {
        start();
        return;
    }
    size_t choice = below(4) > 0 ? fashion.choice : below(12);
    bool wait = below(10) == 0; /* seldom: it lets much else complete */
    if (choice == 0)
        finish_implicit(wait);
    else if (choice == 1)
        change_region();
    else if (choice <= 4 && in_flight > 0)
        finish_one(wait);
    else if (choice <= 9)
        finish_several((several_t)((wait ? WAIT_ALL : TRY_ALL) + 2 * below(2)));
    else
        pause();
}

static void finish_everything(void)
{
    while (in_region || region_is_open)
        change_region();
    while (in_flight > 0) {
        finish_implicit(true);
        finish_several(WAIT_ALL);
    }
}

/* No byte of any space is other than the model says. */
static void check_spaces(void)
{
    CHECK(memcmp(memory, model[threads], ROOM) == 0);
    for (size_t space = 0; space < threads; space++)
        for (size_t begin = 0; begin < ROOM; begin += 1 << 20) {
            pgas_memget(seen, at(space, begin), 1 << 20);
            CHECK(memcmp(seen, model[space] + begin, 1 << 20) == 0);
        }
}

/* A plan in flight beside the copies: begun here, finished some steps later. */
static pgas_plan_t *make_plan(const pgas_array_t *array, size_t *indices)
{
    pgas_plan_t *plan;
    for (size_t i = 0; i < PLAN_INDICES; i++)
        indices[i] = below(array->count);
    CHECK(pgas_plan_create(array, indices, PLAN_INDICES, 0, NULL, &plan) == PGAS_OK);
    return plan;
}

static uint64_t element(size_t index, size_t turn)
{
    return index * 1000003 + turn;
}

static void set_part(const pgas_array_t *array, size_t turn)
{
    uint64_t *mine = pgas_array_mine(array);
    for (size_t i = 0; i < array->count; i++)
        if ((size_t)pgas_array_at(array, i).thread == me)
            *mine++ = element(i, turn);
}

static void run(size_t steps, size_t turns)
{
    static size_t indices[PLAN_INDICES];
    static uint64_t values[PLAN_INDICES];
    pgas_array_t array;
    CHECK(pgas_array_create(20000, sizeof(uint64_t), 500, &array) == PGAS_OK);
    pgas_plan_t *plan = make_plan(&array, indices);
    for (size_t turn = 0; turn < turns; turn++) {
        set_part(&array, turn);
        pgas_plan_begin(plan, &array, values);
        for (size_t i = 0; i < steps / turns; i++)
            step();
        pgas_plan_finish(plan);
        for (size_t i = 0; i < PLAN_INDICES; i++)
            CHECK(values[i] == element(indices[i], turn));
    }
    finish_everything();
    pgas_plan_free(plan);
    pgas_array_free(&array);
}

int main(int argc, char **argv)
{
    size_t steps = argc > 1 ? strtoull(argv[1], NULL, 10) : STEPS;
    CHECK(pgas_init() == PGAS_OK);
    threads = (size_t)pgas_threads();
    me = (size_t)pgas_mythread();
    CHECK(threads <= MOST_THREADS);
    state = random_seed_of_thread(random_seed_of_job());
    CHECK(pgas_all_alloc(threads, threads * ROOM, &rooms) == PGAS_OK);
    memory = calloc(1, ROOM);
    seen = malloc(1 << 20);
    CHECK(memory != NULL && seen != NULL);
    for (size_t space = 0; space <= threads; space++) {
        model[space] = calloc(1, ROOM);
        CHECK(model[space] != NULL);
    }
    run(steps, 10);
    check_spaces();
    printf("thread %zu: %zu copies reported complete, and complete\n", me, reported);
    pgas_barrier();
    pgas_all_free(rooms);
    pgas_finalize();
    return 0;
}
