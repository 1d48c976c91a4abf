/**
 * Bootstrap: which thread this is, and an exchange of a few bytes before memory or network connect
 * the threads.
 *
 * A small table of functions, chosen at run time: PMIx under a launcher, else a job of one thread.
 */
#ifndef PGASI_BOOT_BOOT_H
#define PGASI_BOOT_BOOT_H

#include <stddef.h>
#include <stdint.h>

#include <pgas/detail.h>
#include <pgas/types.h>

/** The job, as the launcher describes it. */
typedef struct pgasi_boot_job {
    uint32_t thread;
    uint32_t threads;
    /** The threads on this host in ascending order, the calling one included, and their number.
     *  The bootstrap owns them until finalize. */
    const uint32_t *host_peers;
    uint32_t host_count;
} pgasi_boot_job_t;

typedef struct pgasi_boot {
    /** Joins the job. Logs and returns an error if the launcher does not reply. */
    pgas_status_t (*init)(pgasi_boot_job_t *job);
    /** Makes `nbytes` bytes known to the job under `key`; others see them after the next exchange.
     *  They are copied. */
    pgas_status_t (*publish)(const char *key, const void *value, size_t nbytes);
    /** Collective: completes what was published. A barrier. Calls `meanwhile`, unless it is NULL,
     *  again and again until all have come, each `interval_us` microseconds. */
    pgas_status_t (*exchange)(void (*meanwhile)(void), unsigned interval_us);
    /** Copies what `thread` published under `key`; `*nbytes` gets its length. An error if it has
     *  published nothing, or more than `size` bytes. */
    pgas_status_t (*lookup)(uint32_t thread, const char *key, void *value, size_t size,
                            size_t *nbytes);
    /** Ends the job with `status`; the caller has said why. */
    PGAS_NORETURN void (*abort)(int status);
    /** Leaves the job in good order. */
    void (*finalize)(void);
} pgasi_boot_t;

extern const pgasi_boot_t pgasi_boot_pmix;
extern const pgasi_boot_t pgasi_boot_single;

/** The bootstrap of this process: pgasi_boot_pmix if a PMIx launcher started it. The first call
 *  decides, whatever the environment is later. */
const pgasi_boot_t *pgasi_boot(void);

#endif
