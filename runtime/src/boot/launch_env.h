/**
 * What launchers set in the environment, for messages about jobs that are not the one that was
 * started. Shared by the runtime and fathom-run.
 */
#ifndef PGASI_BOOT_LAUNCH_ENV_H
#define PGASI_BOOT_LAUNCH_ENV_H

#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>

/** Set by fathom-run for each thread: "THREADS:THREAD", followed by ":mpi" if it has reported that
 *  the program uses MPI. */
#define PGASI_FATHOM_RUN "FATHOM_RUN"

/** Set by each thread for the programs that it starts, which have its environment and with it its
 *  place in the job: "NAMESPACE:RANK:PID". */
#define PGASI_FATHOM_THREAD "FATHOM_THREAD"

/** This process, one of several that a launcher has started. */
typedef struct pgasi_launch {
    /** The variable that holds their number, and that number. */
    const char *variable;
    unsigned long size;
    unsigned long rank;
} pgasi_launch_t;

/** Finds the launcher, other than fathom-run, that has started this process as one of several.
 *  False if none has. */
static inline bool pgasi_launch_find(pgasi_launch_t *launch)
{
    static const char *const known[][2] = {
        {"OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_RANK"},
        {"PMI_SIZE", "PMI_RANK"},
        {"SLURM_STEP_NUM_TASKS", "SLURM_PROCID"},
    };
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
        const char *size = getenv(known[i][0]);
        const char *rank = getenv(known[i][1]);
        if (size == NULL || strtoul(size, NULL, 10) < 2)
            continue;
        *launch = (pgasi_launch_t){.variable = known[i][0],
                                   .size = strtoul(size, NULL, 10),
                                   .rank = rank != NULL ? strtoul(rank, NULL, 10) : 0};
        return true;
    }
    return false;
}

#endif
