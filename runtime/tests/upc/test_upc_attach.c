/* Attached operating-system threads (pgas/attach.h) in the calls of pgas/upc_coll_names.h.
 *
 * - Each collective by one thread, then by another.
 * - Operations: two threads make and free some at once, and no number is given twice; a collective
 *   beside that keeps its own.
 * - Teams: one is looked up while another thread makes and frees some.
 * - Calls in flight belong to who has started them: another thread's fence does not wait for them.
 *   A thread that detaches completes what it has started, and leaves no memory behind. */
#include <limits.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

#include <pgas/attach.h>
#include <pgas/upc_coll_names.h>

#include "check.h"
#include "memory.h"
#include "pause.h"

enum {
    AREA = 4096,
    OPERATIONS = 64,
    OPERATION_ROUNDS = 20000,
    COMBINATIONS = 1000,
    TEAMS = 8,
    TEAM_ROUNDS = 100,
    COUNT = 1000,
    DETACHES = 500,
    LEFT = 64,
    MOST_THREADS = 8
};

/* On each thread: source, destination, permutation, and a signal by which others tell it
 * something. */
static pgas_ptr_t area;
static upccoll_team_t kept;
static _Atomic int stage;

static pgas_ptr_t part(int index)
{
    return pgas_ptr_shift(area, (ptrdiff_t)index * 3 * AREA);
}

static pgas_ptr_t own(int index)
{
    return pgas_ptr_on(part(index), pgas_mythread());
}

static void must(upccoll_return_t result)
{
    CHECK(result == UPCCOLL_SUCCESS);
}

static void wait_for_stage(int wanted)
{
    while (stage < wanted)
        sleep_microseconds(100);
}

/* Runs `body` in an attached thread, beside `meanwhile`, if there is such. */
static void run_beside(void *(*body)(void *), void (*meanwhile)(void))
{
    pthread_t other;
    stage = 0;
    CHECK(pthread_create(&other, NULL, body, NULL) == 0);
    if (meanwhile != NULL)
        meanwhile();
    CHECK(pthread_join(other, NULL) == 0);
}

/* ---- One after the other ---- */

static int add(int a, int b)
{
    return a + b;
}

static void call_each(upc_flag_t flags)
{
    pgas_ptr_t src = part(0);
    pgas_ptr_t dst = part(1);
    int *sent = pgas_local(own(0));
    *(int *)pgas_local(own(2)) = pgas_mythread();
    sent[0] = 1;
    pgas_barrier();
    upc_all_broadcast(dst, src, 8, flags);
    upc_all_scatter(dst, src, 8, flags);
    upc_all_gather(dst, src, 8, flags);
    upc_all_gather_all(dst, src, 8, flags);
    upc_all_exchange(dst, src, 8, flags);
    upc_all_permute(dst, src, part(2), 8, flags);
    upc_all_prefix_reduceI(dst, src, UPC_FUNC, (size_t)pgas_threads(), 1, add, flags);
    upc_all_prefix_reduceI(dst, src, UPC_ADD, 2 * (size_t)pgas_threads(), 1, NULL, flags);
    upc_all_reduceI(dst, src, UPC_ADD, (size_t)pgas_threads(), 1, NULL, flags);
    pgas_barrier();
    CHECK(PGAS_READ(int, dst) == pgas_threads());
}

static void *call_each_aside(void *unused)
{
    (void)unused;
    CHECK(pgas_attach_thread() == PGAS_OK);
    call_each(0);
    call_each(UPC_IN_MYSYNC | UPC_OUT_MYSYNC);
    call_each(UPC_IN_NOSYNC | UPC_OUT_NOSYNC);
    pgas_detach_thread();
    return NULL;
}

/* ---- Operations ---- */

static void add_ints(void *in, void *inout, size_t len, upccoll_dtype_t dt)
{
    const int *left = in;
    int *right = inout;
    CHECK(dt == UPC_INT);
    for (size_t i = 0; i < len; i++)
        right[i] += left[i];
}

