/* The rules of pgas/upc_coll_names.h that end the job, each broken once: MODE THREAD, where the
 * thread is the one that differs from the others. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include <pgas/attach.h>
#include <pgas/upc_coll_names.h>

#include "check.h"
#include "pause.h"

enum {
    AREA = 8 << 20
};

static const char *mode;
/* What a second operating-system thread uses, and how far it is. */
static pgas_ptr_t area;
static upccoll_handle_t started;
static pgas_lock_t lock;
static _Atomic int stage;

static bool is_mode(const char *name)
{
    return strcmp(mode, name) == 0;
}

/* What only all threads together find, without a meeting before or after. */
static void differ_unmet(pgas_ptr_t dst, bool is_chosen)
{
    const upc_flag_t mysync = UPC_IN_MYSYNC | UPC_OUT_MYSYNC;
    const upc_flag_t nosync = UPC_IN_NOSYNC | UPC_OUT_NOSYNC;
    if (is_mode("unmet_ops"))
        upc_all_reduceI(dst, area, is_chosen ? UPC_ADD : UPC_MAX, 4, 1, NULL, mysync);
    if (is_mode("unmet_counts"))
        upc_all_reduceI(dst, area, UPC_ADD, is_chosen ? 3 : 4, 1, NULL, nosync);
    if (is_mode("unmet_none"))
        upc_all_reduceI(dst, area, UPC_ADD, is_chosen ? 0 : 4, 1, NULL, nosync);
    if (is_mode("unmet_no_prefixes"))
        upc_all_prefix_reduceI(dst, area, UPC_ADD, is_chosen ? 0 : 4, 1, NULL, nosync);
    if (is_mode("unmet_types")) {
        if (is_chosen)
            upc_all_reduceI(dst, area, UPC_ADD, 4, 1, NULL, nosync);
        else
            upc_all_reduceF(dst, area, UPC_ADD, 4, 1, NULL, nosync);
    }
    if (is_mode("unmet_prefixes"))
        upc_all_prefix_reduceI(dst, area, is_chosen ? UPC_ADD : UPC_MAX, 3, 1, NULL, mysync);
    if (is_mode("unmet_shares"))
        upc_all_prefix_reduceI(dst, area, is_chosen ? UPC_ADD : UPC_MAX, 9, 1, NULL, nosync);
}

/* Places in the segment before the heap. */
static void leave_heap(pgas_ptr_t dst)
{
    pgas_ptr_t below = area;
    below.phase = 3 << 18; /* 3 MiB */
    if (is_mode("before"))
        upc_all_broadcast(dst, pgas_ptr_shift(pgas_ptr_null(), 2 << 20), 8, 0);
    if (is_mode("before_own"))
        upc_all_reduceI(dst, below, UPC_ADD, (1 << 18) + 1, 1 << 20, NULL, 0);
    if (is_mode("before_read"))
        upc_all_prefix_reduceI(below, below, UPC_ADD, 1 << 21, (3 << 18) + 1, NULL, 0);
    if (is_mode("before_written")) { /* the source lies further behind */
        pgas_ptr_t src = pgas_ptr_shift(below, AREA / 2);
        src.phase = below.phase;
        upc_all_prefix_reduceI(below, src, UPC_ADD, 1 << 21, (3 << 18) + 1, NULL, 0);
    }
}

static void *aside(void *unused)
{
    upccoll_handle_t own;
    (void)unused;
    CHECK(pgas_attach_thread() == PGAS_OK);
    while (stage == 0)
        sleep_microseconds(100);
    if (is_mode("together") && stage == 1)
        pgas_lock(lock);
    if (is_mode("other_handle")) { /* while it has one itself */
        CHECK(upccoll_barrier(UPC_TEAM_ALL, 0, &own) == UPCCOLL_SUCCESS);
        upccoll_wait(started);
    }
    stage = 2;
    pgas_detach_thread();
    return NULL;
}

/* The thread is in a call that copies and combines itself, until the other one has come. */
static int let_other_call(int a, int b)
{
    stage = 1;
    while (stage == 1)
        sleep_microseconds(100);
    return a + b;
}

static void call_beside(pgas_ptr_t dst)
{
    pthread_t other;
    CHECK(upccoll_initialize(NULL, NULL) == UPCCOLL_SUCCESS);
    CHECK(pgas_all_lock_alloc(&lock) == PGAS_OK);
    CHECK(pgas_attach_thread() == PGAS_OK);
    CHECK(pthread_create(&other, NULL, aside, NULL) == 0);
    if (is_mode("together")) {
        upc_all_reduceI(dst, area, UPC_FUNC, 2, 0, let_other_call, UPC_IN_NOSYNC | UPC_OUT_NOSYNC);
        stage = stage == 0 ? 2 : stage; /* of threads without elements */
    } else {
        CHECK(upccoll_barrier(UPC_TEAM_ALL, 0, &started) == UPCCOLL_SUCCESS);
        while (upccoll_test(started) == 0)
            sleep_microseconds(100);
        stage = 1;
    }
    CHECK(pthread_join(other, NULL) == 0);
    pgas_detach_thread();
}

