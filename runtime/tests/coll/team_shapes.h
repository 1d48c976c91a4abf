/**
 * Teams of many shapes for tests of collectives, and members that are late.
 */
#ifndef RUNTIME_TESTS_COLL_TEAM_SHAPES_H
#define RUNTIME_TESTS_COLL_TEAM_SHAPES_H

#include <stdint.h>

#include <pgas/team.h>

enum {
    MOST_THREADS = 64,
    /** All threads; those of the node; reversed; even and odd threads; rotated by one, without the
     *  last thread; all, the even ones before the odd ones, which goes to and fro between nodes. */
    SHAPES = 6
};

/** The calling thread's teams by shape; NULL where it belongs to none. */
extern pgas_team_t *shapes[SHAPES];

/** Collective. */
void shapes_create(void);
void shapes_free(void);

/** The state of a sequence of random numbers that is the same for all members of the team, and
 *  different from other teams' and for another `round`. */
uint64_t shapes_seed(const pgas_team_t *team, uint64_t seed, uint64_t round);

/** Sleeps now and then, by the numbers of `state`. */
void dawdle(uint64_t *state);

#endif