/* Begins when both threads are there. */
static void churn_operations(int rounds)
{
    static _Atomic int uses[UPC_PREDEFINED_OPS + 4 * OPERATIONS];
    upccoll_op_t ops[OPERATIONS];
    stage++;
    while (stage < 2)
        ;
    for (int round = 0; round < rounds && stage < 3; round++) {
        for (int i = 0; i < OPERATIONS; i++) {
            must(upccoll_op_create(add_ints, 1, &ops[i]));
            CHECK(ops[i] >= UPC_PREDEFINED_OPS);
            CHECK(ops[i] < UPC_PREDEFINED_OPS + 4 * OPERATIONS);
            CHECK(uses[ops[i]]++ == 0);
        }
        for (int i = 0; i < OPERATIONS; i++) {
            uses[ops[i]]--;
            must(upccoll_op_free(ops[i]));
        }
    }
}

static void churn_meanwhile(void)
{
    churn_operations(OPERATION_ROUNDS);
}

static void *churn_aside(void *unused)
{
    (void)unused;
    CHECK(pgas_attach_thread() == PGAS_OK);
    churn_operations(OPERATION_ROUNDS);
    pgas_detach_thread();
    return NULL;
}

static void *churn_until_told(void *unused)
{
    (void)unused;
    CHECK(pgas_attach_thread() == PGAS_OK);
    churn_operations(INT_MAX);
    pgas_detach_thread();
    return NULL;
}

static void combine_meanwhile(void)
{
    upccoll_op_t op;
    int *sent = pgas_local(own(0));
    const int *got = pgas_local(own(1));
    must(upccoll_op_create(add_ints, 1, &op));
    stage++;
    for (int i = 0; i < COMBINATIONS; i++) {
        *sent = i;
        must(upccoll_allreduce(own(0), own(1), 1, UPC_INT, op, UPC_TEAM_ALL, 0, NULL));
        CHECK(*got == i * pgas_threads());
    }
    stage = 3;
    must(upccoll_op_free(op));
}

/* ---- Teams ---- */

static void *look_teams_up(void *unused)
{
    (void)unused;
    CHECK(pgas_attach_thread() == PGAS_OK);
    wait_for_stage(1);
    stage = 2;
    for (size_t i = 0; stage == 2; i++) {
        int size;
        int rank;
        must(upccoll_team_size(kept, &size));
        must(upccoll_team_rank(kept, &rank));
        CHECK(size == pgas_threads() && rank == pgas_mythread());
        if (i % 1000 == 0)
            sleep_microseconds(10); /* the main threads may want the core */
    }
    pgas_detach_thread();
    return NULL;
}

/* The last one of the library's list goes where the first one was. */
static void churn_teams(void)
{
    upccoll_team_t teams[TEAMS];
    for (int i = 0; i < TEAMS; i++)
        must(upccoll_team_split(UPC_TEAM_ALL, 0, 0, &teams[i]));
    must(upccoll_team_split(UPC_TEAM_ALL, 0, 0, &kept));
    stage = 1;
    wait_for_stage(2);
    for (int round = 0; round < TEAM_ROUNDS; round++) {
        for (int i = 0; i < TEAMS; i++)
            upccoll_team_free(teams[i]);
        for (int i = 0; i < TEAMS; i++)
            must(upccoll_team_split(UPC_TEAM_ALL, 0, 0, &teams[i]));
    }
    stage = 3;
    for (int i = 0; i < TEAMS; i++)
        upccoll_team_free(teams[i]);
}

/* ---- In flight ---- */

static size_t counts[MOST_THREADS];
static size_t displs[MOST_THREADS];

/* The library has memory of its own for the counts while it is in flight. */
static void start(int round, upccoll_handle_t *handle)
{
    size_t each = COUNT / MOST_THREADS;
    int *sent = pgas_local(own(0));
    for (size_t i = 0; i < MOST_THREADS; i++) {
        counts[i] = each;
        displs[i] = i * each;
    }
    for (size_t i = 0; i < each; i++)
        sent[i] = round + pgas_mythread();
    must(upccoll_allgatherv(own(0), each, UPC_INT, own(1), counts, displs, UPC_INT, UPC_TEAM_ALL,
                            handle == NULL ? UPC_ASYNC_FENCE : 0, handle));
}

