/**
 * The locale in which UCX reads its settings.
 *
 * UCX compares words of settings as the locale of the calling thread does, at its start and again
 * for each worker: in a Turkish one `diag` is not DIAG, and no worker can be made. So such calls
 * are made in the C locale.
 */
#ifndef PGASI_NET_UCX_LOCALE_H
#define PGASI_NET_UCX_LOCALE_H

#include <locale.h>

/** Puts the calling thread in the C locale; returns what it was in. */
static inline locale_t pgasi_ucx_locale_begin(void)
{
    locale_t plain = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    return uselocale(plain);
}

/** Puts it back. */
static inline void pgasi_ucx_locale_end(locale_t before)
{
    locale_t plain = uselocale(before);
    if (plain != (locale_t)0 && plain != LC_GLOBAL_LOCALE)
        freelocale(plain);
}

#endif
