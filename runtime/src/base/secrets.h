/**
 * Random numbers of the job, which thread 0 draws and the launcher's exchange gives to the others.
 */
#ifndef PGASI_BASE_SECRETS_H
#define PGASI_BASE_SECRETS_H

#include <stdint.h>

typedef struct pgasi_secrets {
    /** Begins every message between threads. */
    uint64_t message;
    /** Begin a connection over TCP: what the end says that has opened it, and the other one. */
    unsigned char caller[16];
    unsigned char called[16];
} pgasi_secrets_t;

#endif
