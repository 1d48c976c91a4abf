/**
 * The job: start, end, who am I.
 *
 * Settings are environment variables, the same under every launcher; thread 0 warns of any other
 * name that begins with PGAS_:
 *
 *   PGAS_HEAP_SIZE         bytes of heap per thread (suffixes K, M, G, T), at least 64K; default:
 *                          the machine's memory divided among its threads, which is also what 0
 *                          means. Pages are committed on first touch.
 *   PGAS_NODES             emulated nodes: the threads are laid out on this many nodes in blocks
 *                          (`fathom-run --nodes` sets it). Threads of different nodes share no
 *                          memory, not even on one host.
 *   PGAS_THREADS_PER_NODE  the same by size: each host's threads in groups of this many. Where both
 *                          are set PGAS_NODES holds, and so does fathom-run --nodes.
 *   PGAS_STATS             0 (default): nothing; 1: print the counted traffic at the end; a name
 *                          ending in .json: write it there (stats.h).
 *   PGAS_SEGMENT           memfd, posix or auto (default): how threads of a node share memory; ucx:
 *                          in memory that UCX makes, which emulated nodes of one host can reach by
 *                          its transport posix (UCX_TLS=posix,self). All of it is occupied for a
 *                          moment at the start: four times the heap, whose default is then 64M. A
 *                          job of one node takes it as auto.
 *   PGAS_RMA               whether puts and gets to other nodes go by remote memory access, which
 *                          needs nothing of the target's processor (pgas_memset is a message all
 *                          the same): on, off, or auto (default):
 *                          where that has been tried, which is with PGAS_SEGMENT=ucx. On InfiniBand
 *                          (UCX_TLS=rc or dc) nobody has tried it yet, and on does. fathom-run
 *                          --doctor says which way they go.
 *   PGAS_COLL              algorithms of collectives in place of the runtime's choice (coll.h lists
 *                          them): broadcast=linear,allreduce=rabenseifner:65536 names them for
 *                          broadcasts and for reductions of 65536 bytes or more (a number without a
 *                          suffix); show: thread 0 prints which are taken for all threads, by size.
 *                          Rules for gatherv, scatterv and alltoallv have no size. The same in all
 *                          threads.
 *   PGAS_GATE              1 (default): over TCP UCX hears from threads of the job alone; 0: from
 *                          whoever connects (docs/clusters.md, Security). A program that uses UCX
 *                          itself, too, reaches no others by TCP with 1. The same in all threads.
 *   PGAS_HUGE_PAGES        1 (default): request 2 MiB pages for allocations of 2 MiB and more, and
 *                          of at least 1/8192 of the heap; 0: do not.
 *   PGAS_CORE_SEGMENTS     1: core dumps include the shared segments of the thread's node; 0
 *                          (default): only private memory.
 *   PGAS_PROGRESS          what serves other nodes while a thread computes: thread (a progress
 *                          thread that sleeps until a message arrives), poll (nothing: only calls
 *                          that wait, tests that find an operation incomplete, and pgas_fence
 *                          progress the network) or auto (default).
 *   PGAS_PEER_TIMEOUT      seconds without a sign of life from another host after which the job is
 *                          ended; default 20; 0, as with PGAS_PROGRESS=poll: never, unless UCX
 *                          finds out. Over several hosts the same in all threads.
 *   PGAS_WATCHDOG          seconds after which a waiting thread prints what it waits for, which
 *                          threads are missing and, as far as is known, what they do; again after
 *                          twice the time, and so on. Of threads of a node that wait for the same
 *                          one prints it. Default 60; 0: never.
 *   PGAS_SLEEP             auto, or bounded: a waiting thread that can be sent active messages does
 *                          not use the system call futex_waitv, but looks every millisecond
 *   PGAS_SPIN              iterations of the spin before a waiting thread yields; default: depends
 *                          on whether the machine has more threads of the job than cores.
 */
#ifndef PGAS_JOB_H
#define PGAS_JOB_H

#include <pgas/detail.h>
#include <pgas/types.h>

PGAS_BEGIN_DECLS

