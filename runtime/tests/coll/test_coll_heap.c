/**
 * Blocking calls keep what others read for the next one, and so do calls in flight: neither must
 * end a job for want of memory that the other one keeps, or that a small call has taken of what a
 * large one left. For a heap of 16 MiB.
 */
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include <pgas/coll.h>
#include <pgas/coll_async.h>

#include "check.h"

enum {
    /* Two of them have no room. */
    NBYTES = 9 << 20,
    SMALL = 256 << 10,
    ROUNDS = 20
};

static char *mine;
static char *all;

static void check_all(char first)
{
    size_t threads = (size_t)pgas_threads();
    for (size_t t = 0; t < threads; t++)
        CHECK(all[t * NBYTES] == first + (char)t && all[(t + 1) * NBYTES - 1] == first + (char)t);
    memset(all, 0, threads * NBYTES);
    pgas_barrier();
}

static void gather(char first, bool is_in_flight)
{
    memset(mine, first + pgas_mythread(), NBYTES);
    if (is_in_flight)
        pgas_waitsync(pgas_allgather_async(PGAS_TEAM_ALL, mine, all, NBYTES));
    else
        pgas_allgather(PGAS_TEAM_ALL, mine, all, NBYTES);
    check_all(first);
}

/* What is kept is for the program, too. */
static void allocate(void)
{
    pgas_ptr_t own;
    pgas_ptr_t of_all;
    gather(81, false);
    CHECK(pgas_alloc(NBYTES, &own) == PGAS_OK);
    pgas_free(own);
    gather(91, true);
    CHECK(pgas_all_alloc((size_t)pgas_threads(), NBYTES, &of_all) == PGAS_OK);
    pgas_all_free(of_all);
}

static long faults(void)
{
    struct rusage used;
    CHECK(getrusage(RUSAGE_SELF, &used) == 0);
    return used.ru_minflt;
}

/* Both sizes in turns use one buffer, since two have no room: its pages stay. */
static void alternate(void)
{
    enum {
        LARGE = 13 << 20,
        LESS = 1946 << 10, /* and as much for the other node */
        WARM = 3
    };
    char *from = calloc(1, LARGE);
    char *to = calloc((size_t)pgas_threads(), LARGE);
    long before = 0;
    CHECK(from != NULL && to != NULL);
    for (int i = 0; i < WARM + ROUNDS; i++) {
        if (i == WARM)
            before = faults();
        pgas_allgather(PGAS_TEAM_ALL, from, to, LARGE);
        pgas_allgather(PGAS_TEAM_ALL, from, to, LESS);
    }
    CHECK(faults() - before < (long)ROUNDS * LARGE / 4096 / 4);
    free(to);
    free(from);
}

/* A small call of a team is in flight as long as one member has not begun it. */
static void gather_beside(pgas_team_t *team, char first, bool ends_meanwhile)
{
    char *small = malloc(SMALL);
    char *smalls = malloc((size_t)pgas_threads() * SMALL);
    bool is_late = pgas_mythread() == pgas_threads() - 1;
    pgas_handle_t handle = PGAS_HANDLE_COMPLETE;
    CHECK(small != NULL && smalls != NULL);
    memset(small, 1, SMALL);
    if (!is_late || ends_meanwhile)
        handle = pgas_allgather_async(team, small, smalls, SMALL);
    gather(first, false);
    if (is_late && !ends_meanwhile)
        handle = pgas_allgather_async(team, small, smalls, SMALL);
    pgas_waitsync(handle);
    CHECK(smalls[0] == 1 && smalls[(size_t)pgas_threads() * SMALL - 1] == 1);
    free(smalls);
    free(small);
}

/* What a large call has left is not for a small one that stays in flight: another large one needs
 * the room. */
static void crowd(pgas_team_t *team)
{
    enum {
        OWN = 2900 << 10,
        LARGE = 12700 << 10,
        SMALLER = 900 << 10
    };
    size_t threads = (size_t)pgas_threads();
    char *from = calloc(1, LARGE);
    char *to = calloc(threads, LARGE);
    bool is_late = pgas_mythread() == pgas_threads() - 1;
    pgas_handle_t handle = PGAS_HANDLE_COMPLETE;
    pgas_ptr_t own;
    CHECK(from != NULL && to != NULL && pgas_alloc(OWN, &own) == PGAS_OK);
    pgas_allgather(PGAS_TEAM_ALL, from, to, LARGE);
    if (!is_late)
        handle = pgas_allgather_async(team, from, to, SMALLER);
    pgas_barrier();
    gather(101, false);
    if (is_late)
        handle = pgas_allgather_async(team, from, to, SMALLER);
    pgas_waitsync(handle);
    pgas_free(own);
    free(to);
    free(from);
}

int main(void)
{
    pgas_team_t *team;
    CHECK(pgas_init() == PGAS_OK);
    mine = malloc(NBYTES);
    all = calloc((size_t)pgas_threads(), NBYTES);
    CHECK(mine != NULL && all != NULL);
    gather(1, false);
    gather(11, true);
    gather(21, true);
    gather(31, false);
    gather(41, true);
    CHECK(pgas_team_split(PGAS_TEAM_ALL, 0, pgas_mythread(), &team) == PGAS_OK);
    gather_beside(team, 51, false);
    for (int i = 0; i < ROUNDS; i++) {
        gather(61, true);
        gather_beside(team, 71, true);
    }
    allocate();
    alternate();
    crowd(team);
    pgas_team_free(team);
    free(all);
    free(mine);
    pgas_finalize();
    return 0;
}
