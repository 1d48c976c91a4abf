/**
 * What a plan keeps in segments, where other threads read and write it. An offset is into the
 * segment of the thread whose memory it is; 0: none.
 */
#ifndef PGASI_PLAN_LAYOUT_H
#define PGASI_PLAN_LAYOUT_H

#include <stdalign.h>
#include <stdatomic.h>
#include <stdint.h>

#include "shm/event.h"

/** Messages of a link or a channel alternate between two slots. */
enum {
    PGASI_PLAN_SLOTS = 2
};

/** Tells one end of a link what the other one has done. */
typedef struct pgasi_plan_doorbell {
    /** Raised by every message to a slot: by pgasi_net_events of its size. */
    pgasi_event_t arrived[PGASI_PLAN_SLOTS];
    /** Raised by one for each message sent from here whose slot is free again, where nothing else
     *  tells. */
    pgasi_event_t credit;
} pgasi_plan_doorbell_t;

/** What one side tells the other of its end. */
typedef struct pgasi_plan_remote {
    /** A pgasi_plan_end_t. */
    uint64_t end;
    /** Slot 0 of the receive buffer; the next one is `stride` further. */
    uint64_t receive_buffer;
    uint64_t stride;
} pgasi_plan_remote_t;

/** One end of a link, in the segment of the thread whose link it is. */
typedef struct pgasi_plan_end {
    alignas(64) pgasi_plan_doorbell_t doorbell;
    /** Told by the other side at set-up. */
    pgasi_plan_remote_t remote;
} pgasi_plan_end_t;

/** One end of all links between two nodes, in the segment of the node's leader, for
 *  PGAS_PLAN_BY_NODE. */
typedef struct pgasi_plan_node_channel {
    pgasi_plan_end_t end;
    /** Threads of this node that have packed their parts of the message in a slot, and that have
     *  unpacked theirs. */
    _Atomic uint32_t packed[PGASI_PLAN_SLOTS];
    _Atomic uint32_t unpacked[PGASI_PLAN_SLOTS];
    /** Bytes of a message, and threads of this node that have a part of it. */
    _Atomic uint64_t nbytes;
    _Atomic uint32_t threads;
    uint64_t receive_buffer;
    uint64_t send_buffer;
} pgasi_plan_node_channel_t;

/** What a thread that receives puts into the queue of a thread that sends. */
typedef struct pgasi_plan_request {
    uint32_t thread;
    uint32_t count;
    /** The elements it needs: `count` numbers of 32 bits. */
    uint64_t elements;
    pgasi_plan_remote_t remote;
    /** Where the values begin in the message of a node channel. */
    uint64_t channel_offset;
} pgasi_plan_request_t;

/** What others must find of a thread before anything is agreed: in every segment at the same
 *  offset. */
typedef struct pgasi_plan_entry {
    _Atomic uint64_t queue_length;
    /** Requests. */
    uint64_t queue;
    /** At a leader: its table of node channels. */
    uint64_t node_channels;
} pgasi_plan_entry_t;

#endif
