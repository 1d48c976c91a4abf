/**
 * The steps of collectives: the entries behind perfmodel/collective.h.
 */
#ifndef PERFMODEL_SRC_COLLECTIVE_STEPS_H
#define PERFMODEL_SRC_COLLECTIVE_STEPS_H

#include "perfmodel/collective.h"

/** Which nodes need the blocks of which, as the runtime's team/arena.h has it. */
typedef enum modeli_carry {
    MODELI_CARRY_NOTHING = 0,
    MODELI_CARRY_ALL,
    MODELI_CARRY_FROM_ROOT,
    MODELI_CARRY_TO_ROOT,
    MODELI_CARRY_EACH
} modeli_carry_t;

/** Reads of one place in a step: `bytes` from each of `sources` members, in `times` pieces one
 *  after the other. */
typedef struct modeli_reads {
    double sources;
    double bytes;
    double times;
} modeli_reads_t;

/** What a member does up to the next wait. */
typedef struct modeli_step {
    /** Bytes that it copies to where others can read them. */
    double shown;
    modeli_reads_t reads[MODEL_PLACES];
    /** What it reads of other nodes is the root's. */
    bool of_root;
    /** What two members of a node show each other comes with the line that they wait on. */
    bool in_trays;
    /** Bytes of operands that are combined with others. */
    double combined;
    /** Then all members meet; bytes of a block of a node that travel with the meeting's messages
     *  (modeli_carried): of what is shown, or where that is, to all; and for whom, if not as the
     *  algorithm has it. */
    bool meets;
    double block;
    modeli_carry_t carry;
    /** What is shown and read goes in pieces, with so many meetings between them; what travels with
     *  each is a block of its own. */
    double between;
} modeli_step_t;

/** A member in a call. */
typedef struct modeli_member {
    const model_collective_call_t *call;
    modeli_carry_t carry;
    double threads;
    size_t rank;
    size_t node;
    size_t root_node;
    bool is_root;
    bool is_lowest_of_node;
    /** On the node, and of lower rank there. */
    double on_node;
    double lower_on_node;
    /** Members by the place that their bytes are read from: 1, the others of the node, the rest;
     *  all the others where bytes travel with meetings, to the node; and the root's. */
    double members[MODEL_PLACES];
    model_place_t root_place;
} modeli_member_t;

enum {
    /** The most steps of an algorithm. */
    MODELI_STEPS = 10
};

struct model_collective {
    const char *name;
    const char *algorithm;
    /** Writes the steps of a member, which are zeros; returns how many there are. */
    size_t (*steps)(const modeli_member_t *member, modeli_step_t steps[MODELI_STEPS]);
    modeli_carry_t carry;
};

modeli_member_t modeli_member(const model_collective_t *collective,
                              const model_collective_call_t *call, size_t rank);

/** Blocks that the node `mine` sends in round `round` of a meeting: to the node 2^round behind. */
double modeli_carried(modeli_carry_t carry, size_t nodes, size_t root, size_t mine, size_t round);

/** Elements of the i-th of so many pieces of `count` elements. */
double modeli_piece(double count, double pieces, double i);

/** Bytes of a rank's slice. */
double modeli_slice_bytes(const modeli_member_t *member, size_t rank);

/** Bytes of the slices of so many ranks from `first` on. */
double modeli_slices_bytes(const modeli_member_t *member, double first, double slices);

/** Whether what the member shows is read in private memory, and so not copied. */
bool modeli_is_lent(const modeli_member_t *member);

/** Where what is long lies travels with the step's meeting. */
void modeli_tell(const modeli_member_t *member, modeli_step_t *step);

/** The begin of all collectives: the member shows `nbytes` bytes, if it `shows`, and all meet.
 *  Returns the next step. */
modeli_step_t *modeli_show(const modeli_member_t *member, bool shows, double nbytes,
                           modeli_step_t *steps);

/** Looks where the bytes of all lie, or the root's. Returns the next step. */
modeli_step_t *modeli_look_at_all(const modeli_member_t *member, modeli_step_t *step);
modeli_step_t *modeli_look_at_root(const modeli_member_t *member, modeli_step_t *step);

/** Reads `bytes` bytes of the root's. */
void modeli_read_root(const modeli_member_t *member, double bytes, modeli_step_t *step);

/** Combines `bytes` of so many members. */
void modeli_combine(const modeli_member_t *member, const double members[MODEL_PLACES], double bytes,
                    modeli_step_t *step);

/** The end, behind another meeting if it `meets`. Returns the number of steps. */
size_t modeli_close(const modeli_step_t *steps, modeli_step_t *last, bool meets);

/** Steps of collective_slices.c: by Rabenseifner's algorithm, node by node, and by lanes. */
size_t modeli_reduce_by_slices(const modeli_member_t *member, modeli_step_t *steps);
size_t modeli_allreduce_by_slices(const modeli_member_t *member, modeli_step_t *steps);
size_t modeli_reduce_by_node(const modeli_member_t *member, modeli_step_t *steps);
size_t modeli_allreduce_by_node(const modeli_member_t *member, modeli_step_t *steps);
size_t modeli_reduce_by_lanes(const modeli_member_t *member, modeli_step_t *steps);
size_t modeli_allreduce_by_lanes(const modeli_member_t *member, modeli_step_t *steps);
size_t modeli_allgather_by_node(const modeli_member_t *member, modeli_step_t *steps);
size_t modeli_broadcast_by_node(const modeli_member_t *member, modeli_step_t *steps);

/** Steps of collective_pieces.c. */
size_t modeli_broadcast_by_pieces(const modeli_member_t *member, modeli_step_t *steps);
size_t modeli_scatter_by_pieces(const modeli_member_t *member, modeli_step_t *steps);
size_t modeli_gather_by_pieces(const modeli_member_t *member, modeli_step_t *steps);
size_t modeli_allgather_by_pieces(const modeli_member_t *member, modeli_step_t *steps);
size_t modeli_alltoall_by_pieces(const modeli_member_t *member, modeli_step_t *steps);

#endif
