/**
 * What data movement and computation share: the board that each node shows, flags, functions.
 *
 * In a round every node may write its board, all meet (gasneti_meet), each fetches what it needs
 * from the others' boards, and all meet again.
 */
#ifndef GASNETI_COLL_H
#define GASNETI_COLL_H

#include "internal.h"

#include <gasnet_coll.h>

/** Begins a call: checks what must hold. */
void gasneti_coll_begin(const char *call, gasnet_team_handle_t team, gasnet_node_t root, int flags);

/** Ends the job if `flag`, which says that a side lies in the segment, is given and not true. */
void gasneti_coll_check(const char *call, int flags, int flag, const void *at, size_t nbytes);

/** Makes the boards as large as `least` bytes, if they are smaller; then collective, between
 *  rounds. Returns their size. */
size_t gasneti_coll_reserve(const char *call, size_t least);

/** The own board. */
char *gasneti_coll_board(void);

/** Reads from another node's board. */
void gasneti_coll_fetch(void *dst, gasnet_node_t node, size_t offset, size_t nbytes);

/** A function of gasnet_coll_init. Ends the job if there is none. */
const gasnet_coll_fn_entry_t *gasneti_coll_function(const char *call, gasnet_coll_fn_handle_t func);

#endif
