#include <stdatomic.h>
#include <stdio.h>

#include <pgas/detail.h>

#include "net/net.h"
#include "net/ucx/aggregate.h"
#include "net/ucx/large.h"
#include "net/ucx/message.h"
#include "net/ucx/numbered.h"
#include "net/ucx/outgoing.h"
#include "net/ucx/pending.h"
#include "net/ucx/progress.h"
#include "net/ucx/rma.h"
#include "net/ucx/signal_bundle.h"

/*
 * A signal is a numbered message, and its target applies it when all before it have arrived. What
 * is not numbered, large puts and those by remote memory access, it waits for here, before it takes
 * its number; large data of its own travel as numbered messages before it.
 *
 * It leaves through the target or the background worker (pgasi_ucx_target_endpoint), which the
 * progress thread progresses too, so that it arrives though its sender computes. Puts
 * before it may still lie in the initiator worker, which nobody else progresses: it is flushed
 * first, which takes no reply of the target, but perhaps that the connection is there.
 */

enum {
    UNDER_WAY_MAX = 64
};

static _Atomic uint32_t under_way;

static bool has_credit(const void *unused)
{
    (void)unused;
    return atomic_load_explicit(&under_way, memory_order_relaxed) < UNDER_WAY_MAX;
}

static void describe(char *text, size_t size)
{
    snprintf(text, size, "credit for more signals of thread %u under way", pgasi_job.thread);
}

static void describe_flush(char *text, size_t size)
{
    snprintf(text, size, "puts that a signal of thread %u follows to be sent", pgasi_job.thread);
}

static void flush_puts(uint32_t thread)
{
    pgasi_ucx_puts_flush(thread);
    pgasi_ucx_target_t *target = &pgasi_ucx_me->targets[thread];
    if (target->posted <= target->acked || target->posted == target->flushed)
        return;
    pgasi_ucx_drain(describe_flush);
    target->flushed = target->posted;
}

static bool is_done(const void *token)
{
    return pgasi_ucx_operation_is_done(*(const uint64_t *)token);
}

static void describe_put(char *text, size_t size)
{
    snprintf(text, size, "copies that a signal of thread %u follows", pgasi_job.thread);
}

/* For the puts to the thread that are not numbered. */
static void wait_for_puts(uint32_t thread)
{
    uint32_t entry = 0;
    uint64_t token;
    bool has_rma = pgasi_ucx_rma_is_on && pgasi_ucx_rma_flush_puts(thread);
    if (!has_rma && !pgasi_ucx_large_is_under_way())
        return;
    while ((token = pgasi_ucx_operation_next(&entry)) != 0)
        if (pgasi_ucx_operation_puts_to(token, thread))
            pgasi_ucx_wait(is_done, &token, 0, describe_put);
}

static void send_alone(uint32_t thread, const pgasi_ucx_put_signal_t *header, const void *src,
                       size_t nbytes, bool copies)
{
    pgasi_ucx_outgoing_t *outgoing = pgasi_ucx_outgoing_alloc(thread, src, nbytes, copies);
    outgoing->header.put_signal = *header;
    outgoing->under_way = &under_way;
    pgasi_ucx_outgoing_send(outgoing, PGASI_UCX_PUT_SIGNAL, sizeof *header);
}

/* Payloads of up to `copied_max` bytes are copied now. */
static uint64_t begin(pgas_ptr_t dst, const void *src, size_t nbytes,
                      const pgasi_net_signal_t *signal, size_t copied_max)
{
    if (!has_credit(NULL))
        pgasi_ucx_wait(has_credit, NULL, 0, describe);
    wait_for_puts(dst.thread);
    flush_puts(dst.thread);
    if (nbytes > PGASI_UCX_EAGER_MAX) {
        pgasi_ucx_large_put_numbered(dst, src, nbytes);
        nbytes = 0;
    }
    bool travels_together = pgasi_ucx_signal_bundle_wants(dst.thread, nbytes);
    const pgasi_ucx_put_signal_t header = {
        .numbered =
            {
                .secret = pgasi_ucx_secret,
                .number = pgasi_ucx_number_parts(dst.thread, 1),
                .source = pgasi_job.thread,
                .agent = (uint16_t)pgasi_ucx_me->agent,
            },
        .offset = dst.offset,
        .signal = *signal,
    };
    if (travels_together)
        pgasi_ucx_signal_bundle_add(dst.thread, &header, src, nbytes, &under_way);
    else
        send_alone(dst.thread, &header, src, nbytes, nbytes <= copied_max);
    return pgasi_ucx_numbered_handle(dst.thread);
}

pgasi_net_handle_t pgasi_net_put_signal_nb(pgas_ptr_t dst, const void *src, size_t nbytes,
                                           const pgasi_net_signal_t *signal)
{
    return (pgasi_net_handle_t){begin(dst, src, nbytes, signal, PGASI_UCX_CHUNK_MAX)};
}

void pgasi_net_put_signal(pgas_ptr_t dst, const void *src, size_t nbytes,
                          const pgasi_net_signal_t *signal)
{
    const pgasi_net_handle_t handle = {begin(dst, src, nbytes, signal, PGASI_UCX_EAGER_MAX)};
    if (nbytes > PGASI_UCX_EAGER_MAX)
        pgasi_net_wait(handle);
}