/**
 * Joins the job. Collective: every thread calls it once, before anything else.
 *
 * Under a launcher that speaks PMIx (fathom-run, mpirun, prterun, srun --mpi=pmix) the job has the
 * launcher's size; a program started by hand is a job of one thread. Makes standard output line
 * buffered. Returns when all threads have joined. Start a program that also uses MPI by mpirun:
 * under fathom-run MPI finds each thread alone, and MPI_Init before pgas_init makes that fail; a
 * line warns, of fathom-run if the program is linked with MPI, else of thread 0.
 *
 * Under a launcher a failure ends the job with status 1, since the others wait for the thread that
 * failed; a program started by hand gets the status returned.
 *
 * Threads of one host form a node, unless the settings above split it into several; nodes are
 * numbered by their lowest thread. Settings must be the same in all threads; where PGAS_COLL,
 * PGAS_NODES, PGAS_THREADS_PER_NODE, and whether PGAS_STATS asks for statistics, differ, the job
 * ends with a line, for PGAS_GATE where it has several nodes, and for PGAS_PEER_TIMEOUT where it
 * has several hosts. The heap size is the smallest that a host's lowest thread proposes; emulated
 * nodes of a host whose memory UCX makes (PGAS_SEGMENT=ucx) must propose the same. Whoever waits
 * long for others here (PGAS_WATCHDOG) says so, on each host two at most.
 *
 * A child process made by fork is no thread of the job. It may end as it likes, by pgas_exit and
 * pgas_fail too, which end it alone and at once; other calls that need the job end it with a line,
 * and so do fences, the synchronisation of what the thread had in flight, and calls that read or
 * reset the statistics. All this is for fork: a child of vfork or of the bare system call may only
 * call an exec function or _exit. A program that a thread starts in the job or behind it, by system
 * say, or that its process becomes in the job, has the thread's environment and so no place of its
 * own in the job: its pgas_init fails, unless it is started by fathom-run or with `env -i`. What
 * the launcher has started, a shell or a program before its pgas_init, may start the program that
 * is the thread, and one after another, but no two at once.
 *
 * Signals are the program's: operating-system threads that the runtime and its libraries make block
 * them, and none but SIGALRM is taken, when the job is ended before its time; but UCX takes SIGHUP,
 * which ends nothing then, unless fathom-run or UCX_DEBUG_SIGNO=0 prevents it. If there is no
 * handler of SIGSEGV or SIGBUS, pgas_init installs one that reports accesses through the null
 * pointer (ptr.h), and pages of the heap for which the system has no memory. A call behind one that
 * has succeeded ends the job.
 *
 * Returns PGAS_OK; PGAS_ERR_ARGUMENT for a setting that makes no sense; PGAS_ERR_NO_MEMORY or
 * PGAS_ERR_SYSTEM if the segment, the network or the launcher fails; PGAS_ERR_UNSUPPORTED for a job
 * of several nodes in a build without a network.
 */
PGAS_API pgas_status_t pgas_init(void);

/**
 * Leaves the job. Collective; includes a barrier. Completes copies between nodes that the program
 * has not synchronised; their memory must stay valid until then. Prints or writes the counted
 * traffic if PGAS_STATS is set. A thread that ends without this call ends the job. After it a
 * program may only make calls that need no job (pgas.h).
 */
PGAS_API void pgas_finalize(void);

/**
 * Ends the job at once with `status` as the launcher's exit status: its low eight bits, as after
 * exit, or 255 if these are 0 and `status` is not. Not collective: one thread suffices, and the
 * others are killed. Their memory and unwritten output are lost. A status other than 0 prints one
 * line, unless a failed call of the runtime has already given the reason. In a signal handler it
 * may take 20 seconds, and lose output: if the signal has interrupted a function of the C library
 * that holds a lock. The launcher then adds a line of its own, and takes a status of 0 for 1, since
 * the thread ends without having told it.
 */
PGAS_NORETURN PGAS_API void pgas_exit(int status);

/**
 * Ends the job as pgas_exit does, with one line of the caller's on standard error, "PROGRAM: text",
 * instead of the runtime's own. Not collective; may also be called before pgas_init.
 */
PGAS_NORETURN PGAS_API void pgas_fail(int status, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/** The calling thread's number, 0-based; 0 before pgas_init. */
static inline int pgas_mythread(void)
{
    return (int)pgasi_job.thread;
}

/** The number of threads in the job; 1 before pgas_init. */
static inline int pgas_threads(void)
{
    return (int)pgasi_job.threads;
}

/** The node of a thread, 0-based. `thread` is from 0 to pgas_threads() - 1; not checked. */
static inline int pgas_node_of(int thread)
{
    return (int)pgasi_job.peers[thread].node;
}

/** Where the segment of a thread is, seen from the calling one. `thread` as for pgas_node_of. */
static inline pgas_place_t pgas_place_of(int thread)
{
    if ((uint32_t)thread == pgasi_job.thread)
        return PGAS_OWN;
    return pgas_node_of(thread) == pgas_node_of(pgas_mythread()) ? PGAS_LOCAL : PGAS_REMOTE;
}

PGAS_END_DECLS

#endif
