/**
 * The message that a handler runs for.
 */
#ifndef PGASI_AM_TOKEN_H
#define PGASI_AM_TOKEN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <pgas/am.h>

struct pgas_am_token {
    uint32_t source;
    uint32_t handler;
    bool is_request;
    bool has_replied;
    /** Credits that the request has taken, between nodes. */
    uint32_t cost;
};

/** The token of the handler that runs in the calling OS thread; NULL if none does. */
extern _Thread_local const pgas_am_token_t *pgasi_am_token
    __attribute__((tls_model("initial-exec")));

/** Runs the token's handler in the calling OS thread. */
void pgasi_am_token_run(pgas_am_token_t *token, const int32_t *args, unsigned nargs, void *payload,
                        size_t nbytes);

#endif
