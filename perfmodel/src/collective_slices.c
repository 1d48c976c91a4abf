/* What members do where they show in another round what they have made of what they read: slices
 * that they have combined, or blocks of other nodes. */
#include <math.h>

#include "collective_steps.h"

/* `bytes` from so many members, or as many as there are elements. Those that differ differ by one
 * element, which the reads share. */
static void share_reads(const modeli_member_t *member, double members, double bytes,
                        modeli_reads_t *reads)
{
    double sources = fmin(members, bytes / member->call->element_bytes);
    if (sources > 0.0)
        *reads = (modeli_reads_t){sources, bytes / sources, 1.0};
}

/* ---- Rabenseifner ---- */

/* The slices of all. */
static void read_slices(const modeli_member_t *member, modeli_step_t *step)
{
    double own = modeli_slice_bytes(member, member->rank);
    double all =
        floor(member->call->bytes / member->call->element_bytes) * member->call->element_bytes;
    double others[MODEL_PLACES] = {own, 0.0, 0.0};
    double lowest = (double)member->rank - member->lower_on_node;
    others[MODEL_LOCAL] = modeli_slices_bytes(member, lowest, member->on_node) - own;
    others[MODEL_REMOTE] = all - own - others[MODEL_LOCAL];
    for (int place = 0; place < MODEL_PLACES; place++)
        share_reads(member, member->members[place], others[place], &step->reads[place]);
}

static size_t by_slices(const modeli_member_t *member, bool wants, modeli_step_t *steps)
{
    double own = modeli_slice_bytes(member, member->rank);
    modeli_step_t *step =
        modeli_look_at_all(member, modeli_show(member, true, member->call->bytes, steps));
    modeli_tell(member, steps);
    steps->shown = modeli_is_lent(member) ? 0.0 : steps->shown - own;
    modeli_combine(member, member->members, own, step);
    step->meets = true;
    modeli_tell(member, step);
    step++;
    if (wants) {
        step = modeli_look_at_all(member, step);
        read_slices(member, step);
    }
    return modeli_close(steps, step, true);
}

size_t modeli_reduce_by_slices(const modeli_member_t *member, modeli_step_t *steps)
{
    return by_slices(member, member->is_root, steps);
}

size_t modeli_allreduce_by_slices(const modeli_member_t *member, modeli_step_t *steps)
{
    return by_slices(member, true, steps);
}

/* ---- Hierarchical ---- */

/* All meet, behind what was done in a step. */
static modeli_step_t *meet_again(const modeli_member_t *member, modeli_step_t *step)
{
    step->meets = true;
    modeli_tell(member, step);
    return step + 1;
}

/* The slices of the node's members. */
static void read_results(const modeli_member_t *member, double own, modeli_step_t *step)
{
    double count = floor(member->call->bytes / member->call->element_bytes);
    double others = count * member->call->element_bytes - own;
    share_reads(member, 1.0, own, &step->reads[MODEL_OWN]);
    share_reads(member, member->on_node - 1.0, others, &step->reads[MODEL_LOCAL]);
}

/* Slices of nodes are combined whole, or in a part for each node. */
static size_t node_by_node(const modeli_member_t *member, bool has_parts, bool node_wants,
                           bool wants, modeli_step_t *steps)
{
    const double of_node[MODEL_PLACES] = {1.0, member->on_node - 1.0, 0.0};
    double nodes = (double)member->call->layout.nodes;
    const double of_all[MODEL_PLACES] = {1.0, 0.0, nodes - 1.0};
    double element = member->call->element_bytes;
    double all = floor(member->call->bytes / element);
    double slice = modeli_piece(all, member->on_node, member->lower_on_node);
    double own = slice * element;
    double part = has_parts ? modeli_piece(slice, nodes, (double)member->node) * element : own;
    modeli_step_t *step = modeli_show(member, true, member->call->bytes, steps);
    modeli_tell(member, steps);
    steps->shown -= own;
    step = modeli_look_at_all(member, step);
    modeli_combine(member, of_node, own, step);
    step = meet_again(member, step);
    if (has_parts || node_wants) {
        step = modeli_look_at_all(member, step);
        modeli_combine(member, of_all, part, step);
    }
    step = meet_again(member, step);
    if (has_parts && node_wants) {
        step = modeli_look_at_all(member, step);
        share_reads(member, nodes - 1.0, own - part, &step->reads[MODEL_REMOTE]);
    }
    if (has_parts)
        step = meet_again(member, step);
    if (wants) {
        step = modeli_look_at_all(member, step);
        read_results(member, own, step);
    }
    return modeli_close(steps, step, true);
}

