/**
 * How the job ends when something is fatal (pgasi_fatal, pgas/detail.h).
 *
 * This folder knows neither launcher nor network: job/ending.c installs the way out before main.
 * Where nothing is installed, the process exits.
 */
#ifndef PGASI_BASE_FATAL_H
#define PGASI_BASE_FATAL_H

#include <pgas/types.h>

typedef struct pgasi_way_out {
    /** Returns in the first thread that ends the job, which then says why. The others would most
     *  often repeat it: they wait in here to be killed. */
    void (*claim)(void);
    /** Ends the job with `status`. Does not return. */
    void (*end)(int status);
} pgasi_way_out_t;

/** Installs how jobs end; `way_out` stays valid. */
void pgasi_fatal_install(const pgasi_way_out_t *way_out);

#endif
