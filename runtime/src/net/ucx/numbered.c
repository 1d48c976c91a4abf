#include "net/ucx/numbered.h"

#include <pgas/detail.h>

#include "net/ucx/worker.h"

static void (*tell_acked)(uint32_t thread);

static bool awaits_ack(const pgasi_ucx_target_t *target)
{
    return target->requested > target->acked;
}

void pgasi_ucx_number(pgasi_ucx_numbered_t *header, uint32_t thread, bool wants_ack)
{
    pgasi_ucx_target_t *target = &pgasi_ucx_me->targets[thread];
    target->assigned = ++target->sent;
    target->posted = target->sent;
    *header = (pgasi_ucx_numbered_t){
        .secret = pgasi_ucx_secret,
        .number = target->sent,
        .source = pgasi_job.thread,
        .agent = (uint16_t)pgasi_ucx_me->agent,
        .wants_ack = wants_ack,
    };
    if (!wants_ack)
        return;
    if (!awaits_ack(target))
        pgasi_ucx_me->awaited++;
    target->requested = target->sent;
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
    if (ack.thread >= pgasi_job.threads || ack.done > pgasi_ucx_me->targets[ack.thread].sent) {
        pgasi_ucx_dropped("an acknowledgement of what was never sent");
        return UCS_OK;
    }
    pgasi_ucx_target_t *target = &pgasi_ucx_me->targets[ack.thread];
    bool awaited = awaits_ack(target);
    if (ack.done > target->acked) /* they may overtake each other */
        target->acked = ack.done;
    if (awaited && !awaits_ack(target))
        pgasi_ucx_me->awaited--;
    tell_acked((uint32_t)ack.thread);
    return UCS_OK;
}

void pgasi_ucx_numbered_start(void (*on_acked)(uint32_t thread))
{
    tell_acked = on_acked;
}

ucs_status_t pgasi_ucx_numbered_accept(void)
{
    return pgasi_ucx_accept(pgasi_ucx_me->worker, PGASI_UCX_ACK, take_ack, NULL);
}
