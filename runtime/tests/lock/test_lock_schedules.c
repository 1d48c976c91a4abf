/**
 * Locks at their home: every order in which a few threads can go through them with a few
 * preemptions.
 *
 * lock_home.c is built into this program, with its atomic accesses replaced by ones that are also
 * points where another thread may run. The threads are contexts of one process, and the program
 * tries all orders, one by one: at each point either the running thread goes on, or another one
 * does, as often as the bound allows. A thread that waits for its event may be woken spuriously, as
 * often as a second bound allows. This finds errors in the order of accesses; memory ordering is
 * left to test_lock_home.c and ThreadSanitizer.
 *
 * The last thread to use a lock frees it, as a program may: its memory is not touched after that.
 */
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <ucontext.h>

#include "lock/lock_home.h"
#include "shm/guard.h"

enum {
    MOST_ACTORS = 4,
    MOST_LOCKS = 2,
    MOST_POINTS = 2000,
    STACK_SIZE = 64 << 10,
    /* Replaces PGAS_LOCK_PASSES, so that few threads reach it. */
    PASSES = 1
};

typedef enum wait {
    NOT,
    /* Waits until an event is no longer `before`. */
    FOR_EVENT,
    /* Waits until some lock's word has changed since there were `before` changes. */
    FOR_CHANGE,
    FOR_EVER
} wait_t;

/* A thread. */
typedef struct actor {
    ucontext_t context;
    wait_t wait;
    const pgasi_event_t *event;
    uint32_t before;
    /* Changes of words at the first check since the last pause. */
    uint32_t seen;
    bool has_seen;
    bool is_far;
    /* Its notifications: from home, and from other nodes. */
    pgasi_event_t look;
    pgasi_event_t granted;
} actor_t;

/* A lock, and what must be true of it. */
typedef struct model {
    pgasi_lock_home_t home;
    bool is_freed;
    /* The waiting threads in order, and how often the first was passed. */
    uint32_t queue[MOST_ACTORS];
    uint32_t queue_length;
    uint32_t passes;
    int users;
    int inside;
} model_t;

/* A scenario. */
typedef struct task {
    uint32_t actors;
    uint32_t locks;
    /* The locks that each actor acquires, in order. */
    uint32_t uses;
    int preemptions;
    /* How often threads are woken spuriously. */
    int spurious;
    /* One bit per actor. */
    unsigned far;
} task_t;

static task_t task;

/* One order: which of the possible actors went on at each point, and out of how many. */
static struct {
    uint8_t choice;
    uint8_t options;
    uint8_t actor;
} points[MOST_POINTS];
static size_t point_count;
static size_t point;
static int preempted;
static int woken_for_nothing;

static actor_t actors[MOST_ACTORS];
static char stacks[MOST_ACTORS][STACK_SIZE];
static ucontext_t scheduler;
static uint32_t running;

static model_t models[MOST_LOCKS];
static _Atomic uint32_t links[MOST_ACTORS];
static uint32_t changes;
/* Summed over all orders. */
static size_t all_passes;

static _Noreturn void wrong(const char *format, ...) __attribute__((format(printf, 1, 2)));

static _Noreturn void wrong(const char *format, ...)
{
    va_list args;
    va_start(args, format);
    vfprintf(stderr, format, args);
    va_end(args);
    fprintf(stderr, "\n%u threads (far ones %x), %u locks, after these had gone on:", task.actors,
            task.far, task.locks);
    for (size_t i = 0; i < point; i++)
        fprintf(stderr, " %u", points[i].actor);
    fprintf(stderr, "\n");
    _Exit(1);
}

#define REQUIRE(condition, ...) \
    do { \
        if (!(condition)) \
            wrong(__VA_ARGS__); \
    } while (0)

static bool can_run(const actor_t *actor)
{
    switch (actor->wait) {
    case NOT:
        return true;
    case FOR_EVENT:
        return actor->event->value != actor->before;
    case FOR_CHANGE:
        return changes > actor->before;
    case FOR_EVER:
        break;
    }
    return false;
}

/* A point: the scheduler decides which thread goes on. */
static void step(void)
{
    swapcontext(&actors[running].context, &scheduler);
}

static void wait_for(wait_t wait, const pgasi_event_t *event, uint32_t before)
{
    actors[running].wait = wait;
    actors[running].event = event;
    actors[running].before = before;
    step();
}

/* The thread cannot go on before the word has changed. */
static void model_pause(void)
{
    actors[running].has_seen = false;
    wait_for(FOR_CHANGE, NULL, actors[running].seen);
}