int main(int argc, char **argv)
{
    CHECK(argc >= 3);
    mode = argv[1];
    CHECK(pgas_init() == PGAS_OK);
    bool is_chosen = pgas_mythread() == atoi(argv[2]);
    CHECK(pgas_all_alloc((size_t)pgas_threads(), AREA, &area) == PGAS_OK);
    pgas_ptr_t dst = pgas_ptr_shift(area, 2048);
    pgas_ptr_t blocks = pgas_ptr_shift(area, 8);
    blocks.phase = 2;
    if (is_mode("arguments"))
        upc_all_broadcast(dst, area, is_chosen ? 16 : 8, 0);
    if (is_mode("function") && is_chosen)
        upc_all_gather(dst, area, 8, UPC_IN_ALLSYNC);
    if (is_mode("function"))
        upc_all_scatter(dst, area, 8, UPC_IN_ALLSYNC);
    if (is_mode("flags"))
        upc_all_exchange(dst, area, 8, UPC_IN_NOSYNC | UPC_IN_ALLSYNC);
    if (is_mode("async"))
        upc_all_exchange(dst, area, 8, UPC_ASYNC_FENCE);
    if (is_mode("thread"))
        upc_all_gather_all(pgas_ptr_on(dst, 1), area, 8, 0);
    if (is_mode("null"))
        upc_all_broadcast(dst, pgas_ptr_null(), 8, 0);
    if (is_mode("overflow"))
        upc_all_scatter(dst, area, SIZE_MAX / 2, 0);
    if (is_mode("perm")) {
        *(int *)pgas_local(pgas_ptr_on(area, pgas_mythread())) = -4;
        upc_all_permute(dst, area, area, 8, 0);
    }
    if (is_mode("op"))
        upc_all_reduceD(dst, area, UPC_XOR, 4, 1, NULL, 0);
    if (is_mode("ops"))
        upc_all_reduceI(dst, area, is_chosen ? UPC_ADD : UPC_MAX, 4, 1, NULL, 0);
    if (is_mode("types")) {
        if (is_chosen)
            upc_all_reduceI(dst, area, UPC_ADD, 4, 1, NULL, 0);
        else
            upc_all_reduceUI(dst, area, UPC_ADD, 4, 1, NULL, 0);
    }
    if (is_mode("blocks"))
        upc_all_prefix_reduceI(dst, area, UPC_ADD, 4, is_chosen ? 1 : 2, NULL, 0);
    if (is_mode("large_blocks"))
        upc_all_prefix_reduceI(dst, area, UPC_ADD, 4, ((size_t)is_chosen << 56) + 4, NULL, 0);
    if (is_mode("perms")) {
        *(int *)pgas_local(pgas_ptr_on(area, pgas_mythread())) = pgas_mythread();
        upc_all_permute(dst, blocks, is_chosen ? area : pgas_ptr_shift(area, 4), 8, 0);
    }
    if (is_mode("other_phase") || is_mode("other_phases")) {
        blocks.phase = is_chosen ? 2 : 1;
        if (is_mode("other_phase"))
            upc_all_reduceI(dst, blocks, UPC_ADD, 2, 4, NULL, 0);
        dst.phase = blocks.phase;
        upc_all_prefix_reduceI(dst, blocks, UPC_ADD, 2, 4, NULL, 0);
    }
    differ_unmet(dst, is_chosen);
    leave_heap(dst);
    if (is_mode("together") || is_mode("other_handle"))
        call_beside(dst);
    if (is_mode("huge"))
        upc_all_reduceUC(dst, area, UPC_ADD, (size_t)1 << 62, 0, NULL, 0);
    if (is_mode("minloc"))
        upc_all_reduceI(dst, area, UPC_MINLOC, 4, 1, NULL, 0);
    if (is_mode("no_function"))
        upc_all_prefix_reduceI(dst, area, UPC_NONCOMM_FUNC, 4, 1, NULL, 0);
    if (is_mode("phase"))
        upc_all_reduceI(dst, blocks, UPC_ADD, 4, 2, NULL, 0);
    if (is_mode("phases"))
        upc_all_prefix_reduceI(dst, blocks, UPC_ADD, 4, 5, NULL, 0);
    if (is_mode("elements"))
        upc_all_reduceI(dst, area, UPC_ADD, (size_t)1 << 50, 0, NULL, 0);
    if (is_mode("notified")) {
        pgas_team_notify(PGAS_TEAM_ALL);
        upc_all_broadcast(dst, area, 8, UPC_IN_NOSYNC | UPC_OUT_NOSYNC);
    }
    if (is_mode("handle"))
        upccoll_wait(&area);
    if (is_mode("twice")) {
        upccoll_handle_t handle;
        CHECK(upccoll_initialize(NULL, NULL) == UPCCOLL_SUCCESS);
        CHECK(upccoll_barrier(UPC_TEAM_ALL, 0, &handle) == UPCCOLL_SUCCESS);
        upccoll_wait(handle);
        CHECK(upccoll_test(handle) == 1);
    }
    if (is_mode("allsync")) {
        CHECK(upccoll_initialize(NULL, NULL) == UPCCOLL_SUCCESS);
        pgas_ptr_t own = pgas_ptr_on(area, pgas_mythread());
        upccoll_scan(own, own, 8, UPC_INT, UPC_ADD, UPC_TEAM_ALL, is_chosen ? UPC_IN_ALLSYNC : 0,
                     NULL);
    }
    if (is_mode("allsync_counts")) {
        const size_t counts[3] = {1, 2, 3};
        const size_t displs[3] = {0, 1, 3};
        CHECK(upccoll_initialize(NULL, NULL) == UPCCOLL_SUCCESS);
        pgas_ptr_t own = pgas_ptr_on(area, pgas_mythread());
        upccoll_allgatherv(own, counts[pgas_mythread()], UPC_INT, pgas_ptr_shift(own, 64), counts,
                           displs, UPC_INT, UPC_TEAM_ALL, is_chosen ? UPC_OUT_ALLSYNC : 0, NULL);
    }
    if (is_mode("free"))
        upccoll_team_free(UPC_TEAM_ALL);
    pgas_barrier();
    pgas_finalize();
    return 0;
}
