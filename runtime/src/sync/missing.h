/**
 * Who is missing in a barrier, for the watchdog: what the nodes tell each other, and its words. For
 * the barrier of all threads and for those of teams.
 */
#ifndef PGASI_SYNC_MISSING_H
#define PGASI_SYNC_MISSING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "net/net.h"
#include "shm/dissemination.h"
#include "shm/guard.h"

/** What a node tells of a barrier. */
typedef struct pgasi_missing {
    /** The node whose signal it waits for when all of its own threads have come; else -1. */
    int32_t waits_for;
    /** Those that have not come, and what they do; "" if none is known. */
    char who[PGASI_NET_MESSAGE_MAX - sizeof(int32_t)];
} pgasi_missing_t;

_Static_assert(sizeof(pgasi_missing_t) <= PGASI_NET_MESSAGE_MAX, "it is a reply");

/** Those of a node that are missing, while their names are being written. */
typedef struct pgasi_missing_list {
    char *text;
    size_t size;
    size_t used;
    uint32_t count;
} pgasi_missing_list_t;

/** The node whose signal the `mine`-th of `nodes` waits for; -1 if it waits for none. `guard`
 *  protects `state`. */
int32_t pgasi_missing_node(pgasi_guard_t *guard, const pgasi_dissemination_t *state, uint32_t mine,
                           uint32_t nodes);

/** Begins the list of a node's missing threads. */
pgasi_missing_list_t pgasi_missing_begin(pgasi_missing_t *missing);

/** Adds a thread of this node, which is named `label` and its number. The first ones suffice. */
void pgasi_missing_add(pgasi_missing_list_t *list, const char *label, uint32_t thread);

/** Ends it: says how many more there are. */
void pgasi_missing_end(pgasi_missing_list_t *list);

/** Asks `thread` by a call of `service`. False if it does not answer soon, or nobody may ask. */
bool pgasi_missing_ask(uint32_t thread, pgasi_net_service_t service, const void *request,
                       size_t size, pgasi_missing_t *reply);

/** Asks a node of the barrier. */
typedef bool (*pgasi_missing_ask_t)(uint32_t node, pgasi_missing_t *reply);

/** What following the nodes has led to. */
typedef enum pgasi_trace {
    /** A node that waits for none: `missing` names its threads, if it knows them. */
    PGASI_TRACE_END,
    /** One that does not answer. */
    PGASI_TRACE_SILENT,
    /** One that waits for the node that asks: a message between two of them is lost, or on its way.
     */
    PGASI_TRACE_CIRCLE
} pgasi_trace_t;

/** Follows the nodes, from `*node` on, each of which waits for the next one, on behalf of `mine`;
 *  `*node` becomes the last one that was asked. */
pgasi_trace_t pgasi_missing_follow(pgasi_missing_ask_t ask, uint32_t mine, uint32_t nodes,
                                   uint32_t *node, pgasi_missing_t *missing);

/** Says so, of nodes with these numbers in the job: "node 1 of thread 4 has not signalled ...". */
void pgasi_missing_say(pgasi_trace_t trace, uint32_t mine, uint32_t node, uint32_t thread,
                       char *text, size_t size);

#endif
