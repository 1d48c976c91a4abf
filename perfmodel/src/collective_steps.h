/**
 * The steps of collectives: the entries behind perfmodel/collective.h.
 */
#ifndef PERFMODEL_SRC_COLLECTIVE_STEPS_H
#define PERFMODEL_SRC_COLLECTIVE_STEPS_H

#include "perfmodel/collective.h"

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
    /** Bytes of operands that are combined with others. */
    double combined;
    /** Then all members meet. */
    bool meets;
} modeli_step_t;

/** A member in a call. */
typedef struct modeli_member {
    const model_collective_call_t *call;
    double threads;
    size_t rank;
    bool is_root;
    bool is_lowest_of_node;
    /** Members by place: 1, the others of the node, the rest; and the root's place. */
    double members[MODEL_PLACES];
    model_place_t root_place;
    /** Members of lower rank on the node. */
    double lower_on_node;
} modeli_member_t;

enum {
    /** The most steps of an algorithm. */
    MODELI_STEPS = 8
};

struct model_collective {
    const char *name;
    const char *algorithm;
    /** Writes the steps of a member, which are zeros; returns how many there are. */
    size_t (*steps)(const modeli_member_t *member, modeli_step_t steps[MODELI_STEPS]);
};

modeli_member_t modeli_member(const model_collective_call_t *call, size_t rank);

#endif
