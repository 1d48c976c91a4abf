/**
 * Handler-safe locks (pgas/am.h), as others need to know of them.
 */
#ifndef PGASI_AM_LOCK_H
#define PGASI_AM_LOCK_H

/** How many of them the calling OS thread holds. */
unsigned pgasi_am_locks_held(void);

#endif
