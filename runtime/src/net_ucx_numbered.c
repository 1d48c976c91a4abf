#include "net_ucx_numbered.h"

#include <stdlib.h>

#include "net_ucx.h"
#include "net_ucx_post.h"

/*
 * A handle has the target's number + 1 and the low 40 bits of the message's number.
 *
 * Numbers in flight are those behind `acked`, up to `assigned`. There are never 2^40 of them: each
 * is a message that nobody has acknowledged. So a number n of which 40 bits are known is in flight
 * if and only if assigned - n, in 40 bits, is less than assigned - acked. Hence an operation in
 * flight is never taken for a complete one, however often the 40 bits have gone round. A handle
 * that was kept while exactly 2^40 messages (or a multiple) followed is taken for one in flight;
 * waiting for it waits for that one, which completes.
 */
enum {
    NUMBER_BITS = 40
};

#define NUMBER_MASK (((uint64_t)1 << NUMBER_BITS) - 1)

pgasi_ucx_target_t *pgasi_ucx_targets;

static void (*tell_acked)(uint32_t thread);

uint64_t pgasi_ucx_numbered_handle(uint32_t thread)
{
    return (uint64_t)(thread + 1) << NUMBER_BITS |
           (pgasi_ucx_targets[thread].assigned & NUMBER_MASK);
}

bool pgasi_ucx_is_numbered(uint64_t handle)
{
    return handle != 0 && (handle & PGASI_UCX_IS_OPERATION) == 0;
}

uint32_t pgasi_ucx_numbered_target(uint64_t handle)
{
    return (uint32_t)(handle >> NUMBER_BITS) - 1;
}

/* Whether the handle's number is one of the last, up to `assigned`, behind `before`. */
static bool is_behind(const pgasi_ucx_target_t *target, uint64_t before, uint64_t handle)
{
    return ((target->assigned - handle) & NUMBER_MASK) < target->assigned - before;
}

bool pgasi_ucx_numbered_is_done(uint64_t handle)
{
    const pgasi_ucx_target_t *target = &pgasi_ucx_targets[pgasi_ucx_numbered_target(handle)];
    return !is_behind(target, target->acked, handle);
}

bool pgasi_ucx_numbered_is_asked(uint64_t handle)
{
    const pgasi_ucx_target_t *target = &pgasi_ucx_targets[pgasi_ucx_numbered_target(handle)];
    return !is_behind(target, target->asked, handle);
}

bool pgasi_ucx_numbered_is_idle(uint32_t thread)
{
    return pgasi_ucx_targets[thread].acked == pgasi_ucx_targets[thread].sent;
}

static bool awaits_ack(const pgasi_ucx_target_t *target)
{
    return target->asked > target->acked;
}

void pgasi_ucx_number_ahead(uint32_t thread)
{
    pgasi_ucx_targets[thread].assigned = pgasi_ucx_targets[thread].sent + 1;
}

void pgasi_ucx_number(pgasi_ucx_numbered_t *header, uint32_t thread, bool asks)
{
    pgasi_ucx_target_t *target = &pgasi_ucx_targets[thread];
    target->assigned = ++target->sent;
    *header = (pgasi_ucx_numbered_t){
        .secret = pgasi_ucx_secret,
        .number = target->sent,
        .source = pgasi_job.thread,
        .asks = asks,
    };
    if (!asks)
        return;
    if (!awaits_ack(target))
        pgasi_ucx_awaited++;
    target->asked = target->sent;
}

static ucs_status_t take_ack(void *arg, const void *header, size_t header_size, void *data,
                             size_t nbytes, const ucp_am_recv_param_t *param)
{
    (void)arg;
    (void)data;
    (void)nbytes;
    (void)param;
    pgasi_ucx_ack_t ack;
    if (!pgasi_ucx_open(header, header_size, &ack, sizeof ack))
        return UCS_OK;
    if (ack.thread >= pgasi_job.threads || ack.done > pgasi_ucx_targets[ack.thread].sent) {
        pgasi_ucx_dropped("an acknowledgement of what was never sent");
        return UCS_OK;
    }
    pgasi_ucx_target_t *target = &pgasi_ucx_targets[ack.thread];
    bool awaited = awaits_ack(target);
    if (ack.done > target->acked) /* they may overtake each other */
        target->acked = ack.done;
    if (awaited && !awaits_ack(target))
        pgasi_ucx_awaited--;
    tell_acked((uint32_t)ack.thread);
    return UCS_OK;
}

ucs_status_t pgasi_ucx_numbered_start(void (*on_acked)(uint32_t thread))
{
    tell_acked = on_acked;
    pgasi_ucx_targets = calloc(pgasi_job.threads, sizeof *pgasi_ucx_targets);
    if (pgasi_ucx_targets == NULL)
        return UCS_ERR_NO_MEMORY;
    return pgasi_ucx_accept(pgasi_ucx_initiating, PGASI_UCX_ACK, take_ack, NULL);
}

void pgasi_ucx_numbered_finalize(void)
{
    free(pgasi_ucx_targets);
    pgasi_ucx_targets = NULL;
}
