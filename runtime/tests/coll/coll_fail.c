/* The rules of pgas/coll.h, each broken once by the thread that is chosen, by which it differs from
 * the others: MODE THREAD. */
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "check.h"

enum {
    COUNT = 4
};

static const char *mode;
static bool is_chosen;
static double numbers[64];
static double results[64];

static bool is_mode(const char *name)
{
    return strcmp(mode, name) == 0;
}

/* The arguments of all members but for what the chosen one has wrong. */
static void differ(void)
{
    size_t nbytes = is_chosen && is_mode("size") ? 16 : 8;
    size_t count = is_chosen && is_mode("count") ? 5 : 4;
    int root = is_chosen && is_mode("other_root") ? 1 : 0;
    pgas_op_t op = is_chosen && is_mode("other_op") ? PGAS_MAX : PGAS_SUM;
    if (is_mode("size") || is_mode("other_root"))
        pgas_broadcast(PGAS_TEAM_ALL, numbers, nbytes, root);
    if (is_mode("count") || is_mode("other_op"))
        pgas_allreduce(PGAS_TEAM_ALL, numbers, results, count, PGAS_DOUBLE, op);
    if (is_mode("flight"))
        pgas_waitsync(pgas_broadcast_async(PGAS_TEAM_ALL, numbers, is_chosen ? 16 : 8, 0));
    if (is_mode("kind") && is_chosen)
        pgas_allgather(PGAS_TEAM_ALL, numbers, results, 8);
    if (is_mode("kind"))
        pgas_gather(PGAS_TEAM_ALL, numbers, results, 8, 0);
}

/* The chosen one does not come: a member finds for itself that the root is in another call. */
static void use_root(void)
{
    while (is_mode("early_root") && is_chosen)
        pgas_poll();
    if (is_mode("early_root"))
        pgas_broadcast(PGAS_TEAM_ALL, numbers, pgas_mythread() == 0 ? 16 : 8, 0);
}

/* The last call of the job, from which both roots go on at once. */
static void use_own_root(void)
{
    int root = is_chosen ? pgas_mythread() : 0;
    if (!is_mode("own_root"))
        return;
    pgas_broadcast(PGAS_TEAM_ALL, numbers, 8, root);
    pgas_finalize();
    exit(0);
}

/* Each of two nodes waits for the other. */
static void use_far_root(void)
{
    if (is_mode("far_root"))
        pgas_broadcast(PGAS_TEAM_ALL, numbers, 8, is_chosen ? 0 : pgas_threads() - 1);
}

static void send_sizes(void)
{
    size_t counts[COUNT] = {8, 8, 8, 8};
    size_t displs[COUNT] = {0, 8, 16, 24};
    size_t wrong[COUNT] = {8, 16, 8, 8};
    size_t nbytes = is_chosen ? 16 : 8;
    double *wanted = is_chosen ? NULL : results;
    if (is_mode("scatterv"))
        pgas_scatterv(PGAS_TEAM_ALL, numbers, counts, displs, results, nbytes, 0);
    if (is_mode("gatherv"))
        pgas_gatherv(PGAS_TEAM_ALL, numbers, nbytes, results, counts, displs, 0);
    if (is_mode("alltoallv"))
        pgas_alltoallv(PGAS_TEAM_ALL, numbers, counts, displs, results, is_chosen ? wrong : counts,
                       displs);
    if (is_mode("null_blocks"))
        pgas_alltoallv(PGAS_TEAM_ALL, numbers, counts, displs, wanted, counts, displs);
    if (is_mode("allgatherv"))
        pgas_allgatherv(PGAS_TEAM_ALL, numbers, 8, results, is_chosen ? wrong : counts, displs);
}

/* Counts of three members that differ in one, or in two with the same sum. */
static void send_counts(void)
{
    size_t counts[COUNT] = {8, 8, 8, 8};
    size_t one[COUNT] = {8, 16, 8, 8};
    size_t two[COUNT] = {7, 8, 9, 8};
    pgas_op_t op = is_chosen && is_mode("reduce_scatter_op") ? PGAS_MAX : PGAS_SUM;
    const size_t *given = counts;
    if (is_chosen && is_mode("reduce_scatter"))
        given = one;
    if (is_chosen && is_mode("reduce_scatter_all"))
        given = two;
    if (strncmp(mode, "reduce_scatter", strlen("reduce_scatter")) == 0)
        pgas_reduce_scatter(PGAS_TEAM_ALL, numbers, results, given, PGAS_DOUBLE, op);
}

static void handler(pgas_am_token_t *token, const int32_t *args, unsigned nargs, void *payload,
                    size_t nbytes)
{
    (void)token, (void)args, (void)nargs, (void)payload, (void)nbytes;
    if (is_mode("handler"))
        pgas_allreduce_double(PGAS_TEAM_ALL, 1, PGAS_SUM);
    else if (is_mode("wait_in_handler"))
        pgas_waitsynci();
    else
        while (!pgas_trysynci())
            continue;
}

/* Waits for a collective in flight, which the others never join, where nothing may be waited for.
 */
