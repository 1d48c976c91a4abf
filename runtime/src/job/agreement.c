#include "job/agreement.h"

#include <inttypes.h>
#include <string.h>

#include "base/config.h"
#include "base/log.h"
#include "coll/choice.h"
#include "job/heartbeat.h"
#include "job/stats_report.h"

void pgasi_agreement_tell(pgasi_address_record_t *record)
{
    record->choices = pgasi_choice_hash();
    record->nodes = pgasi_settings.nodes;
    record->threads_per_node = pgasi_settings.threads_per_node;
    record->has_stats = pgasi_stats_are_wanted();
    record->silence = pgasi_heartbeat_silence();
}

static pgas_status_t compare(const char *variable, uint64_t own, uint64_t first)
{
    if (own == first)
        return PGAS_OK;
    pgasi_log("%s is %" PRIu64 " here and %" PRIu64
              " on thread 0 (0: not set): it must be the same in all threads",
              variable, own, first);
    return PGAS_ERR_ARGUMENT;
}

static pgas_status_t check_choices(const pgasi_address_record_t *own,
                                   const pgasi_address_record_t *first)
{
    if (own->choices == first->choices)
        return PGAS_OK;
    pgasi_log("PGAS_COLL='%s' is not what thread 0 has: it must be the same in all threads",
              pgasi_settings.coll);
    return PGAS_ERR_ARGUMENT;
}

static pgas_status_t check_stats(const pgasi_address_record_t *own,
                                 const pgasi_address_record_t *first)
{
    if (own->has_stats == first->has_stats)
        return PGAS_OK;
    pgasi_log("PGAS_STATS='%s' asks for %s statistics, and on thread 0 it asks for %s: it must be "
              "the same in all threads",
              pgasi_settings.stats, own->has_stats ? "the" : "no",
              first->has_stats ? "them" : "none");
    return PGAS_ERR_ARGUMENT;
}

pgas_status_t pgasi_agreement_check(const pgasi_address_record_t *own,
                                    const pgasi_address_record_t *first)
{
    pgas_status_t status = compare("PGAS_NODES", own->nodes, first->nodes);
    if (status == PGAS_OK)
        status = compare("PGAS_THREADS_PER_NODE", own->threads_per_node, first->threads_per_node);
    if (status == PGAS_OK)
        status = check_choices(own, first);
    return status == PGAS_OK ? check_stats(own, first) : status;
}

static pgas_status_t check_gate(const pgasi_address_record_t *own,
                                const pgasi_address_record_t *first)
{
    if (own->has_gate == first->has_gate)
        return PGAS_OK;
    pgasi_log("the network cannot connect to thread 0: strangers are refused %s but not %s "
              "(PGAS_GATE, or another UCX)",
              first->has_gate ? "there" : "here", first->has_gate ? "here" : "there");
    return PGAS_ERR_UNSUPPORTED;
}

/* A host that sends no heartbeats, or seldom, would look dead. */
static pgas_status_t check_silence(const pgasi_address_record_t *own,
                                   const pgasi_address_record_t *first)
{
    if (own->silence == first->silence)
        return PGAS_OK;
    pgasi_log(
        "PGAS_PEER_TIMEOUT, or PGAS_PROGRESS=poll, which is without: a silence of other hosts "
        "ends the job after %" PRIu64 " s, and of thread 0 after %" PRIu64
        " (0: never): it must be the same in all threads",
        own->silence, first->silence);
    return PGAS_ERR_ARGUMENT;
}

pgas_status_t pgasi_agreement_check_network(const pgasi_address_record_t *own,
                                            const pgasi_address_record_t *first,
                                            bool has_several_hosts)
{
    pgas_status_t status = check_gate(own, first);
    return status == PGAS_OK && has_several_hosts ? check_silence(own, first) : status;
}
