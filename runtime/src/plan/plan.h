/**
 * What the files of plans share.
 *
 *   plan.c          what plan.h promises
 *   plan_inspect.c  which elements the calling thread needs, by owner
 *   plan_setup.c    telling the owners, once: a sparse exchange
 *   plan_route.c    the same between nodes, for PGAS_PLAN_BY_NODE
 *   plan_flow.c     one message: room, sending, arrival, taking
 *   plan_move.c     packing and unpacking
 *
 * A plan has two sides. The `needs` are links to the owners of what the calling thread needs; the
 * `owed` are links to the threads that need of it. A gather is sent by the owed side of one thread
 * to the needs side of the other, a scatter the other way round. A thread's own elements are a link
 * of both sides to itself, without messages.
 */
#ifndef PGASI_PLAN_PLAN_H
#define PGASI_PLAN_PLAN_H

#include <stdalign.h>
#include <stdbool.h>

#include <pgas/plan.h>

#include "shm/event.h"

/** Messages of a kind alternate between two slots. */
enum {
    PGASI_PLAN_SLOTS = 2
};

/** Where messages are announced. In the segment of the thread that waits. */
typedef struct pgasi_plan_port {
    /** Raised by every message to a slot: by pgasi_net_signals of its size. */
    pgasi_event_t arrived[PGASI_PLAN_SLOTS];
    /** Messages sent from here that have been taken, where nothing else tells. */
    pgasi_event_t room;
} pgasi_plan_port_t;

/** One end of a link, in the segment of the thread whose link it is. */
typedef struct pgasi_plan_end {
    alignas(64) pgasi_plan_port_t port;
    /** Told by the other side at set-up: its end, and where messages to it land. */
    uint64_t far_end;
    uint64_t far_landing;
    uint64_t far_stride;
} pgasi_plan_end_t;

/** One end of all links between two nodes, at the node's leader, for PGAS_PLAN_BY_NODE. */
typedef struct pgasi_plan_gate {
    alignas(64) pgasi_plan_port_t port;
    /** Threads of this node that have packed their parts of the message in a slot, and that have
     *  taken theirs. */
    _Atomic uint32_t packed[PGASI_PLAN_SLOTS];
    _Atomic uint32_t taken[PGASI_PLAN_SLOTS];
    /** Bytes of a message, and threads of this node that have a part of it. */
    _Atomic uint64_t nbytes;
    _Atomic uint32_t threads;
    /** In this leader's segment; 0: none. */
    uint64_t landing;
    uint64_t staging;
    /** Told by the other node's leader. */
    uint64_t far_gate;
    uint64_t far_landing;
} pgasi_plan_gate_t;

/** A gate as a thread of its node uses it. */
typedef struct pgasi_plan_route {
    uint32_t node;
    uint32_t leader;
    uint32_t far_leader;
    uint32_t threads;
    pgasi_plan_gate_t *gate;
    size_t nbytes;
    /** Slot 0; the next one is `stride` further, here and there. */
    char *landing;
    char *staging;
    uint64_t far_gate;
    uint64_t far_landing;
    size_t stride;
} pgasi_plan_route_t;

typedef struct pgasi_plan_link {
    uint32_t thread;
    /** Its values, and where they begin among all of the side. */
    uint32_t count;
    uint32_t first;
    /** Owed: which elements of the calling thread's part; NULL: a run that begins here. */
    uint32_t first_element;
    const uint32_t *elements;
    /** NULL for the calling thread itself. */
    pgasi_plan_end_t *end;
    uint64_t far_end;
    uint64_t far_landing;
    uint64_t far_stride;
    /** Where the side packs what a link to another node sends. */
    size_t staged;
    /** Not -1: the values travel as a part of the route's message, from byte `part` on. */
    ptrdiff_t route;
    size_t part;
    /** The same two threads are also linked the other way round. */
    bool is_mutual;
} pgasi_plan_link_t;

/** A message between nodes, as the leader counts it. */
typedef struct pgasi_plan_counted {
    uint32_t thread;
    size_t nbytes;
} pgasi_plan_counted_t;

typedef struct pgasi_plan_side {
    pgasi_plan_link_t *links;
    size_t link_count;
    pgasi_plan_route_t *routes;
    size_t route_count;
    /** Values of all links. */
    size_t length;
    /** In the own segment: the ends, and two slots of values for what arrives (NULL: nothing). */
    pgas_ptr_t memory;
    pgasi_plan_end_t *ends;
    char *landing;
    size_t stride;
    /** Private: two slots for what is sent. */
    char *staging;
    size_t staging_stride;
    /** At the leader: the routes' messages of all its node's threads. */
    pgasi_plan_counted_t *counted;
    size_t counted_count;
    /** Messages of each link that have begun to be sent from here, and that have been received. */
    uint64_t sent;
    uint64_t received;
} pgasi_plan_side_t;

typedef enum pgasi_plan_flight {
    PGASI_PLAN_IDLE = 0,
    PGASI_PLAN_GATHERING,
    PGASI_PLAN_SCATTERING
} pgasi_plan_flight_t;