static void check(int round)
{
    const int *got = pgas_local(own(1));
    for (int thread = 0; thread < pgas_threads(); thread++)
        for (size_t i = 0; i < counts[thread]; i++)
            CHECK(got[displs[thread] + i] == round + thread);
}

static pgas_ptr_t signal_of(int thread)
{
    return pgas_ptr_on(pgas_ptr_shift(area, (ptrdiff_t)8 * AREA), thread);
}

/* What thread 0 has started cannot be complete before its other thread has left the fence. */
static void *fence_aside(void *unused)
{
    (void)unused;
    CHECK(pgas_attach_thread() == PGAS_OK);
    wait_for_stage(1);
    upccoll_fence();
    for (int thread = 0; thread < pgas_threads() && pgas_mythread() == 0; thread++)
        pgas_put_signal(pgas_ptr_null(), NULL, 0, signal_of(thread), PGAS_SIGNAL_ADD, 1);
    pgas_detach_thread();
    return NULL;
}

static void fence_meanwhile(void)
{
    if (pgas_mythread() == 0)
        start(1, NULL);
    stage = 1;
    pgas_signal_wait(pgas_local(signal_of(pgas_mythread())), PGAS_GE, 1);
    if (pgas_mythread() != 0)
        start(1, NULL);
    upccoll_fence();
    check(1);
}

/* One with a handle, which is complete, and not waited for. */
static void *start_aside(void *unused)
{
    upccoll_handle_t handle;
    (void)unused;
    CHECK(pgas_attach_thread() == PGAS_OK);
    wait_for_stage(1);
    start(3, NULL);
    upccoll_fence();
    check(3);
    start(4, &handle);
    upccoll_wait(handle);
    check(4);
    pgas_detach_thread();
    stage = 2;
    return NULL;
}

static void start_meanwhile(void)
{
    upccoll_handle_t handle;
    start(2, &handle);
    while (upccoll_test(handle) == 0)
        pgas_poll();
    check(2);
    stage = 1;
    wait_for_stage(2);
    CHECK(upccoll_test(handle) == 1);
    upccoll_wait(handle);
}

static void *leave_in_flight(void *unused)
{
    (void)unused;
    CHECK(pgas_attach_thread() == PGAS_OK);
    for (int i = 0; i < LEFT; i++)
        start(5, NULL);
    pgas_detach_thread();
    check(5);
    return NULL;
}

static void detach_again_and_again(void)
{
    size_t kib = 0;
    for (int i = 0; i < DETACHES; i++) {
        run_beside(leave_in_flight, NULL);
        if (i == DETACHES / 10)
            kib = memory_kib("RssAnon");
    }
    if (getenv("FATHOM_TEST_SANITIZED") == NULL && memory_kib("RssAnon") > kib + 2048)
        pgas_fail(1, "memory has grown from %zu to %zu KiB", kib, memory_kib("RssAnon"));
}

int main(void)
{
    CHECK(pgas_init() == PGAS_OK);
    CHECK(pgas_threads() <= MOST_THREADS);
    must(upccoll_initialize(NULL, NULL));
    CHECK(pgas_all_alloc((size_t)pgas_threads(), (size_t)9 * AREA, &area) == PGAS_OK);
    CHECK(pgas_attach_thread() == PGAS_OK);
    call_each(UPC_IN_NOSYNC | UPC_OUT_NOSYNC);
    run_beside(call_each_aside, NULL);
    call_each(0);
    run_beside(churn_aside, churn_meanwhile);
    run_beside(churn_until_told, combine_meanwhile);
    run_beside(look_teams_up, churn_teams);
    run_beside(fence_aside, fence_meanwhile);
    run_beside(start_aside, start_meanwhile);
    detach_again_and_again();
    pgas_detach_thread();
    must(upccoll_finalize());
    pgas_finalize();
    return 0;
}