static void wait_restricted(pgas_am_t am)
{
    while (!is_chosen)
        pause();
    pgas_allreduce_asynci(PGAS_TEAM_ALL, numbers, results, 64, PGAS_DOUBLE, PGAS_SUM);
    if (is_mode("wait_in_handler") || is_mode("try_in_handler")) {
        pgas_am_request_short(pgas_mythread(), am, NULL, 0);
        for (;;)
            pgas_poll();
    }
    if (is_mode("wait_locked")) {
        static pgas_am_lock_t lock = PGAS_AM_LOCK_INITIALIZER;
        pgas_am_lock(&lock);
    } else {
        pgas_am_hold_interrupts();
    }
    pgas_waitsynci();
}

/* What the chosen one, the last of three, receives overlaps what it sends, and no block is in its
 * place, which the debug build finds. */
static void overlap(void)
{
    pgas_team_t *all = PGAS_TEAM_ALL;
    size_t counts[COUNT] = {8, 8, 8, 8};
    size_t displs[COUNT] = {0, 8, 16, 24};
    size_t elements[COUNT] = {1, 1, 1, 1};
    if (is_mode("overlap_gather"))
        pgas_gather(all, numbers + 1, numbers, 8, pgas_mythread());
    if (is_mode("overlap_scatter"))
        pgas_scatter(all, numbers, numbers + 1, 8, pgas_mythread());
    if (is_mode("overlap_allgather"))
        pgas_allgather(all, numbers, numbers, 8);
    if (is_mode("overlap_alltoall"))
        pgas_alltoall(all, numbers, numbers + 2, 8);
    if (is_mode("overlap_alltoallv"))
        pgas_alltoallv(all, numbers, counts, displs, numbers + 2, counts, displs);
    if (is_mode("overlap_gatherv"))
        pgas_gatherv(all, numbers + 1, 8, numbers, counts, displs, pgas_mythread());
    if (is_mode("overlap_scan_inclusive"))
        pgas_scan_inclusive(all, numbers, numbers + 1, 2, PGAS_DOUBLE, PGAS_SUM);
    if (is_mode("overlap_reduce_scatter"))
        pgas_reduce_scatter(all, numbers, numbers, elements, PGAS_DOUBLE, PGAS_SUM);
}

/* Makes calls that the chosen thread alone finds wrong. */
static void call_alone(pgas_am_t am)
{
    pgas_team_t *all = PGAS_TEAM_ALL;
    if (is_mode("root"))
        pgas_broadcast(all, numbers, 8, pgas_threads());
    if (is_mode("null"))
        pgas_broadcast(all, NULL, 8, 0);
    if (is_mode("no_team"))
        pgas_alltoall(NULL, numbers, results, 8);
    if (is_mode("type"))
        pgas_allreduce(all, numbers, results, 1, -1, PGAS_SUM);
    if (is_mode("op"))
        pgas_allreduce(all, numbers, results, 1, PGAS_DOUBLE, PGAS_XOR);
    if (is_mode("op_of_atomics"))
        pgas_reduce(all, numbers, results, 1, PGAS_INT64, PGAS_SWAP, 0);
    if (is_mode("op_of_bytes"))
        pgas_allreduce(all, numbers, results, 1, PGAS_BYTES(24), PGAS_SUM);
    if (is_mode("own_op"))
        pgas_scan_inclusive(all, numbers, results, 1, PGAS_DOUBLE, PGAS_PREDEFINED_OPS);
    if (is_mode("free_op"))
        pgas_op_free(PGAS_PREDEFINED_OPS + 3);
    if (is_mode("null_flight"))
        pgas_reduce_async(all, NULL, results, 1, PGAS_DOUBLE, PGAS_SUM, 0);
    if (is_mode("heap_flight"))
        pgas_allgather_async(all, calloc(1, 4 << 20), results, 4 << 20);
    if (is_mode("overflow"))
        pgas_alltoall(all, numbers, results, SIZE_MAX / 2);
    if (is_mode("heap"))
        pgas_broadcast(all, calloc(1, 4 << 20), 4 << 20, pgas_mythread());
    overlap();
    if (is_mode("notified")) {
        pgas_team_notify(PGAS_TEAM_NODE);
        pgas_allgather(PGAS_TEAM_NODE, numbers, results, 8);
    }
    if (is_mode("handler")) {
        pgas_am_request_short(pgas_mythread(), am, NULL, 0);
        for (;;)
            pgas_poll();
    }
    if (is_mode("killed"))
        raise(SIGKILL);
}

int main(int argc, char **argv)
{
    CHECK(argc >= 3);
    mode = argv[1];
    pgas_am_t am = pgas_am_register("handler", handler, PGAS_AM_POLL);
    CHECK(pgas_init() == PGAS_OK);
    is_chosen = pgas_mythread() == atoi(argv[2]);
    if (is_mode("wait_in_handler") || is_mode("try_in_handler") || is_mode("wait_locked") ||
        is_mode("wait_held"))
        wait_restricted(am);
    if (is_chosen)
        call_alone(am);
    differ();
    use_root();
    use_own_root();
    use_far_root();
    send_sizes();
    send_counts();
    pgas_allreduce(PGAS_TEAM_ALL, numbers, results, 64, PGAS_DOUBLE, PGAS_SUM);
    pgas_finalize();
    return 0;
}
