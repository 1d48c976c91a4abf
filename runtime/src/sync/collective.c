#include "sync/collective.h"

#include <stdatomic.h>
#include <string.h>
#include <unistd.h>

#include <pgas/detail.h>

#include "base/clock.h"
#include "base/in_job.h"
#include "node/activity.h"
#include "node/node.h"

enum {
    OTHER_ENDS_MS = 1000
};

static unsigned depth;

/* The agent that is in a call of which there is one at a time, its number + 1; and how deep. */
static _Atomic uint32_t alone;
static unsigned alone_depth;

void pgasi_alone_enter(const char *call)
{
    uint32_t nobody = 0;
    if (atomic_load_explicit(&alone, memory_order_relaxed) != pgasi_agent + 1 &&
        !atomic_compare_exchange_strong(&alone, &nobody, pgasi_agent + 1))
        pgasi_fatal(call, "another operating-system thread of this process is in a barrier, a "
                          "collective call or a call on a lock");
    alone_depth++;
}

void pgasi_alone_leave(void)
{
    if (--alone_depth == 0)
        atomic_store(&alone, 0);
}

void pgasi_collective_begin(pgasi_collective_t call, size_t count, const uint64_t *arguments)
{
    pgasi_call_t begun = {.thread = pgasi_job.thread + 1, .call = call, .count = (uint32_t)count};
    pgasi_require_job(pgasi_call_name(&begun));
    pgasi_alone_begin(pgasi_call_name(&begun));
    if (depth++ > 0)
        return;
    for (size_t i = 0; i < count; i++)
        begun.arguments[i] = arguments[i];
    begun.signature = pgasi_call_sign(&begun);
    pgasi_activity_begin(&begun);
}

void pgasi_collective_end(void)
{
    if (--depth == 0)
        pgasi_activity_end();
    pgasi_alone_end();
}

const char *pgasi_collective_around(const char *call)
{
    if (pgasi_is_shared && atomic_load(&alone) != pgasi_agent + 1)
        return NULL;
    const pgasi_call_t *around = &pgasi_activity_of(pgasi_job.thread)->call;
    if (around->call == PGASI_BARRIER || strcmp(pgasi_call_name(around), call) == 0)
        return NULL;
    return pgasi_call_name(around);
}

void pgasi_collective_leave_to(uint32_t thread)
{
    if (pgasi_job.peers[thread].node != pgasi_nodes.mine)
        pgasi_pause(OTHER_ENDS_MS);
}

void pgasi_collective_differ(const pgasi_call_t *mine, const pgasi_call_t *other)
{
    char here[128];
    char there[128];
    pgasi_fatal(pgasi_call_name(mine), "thread %u calls %s, but thread %u calls %s",
                mine->thread - 1, pgasi_call_describe(mine, here, sizeof here), other->thread - 1,
                pgasi_call_describe(other, there, sizeof there));
}