static bool node_of_root(const modeli_member_t *member)
{
    return member->node == member->root_node;
}

size_t modeli_reduce_by_node(const modeli_member_t *member, modeli_step_t *steps)
{
    return node_by_node(member, false, node_of_root(member), member->is_root, steps);
}

size_t modeli_reduce_by_lanes(const modeli_member_t *member, modeli_step_t *steps)
{
    return node_by_node(member, true, node_of_root(member), member->is_root, steps);
}

size_t modeli_allreduce_by_node(const modeli_member_t *member, modeli_step_t *steps)
{
    return node_by_node(member, false, true, true, steps);
}

size_t modeli_allreduce_by_lanes(const modeli_member_t *member, modeli_step_t *steps)
{
    return node_by_node(member, true, true, true, steps);
}

size_t modeli_allgather_by_node(const modeli_member_t *member, modeli_step_t *steps)
{
    double bytes = member->call->bytes;
    double others = (double)member->call->layout.nodes - 1.0;
    double neighbours = member->on_node - 1.0;
    modeli_step_t *step = modeli_show(member, true, bytes, steps);
    modeli_tell(member, steps);
    step = modeli_look_at_all(member, step);
    if (bytes > 0.0) {
        step->reads[MODEL_OWN] = (modeli_reads_t){1.0, bytes, 1.0};
        step->reads[MODEL_LOCAL] = (modeli_reads_t){neighbours, bytes, 1.0};
        step->reads[MODEL_REMOTE] = (modeli_reads_t){others, bytes, 1.0};
    }
    step = modeli_look_at_all(member, meet_again(member, step));
    if (bytes > 0.0) {
        step->reads[MODEL_OWN] = (modeli_reads_t){others, bytes, 1.0};
        step->reads[MODEL_LOCAL] = (modeli_reads_t){neighbours * others, bytes, 1.0};
    }
    return modeli_close(steps, step, true);
}

/* The shares of the node's members that have any. */
static void read_shares(const modeli_member_t *member, double own, modeli_step_t *step)
{
    double others = member->call->bytes - own;
    double sources = fmin(member->call->bytes, member->on_node) - (own > 0.0 ? 1.0 : 0.0);
    if (own > 0.0)
        step->reads[MODEL_OWN] = (modeli_reads_t){1.0, own, 1.0};
    if (sources > 0.0)
        step->reads[MODEL_LOCAL] = (modeli_reads_t){sources, others / sources, 1.0};
}

size_t modeli_broadcast_by_node(const modeli_member_t *member, modeli_step_t *steps)
{
    double bytes = member->call->bytes;
    double share = modeli_piece(bytes, member->on_node, member->lower_on_node);
    modeli_step_t *step = modeli_show(member, member->is_root, bytes, steps);
    modeli_tell(member, steps);
    if (!member->is_root) {
        step = modeli_look_at_root(member, step);
        modeli_read_root(member, node_of_root(member) ? bytes : share, step);
    }
    step = meet_again(member, step);
    if (!node_of_root(member)) {
        step = modeli_look_at_all(member, step);
        read_shares(member, share, step);
    }
    return modeli_close(steps, step, true);
}