static model_t *model_of(const _Atomic uint32_t *object)
{
    for (uint32_t i = 0; i < task.locks; i++) {
        model_t *model = &models[i];
        if (object == &model->home.word || object == &model->home.first)
            return model;
    }
    return NULL;
}

static model_t *look_at(const _Atomic uint32_t *object)
{
    actor_t *actor = &actors[running];
    model_t *model = model_of(object);
    REQUIRE(model == NULL || !model->is_freed, "thread %u touches a lock that was freed", running);
    if (!actor->has_seen)
        actor->seen = changes;
    actor->has_seen = true;
    return model;
}

static uint32_t holder_of(uint32_t word)
{
    return word & ~(PGASI_LOCK_QUEUED | PGASI_LOCK_GUARDED);
}

static void note_holder(model_t *model, uint32_t holder)
{
    for (uint32_t i = 0; i < model->queue_length; i++) {
        if (model->queue[i] != holder)
            continue;
        REQUIRE(i == 0, "thread %u has got past others in the queue", holder);
        model->queue_length--;
        memmove(model->queue, model->queue + 1, model->queue_length * sizeof *model->queue);
        model->passes = 0;
        return;
    }
    if (model->queue_length == 0)
        return;
    REQUIRE(++model->passes <= PASSES && !actors[model->queue[0]].is_far,
            "thread %u was passed %u times", model->queue[0], model->passes);
    all_passes++;
}

static void note_change(model_t *model, uint32_t from, uint32_t to)
{
    uint32_t holder = holder_of(to);
    bool is_guarded = (to & PGASI_LOCK_GUARDED) != 0;
    changes++;
    if (holder != 0 && holder != holder_of(from))
        note_holder(model, holder - 1);
    if ((from & PGASI_LOCK_GUARDED) != 0 && !is_guarded && holder == holder_of(from) &&
        holder != running + 1)
        model->queue[model->queue_length++] = running;
    REQUIRE(is_guarded || ((to & PGASI_LOCK_QUEUED) != 0) == (model->queue_length > 0),
            "the word is %x, but %u threads wait", to, model->queue_length);
}

static uint32_t model_load(const _Atomic uint32_t *object)
{
    look_at(object);
    uint32_t value = atomic_load(object);
    step();
    return value;
}

static void model_store(_Atomic uint32_t *object, uint32_t value)
{
    model_t *model = look_at(object);
    uint32_t before = atomic_exchange(object, value);
    if (model != NULL && object == &model->home.word)
        note_change(model, before, value);
    step();
}

static bool model_exchange(_Atomic uint32_t *object, uint32_t from, uint32_t to)
{
    model_t *model = look_at(object);
    bool done = *object == from;
    if (done)
        *object = to;
    if (model != NULL && done)
        note_change(model, from, to);
    step();
    return done;
}

#undef atomic_load_explicit
#undef atomic_store_explicit
#undef atomic_compare_exchange_strong_explicit
#define atomic_load_explicit(object, order) model_load(object)
#define atomic_store_explicit(object, value, order) model_store(object, value)
#define atomic_compare_exchange_strong_explicit(object, from, to, order, other) \
    model_exchange(object, *(from), ((void)(order), to))
#define pgasi_guard_pause(turn) ((void)(turn), model_pause())
#undef PGAS_LOCK_PASSES
#define PGAS_LOCK_PASSES PASSES
#include "lock/lock_home.c" /* NOLINT(bugprone-suspicious-include) */

/* As in lock.c, but other threads may run between the release and the notification. */
static void tell(uint32_t told)
{
    if (told == 0)
        return;
    step();
    if (actors[told - 1].is_far)
        actors[told - 1].granted.value++;
    else
        actors[told - 1].look.value++;
}

void pgasi_event_wait(pgasi_event_t *event, uint32_t old, pgasi_describe_t *describe)
{
    (void)describe;
    wait_for(FOR_EVENT, event, old);
}

static void acquire(model_t *model, uint32_t me)
{
    actor_t *actor = &actors[me];
    uint32_t before = actor->granted.value;
    if (!actor->is_far)
        pgasi_lock_home_wait(&model->home, links, me, &actor->look, NULL);
    else if (!pgasi_lock_home_take(&model->home, links, me, true))
        pgasi_event_wait(&actor->granted, before, NULL);
}

static void use_lock(model_t *model, uint32_t me)
{
    REQUIRE(model->inside++ == 0, "thread %u has the lock, and another one too", me);
    step();
    model->inside--;
    bool is_last = --model->users == 0;
    REQUIRE(pgasi_lock_home_held_by(&model->home, me), "thread %u holds a lock that denies it", me);
    tell(pgasi_lock_home_release(&model->home, links, me));
    if (is_last) {
        memset(&model->home, 0xff, sizeof model->home);
        model->is_freed = true;
    }
}

