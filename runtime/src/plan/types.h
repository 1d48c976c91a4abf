/**
 * A plan, private to its thread.
 *
 * A plan has two sides, named for a gather. The receive side has a link to each owner of what the
 * calling thread needs, the send side one to each thread that needs what the calling thread owns. A
 * scatter runs in reverse: the receive side sends, and the send side receives. A thread's own
 * elements are a link of both sides to itself, without messages.
 *
 * With PGAS_PLAN_BY_NODE the links between two nodes share a node channel (layout.h); a channel is
 * what one thread of the node knows of it.
 */
#ifndef PGASI_PLAN_TYPES_H
#define PGASI_PLAN_TYPES_H

#include <stdbool.h>

#include <pgas/plan.h>

#include "plan/layout.h"

/** A node channel as a thread of its node uses it. */
typedef struct pgasi_plan_channel {
    uint32_t node;
    /** Of this node and of the other one. */
    uint32_t leader;
    uint32_t remote_leader;
    /** That have a part of its messages. */
    uint32_t threads;
    pgasi_plan_node_channel_t *node_channel;
    /** Of a message. */
    size_t nbytes;
    /** Slot 0; the next one is `stride` further. */
    char *receive_buffer;
    char *send_buffer;
    size_t stride;
    pgasi_plan_remote_t remote;
} pgasi_plan_channel_t;

/** What travels between the calling thread and another one. */
typedef struct pgasi_plan_link {
    uint32_t thread;
    /** Its values, and where they begin among all of the side. */
    uint32_t count;
    uint32_t first;
    /** Send side: which elements of the calling thread's part; NULL: contiguous from here. */
    uint32_t first_element;
    const uint32_t *elements;
    /** NULL for the calling thread itself. */
    pgasi_plan_end_t *end;
    pgasi_plan_remote_t remote;
    /** Where it is packed in the side's send buffer, counted in values. */
    size_t send_first;
    /** Not -1: the values are a part of the channel's message, from byte `channel_offset` on. */
    ptrdiff_t channel;
    size_t channel_offset;
    /** The same two threads also have a link in the other direction. */
    bool is_mutual;
} pgasi_plan_link_t;

/** A message between nodes, as the leader counts it. */
typedef struct pgasi_plan_node_message {
    uint32_t thread;
    size_t nbytes;
} pgasi_plan_node_message_t;

typedef struct pgasi_plan_side {
    /** In ascending order of threads. */
    pgasi_plan_link_t *links;
    size_t link_count;
    pgasi_plan_channel_t *channels;
    size_t channel_count;
    /** Values of all links. */
    size_t length;
    /** In the own segment: the ends, and two slots of values for what arrives (NULL: nothing). */
    pgas_ptr_t memory;
    pgasi_plan_end_t *ends;
    char *receive_buffer;
    size_t receive_stride;
    /** Private: two slots for what is sent. */
    char *send_buffer;
    size_t send_stride;
    /** At the leader: the messages of all its node's channels. */
    pgasi_plan_node_message_t *node_messages;
    size_t node_message_count;
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
    /** The array that it was made for; where that lies does not matter. */
    pgas_array_t layout;
    unsigned options;
    size_t index_count;
    /** By index: its value's position on the receive side. NULL in arrival order. */
    uint32_t *positions;
    /** Indexes whose elements are named several times: one element's after the other, each in the
     *  order of the program's list. */
    uint32_t *repeated;
    size_t repeated_count;
    pgasi_plan_side_t receive_side;
    pgasi_plan_side_t send_side;
    /** The elements of all links of the send side. */
    uint32_t *elements;
    /** During set-up: where each thread has its pgasi_plan_entry_t. */
    uint64_t directory;
    /** At the leader, with PGAS_PLAN_BY_NODE: its table of node channels. */
    pgas_ptr_t node_channels;
    /** The values of the last gather are in the receive buffer, and in use. */
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

#endif
