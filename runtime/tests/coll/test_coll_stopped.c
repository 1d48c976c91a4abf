/**
 * Collectives of a process with a peer that stands still do not delay those with others. One thread
 * starts collectives and is stopped when its signals have left, so that another one finds all
 * members in them, and begins reads that nobody serves: one, more than may be under way at once,
 * and as many large ones. A third thread is in a collective with the second, which must end; only
 * then does it let the first one go on.
 *
 *   - the second one waits for the collective with the third
 *   - it computes, where it has a progress thread
 *   - a blocking one with the third follows
 *   - all of that again where the steps call functions of the program's, which it alone runs
 *
 * Usage: runtime_coll_stopped [ROUNDS]
 */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "check.h"
#include "net/stop.h"
#include "pause.h"

enum {
    ROUNDS = 2,
    READER = 0,
    STOPPED = 1,
    OTHER = 2,
    THREADS = 3,
    /* Each has four lanes; 64 gets of one process may be under way. */
    TEAMS = 20,
    MOST = 4 * TEAMS,
    SMALL = 40000,
    LARGE = 200000,
    /* So that most have done what they can; nothing depends on it. */
    SHORTLY_US = 100000
};

static pgas_team_t *teams[TEAMS];
static pgas_team_t *pair;
static unsigned char *src[MOST + 1];
static unsigned char *dst[MOST + 1];
static pgas_handle_t handles[MOST + 1];
static pgas_op_t own_op;

static void take_greatest(const void *in, void *inout, size_t count, pgas_datatype_t type)
{
    const unsigned char *from = in;
    unsigned char *to = inout;
    CHECK(type == PGAS_UINT8);
    for (size_t i = 0; i < count; i++)
        to[i] = from[i] > to[i] ? from[i] : to[i];
}

typedef struct kind {
    int count;
    size_t nbytes;
    bool is_own;
} kind_t;

static unsigned char byte_of(int call, int thread, size_t i)
{
    return (unsigned char)(call * 31 + thread * 57 + (int)(i % 251));
}

static pgas_handle_t start(const kind_t *kind, int call, pgas_team_t *team)
{
    for (size_t i = 0; i < kind->nbytes; i++)
        src[call][i] = byte_of(call, pgas_mythread(), i);
    if (kind->is_own)
        return pgas_allreduce_async(team, src[call], dst[call], kind->nbytes, PGAS_UINT8, own_op);
    return pgas_allgather_async(team, src[call], dst[call], kind->nbytes);
}

static void end(const kind_t *kind, int call, pgas_team_t *team)
{
    pgas_waitsync(handles[call]);
    int first = pgas_team_thread(team, 0);
    int second = pgas_team_thread(team, 1);
    for (size_t i = 0; i < kind->nbytes; i++) {
        unsigned char a = byte_of(call, first, i);
        unsigned char b = byte_of(call, second, i);
        if (kind->is_own)
            CHECK(dst[call][i] == (a > b ? a : b));
        else
            CHECK(dst[call][i] == a && dst[call][kind->nbytes + i] == b);
    }
}

/* A blocking one is not short of what those in flight have taken. */
static void gather_now(const kind_t *kind)
{
    for (size_t i = 0; i < kind->nbytes; i++)
        src[MOST][i] = byte_of(MOST, pgas_mythread(), i);
    pgas_allgather(pair, src[MOST], dst[MOST], kind->nbytes);
    for (size_t i = 0; i < kind->nbytes; i++)
        CHECK(dst[MOST][i] == byte_of(MOST, READER, i) &&
              dst[MOST][kind->nbytes + i] == byte_of(MOST, OTHER, i));
}

static void run(const kind_t *kind, const int64_t *pids, bool computes)
{
    int me = pgas_mythread();
    pgas_barrier();
    if (me == STOPPED)
        for (int i = 0; i < kind->count; i++)
            handles[i] = start(kind, i, teams[i % TEAMS]);
    if (me == OTHER) {
        sleep_microseconds(SHORTLY_US);
        process_stop((pid_t)pids[STOPPED]);
    }
    if (me != STOPPED)
        pgas_team_barrier(pair);
    if (me == READER) {
        handles[MOST] = start(kind, MOST, pair);
        for (int i = 0; i < kind->count; i++)
            handles[i] = start(kind, i, teams[i % TEAMS]);
        if (computes)
            sleep_microseconds(2UL * SHORTLY_US);
        end(kind, MOST, pair);
        gather_now(kind);
    }
    if (me == OTHER) {
        sleep_microseconds(SHORTLY_US);
        handles[MOST] = start(kind, MOST, pair);
        end(kind, MOST, pair);
        gather_now(kind);
        process_continue((pid_t)pids[STOPPED]);
    }
    for (int i = 0; me != OTHER && i < kind->count; i++)
        end(kind, i, teams[i % TEAMS]);
}

int main(int argc, char **argv)
{
    static const kind_t kinds[] = {
        {1, SMALL, false}, {MOST, SMALL, false}, {MOST, LARGE, false},
        {1, SMALL, true},  {MOST, SMALL, true},
    };
    CHECK(pgas_init() == PGAS_OK);
    CHECK(pgas_threads() == THREADS);
    int rounds = argc > 1 ? atoi(argv[1]) : ROUNDS;
    int me = pgas_mythread();
    for (int i = 0; i <= MOST; i++) {
        src[i] = malloc(LARGE);
        dst[i] = malloc((size_t)2 * LARGE);
        CHECK(src[i] != NULL && dst[i] != NULL);
    }
    CHECK(pgas_op_create(take_greatest, true, &own_op) == PGAS_OK);
    int64_t pid = getpid();
    int64_t pids[THREADS];
    pgas_allgather(PGAS_TEAM_ALL, &pid, pids, sizeof pid);
    for (int i = 0; i < TEAMS; i++)
        CHECK(pgas_team_split(PGAS_TEAM_ALL, me == OTHER ? PGAS_NO_TEAM : 0, me, &teams[i]) ==
              PGAS_OK);
    CHECK(pgas_team_split(PGAS_TEAM_ALL, me == STOPPED ? PGAS_NO_TEAM : 0, me, &pair) == PGAS_OK);
    for (int round = 0; round < rounds; round++)
        for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++)
            for (int computes = 0; computes < 2; computes++)
                run(&kinds[i], pids, computes == 1);
    pgas_barrier();
    for (int i = 0; i < TEAMS && me != OTHER; i++)
        pgas_team_free(teams[i]);
    if (me != STOPPED)
        pgas_team_free(pair);
    pgas_op_free(own_op);
    for (int i = 0; i <= MOST; i++) {
        free(src[i]);
        free(dst[i]);
    }
    pgas_finalize();
    return 0;
}
