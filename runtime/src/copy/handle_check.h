/**
 * The debug build's check of handles: a program holds the index of an entry in a table, which has
 * the real handle and the call that returned it. In other builds a program holds the real handle.
 */
#ifndef PGASI_COPY_HANDLE_CHECK_H
#define PGASI_COPY_HANDLE_CHECK_H

#include <pgas/async.h>

#ifdef PGAS_DEBUG

/** The handle that function `call` returns to the program in place of `real`. */
pgas_handle_t pgasi_handle_issue(const char *call, pgas_handle_t real);

/** The real handle behind one of the program. Ends the job, in the name of `call`, if no call has
 *  returned it to this thread, or if it has been synchronised. */
pgas_handle_t pgasi_handle_real(const char *call, pgas_handle_t handle);

/** Notes that it has been synchronised. */
void pgasi_handle_retire(pgas_handle_t handle);

/** Reports, in the name of `call` and by call site, the handles that were never synchronised, and
 * forgets all. */
void pgasi_handle_report(const char *call);

#else

static inline pgas_handle_t pgasi_handle_issue(const char *call, pgas_handle_t real)
{
    (void)call;
    return real;
}

static inline pgas_handle_t pgasi_handle_real(const char *call, pgas_handle_t handle)
{
    (void)call;
    return handle;
}

static inline void pgasi_handle_retire(pgas_handle_t handle)
{
    (void)handle;
}

static inline void pgasi_handle_report(const char *call)
{
    (void)call;
}

#endif

#endif
