/**
 * The debug build's record of copies without a handle: the call sites of those that have not been
 * synchronised, and of the access region that has not ended.
 */
#ifndef PGASI_COPY_IMPLICIT_CHECK_H
#define PGASI_COPY_IMPLICIT_CHECK_H

#ifdef PGAS_DEBUG

/** Function `call` of the program starts a copy, outside access regions. */
void pgasi_implicit_begun(const char *call);

/** All of them are complete. */
void pgasi_implicit_synchronised(void);

/** An access region begins by function `call`, and ends. */
void pgasi_region_begun(const char *call);
void pgasi_region_ended(void);

/** Reports, in the name of `call`, what is left, and forgets it. */
void pgasi_implicit_report(const char *call);

#else

static inline void pgasi_implicit_begun(const char *call)
{
    (void)call;
}

static inline void pgasi_implicit_synchronised(void)
{
}

static inline void pgasi_region_begun(const char *call)
{
    (void)call;
}

static inline void pgasi_region_ended(void)
{
}

static inline void pgasi_implicit_report(const char *call)
{
    (void)call;
}

#endif

#endif
