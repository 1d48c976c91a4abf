/**
 * The debug build's twin of handles: what a program holds is a number in a table of the handles
 * given out, which has the real one and the call that gave it. Elsewhere a handle is what it is.
 */
#ifndef PGASI_COPY_HANDLE_CHECK_H
#define PGASI_COPY_HANDLE_CHECK_H

#include <pgas/async.h>

#ifdef PGAS_DEBUG

/** The handle to give to the program in place of `real`, which function `call` has made. */
pgas_handle_t pgasi_handle_issue(const char *call, pgas_handle_t real);

/** The real one behind a handle of the program. Ends the job, in the name of `call`, if this thread
 *  has not been given it, or has synchronised it. */
pgas_handle_t pgasi_handle_real(const char *call, pgas_handle_t handle);

/** Notes that it has been synchronised. */
void pgasi_handle_retire(pgas_handle_t handle);

/** Tells, by where they were given, of the handles that never were, and forgets all. */
void pgasi_handle_report(void);

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

static inline void pgasi_handle_report(void)
{
}

#endif

#endif
