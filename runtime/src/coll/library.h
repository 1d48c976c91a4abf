/**
 * The slot of a library of collectives, such as UCC: an algorithm of the table, "library", that is
 * somebody else's code.
 *
 * A rule of PGAS_COLL names it ("allreduce=library:1048576"), the table never does. It serves
 * collectives in which all members know the size: those that move equal blocks, and reductions with
 * predefined operations. Before the library starts one, all members meet, so that calls that differ
 * are found, and the watchdog names who is missing; its bytes are the library's and not counted.
 *
 * A library is installed before pgas_init by a constructor of the file that adapts it, which is
 * built when the library is there. All its functions run in the thread that makes the collective
 * calls, one at a time, and may call the runtime, also what waits for the network, but for
 * collective calls where that is not said.
 */
#ifndef PGASI_COLL_LIBRARY_H
#define PGASI_COLL_LIBRARY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <pgas/coll.h>

#include "coll/types.h"

/** A call. What only the root needs is not there in others. */
typedef struct pgasi_library_call {
    pgasi_coll_kind_t kind;
    pgas_team_t *team;
    /** What team_create has returned. */
    void *of_team;
    /** The call's number on the team, from 1 on, the same on all members. They may start calls in
     *  different orders, up to PGASI_LANES at once, whose numbers differ modulo PGASI_LANES. */
    uint64_t number;
    /** 0 in collectives without a root. */
    uint32_t root;
    /** As in pgas/coll.h, in place too; both the same for a broadcast. */
    const void *src;
    void *dst;
    /** Of a block, or of all elements of a member. */
    size_t nbytes;
    /** In reductions. */
    size_t count;
    pgas_datatype_t type;
    pgas_op_t op;
} pgasi_library_call_t;

typedef struct pgasi_library {
    const char *name;
    /** Whether it takes the call: by its kind, size, type and operation and the team's members
     *  alone, since all members must say the same. `root`, `src` and `dst` are not set. */
    bool (*serves)(const pgasi_library_call_t *call);
    /** When a team has been made; collective over it, and may make collective calls on it. NULL, on
     *  all members: it serves none of the team's calls. */
    void *(*team_create)(pgas_team_t *team);
    /** When the members have met to free the team, and nothing is in flight on it; for predefined
     *  teams, in pgas_finalize. For what team_create has returned, not NULL. */
    void (*team_free)(void *of_team);
    /** Starts a call, without waiting for other members; returns what `test` is asked for, NULL if
     *  it is complete. */
    void *(*start)(const pgasi_library_call_t *call);
    /** Goes on with it, and with any others; true when its result is there and its buffers may be
     *  used: `request` is not asked for again. */
    bool (*test)(void *request);
} pgasi_library_t;

/** Installs a library; `*library` stays. */
void pgasi_library_install(const pgasi_library_t *library);

/** Its name; NULL: there is none. */
const char *pgasi_library_name(void);

/** After pgas_init and before the end: makes and frees what it has for the predefined teams. */
void pgasi_library_start(void);
void pgasi_library_finish(void);

/** Makes it the algorithm of a call that it serves, whose arguments are set but for its buffers;
 *  false: it does not. `nbytes` as in pgasi_coll_choose. */
bool pgasi_library_take(pgasi_coll_t *coll, size_t nbytes);

/** After PGASI_NEXT_LIBRARY: whether the next step can be taken; and waits until it can. */
bool pgasi_library_test(pgasi_coll_t *coll);
void pgasi_library_wait(pgasi_coll_t *coll);

#endif
