/**
 * What is reported complete is complete: copies of all forms and sizes are in flight at once, and
 * are started, tested and waited for in a random order. As soon as the library reports one
 * complete, its destination is read in another way and its source is overwritten.
 *
 * Usage: runtime_completion [STEPS]
 */
#include <stdlib.h>
#include <string.h>

#include "completion.h"
#include "job_random.h"

enum {
    STEPS = 24000,
    SANITIZED_STEPS = 8000,
    PLAN_INDICES = 3000
};

static char *seen; /* what a check of a destination reads */
static pgas_handle_t region_handle;
static bool region_is_open; /* ended, but not synchronised */
static size_t reported;

/* A large destination is checked in a few places, including its last bytes. */
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

/* The copy is reported complete. Gaps between chunks are checked too: the copy leaves them as they
 * were, and so does the model. */
static void finish(size_t number)
{
    copy_t copy = copies[number];
    copies[number] = copies[--in_flight];
    reported++;
    /* The source first: a check makes the network progress, so data that is sent too late might
     * still arrive. */
    if (copy.src.nbytes > 0)
        refill(&copy.src);
    look_at(&copy.dst);
    free(copy.dst_list);
    free(copy.src_list);
}

/* All implicit copies outside the region, or all of the region's. */
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

/* Notes which of some copies the library has reported complete. */
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

/* Computes, sleeps or polls, while messages of others arrive. */
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
    bool wait = below(10) == 0; /* rarely: it lets many other copies complete */
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

/* Every byte of every space is as in the model. */
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
    size_t steps = getenv("FATHOM_TEST_SANITIZED") != NULL ? SANITIZED_STEPS : STEPS;
    if (argc > 1)
        steps = strtoull(argv[1], NULL, 10);
    CHECK(pgas_init() == PGAS_OK);
    threads = (size_t)pgas_threads();
    me = (size_t)pgas_mythread();
    CHECK(threads <= MOST_THREADS);
    generator = random_seed_of_thread(random_seed_of_job());
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
