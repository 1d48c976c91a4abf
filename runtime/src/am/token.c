#include "am/token.h"

#include <pgas/detail.h>

#include "am/handlers.h"
#include "am/lock.h"
#include "base/self.h"

_Thread_local const pgas_am_token_t *pgasi_am_token;

void pgasi_am_token_run(pgas_am_token_t *token, const int32_t *args, unsigned nargs, void *payload,
                        size_t nbytes)
{
    const pgasi_handler_t *handler = &pgasi_handlers[token->handler];
    pgasi_restriction_t before = pgasi_restriction;
    pgasi_am_token = token;
    pgasi_restriction = PGASI_IN_HANDLER;
    handler->run(token, args, nargs, payload, nbytes);
    if (pgasi_am_locks_held() > 0)
        pgasi_fatal(handler->name, "the handler has returned with a handler-safe lock held");
    pgasi_restriction = before;
    pgasi_am_token = NULL;
}

int pgas_am_source(const pgas_am_token_t *token)
{
    return (int)token->source;
}

pgas_am_t pgas_am_handler(const pgas_am_token_t *token)
{
    return (pgas_am_t){token->handler};
}

bool pgas_am_is_request(const pgas_am_token_t *token)
{
    return token->is_request;
}
