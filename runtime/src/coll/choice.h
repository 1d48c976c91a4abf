/**
 * PGAS_COLL in this process, and the algorithm of a call (coll/algorithm.h).
 */
#ifndef PGASI_COLL_CHOICE_H
#define PGASI_COLL_CHOICE_H

#include <stddef.h>
#include <stdint.h>

#include <pgas/types.h>

#include "coll/algorithm.h"
#include "coll/types.h"

/** Reads the setting. Logs what is wrong and returns PGAS_ERR_ARGUMENT. */
pgas_status_t pgasi_choice_load(void);

/** A hash of the setting, which must be the same in all threads. */
uint64_t pgasi_choice_hash(void);

/** Prints the choices for the team of all threads, in thread 0, if the setting asks for it. */
void pgasi_choice_show(void);

/** Chooses the algorithm of a call whose team is known, for blocks or elements of `nbytes` bytes.
 */
void pgasi_choice_make(pgasi_coll_t *coll, pgasi_coll_kind_t kind, size_t nbytes);

/** Whether what members show travels with the meeting. */
bool pgasi_choice_carries(const pgasi_coll_t *coll);

/** Before a member shows anything: makes it travel, if the algorithm says so, or where it is, if it
 *  may be long. */
void pgasi_choice_carry(const pgasi_coll_t *coll);

/** For an all-to-all whose blocks travel, once for each meeting: that those of coll->senders
 * members of each node from place coll->first_sender on do; pgasi_choice_senders sets how many. */
void pgasi_choice_senders(pgasi_coll_t *coll);
void pgasi_choice_carry_some(const pgasi_coll_t *coll);

/** By eager, when all that members show has been seen: whether the blocks that have not travelled,
 *  the largest of `largest` bytes and `all` bytes in all, are to travel with a second meeting; and
 *  begins that round, before a member shows them. What has travelled is read before. */
bool pgasi_choice_carries_rest(const pgasi_coll_t *coll, size_t largest, uint64_t all);
void pgasi_choice_carry_rest(pgasi_coll_t *coll, size_t largest);

#endif