struct pgas_plan {
    /** The array that it was made for; its place does not matter. */
    pgas_array_t layout;
    unsigned options;
    size_t index_count;
    /** By index: its value's position among the needs. NULL in arrival order. */
    uint32_t *places;
    /** Indexes whose element is named again later. */
    uint32_t *repeated;
    size_t repeated_count;
    pgasi_plan_side_t needs;
    pgasi_plan_side_t owed;
    /** The owed elements of all links. */
    uint32_t *elements;
    /** At the leader, with PGAS_PLAN_BY_NODE: its tables of gates. */
    pgas_ptr_t gates;
    /** The values of the last gather lie where they landed, and have not been given back. */
    bool holds_values;
    pgasi_plan_flight_t flight;
    /** Of the execution in flight: the calling thread's part of the array, whose description the
     *  caller may have dropped by now. */
    char *part;
    void *dst;
    pgas_combine_t *combine;
    double setup_seconds;
    size_t memory_bytes;
};

/** Rounded up to whole cache lines. */
static inline size_t pgasi_plan_lines(size_t nbytes)
{
    return (nbytes + 63) / 64 * 64;
}

/* plan_inspect.c */

/**
 * Finds the needs: links with thread, count and first; plan->places, repeated; and the elements'
 * numbers in their owners' parts, plan->needs.length of them, as `*elements` (the caller frees it).
 * Logs what is wrong. Not collective.
 */
pgas_status_t pgasi_plan_inspect(pgas_plan_t *plan, const size_t *indices, uint32_t **elements);

/* plan_setup.c */

/** Connects both sides. Collective. Takes this thread's `status` so far; returns the worst of all
 *  threads. */
pgas_status_t pgasi_plan_connect(pgas_plan_t *plan, const uint32_t *elements, pgas_status_t status);

/** Private memory of `count` elements, zeroed, counted in plan->memory_bytes; logs and returns NULL
 *  where there is none. `count` 0 gives some memory too. */
void *pgasi_plan_private(pgas_plan_t *plan, size_t count, size_t elem_size);

/** Memory in the own segment, not zeroed, aligned to 64 bytes. */
pgas_status_t pgasi_plan_shared(pgas_plan_t *plan, size_t nbytes, pgas_ptr_t *ptr);

/** Uncounted moves and atomics anywhere. */
void pgasi_plan_fetch(void *dst, uint32_t thread, uint64_t offset, size_t nbytes);
void pgasi_plan_store(uint32_t thread, uint64_t offset, const void *src, size_t nbytes);
uint64_t pgasi_plan_add(uint32_t thread, uint64_t offset, size_t nbytes, uint64_t operand);

/* plan_route.c: the steps of pgasi_plan_connect between nodes. `gates_of` tells where a leader has
 * its gates. */

typedef uint64_t pgasi_plan_gates_of_t(uint32_t leader);

/** 1: the leader makes its gates. */
pgas_status_t pgasi_plan_make_gates(pgas_plan_t *plan);

/** 2: makes the needs' routes, and claims a part of its message for each link to another node. */
pgas_status_t pgasi_plan_claim_parts(pgas_plan_t *plan, pgasi_plan_gates_of_t *gates_of);

/** 3: the leader of the needing node, and 4: that of the owning node, makes buffers and tells the
 *  other side. */
pgas_status_t pgasi_plan_make_needs_gates(pgas_plan_t *plan, pgasi_plan_gates_of_t *gates_of);
pgas_status_t pgasi_plan_make_owed_gates(pgas_plan_t *plan, pgasi_plan_gates_of_t *gates_of);

/** 5: makes the owed links' routes. */
pgas_status_t pgasi_plan_make_owed_routes(pgas_plan_t *plan, pgasi_plan_gates_of_t *gates_of);

/** 6: reads what the gates say now, and at the leader, what it counts. */
pgas_status_t pgasi_plan_read_gates(pgas_plan_t *plan);

/** Frees what the leader made. */
void pgasi_plan_free_gates(const pgas_plan_t *plan);

/* plan_flow.c */

/** Waits until the next message of every link and route of a side can be sent. */
void pgasi_plan_await_room(const pgasi_plan_side_t *side);

/** Where the link's next message is packed: at the receiver, in staging memory. */
void *pgasi_plan_outgoing(const pgas_plan_t *plan, const pgasi_plan_side_t *side,
                          const pgasi_plan_link_t *link);

/** Sends a link's message that has been packed; not for links of a route. */
void pgasi_plan_send(const pgas_plan_t *plan, const pgasi_plan_side_t *side,
                     const pgasi_plan_link_t *link, const void *message);

/** Tells that all parts have been packed; the last thread to do so sends the routes' messages. Ends
 *  the side's sending. */
void pgasi_plan_send_routes(pgasi_plan_side_t *side);

/** Waits for a link's next message; returns where it is. */
const void *pgasi_plan_arrival(const pgas_plan_t *plan, const pgasi_plan_side_t *side,
                               const pgasi_plan_link_t *link);

/** Tells that the last messages of all routes have been taken. Ends the side's receiving. */
void pgasi_plan_taken_routes(pgasi_plan_side_t *side);

/** Tells that the messages of all links that came last have been taken. */
void pgasi_plan_taken_links(const pgasi_plan_side_t *side);

/** Waits until nobody will raise an event of the side any more: `given` messages of each link have
 *  been told to be taken. */
void pgasi_plan_settle(const pgasi_plan_side_t *side, uint64_t given);

#endif
