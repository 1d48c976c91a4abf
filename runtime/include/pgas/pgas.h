/**
 * Fathom's PGAS runtime: everything a program includes.
 *
 * A job runs one program as many *threads*; a thread is an operating-system process, and threads
 * that share memory form a *node*. Every thread owns a segment of a global address space that all
 * threads read and write. Start with job.h; most programs need little more than array.h and copy.h.
 *
 *   #include <pgas/pgas.h>
 *
 *   int main(void)
 *   {
 *       if (pgas_init() != PGAS_OK)
 *           return 1;
 *       pgas_array_t x;
 *       if (pgas_array_create(1000, sizeof(double), 10, &x) != PGAS_OK)
 *           pgas_exit(1);
 *       PGAS_FORALL (i, 0, x.count, pgas_array_at(&x, i))
 *           PGAS_PUT(double, &x, i, 1.0 / (double)(i + 1));
 *       pgas_barrier();
 *       ...
 *       pgas_array_free(&x);
 *       pgas_finalize();
 *   }
 *
 * Memory model: relaxed. A blocking copy or value access is complete when it returns. A put is then
 * visible to the loads of its owner, and to gets, of every thread that has synchronised with the
 * writer by pgas_barrier, a lock, a signal, or pgas_fence on both sides: the writer's between the
 * put and a flag, the reader's between the read that has found the flag and what it announces.
 * Others may see it later, and a later one before it: on a node puts are the processor's stores.
 *
 * The operating-system thread that calls pgas_init is the only one that may call the runtime,
 * unless others attach (attach.h).
 *
 * Errors: set-up and resource calls return a pgas_status_t; if it is not PGAS_OK, they have already
 * logged one line. Data-path calls (copies, value accesses, synchronisation) end the job with one
 * line that names thread, call and reason.
 *
 * Every build checks what each header names, and this: a call before pgas_init or after
 * pgas_finalize ends the job. Only calls that need no job are exempt: pgas_mythread and
 * pgas_threads (0 and 1 before pgas_init), pointer arithmetic, counts, fences, and completing what
 * is complete.
 *
 * A *collective* call is made by all threads, in the same order as the other collective calls, and
 * with the same arguments unless its header says otherwise. Threads in different calls end the job
 * with a line that names two of them and both calls. If a thread does not come at all,
 * PGAS_WATCHDOG (job.h) reports it.
 */
#ifndef PGAS_PGAS_H
#define PGAS_PGAS_H

#include <pgas/am.h>
#include <pgas/array.h>
#include <pgas/async.h>
#include <pgas/atomic.h>
#include <pgas/atomic_domain.h>
#include <pgas/attach.h>
#include <pgas/coll.h>
#include <pgas/coll_async.h>
#include <pgas/copy.h>
#include <pgas/heap.h>
#include <pgas/job.h>
#include <pgas/lock.h>
#include <pgas/plan.h>
#include <pgas/ptr.h>
#include <pgas/reblock.h>
#include <pgas/section.h>
#include <pgas/signal.h>
#include <pgas/stats.h>
#include <pgas/sync.h>
#include <pgas/team.h>
#include <pgas/tick.h>
#include <pgas/types.h>
#include <pgas/value.h>
#include <pgas/vis.h>
#include <pgas/word.h>

#endif
