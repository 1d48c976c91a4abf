/* The rules of pgas/upc_coll_names.h that end the job, each broken once: MODE THREAD, where the
 * thread is the one that differs from the others. */
#include <stdlib.h>
#include <string.h>

#include <pgas/upc_coll_names.h>

#include "check.h"

static const char *mode;

static bool is_mode(const char *name)
{
    return strcmp(mode, name) == 0;
}

int main(int argc, char **argv)
{
    CHECK(argc >= 3);
    mode = argv[1];
    CHECK(pgas_init() == PGAS_OK);
    bool is_chosen = pgas_mythread() == atoi(argv[2]);
    pgas_ptr_t area;
    CHECK(pgas_all_alloc((size_t)pgas_threads(), 4096, &area) == PGAS_OK);
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
