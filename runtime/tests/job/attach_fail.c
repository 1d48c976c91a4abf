/* The rules of pgas/attach.h, each broken once by the thread that is chosen: MODE THREAD. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <pgas/coll_async.h>

#include "check.h"
#include "pause.h"

static const char *mode;
static pgas_ptr_t room;
static pgas_handle_t handle;
static pgas_valget_t value;
static _Atomic int stage;
static char buffer[1 << 20];
static volatile int *volatile nowhere;

static bool is_mode(const char *name)
{
    return strcmp(mode, name) == 0;
}

static pgas_ptr_t place(void)
{
    pgas_ptr_t there = room;
    there.thread = (uint32_t)((pgas_mythread() + 1) % pgas_threads());
    return there;
}

/* A null pointer of the program's own, at that element; a sanitizer would end the thread in its own
 * way. */
__attribute__((no_sanitize("undefined"))) static void crash(size_t element)
{
    nowhere[element] = 1;
}

/* Calls of a thread that is not attached. */
static void call_unattached(void)
{
    if (is_mode("value"))
        PGAS_WRITE(uint64_t, place(), 1);
    if (is_mode("copy"))
        pgas_memget(buffer, place(), 8);
    if (is_mode("list"))
        pgas_memput_vlist(1, (pgas_smemvec_t[]){{place(), 8}}, 1, (pgas_pmemvec_t[]){{buffer, 8}});
    if (is_mode("async"))
        pgas_memput_async(place(), buffer, 8);
    if (is_mode("barrier"))
        pgas_barrier();
    if (is_mode("poll"))
        pgas_poll();
    if (is_mode("fence"))
        pgas_fence();
    if (is_mode("fence_locked")) {
        static pgas_am_lock_t lock;
        pgas_am_lock_init(&lock);
        pgas_am_lock(&lock);
        pgas_fence();
    }
    if (is_mode("fence_uninterrupted")) {
        pgas_am_hold_interrupts();
        pgas_fence();
    }
    if (is_mode("implicit"))
        pgas_waitsynci();
    if (is_mode("implicit_try"))
        pgas_trysynci();
    if (is_mode("region"))
        pgas_begin_accessregion();
    if (is_mode("region_end"))
        pgas_end_accessregion();
    if (is_mode("copy_in_flight"))
        pgas_waitsync(handle);
    if (is_mode("alloc"))
        pgas_alloc(8, &room);
    if (is_mode("detach"))
        pgas_detach_thread();
    if (is_mode("finalize_unattached"))
        pgas_finalize();
    if (is_mode("early"))
        pgas_attach_thread();
    if (is_mode("fault"))
        crash(0);
    if (is_mode("fault_far")) /* no further than the job has peers */
        crash(20);
}

static void call_attached(void)
{
    if (is_mode("twice"))
        pgas_attach_thread();
    if (is_mode("finalize_other"))
        pgas_finalize();
    if (is_mode("handle"))
        pgas_waitsync(handle);
    if (is_mode("read"))
        pgas_wait_val(value);
    if (is_mode("together"))
        pgas_barrier();
    if (is_mode("flight"))
        pgas_team_barrier(PGAS_TEAM_NODE);
    if (is_mode("flight_half"))
        pgas_team_wait(PGAS_TEAM_ALL);
    if (is_mode("notified"))
        pgas_team_barrier(PGAS_TEAM_NODE);
    if (is_mode("notified_half"))
        pgas_team_wait(PGAS_TEAM_ALL);
    if (is_mode("notified_detach")) {
        pgas_team_notify(PGAS_TEAM_ALL);
        pgas_detach_thread();
    }
    if (is_mode("lock_together")) {
        pgas_lock_t lock;
        CHECK(pgas_global_lock_alloc(&lock) == PGAS_OK);
        pgas_lock(lock);
    }
}

/* Calls until the process is ended. */
static void *call_for_ever(void *unused)
{
    (void)unused;
    CHECK(pgas_attach_thread() == PGAS_OK);
    stage++;
    for (;;) {
        pgas_memput(place(), buffer, 4000);
        pgas_waitsync(pgas_memget_async(buffer, place(), sizeof buffer));
        pgas_fence();
    }
    return NULL;
}

static void *aside(void *unused)
{
    (void)unused;
    call_unattached();
    CHECK(pgas_attach_thread() == PGAS_OK);
    stage = 1;
    if (is_mode("together") || is_mode("lock_together"))
        sleep_microseconds(200000);
    call_attached();
    while (stage < 2)
        sleep_microseconds(1000);
    return NULL;
}

