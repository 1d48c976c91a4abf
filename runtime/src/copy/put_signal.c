
#include <pgas/detail.h>
#include <pgas/ptr.h>
#include <pgas/signal.h>

#include "base/touch.h"
#include "copy/async.h"
#include "copy/transfer.h"
#include "net/net.h"
#include "node/segment.h"
#include "shm/signal.h"

static void check(const char *call, pgas_ptr_t dst, const void *src, size_t nbytes,
                  pgas_ptr_t signal, pgas_signal_op_t op)
{
    pgasi_require_job(call);
    pgasi_check_shared(call, signal, sizeof(pgas_signal_t));
    if (signal.offset % sizeof(pgas_signal_t) != 0)
        pgasi_fatal(call, "a signal at offset %llu of thread %u, which is not aligned",
                    (unsigned long long)signal.offset, signal.thread);
    if ((unsigned)op > PGAS_SIGNAL_ADD)
        pgasi_fatal(call, "operation %u on a signal: there is none such (pgas/signal.h)", op);
    if (nbytes == 0)
        return;
    pgasi_check_shared(call, dst, nbytes);
    pgasi_check_private(call, src);
    if (dst.thread != signal.thread)
        pgasi_fatal(call, "the data go to thread %u, the signal to thread %u", dst.thread,
                    signal.thread);
}

static void count(pgas_ptr_t signal, size_t nbytes)
{
    if (nbytes > 0)
        pgasi_count_put(signal.thread, nbytes);
    pgasi_counter_add(&pgasi_peers[signal.thread].signals, 1);
}

/* True if the signal is of this node, and has been changed. */
static bool put_here(pgas_ptr_t dst, const void *src, size_t nbytes, pgas_ptr_t signal,
                     pgas_signal_op_t op, uint64_t value)
{
    pgas_signal_t *word = pgas_local(signal);
    if (word == NULL)
        return false;
    if (nbytes > 0)
        pgasi_copy(pgas_local(dst), src, nbytes);
    pgasi_signal_apply(word, op, value, &pgasi_header_of(signal.thread)->signalled);
    return true;
}

/* Checks and counts. False if all has been done, on this node; else `what` and `dst` are what the
 * network sends. */
static bool begin(const char *call, pgas_ptr_t *dst, const void *src, size_t nbytes,
                  pgas_ptr_t signal, pgas_signal_op_t op, uint64_t value, pgasi_net_signal_t *what)
{
    check(call, *dst, src, nbytes, signal, op);
    count(signal, nbytes);
    if (put_here(*dst, src, nbytes, signal, op, value))
        return false;
    if (nbytes > PGASI_NET_COPIED_MAX)
        pgasi_touch_source(src, nbytes);
    *what = (pgasi_net_signal_t){.offset = signal.offset, .value = value, .op = op};
    dst->thread = signal.thread;
    return true;
}

void pgas_put_signal(pgas_ptr_t dst, const void *src, size_t nbytes, pgas_ptr_t signal,
                     pgas_signal_op_t op, uint64_t value)
{
    pgasi_net_signal_t what;
    if (begin(__func__, &dst, src, nbytes, signal, op, value, &what))
        pgasi_net_put_signal(dst, src, nbytes, &what);
}

static void start(pgasi_group_t *group, const char *call, pgas_ptr_t dst, const void *src,
                  size_t nbytes, pgas_ptr_t signal, pgas_signal_op_t op, uint64_t value)
{
    pgasi_net_signal_t what;
    if (begin(call, &dst, src, nbytes, signal, op, value, &what))
        pgasi_group_add(group, signal.thread, pgasi_net_put_signal_nb(dst, src, nbytes, &what));
}

PGASI_ASYNC_FORMS(pgas_put_signal,
                  (pgas_ptr_t dst, const void *src, size_t nbytes, pgas_ptr_t signal,
                   pgas_signal_op_t op, uint64_t value),
                  start(group, __func__, dst, src, nbytes, signal, op, value))
