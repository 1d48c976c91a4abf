/**
 * Fathom's PGAS runtime: everything a program includes.
 *
 * A job runs one program as many *threads*; a thread is an operating-system process, and threads
 * that share memory form a *node*. Every thread owns a segment of a global address space that all
 * threads read and write. Start with job.h; array.h and copy.h are what most programs live on.
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
 * Memory model: relaxed. A blocking copy or value access is complete when it returns: a put is then
 * visible to its owner's loads and to gets by anybody who has synchronised with the writer by
 * pgas_barrier, a lock or pgas_fence on both sides.
 *
 * Errors: set-up and resource calls return a pgas_status_t and have already logged one line when it
 * is not PGAS_OK. Data-path calls (copies, value accesses, synchronisation) end the job with one
 * line naming thread, call and reason.
 *
 * Checked in every build, beside what each header names: a call before pgas_init or after
 * pgas_finalize ends the job. Only calls that need no job are free of that: who and how many (0 and
 * 1 before pgas_init), pointer arithmetic, counts, fences, and the completion of what is complete.
 * A *collective* call is made by all threads, in the same order as the other collective calls, and
 * with the same arguments as far as its header does not say otherwise. Threads that meet in
 * different ones end the job with a line that has two of them and both calls; a thread that does
 * not come at all is told of by PGAS_WATCHDOG (job.h).
 */
#ifndef PGAS_PGAS_H
#define PGAS_PGAS_H

#include <pgas/array.h>
#include <pgas/async.h>
#include <pgas/copy.h>
#include <pgas/heap.h>
#include <pgas/job.h>
#include <pgas/lock.h>
#include <pgas/plan.h>
#include <pgas/ptr.h>
#include <pgas/reblock.h>
#include <pgas/section.h>
#include <pgas/stats.h>
#include <pgas/sync.h>
#include <pgas/types.h>
#include <pgas/value.h>
#include <pgas/vis.h>

#endif