static void start_handles(void)
{
    handle = pgas_memput_async(place(), buffer, sizeof buffer);
    value = pgas_get_val_async(place(), 8);
    if (is_mode("flight")) /* the others do not come */
        pgas_team_barrier_asynci(PGAS_TEAM_ALL);
    if (is_mode("flight_half")) {
        pgas_team_barrier_asynci(PGAS_TEAM_ALL);
        pgas_team_notify(PGAS_TEAM_ALL);
    }
    if (is_mode("notified") || is_mode("notified_half"))
        pgas_team_notify(PGAS_TEAM_ALL);
}

/* Lets the others come to what the main thread waits for when it has attached. */
static void *attach_meanwhile(void *unused)
{
    (void)unused;
    sleep_microseconds(50000);
    CHECK(pgas_attach_thread() == PGAS_OK);
    PGAS_WRITE(uint64_t, place(), 1);
    return NULL;
}

static void start_sum(void)
{
    static int64_t sum;
    handle = pgas_allreduce_async(PGAS_TEAM_ALL, &sum, &sum, 1, PGAS_INT64, PGAS_SUM);
}

static void detach_too_early(void)
{
    pthread_t other;
    CHECK(pgas_attach_thread() == PGAS_OK);
    start_sum();
    CHECK(pthread_create(&other, NULL, attach_meanwhile, NULL) == 0);
    pgas_detach_thread();
    _exit(9);
}

static void break_rule(void)
{
    pthread_t other;
    if (is_mode("detach_meanwhile"))
        detach_too_early();
    if (is_mode("main_detach"))
        pgas_detach_thread();
    if (!is_mode("early"))
        CHECK(pgas_attach_thread() == PGAS_OK);
    if (is_mode("main_twice"))
        pgas_attach_thread();
    start_handles();
    CHECK(pthread_create(&other, NULL, aside, NULL) == 0);
    while (stage < 1)
        sleep_microseconds(1000);
    if (is_mode("together") || is_mode("lock_together"))
        pgas_barrier(); /* the others do not come */
    if (is_mode("detach_first"))
        pgas_detach_thread();
    if (is_mode("finalize"))
        pgas_finalize();
    sleep(100);
}

static pthread_barrier_t all_here;
static _Atomic int refused;

static void *attach_beside_many(void *unused)
{
    (void)unused;
    pgas_status_t status = pgas_attach_thread();
    pthread_barrier_wait(&all_here);
    if (status == PGAS_OK)
        pgas_detach_thread();
    else if (status == PGAS_ERR_UNSUPPORTED)
        refused++;
    else
        pgas_exit(3);
    return NULL;
}

/* One too many; it goes on when there is a number again. */
static void attach_many(void)
{
    static pthread_t others[PGAS_ATTACHED_MAX];
    CHECK(pgas_attach_thread() == PGAS_OK);
    CHECK(pthread_barrier_init(&all_here, NULL, PGAS_ATTACHED_MAX) == 0);
    for (size_t i = 0; i < PGAS_ATTACHED_MAX; i++)
        CHECK(pthread_create(&others[i], NULL, attach_beside_many, NULL) == 0);
    for (size_t i = 0; i < PGAS_ATTACHED_MAX; i++)
        CHECK(pthread_join(others[i], NULL) == 0);
    CHECK(refused == 1);
}

static void end_beside_calls(void)
{
    pthread_t others[3];
    CHECK(pgas_attach_thread() == PGAS_OK);
    for (int i = 0; i < 3; i++)
        CHECK(pthread_create(&others[i], NULL, call_for_ever, NULL) == 0);
    while (stage < 3)
        sleep_microseconds(1000);
    sleep_microseconds(20000);
    pgas_exit(7);
}

int main(int argc, char **argv)
{
    mode = argc > 1 ? argv[1] : "";
    int chosen = argc > 2 ? atoi(argv[2]) : 0;
    const char *rank = getenv("PMIX_RANK");
    if (is_mode("before") && rank != NULL && atoi(rank) == chosen)
        pgas_attach_thread();
    CHECK(pgas_init() == PGAS_OK);
    CHECK(pgas_all_alloc((size_t)pgas_threads(), sizeof buffer, &room) == PGAS_OK);
    if (pgas_mythread() == chosen && is_mode("exit"))
        end_beside_calls();
    if (is_mode("many") && pgas_mythread() == chosen)
        attach_many();
    else if (pgas_mythread() == chosen && !is_mode("none"))
        break_rule();
    if (is_mode("detach_meanwhile")) {
        pgas_ptr_t mine = room;
        mine.thread = (uint32_t)pgas_mythread();
        while (PGAS_READ(uint64_t, mine) == 0)
            pgas_poll();
        start_sum();
        pgas_waitsync(handle);
    }
    pgas_poll();
    if (!is_mode("none") && !is_mode("many"))
        sleep(100);
    pgas_finalize();
    return 0;
}
