/**
 * What the runtime serves to other nodes, beside memory. To be declared between pgasi_net_init and
 * pgasi_net_start.
 */
#ifndef PGASI_SERVE_H
#define PGASI_SERVE_H

/** Signals of barriers. */
void pgasi_sync_serve(void);

/** Accounts of heaps, and the collective heap. */
void pgasi_heap_serve(void);

/** Locks. */
void pgasi_lock_serve(void);

#endif
