/**
 * What the rest of the runtime needs of locks.
 */
#ifndef PGASI_LOCK_LOCK_H
#define PGASI_LOCK_LOCK_H

/** Serves this thread's locks to other nodes. Between pgasi_net_init and pgasi_net_start. */
void pgasi_lock_serve(void);

#endif
