#include "boot/launch.h"

#include <dlfcn.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <pgas/detail.h>

#include "base/log.h"
#include "boot/launch_env.h"

/* What fathom-run has set for this thread. */
typedef struct started {
    unsigned long threads;
    unsigned long thread;
    bool has_told_of_mpi;
} started_t;

static bool is_by_fathom_run(started_t *started)
{
    const char *text = getenv(PGASI_FATHOM_RUN);
    if (text == NULL)
        return false;
    char *end;
    started->threads = strtoul(text, &end, 10);
    started->thread = *end == ':' ? strtoul(end + 1, &end, 10) : 0;
    started->has_told_of_mpi = strcmp(end, ":mpi") == 0;
    return true;
}

/* The function of the program's MPI, if it has one: the runtime does not link with MPI. */
static bool find_mpi(bool *is_initialized)
{
    void *symbol = dlsym(RTLD_DEFAULT, "MPI_Initialized");
    int (*initialized)(int *flag);
    int flag = 0;
    if (symbol == NULL)
        return false;
    memcpy(&initialized, &symbol, sizeof initialized);
    *is_initialized = initialized(&flag) == 0 && flag != 0;
    return true;
}

/* The namespace is fathom-run's until MPI_Init finds no MPI job and creates one. */
static bool is_in_job_of_fathom_run(void)
{
    const char *space = getenv("PMIX_NAMESPACE");
    return space != NULL && strncmp(space, "fathom-", 7) == 0;
}

bool pgasi_launch_is_by_fathom_run(void)
{
    return getenv(PGASI_FATHOM_RUN) != NULL && is_in_job_of_fathom_run();
}

static pgas_status_t check_mpi(const pgasi_boot_job_t *job, const started_t *started)
{
    bool is_initialized;
    if (started->threads < 2 || !find_mpi(&is_initialized))
        return PGAS_OK;
    if (is_in_job_of_fathom_run()) {
        if (!started->has_told_of_mpi)
            pgasi_note("the program has MPI: under fathom-run, MPI_Init finds each thread alone; "
                       "Open MPI's mpirun starts programs with Open MPI");
    } else if (is_initialized && job->threads == 1) {
        pgasi_job.thread = (uint32_t)started->thread;
        pgasi_log_alike("pgas_init: one of %lu threads of fathom-run, but MPI_Init has made each a "
                        "job of its own; Open MPI's mpirun starts programs with Open MPI",
                        started->threads);
        return PGAS_ERR_SYSTEM;
    }
    return PGAS_OK;
}

/* Behind a claim whose job has ended. */
#define OVER ":over"

/* The place in the job that the environment names: "SPACE:RANK:", to which a claim adds the number
 * of a process. Empty: none, or one that is too long. */
typedef struct place {
    char text[512];
    size_t length;
    const char *rank;
} place_t;

static place_t own_place(void)
{
    place_t place = {.rank = getenv("PMIX_RANK")};
    const char *space = getenv("PMIX_NAMESPACE");
    if (space == NULL || place.rank == NULL)
        return place;
    int length = snprintf(place.text, sizeof place.text, "%s:%s:", space, place.rank);
    if (length > 0 && (size_t)length < sizeof place.text)
        place.length = (size_t)length;
    return place;
}

/* The process that has taken the place, and this program since it has been loaded; 0: none. */
static pid_t taken_by;

/* The process of another program that has this place, and has started this one, or was this
 * process; 0: there is none. */
static pid_t starter(const place_t *place)
{
    const char *claimed = getenv(PGASI_FATHOM_THREAD);
    if (place->length == 0 || claimed == NULL || strncmp(claimed, place->text, place->length) != 0)
        return 0;
    char *end;
    pid_t process = (pid_t)strtol(claimed + place->length, &end, 10);
    bool is_over = *end != '\0';
    return process == getpid() && (process == taken_by || is_over) ? 0 : process;
}

/* Tells the programs that this one starts, or becomes. */
static bool tell(const place_t *place, const char *state)
{
    char claim[600];
    snprintf(claim, sizeof claim, "%s%ld%s", place->text, (long)getpid(), state);
    return setenv(PGASI_FATHOM_THREAD, claim, 1) == 0;
}

/* A page that the process shares with its children: which of them has the place; 0: none. */
static _Atomic pid_t *holder;
static pid_t loaded;

void pgasi_launch_share(void)
{
    void *page =
        mmap(NULL, sizeof *holder, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    holder = page != MAP_FAILED ? page : NULL;
    loaded = getpid();
}

bool pgasi_launch_is_elsewhere(void)
{
    const place_t place = own_place();
    pid_t process = holder != NULL ? atomic_load(holder) : 0;
    if (place.length == 0)
        return false;
    return starter(&place) != 0 || (process != 0 ? process : loaded) != getpid();
}

bool pgasi_launch_had_place(void)
{
    return taken_by == getpid();
}

void pgasi_launch_release(void)
{
    pid_t mine = getpid();
    const place_t place = own_place();
    if (taken_by == mine && place.length > 0)
        tell(&place, OVER);
    if (holder != NULL)
        atomic_compare_exchange_strong(holder, &mine, 0);
}

/* Of the processes that have forked from one another. */
static bool take_place(pid_t *other)
{
    *other = 0;
    if (holder == NULL || atomic_compare_exchange_strong(holder, other, getpid()))
        return true;
    return *other == getpid();
}

pgas_status_t pgasi_launch_claim(void)
{
    const place_t place = own_place();
    pid_t other = starter(&place);
    if (other == getpid()) {
        pgasi_log("pgas_init: this process has been thread %s of the job already, and has become "
                  "another program before pgas_finalize",
                  place.rank);
        return PGAS_ERR_SYSTEM;
    }
    if (other != 0) {
        pgasi_log("pgas_init: thread %s of the job, process %ld, has started this program, which "
                  "has no place of its own in it: start it by fathom-run, or with `env -i`",
                  place.rank, (long)other);
        return PGAS_ERR_SYSTEM;
    }
    if (place.length == 0)
        return PGAS_OK;
    if (!take_place(&other)) {
        pgasi_log("pgas_init: process %ld, from which this one has forked, or which has forked "
                  "from it, is the thread of the job already",
                  (long)other);
        return PGAS_ERR_SYSTEM;
    }
    taken_by = getpid();
    return tell(&place, "") ? PGAS_OK : PGAS_ERR_NO_MEMORY;
}

pgas_status_t pgasi_launch_check(const pgasi_boot_job_t *job)
{
    started_t started;
    pgasi_launch_t launch;
    if (is_by_fathom_run(&started))
        return check_mpi(job, &started);
    if (pgasi_boot() == &pgasi_boot_single && pgasi_launch_find(&launch) && launch.rank == 0)
        pgasi_note("one of %lu processes (%s) that were started without PMIx: each is a job of one "
                   "thread; fathom-run, Open MPI's mpirun or srun --mpi=pmix make one of them",
                   launch.size, launch.variable);
    return PGAS_OK;
}
