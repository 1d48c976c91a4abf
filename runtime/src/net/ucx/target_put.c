#include "net/ucx/target_put.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include <pgas/attach.h>
#include <pgas/detail.h>

#include "net/ucx/endpoint.h"
#include "net/ucx/packed.h"
#include "net/ucx/post.h"
#include "net/ucx/request.h"
#include "net/ucx/signal_bundle.h"
#include "net/ucx/worker.h"

pgasi_ucx_source_t *pgasi_ucx_sources;

bool pgasi_ucx_target_put_init(void)
{
    pgasi_ucx_sources = calloc(pgasi_job.threads, sizeof *pgasi_ucx_sources);
    return pgasi_ucx_sources != NULL;
}

static void forget(pgasi_ucx_source_t *source)
{
    pgasi_arrivals_free(&source->arrivals);
    pgasi_ucx_held_free(&source->held);
}

void pgasi_ucx_target_put_finalize(void)
{
    for (uint32_t i = 0; i < pgasi_job.threads && pgasi_ucx_sources != NULL; i++) {
        pgasi_ucx_source_t *source = &pgasi_ucx_sources[i];
        for (uint32_t k = 0; k < source->agents_count; k++)
            forget(&source->agents[k]);
        free(source->agents);
        forget(source);
    }
    free(pgasi_ucx_sources);
    pgasi_ucx_sources = NULL;
}

static pgasi_ucx_source_t *grow(pgasi_ucx_source_t *source, uint32_t count)
{
    pgasi_ucx_source_t *agents = realloc(source->agents, count * sizeof *agents);
    if (agents == NULL)
        pgasi_fatal("network", "no memory for the messages of %u operating-system threads", count);
    for (uint32_t i = source->agents_count; i < count; i++)
        agents[i] = (pgasi_ucx_source_t){.reply_to = NULL};
    source->agents_count = count;
    return source->agents = agents;
}

static pgasi_ucx_source_t *source_of(const pgasi_ucx_numbered_t *numbered)
{
    pgasi_ucx_source_t *source = &pgasi_ucx_sources[numbered->source];
    uint32_t agent = numbered->agent;
    if (__builtin_expect(agent == 0, 1))
        return source;
    pgasi_ucx_source_t *agents =
        agent <= source->agents_count ? source->agents : grow(source, agent);
    return &agents[agent - 1];
}

static void acknowledge(const pgasi_ucx_source_t *source, uint32_t thread, uint64_t done)
{
    pgasi_ucx_desc_t *desc = pgasi_ucx_desc_alloc(&pgasi_ucx_replies, thread);
    desc->header.ack = (pgasi_ucx_ack_t){
        .secret = pgasi_ucx_secret,
        .done = done,
        .thread = pgasi_job.thread,
    };
    pgasi_ucx_post(source->reply_to, PGASI_UCX_ACK, desc, sizeof desc->header.ack, NULL, 0);
}

static bool is_of_agent(uint32_t source, uint32_t agent)
{
    return source < pgasi_job.threads && agent <= PGAS_ATTACHED_MAX; /* the last is beside.h's */
}

static bool is_valid(const pgasi_ucx_numbered_t *numbered, const ucp_am_recv_param_t *param)
{
    return is_of_agent(numbered->source, numbered->agent) && pgasi_ucx_wants_reply(param);
}

static PGAS_NORETURN void fail_out_of_order(void)
{
    pgasi_fatal("network", "no memory for messages out of order");
}

/* Applies a signal, if it is not NULL, and those held, as far as no message before them is missing.
 */
static void apply_signals(pgasi_ucx_source_t *source, uint64_t number,
                          const pgasi_net_signal_t *signal)
{
    uint64_t done = source->arrivals.done;
    if (signal != NULL && number <= done) /* and those held have higher numbers */
        pgasi_ucx_signal_apply(signal);
    else if (signal != NULL && !pgasi_ucx_held_add(&source->held, number, signal))
        fail_out_of_order();
    if (source->held.count > 0)
        pgasi_ucx_signal_apply_held(&source->held, done);
}

/* The bytes of a numbered message are in place. UCX does not promise to deliver messages in order.
 */
static ucs_status_t has_arrived(const pgasi_ucx_numbered_t *numbered,
                                const ucp_am_recv_param_t *param, const pgasi_net_signal_t *signal)
{
    pgasi_ucx_source_t *source = source_of(numbered);
    pgasi_arrival_t arrival = pgasi_arrivals_add(&source->arrivals, numbered->number);
    if (arrival == PGASI_ARRIVAL_NO_MEMORY)
        fail_out_of_order();
    if (arrival == PGASI_ARRIVAL_REPEATED)
        return pgasi_ucx_drop("it has come before");
    apply_signals(source, numbered->number, signal);
    if (numbered->wants_ack != 0) {
        source->reply_to = param->reply_ep;
        pgasi_arrivals_request(&source->arrivals, numbered->number);
    }
    uint64_t done = pgasi_arrivals_due(&source->arrivals);
    if (done != 0) {
        atomic_thread_fence(memory_order_seq_cst);
        acknowledge(source, numbered->source, done);
    }
    return UCS_OK;
}

