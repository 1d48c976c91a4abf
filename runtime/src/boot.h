/**
 * Bootstrap: who am I, and a few words between threads before shared memory exists.
 *
 * A small table of functions, chosen at run time: PMIx under a launcher, else a job of one thread.
 */
#ifndef PGASI_BOOT_H
#define PGASI_BOOT_H

#include <stddef.h>
#include <stdint.h>

#include <pgas/detail.h>
#include <pgas/types.h>

/** What the launcher says of the job. */
typedef struct pgasi_boot_job {
    uint32_t thread;
    uint32_t threads;
    /** Threads on this host, the calling one included, and the lowest of their numbers. */
    uint32_t host_threads;
    uint32_t host_leader;
} pgasi_boot_job_t;

typedef struct pgasi_boot {
    /** Joins the job. Logs and returns an error if the launcher does not answer. */
    pgas_status_t (*init)(pgasi_boot_job_t *job);
    /** Makes `value`, a short text, known to the job under `key`; others see it after the next
     *  exchange. */
    pgas_status_t (*publish)(const char *key, const char *value);
    /** Collective: completes what was published. A barrier. */
    pgas_status_t (*exchange)(void);
    /** What `thread` published under `key`, cut to `size` bytes with the final 0. */
    pgas_status_t (*lookup)(uint32_t thread, const char *key, char *value, size_t size);
    /** Ends the job with `status`; the caller has said why. */
    PGAS_NORETURN void (*abort)(int status);
    /** Leaves the job in good order. */
    void (*finalize)(void);
} pgasi_boot_t;

extern const pgasi_boot_t pgasi_boot_pmix;
extern const pgasi_boot_t pgasi_boot_single;

/** The bootstrap of this process: pgasi_boot_pmix if a PMIx launcher started it. */
const pgasi_boot_t *pgasi_boot(void);

#endif
