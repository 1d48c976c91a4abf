/**
 * Which thread of the job the calling process is (pgasi_job, pgas/detail.h), and whether it is in
 * the job.
 */
#ifndef PGASI_BASE_SELF_H
#define PGASI_BASE_SELF_H

#include <stdbool.h>

#include <pgas/detail.h>

enum {
    /** The priority of what the runtime prepares before main: the first, so that constructors of
     * the program may be in the job. */
    PGASI_CONSTRUCTOR = 101
};

/** True between pgas_init and pgas_finalize, and after pgas_finalize. job/init.c sets them. */
extern bool pgasi_is_in_job;
extern bool pgasi_has_left_job;

/** True in a child process of a thread of the job, which is none, and has left the job. */
extern bool pgasi_is_child;

/** The calling OS thread may communicate, and has these peers (pgasi_peers); and may not any more.
 */
void pgasi_self_join(pgasi_peer_t *peers);
void pgasi_self_leave(void);

/** The same in pgas_init: no other thread may. */
void pgasi_self_join_first(pgasi_peer_t *peers);

/** Whether it may. */
static inline bool pgasi_self_is_attached(void)
{
    return pgasi_peers != PGASI_NO_PEERS;
}

/** The only peer before pgas_init and after pgas_finalize: a thread without memory. Accesses to
 *  values therefore take the path of those to other nodes, which finds out why. */
extern pgasi_peer_t pgasi_nobody;

/** Why the calling OS thread may not send, wait or progress (pgas/am.h). */
typedef enum pgasi_restriction {
    /** It is neither the main thread nor attached. */
    PGASI_UNATTACHED,
    PGASI_UNRESTRICTED,
    /** It runs a handler. */
    PGASI_IN_HANDLER,
    /** It tests a handle, and wants no handler to run meanwhile. */
    PGASI_IN_QUIET_TEST,
    /** It holds a handler-safe lock. */
    PGASI_HOLDS_LOCK,
    /** It is in a no-interrupt section. */
    PGASI_UNINTERRUPTED
} pgasi_restriction_t;

extern _Thread_local pgasi_restriction_t pgasi_restriction
    __attribute__((tls_model("initial-exec")));

#endif
