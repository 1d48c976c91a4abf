/**
 * Random numbers of the job, which thread 0 draws and the launcher's exchange gives to the others.
 */
#ifndef PGASI_BASE_SECRETS_H
#define PGASI_BASE_SECRETS_H

#include <stdint.h>

typedef struct pgasi_secrets {
    /** Begins every message between threads. */
    uint64_t message;
    /** Begin a connection over TCP: the key of what the end says that has opened it, which depends
     *  on the address, and what the other one says. */
    unsigned char caller[16];
    unsigned char called[16];
} pgasi_secrets_t;

#endif