static ucs_status_t serve_put(void *arg, const void *header, size_t header_size, void *data,
                              size_t nbytes, const ucp_am_recv_param_t *param)
{
    (void)arg;
    pgasi_ucx_put_t put;
    if (!pgasi_ucx_open(header, header_size, &put, sizeof put))
        return UCS_OK;
    if (!is_valid(&put.numbered, param) || !pgasi_ucx_is_in_segment(put.offset, nbytes) ||
        pgasi_ucx_is_announced(param))
        return pgasi_ucx_drop("a put to nowhere");
    pgasi_copy(pgasi_ucx_segment_at(put.offset), data, nbytes);
    return has_arrived(&put.numbered, param, NULL);
}

static ucs_status_t serve_puts(void *arg, const void *header, size_t header_size, void *data,
                               size_t nbytes, const ucp_am_recv_param_t *param)
{
    (void)arg;
    pgasi_ucx_puts_t puts;
    if (!pgasi_ucx_open(header, header_size, &puts, sizeof puts))
        return UCS_OK;
    if (!is_valid(&puts.numbered, param) || pgasi_ucx_is_announced(param))
        return pgasi_ucx_drop("puts to nowhere");
    pgasi_ucx_packed_t packed = {data, nbytes};
    for (uint64_t i = 0; i < puts.count; i++)
        if (!pgasi_ucx_packed_put(&packed, puts.offset))
            return pgasi_ucx_drop("puts to nowhere");
    return has_arrived(&puts.numbered, param, NULL);
}

static ucs_status_t serve_set(void *arg, const void *header, size_t header_size, void *data,
                              size_t nbytes, const ucp_am_recv_param_t *param)
{
    (void)arg;
    (void)data;
    (void)nbytes;
    pgasi_ucx_set_t set;
    if (!pgasi_ucx_open(header, header_size, &set, sizeof set))
        return UCS_OK;
    if (!is_valid(&set.numbered, param) || !pgasi_ucx_is_in_segment(set.offset, set.nbytes))
        return pgasi_ucx_drop("a set to nowhere");
    memset(pgasi_ucx_segment_at(set.offset), (int)set.value, set.nbytes);
    return has_arrived(&set.numbered, param, NULL);
}

/* False for one that no thread sends, of which nothing is done. */
static bool take_put_signal(const pgasi_ucx_put_signal_t *put, const void *data, size_t nbytes,
                            const ucp_am_recv_param_t *param)
{
    if (!is_of_agent(put->numbered.source, put->numbered.agent) || put->numbered.wants_ack != 0 ||
        !pgasi_ucx_signal_is_valid(&put->signal) ||
        (nbytes > 0 && !pgasi_ucx_is_in_segment(put->offset, nbytes)))
        return false;
    pgasi_ucx_note_way_back(put->numbered.source, param);
    if (nbytes > 0)
        pgasi_copy(pgasi_ucx_segment_at(put->offset), data, nbytes);
    has_arrived(&put->numbered, NULL, &put->signal);
    return true;
}

static ucs_status_t serve_put_signal(void *arg, const void *header, size_t header_size, void *data,
                                     size_t nbytes, const ucp_am_recv_param_t *param)
{
    (void)arg;
    pgasi_ucx_put_signal_t put;
    if (!pgasi_ucx_open(header, header_size, &put, sizeof put))
        return UCS_OK;
    if (pgasi_ucx_is_announced(param) || !take_put_signal(&put, data, nbytes, param))
        return pgasi_ucx_drop("a signal to nowhere");
    return UCS_OK;
}

static ucs_status_t serve_put_signals(void *arg, const void *header, size_t header_size, void *data,
                                      size_t nbytes, const ucp_am_recv_param_t *param)
{
    (void)arg;
    uint64_t secret;
    if (!pgasi_ucx_open(header, header_size, &secret, sizeof secret))
        return UCS_OK;
    if (pgasi_ucx_is_announced(param))
        return pgasi_ucx_drop("signals to nowhere");
    pgasi_ucx_signal_item_t item;
    const char *payload;
    for (const char *at = data; nbytes > 0;)
        if (!pgasi_ucx_signal_bundle_next(&at, &nbytes, &item, &payload) ||
            !take_put_signal(&item.put, payload, item.nbytes, param))
            return pgasi_ucx_drop("signals to nowhere");
    return UCS_OK;
}

bool pgasi_ucx_target_put_arrived(uint32_t source, uint32_t agent, uint64_t number)
{
    const pgasi_ucx_numbered_t numbered = {
        .number = number, .source = source, .agent = (uint16_t)agent};
    if (!is_of_agent(source, agent))
        return false;
    has_arrived(&numbered, NULL, NULL);
    return true;
}

ucs_status_t pgasi_ucx_target_put_start(void)
{
    ucs_status_t status = pgasi_ucx_accept(pgasi_ucx_target, PGASI_UCX_PUT, serve_put, NULL);
    if (status == UCS_OK)
        status = pgasi_ucx_accept(pgasi_ucx_target, PGASI_UCX_PUTS, serve_puts, NULL);
    if (status == UCS_OK)
        status = pgasi_ucx_accept(pgasi_ucx_target, PGASI_UCX_SET, serve_set, NULL);
    if (status == UCS_OK)
        status = pgasi_ucx_accept(pgasi_ucx_target, PGASI_UCX_PUT_SIGNAL, serve_put_signal, NULL);
    if (status == UCS_OK)
        status = pgasi_ucx_accept(pgasi_ucx_target, PGASI_UCX_PUT_SIGNALS, serve_put_signals, NULL);
    return status;
}
