#include <pgas/attach.h>

#include <stdbool.h>

#include <pgas/detail.h>

#include "am/progress.h"
#include "base/agent.h"
#include "base/in_job.h"
#include "base/log.h"
#include "coll/flight.h"
#include "copy/async.h"
#include "copy/handle_check.h"
#include "copy/implicit_check.h"
#include "copy/value.h"
#include "net/net.h"
#include "team/calls.h"
#include "upc/flight.h"
#include "vis/move.h"
#include "vis/overlap.h"
#include "vis/peer_counter.h"

static pgas_status_t attach_main(void)
{
    pgasi_require_job("pgas_attach_thread");
    if (pgasi_agent != 0 || pgasi_is_shared)
        pgasi_fatal("pgas_attach_thread", "this operating-system thread is attached already");
    pgasi_log_host(); /* which finds the name out once */
    pgasi_is_shared = true;
    return PGAS_OK;
}

static pgas_status_t attach_other(void)
{
    switch (pgasi_agent_create()) {
    case PGASI_AGENT_IS_MADE:
        break;
    case PGASI_AGENT_NO_MEMORY:
        pgasi_log("pgas_attach_thread: no memory beside %d operating-system threads",
                  (int)pgasi_agents() + 1);
        return PGAS_ERR_NO_MEMORY;
    case PGASI_AGENT_NO_NUMBER:
        pgasi_log("pgas_attach_thread: %d operating-system threads are the most",
                  PGAS_ATTACHED_MAX);
        return PGAS_ERR_UNSUPPORTED;
    case PGASI_AGENT_NO_SHARING:
        pgasi_fatal("pgas_attach_thread", "the main thread has not attached: it comes first");
    }
    pgas_status_t status = pgasi_am_attach() ? PGAS_OK : PGAS_ERR_NO_MEMORY;
    if (status == PGAS_OK)
        status = pgasi_net_attach(pgasi_agent);
    if (status != PGAS_OK) {
        pgasi_am_detach();
        pgasi_agent_destroy();
    }
    return status;
}

pgas_status_t pgas_attach_thread(void)
{
    if (!pgasi_is_in_job || pgasi_restriction == PGASI_IN_HANDLER)
        pgasi_outside_job(__func__);
    return pgasi_self_is_attached() ? attach_main() : attach_other();
}

/* Another thread may attach during the waits. */
static void detach_main(void)
{
    uint32_t others = pgasi_agents();
    if (!pgasi_is_shared)
        pgasi_fatal("pgas_detach_thread", "this operating-system thread has not attached");
    if (others == 0) {
        pgasi_coll_wait_all();
        if (pgasi_net_is_up)
            pgasi_net_wait_all();
        others = pgasi_agents_stop();
    }
    if (others > 0)
        pgasi_fatal(
            "pgas_detach_thread",
            "called by the main thread while %u other operating-system threads are attached",
            others);
}

static void detach_other(void)
{
    const char *call = "pgas_detach_thread";
    pgasi_team_require_waited(call);
    pgasi_coll_wait_all();
    pgasi_upc_flights_detach();
    pgasi_net_detach();
    pgasi_handle_report(call);
    pgasi_implicit_report(call);
    pgasi_value_report(call);
    pgasi_value_detach();
    pgasi_async_detach();
    pgasi_relay_detach();
    pgasi_overlap_detach();
    pgasi_peer_counter_detach();
    pgasi_am_detach();
    pgasi_agent_destroy();
}

void pgas_detach_thread(void)
{
    pgasi_require_job(__func__);
    if (pgasi_agent == 0)
        detach_main();
    else
        detach_other();
}
