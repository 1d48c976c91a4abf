/**
 * Teams: ordered sets of threads, for barriers and collectives (coll.h) that not all threads make.
 *
 *   pgas_team_t *row;
 *   int number = pgas_mythread() / columns;
 *   if (pgas_team_split(PGAS_TEAM_ALL, number, pgas_mythread(), &row) != PGAS_OK)
 *       pgas_exit(1);
 *   pgas_team_barrier(row);
 *   pgas_team_free(row);
 *
 * A member has a *rank*, 0-based, in each team that it belongs to. A team is known by a pointer
 * that is valid in the process that made it, and only members have one: NULL is no team, and
 * calls for which nothing else is said end the job with a line for it.
 *
 * Calls marked collective are made by all members of the team, in the same order as their other
 * collective calls on that team. The order of calls on different teams is up to the program, as
 * long as no circle arises: if two threads share two teams and make their calls on them in
 * different orders, they wait for each other for ever, and PGAS_WATCHDOG (job.h) names team and
 * call. Members in different calls on the same team end the job with a line that names two of them
 * and both calls. The collective calls of other headers (pgas_barrier, pgas_finalize ...) are not
 * calls on PGAS_TEAM_ALL: who is in one of them is reported by PGAS_WATCHDOG.
 *
 * There is no limit to the number of teams. A member keeps some 34 KiB of its shared heap (heap.h)
 * and 24 bytes of private memory per member; the lowest member of each node keeps another 4 KiB of
 * shared heap, 16 bytes per member of the node and per node of the team, and 1.2 KiB for each
 * doubling of the team's nodes. In a team of several nodes it also keeps what short data travel
 * through: 128 KiB times the nodes times the members of the largest node, at most 512 KiB. The
 * predefined teams take nothing from the heap.
 */
#ifndef PGAS_TEAM_H
#define PGAS_TEAM_H

#include <limits.h>
#include <stddef.h>

#include <pgas/types.h>

PGAS_BEGIN_DECLS

/** A team; opaque. */
typedef struct pgas_team pgas_team_t;

/** Constants: all threads of the job, with rank pgas_mythread(); the threads of the calling
 *  thread's node, in ascending order; and the lowest thread of each node, in ascending order, a
 * team that only these may use (pgas_team_has_me). From pgas_init to pgas_finalize. */
#define PGAS_TEAM_ALL (&pgasi_team_all)
#define PGAS_TEAM_NODE (&pgasi_team_node)
#define PGAS_TEAM_LEADERS (&pgasi_team_leaders)
PGAS_API extern pgas_team_t pgasi_team_all;
PGAS_API extern pgas_team_t pgasi_team_node;
PGAS_API extern pgas_team_t pgasi_team_leaders;

/** The colour of a member of the parent that joins no team. */
#define PGAS_NO_TEAM INT_MIN

/**
 * Splits a team: the members that give the same `colour` form a team, ranked by `key`, those of the
 * same key by their rank in the parent. Colours and keys are any numbers, but that a member that
 * gives the colour PGAS_NO_TEAM joins none and gets NULL. Collective over `parent`; contains
 * barriers of it.
 *
 * Returns, the same on every member of the parent: PGAS_OK, or PGAS_ERR_NO_MEMORY, with no team
 * made and `*team` as it was. Takes 64 bytes of private memory per member of the parent while it
 * runs, and 8 bytes that the parent keeps if it has several nodes, as any collective of it does: a
 * member that has no memory for those ends the job.
 */
PGAS_API pgas_status_t pgas_team_split(pgas_team_t *parent, int colour, int key,
                                       pgas_team_t **team);

/**
 * Makes teams from lists: `ranks` are `count` different ranks in the parent, that of the caller
 * among them; the i-th gets rank i. All members of a list give the same list, and lists do not
 * overlap; a member of the parent that joins none gives an empty list, and gets NULL. Collective
 * over `parent`. Ends the job for a rank that the parent does not have, one that is listed twice,
 * more ranks than the parent has, a list without the caller, and lists that overlap and differ.
 * Returns as pgas_team_split does, and takes 4 bytes more per rank that is listed.
 */
PGAS_API pgas_status_t pgas_team_create(pgas_team_t *parent, const int *ranks, size_t count,
                                        pgas_team_t **team);

/** Frees a team, not a predefined one; NULL is ignored. Collective; begins with a barrier. Teams
 *  that were split from it stay. A call on one of the 256 teams that were freed last ends the job
 *  with a line, and pgas_team_has_me says no. */
PGAS_API void pgas_team_free(pgas_team_t *team);

/** Whether the calling thread belongs to the team: false for NULL, and for PGAS_TEAM_LEADERS in
 *  other threads than the lowest of a node. Not collective, as all that follow up to the barriers.
 */
PGAS_API int pgas_team_has_me(const pgas_team_t *team);

/** The calling thread's rank, and the number of members. */
PGAS_API int pgas_team_rank(const pgas_team_t *team);
PGAS_API int pgas_team_size(const pgas_team_t *team);

/** The thread (pgas_mythread) that has `rank`. Ends the job for a rank that the team does not have.
 */
PGAS_API int pgas_team_thread(const pgas_team_t *team, int rank);

/** The rank of `thread`; -1 if it is no member. Costs a binary search. */
PGAS_API int pgas_team_rank_of(const pgas_team_t *team, int thread);

/** The rank in `other` of the member that has `rank` in `team`; -1 if it is no member of `other`.
 * To and from a parent, or between any two teams of the caller. */
PGAS_API int pgas_team_translate(const pgas_team_t *team, int rank, const pgas_team_t *other);

/** Waits until every member has arrived. Collective. Includes pgas_fence. */
PGAS_API void pgas_team_barrier(pgas_team_t *team);

/**
 * The split-phase barrier: pgas_team_notify announces that the caller has arrived and returns at
 * once; pgas_team_wait returns when every member has notified. Collective, in pairs. Between the
 * two a thread makes no collective call on the same team, and notify counts as a collective in
 * flight (coll_async.h); on other teams it may, and several teams may be between notify and wait at
 * once, which are waited for in any order. A breach ends the job. What pgas_notify says of
 * PGAS_PROGRESS=poll holds here, too.
 */
PGAS_API void pgas_team_notify(pgas_team_t *team);
PGAS_API void pgas_team_wait(pgas_team_t *team);

PGAS_END_DECLS

#endif
