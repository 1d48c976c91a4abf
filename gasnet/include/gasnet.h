/**
 * GASNet-1 on Fathom: what a GASNet client includes.
 *
 * The calls, types and constants are those of the GASNet specification 1.8; calls of its version
 * 0.4 whose number of arguments differs compile too. The specification says what each call does;
 * this header and its parts say only what it leaves to the implementation. gasnet/README.md has
 * what a user needs to know beside it.
 *
 * A program defines exactly one of GASNET_SEQ, GASNET_PARSYNC and GASNET_PAR, the same in all its
 * objects, and links libfathom-gasnet-seq, -parsync or -par. A GASNet node is a Fathom thread: a
 * process. The program may use Fathom's own calls beside these, between gasnet_init and
 * gasnet_exit, in SEQ and PARSYNC.
 *
 * Names that begin with gasneti_ or GASNETI_ are internal.
 */
#ifndef GASNET_H
#define GASNET_H

#include <pgas/job.h>

#include <gasnet_coll.h>
#include <gasnet_core.h>
#include <gasnet_count.h>
#include <gasnet_extended.h>
#include <gasnet_platform.h>
#include <gasnet_types.h>
#include <gasnet_vis.h>

/* Programs rely on what GASNet-1's gasnet.h includes. */
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/param.h>
#include <unistd.h>
#ifndef GASNET_SEQ
#include <pthread.h>
#endif

PGAS_BEGIN_DECLS

/* Names of GASNet-1's inside that programs use. */
#define _INCLUDED_GASNET_H 1
PGAS_API const char *gasneti_gethostname(void);
static inline void _gasneti_threadkey_init(void)
{
}

/* ---- Start and end ---- */

/**
 * gasnet_init(&argc, &argv), followed by gasnet_attach; or, as in version 0.4, both in one:
 * gasnet_init(&argc, &argv, table, numentries, segbase, segsize, allowFaults), whose segbase and
 * allowFaults are ignored. GASNET_SEGSIZE_EVERYTHING on all nodes is GASNET_SEGMENT_EVERYTHING.
 */
#ifdef GASNET_SEGMENT_EVERYTHING
#define GASNETI_WANT_SEGMENT() gasneti_want_everything()
#else
#define GASNETI_WANT_SEGMENT() ((void)0)
#endif
#define gasnet_init(...) \
    (GASNETI_WANT_SEGMENT(), gasneti_barrier_allow_flags(__start_gasneti_later_barriers), \
     GASNETI_SELECT(gasneti_init, __VA_ARGS__))
PGAS_API void gasneti_want_everything(void);
PGAS_API int gasneti_init2(int *argc, char ***argv);
PGAS_API int gasneti_init7(int *argc, char ***argv, gasnet_handlerentry_t *table, int numentries,
                           void *segbase, uintptr_t segsize, int allow_faults);
/** gasnet_init(NULL, NULL) is possible. */
#define GASNET_NULL_ARGV_OK 1
#define GASNET_SEGBASE_ANY ((void *)-1)
#define GASNET_SEGSIZE_EVERYTHING ((uintptr_t)-1)

PGAS_API int gasnet_attach(gasnet_handlerentry_t *table, int numentries, uintptr_t segsize,
                           uintptr_t minheapoffset);

/**
 * Ends the job. If all nodes call it within two seconds of each other (GASNET_EXITTIMEOUT), or
 * return from main, the job ends in good order, with the status of the lowest node whose status is
 * not 0. Otherwise the node that calls ends the job with its own status, and the others get
 * SIGQUIT.
 */
PGAS_API void gasnet_exit(int exitcode) PGAS_NORETURN;

PGAS_API uintptr_t gasnet_getMaxLocalSegmentSize(void);
PGAS_API uintptr_t gasnet_getMaxGlobalSegmentSize(void);
/** May be called before gasnet_init, when it is the memory of the machine. */
PGAS_API uintptr_t gasnet_getMaxNativeSegmentSize(void);

static inline gasnet_node_t gasnet_mynode(void)
{
    return (gasnet_node_t)pgas_mythread();
}

static inline gasnet_node_t gasnet_nodes(void)
{
    return (gasnet_node_t)pgas_threads();
}

PGAS_API int gasnet_getSegmentInfo(gasnet_seginfo_t *table, int numentries);
PGAS_API int gasnet_getNodeInfo(gasnet_nodeinfo_t *table, int numentries);

/** The value in the environment of node 0, where the job was started; the own one of variables that
 *  node 0 does not have; NULL for a name that is NULL. */
PGAS_API char *gasnet_getenv(const char *name);

/* ---- Threads ---- */

typedef void *gasnet_threadinfo_t;

/** Another value for each client thread, and the same as long as it lives. */
PGAS_API gasnet_threadinfo_t gasneti_threadinfo(void);
#define GASNET_GET_THREADINFO() gasneti_threadinfo()
#define GASNET_POST_THREADINFO(info) \
    gasnet_threadinfo_t gasneti_posted __attribute__((unused)) = (info)
#define GASNET_BEGIN_FUNCTION() GASNET_POST_THREADINFO(GASNET_GET_THREADINFO())

#define GASNET_WAIT_SPIN 0
#define GASNET_WAIT_BLOCK 1
#define GASNET_WAIT_SPINBLOCK 2
PGAS_API int gasnet_set_waitmode(int wait_mode);

PGAS_END_DECLS

#endif
