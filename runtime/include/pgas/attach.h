/**
 * Several operating-system threads of one process that communicate at once.
 *
 * A thread of the job is a process (pgas.h). As long as nobody attaches, one of its
 * operating-system threads communicates: its *main thread*, the one that has called pgas_init,
 * which pays nothing for what follows. Others may when they have attached, the main thread first:
 *
 *   pgas_init();
 *   pgas_attach_thread();                       the main thread: from here on there may be others
 *   pthread_create(..., work, ...);
 *   ...
 *   void *work(void *argument)
 *   {
 *       if (pgas_attach_thread() != PGAS_OK)
 *           return NULL;
 *       pgas_memget(...);
 *       pgas_detach_thread();
 *       return NULL;
 *   }
 *
 * An attached thread makes every call of the runtime but pgas_init and pgas_finalize, beside the
 * others and without waiting for them, but for this: how much the process may have under way to
 * other nodes is shared, so that large copies and signals to a thread that does not answer hold up
 * others; and handlers of active messages hold up much of the process (am.h). pgas_mythread is the
 * same for all of them; the counted traffic (stats.h) is the sum.
 *
 * What a call has started belongs to the operating-system thread that has made it: handles and
 * values in flight, copies without a handle and the access region. Only that thread tests them and
 * waits for them; the debug build ends the job if another one does. pgas_fence orders the accesses
 * of the calling thread. Beyond that the memory model between two operating-system threads is that
 * of C: what orders their other accesses orders these.
 *
 * Of the process as a whole, one operating-system thread at a time makes collective calls (barriers
 * and their two halves included), runs plans, and takes, tries or releases locks (lock.h); it may
 * be a different one each time, and need not be the one that has called pgas_notify, begun a plan
 * or taken a lock (but the one that has called pgas_team_notify, which counts as in flight). Of
 * barriers, collective calls and locks, a second thread that comes meanwhile ends the job with a
 * line. While one has collectives in flight (coll_async.h), the others make no collective calls on
 * teams.
 *
 * Handlers of active messages run in any attached thread that waits or progresses, one at a time;
 * those of PGAS_AM_ANYWHERE in the progress thread beside them. PGAS_AM_POLL therefore means: in an
 * attached thread, in a call of the runtime.
 *
 * An attached thread is not cancelled in a call of the runtime: it disables cancellation
 * (pthread_setcancelstate), or is cancelled elsewhere. It does not end without detaching: what it
 * has not completed may never leave. Its stack has 64 KiB or more. In a job of several nodes each
 * takes 5 file descriptors and two for each thread of another node (ulimit -n); without descriptors
 * the job ends; nor can one attach there when the process's initial thread has ended
 * (pthread_exit), since UCX then finds no network.
 *
 * An operating-system thread that is not attached may use what needs no job (pgas.h), but no fence
 * and no handle; pgas_local and what that returns, pgas_ptr_of, pgas_node_of and pgas_place_of,
 * handler-safe locks, and pgas_exit and pgas_fail. A fence of it, and any other call that counts,
 * communicates, waits or takes something, ends the job with a line. A value access or a copy is
 * found by a fault in builds without checks: where the program has a handler of SIGSEGV of its own,
 * that gets it.
 */
#ifndef PGAS_ATTACH_H
#define PGAS_ATTACH_H

#include <pgas/types.h>

PGAS_BEGIN_DECLS

/** The most operating-system threads of a process that are attached at once. */
#define PGAS_ATTACHED_MAX 1024

/**
 * Attaches the calling operating-system thread. Not collective. The main thread is the first; the
 * others come when its call has returned, and know that it has. A call that comes too early, a
 * second one, and one in a handler end the job.
 *
 * Returns PGAS_OK; PGAS_ERR_NO_MEMORY; PGAS_ERR_UNSUPPORTED if PGAS_ATTACHED_MAX are attached;
 * PGAS_ERR_SYSTEM if the network refuses.
 */
PGAS_API pgas_status_t pgas_attach_thread(void);

/**
 * Waits until all that the calling thread has started is complete, and detaches it: its handles are
 * void, its counts stay. Not collective. A thread detaches before it ends, and may attach again.
 * The main thread is the last; it communicates as before, and its handles stay valid. It must not
 * be attached any more when it calls pgas_finalize, or be the only one. Ends the job if the calling
 * thread is not attached, or is the main thread and others are attached.
 */
PGAS_API void pgas_detach_thread(void);

PGAS_END_DECLS

#endif