static void act(void)
{
    uint32_t me = running;
    for (uint32_t use = 0; use < task.uses; use++) {
        model_t *model = &models[(me + use) % task.locks];
        acquire(model, me);
        use_lock(model, me);
    }
    wait_for(FOR_EVER, NULL, 0);
}

/* The actors that can go on, the one that was running first. */
static uint32_t list_options(uint32_t *options)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < task.actors; i++) {
        uint32_t actor = (running + i) % task.actors;
        if (can_run(&actors[actor]))
            options[count++] = actor;
    }
    return count;
}

/* After them, those that may be woken spuriously, except where that would hide a deadlock. */
static uint32_t list_sleepers(uint32_t *options, uint32_t count)
{
    if (count == 0 || woken_for_nothing == task.spurious)
        return count;
    for (uint32_t i = 0; i < task.actors; i++)
        if (actors[i].wait == FOR_EVENT && actors[i].event == &actors[i].look &&
            !can_run(&actors[i]))
            options[count++] = i;
    return count;
}

/* Repeats the choices of the current order as far as they go. False if no thread can go on. */
static bool choose(void)
{
    uint32_t options[MOST_ACTORS];
    uint32_t count = list_options(options);
    if (count == 0)
        return false;
    bool can_continue = options[0] == running;
    if (can_continue && preempted == task.preemptions)
        count = 1;
    uint32_t awake = count;
    count = list_sleepers(options, count);
    REQUIRE(point < MOST_POINTS, "the threads run in circles");
    if (point == point_count)
        points[point_count++].choice = 0;
    points[point].options = (uint8_t)count;
    if (points[point].choice >= awake)
        woken_for_nothing++;
    else if (can_continue && points[point].choice > 0)
        preempted++;
    running = options[points[point].choice];
    points[point].actor = (uint8_t)running;
    point++;
    return true;
}

static void make_context(actor_t *actor, char *stack)
{
    getcontext(&actor->context);
    actor->context.uc_stack.ss_sp = stack;
    actor->context.uc_stack.ss_size = STACK_SIZE;
    makecontext(&actor->context, act, 0);
}

static void set_up(void)
{
    memset(models, 0, sizeof models);
    changes = running = 0;
    preempted = woken_for_nothing = 0;
    point = 0;
    for (uint32_t i = 0; i < task.actors; i++) {
        links[i] = UINT32_MAX;
        actors[i] = (actor_t){.is_far = (task.far >> i & 1) != 0};
        make_context(&actors[i], stacks[i]);
        for (uint32_t use = 0; use < task.uses; use++)
            models[(i + use) % task.locks].users++;
    }
}

static void run_order(void)
{
    set_up();
    while (choose()) {
        actors[running].wait = NOT;
        swapcontext(&scheduler, &actors[running].context);
    }
    for (uint32_t i = 0; i < task.actors; i++)
        REQUIRE(actors[i].wait == FOR_EVER, "thread %u waits in vain", i);
    for (uint32_t l = 0; l < task.locks; l++)
        for (size_t i = 0; i < sizeof models[l].home; i++)
            REQUIRE(((const unsigned char *)&models[l].home)[i] == 0xff,
                    "a freed lock was written to");
}

/* The next order: another choice at the last point that has one. False after the last order. */
static bool next_order(void)
{
    while (point_count > 0) {
        if (++points[point_count - 1].choice < points[point_count - 1].options)
            return true;
        point_count--;
    }
    return false;
}

static void check(uint32_t actor_count, uint32_t locks, uint32_t uses, int preemptions,
                  int spurious)
{
    size_t count = 0;
    all_passes = 0;
    for (unsigned far = 0; far < 1U << actor_count; far++) {
        task = (task_t){actor_count, locks, uses, preemptions, spurious, far};
        point_count = 0;
        do {
            run_order();
            count++;
        } while (next_order());
    }
    printf("%u threads, %u locks, each used %u times, %d preemptions, %d idle wakes: %zu orders, "
           "%zu passes\n",
           actor_count, locks, uses, preemptions, spurious, count, all_passes);
    REQUIRE(all_passes > 0 || actor_count * uses == 2, "nobody was ever passed");
}

int main(void)
{
    check(2, 1, 1, 6, 0);
    check(2, 1, 2, 4, 0);
    check(3, 1, 1, 3, 0);
    check(3, 1, 2, 2, 0);
    check(3, 2, 2, 2, 0);
    check(4, 1, 1, 1, 0);
    check(2, 1, 2, 2, 1);
    check(3, 1, 1, 1, 2);
    check(3, 1, 2, 1, 1);
    return 0;
}
