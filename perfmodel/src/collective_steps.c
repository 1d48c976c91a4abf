/* What members do, as in the runtime's coll/ folder. */
#include "collective_steps.h"

#include <math.h>
#include <string.h>

#include "coll/algorithm.h"

/* Bytes that tell where a member's bytes are, and which block of them is for the reader. */
static const double place_bytes = 16.0;
static const double each_bytes = PGASI_COLL_EAGER_HEAD_OF_EACH;
static const double extent_bytes = 16.0;
static const double extent_begin_bytes = 8.0;

/* What a member of two shows beside the word that both wait on (team/types.h). */
static const double tray_bytes = 8.0;

/* Bytes of an operand that are combined at a time, on one node and where some come from others; of
 * all that come from there at a time; and the least (coll/combine.c). */
static const double piece_bytes = 32768.0;
static const double fetched_piece_bytes = 524288.0;
static const double most_fetched = 2097152.0;
static const double least_piece = 4096.0;

/* What travels is aligned for elements of every type; and the most that does in
 * a predefined team (team/arena.h). */
static const double carried_align = PGASI_ARENA_ALIGN;
static const double carried_most = PGASI_ARENA_MOST;

modeli_member_t modeli_member(const model_collective_t *collective,
                              const model_collective_call_t *call, size_t rank)
{
    const model_layout_t *layout = &call->layout;
    size_t node = model_layout_node(layout, rank);
    size_t root_node = model_layout_node(layout, call->root);
    size_t lowest = model_layout_leader(layout, node);
    double on_node = (double)(model_layout_leader(layout, node + 1) - lowest);
    double threads = (double)layout->threads;
    bool carries = collective->carry != MODELI_CARRY_NOTHING;
    double near = carries ? threads : on_node;
    model_place_t root_place = carries || root_node == node ? MODEL_LOCAL : MODEL_REMOTE;
    bool is_root = rank == call->root;
    return (modeli_member_t){
        .call = call,
        .carry = collective->carry,
        .threads = threads,
        .rank = rank,
        .node = node,
        .root_node = root_node,
        .is_root = is_root,
        .is_lowest_of_node = rank == lowest,
        .on_node = on_node,
        .lower_on_node = (double)(rank - lowest),
        .members = {1.0, near - 1.0, threads - near},
        .root_place = is_root ? MODEL_OWN : root_place,
    };
}

/* The distances between two of so many nodes that have a bit: a block travels in the rounds of its
 * distance's. */
static double distances_with(size_t nodes, size_t bit)
{
    size_t rest = nodes % (2 * bit);
    size_t travelling = nodes / (2 * bit) * bit + (rest > bit ? rest - bit : 0);
    return (double)travelling;
}

double modeli_carried(modeli_carry_t carry, size_t nodes, size_t root, size_t mine, size_t round)
{
    size_t step = (size_t)1 << round;
    size_t behind = (mine + nodes - root) % nodes;
    size_t before = (nodes - behind) % nodes;
    switch (carry) {
    case MODELI_CARRY_ALL:
        return fmin((double)step, (double)(nodes - step));
    case MODELI_CARRY_FROM_ROOT:
        return behind < step && behind + step < nodes ? 1.0 : 0.0;
    case MODELI_CARRY_TO_ROOT:
        return before % step == 0 && before / step % 2 == 1
                   ? fmin((double)step, (double)(nodes - before))
                   : 0.0;
    case MODELI_CARRY_EACH:
        return distances_with(nodes, step);
    default:
        return 0.0;
    }
}

/* ---- Reads ---- */

static void read_all(const modeli_member_t *member, double bytes, modeli_step_t *step)
{
    for (int place = 0; place < MODEL_PLACES && bytes > 0.0; place++)
        step->reads[place] = (modeli_reads_t){member->members[place], bytes, 1.0};
}

void modeli_read_root(const modeli_member_t *member, double bytes, modeli_step_t *step)
{
    step->of_root = true;
    if (bytes > 0.0)
        step->reads[member->root_place] = (modeli_reads_t){1.0, bytes, 1.0};
}

/* Elements of so many members are combined into one. */
void modeli_combine(const modeli_member_t *member, const double members[MODEL_PLACES], double bytes,
                    modeli_step_t *step)
{
    double element = member->call->element_bytes;
    double remote = members[MODEL_REMOTE];
    double at_a_time = piece_bytes;
    if (bytes == 0.0)
        return;
    if (remote > 0.0)
        at_a_time = fmin(fetched_piece_bytes, floor(most_fetched / remote));
    double piece = fmax(floor(fmax(at_a_time, least_piece) / element), 1.0);
    double times = ceil(bytes / element / piece);
    double operands = 0.0;
    for (int place = 0; place < MODEL_PLACES; place++) {
        step->reads[place] = (modeli_reads_t){members[place], bytes, times};
        operands += members[place];
    }
    step->combined = (operands - 1.0) * bytes;
}

double modeli_piece(double count, double pieces, double i)
{
    double each = floor(count / pieces);
    double more = count - each * pieces;
    return each + (i < more ? 1.0 : 0.0);
}

double modeli_slice_bytes(const modeli_member_t *member, size_t rank)
{
    return modeli_slices_bytes(member, (double)rank, 1.0);
}

double modeli_slices_bytes(const modeli_member_t *member, double first, double slices)
{
    double count = floor(member->call->bytes / member->call->element_bytes);
    double each = floor(count / member->threads);
    double longer = count - each * member->threads - first;
    return (each * slices + fmin(fmax(longer, 0.0), slices)) * member->call->element_bytes;
}

/* ---- Linear ---- */

static bool is_long(const modeli_member_t *member, double shown)
{
    return shown > MODEL_COLLECTIVE_SHORT && member->carry == MODELI_CARRY_NOTHING;
}

/* Whether the places of what is long travel with meetings. */
static bool tells(const modeli_member_t *member)
{
    const model_layout_t *layout = &member->call->layout;
    double room = (double)(layout->nodes * layout->threads_per_node) * place_bytes;
    return layout->nodes > 1 && room <= carried_most;
}

/* Members of other nodes read private memory by gets; those of the own one do not. */
bool modeli_is_lent(const modeli_member_t *member)
{
    return member->on_node == 1.0 && member->call->layout.nodes > 1;
}

void modeli_tell(const modeli_member_t *member, modeli_step_t *step)
{
    if (tells(member))
        step->block = place_bytes * (double)member->call->layout.threads_per_node;
}

/* The begin of all of them: those that have something show `nbytes` bytes, and all meet. Whoever
 * reads looks where what is long lies. Where bytes travel with the meeting, a node's block has room
 * for those of the fullest node's members. Returns the next step. */
modeli_step_t *modeli_show(const modeli_member_t *member, bool shows, double nbytes,
                           modeli_step_t *steps)
{
    bool is_one = member->carry == MODELI_CARRY_FROM_ROOT;
    double fullest = (double)member->call->layout.threads_per_node;
    double unit = ceil(nbytes / carried_align) * carried_align;
    steps->shown = shows ? nbytes : 0.0;
    steps->meets = true;
    if (is_long(member, nbytes))
        modeli_tell(member, steps);
    if (is_long(member, nbytes) && modeli_is_lent(member))
        steps->shown = 0.0;
    if (member->carry != MODELI_CARRY_NOTHING)
        steps->block = unit * (is_one ? 1.0 : fullest);
    return steps + 1;
}

/* Nobody else reads `own` bytes of what a member shows, which of long ones are not copied. */
static void keep_own(const modeli_member_t *member, double shown, double own, modeli_step_t *steps)
{
    if (is_long(member, shown))
        steps->shown = fmax(steps->shown - own, 0.0);
}

/* Each other member reads one block of what a member shows: of long ones those for the own node are
 * copied, if the others can be told of another place. */
static void keep_apart(const modeli_member_t *member, double shown, double block,
                       modeli_step_t *steps)
{
    if (is_long(member, shown) && tells(member))
        steps->shown = fmin(steps->shown, (member->on_node - 1.0) * block);
    else
        keep_own(member, shown, block, steps);
}

/* Whether the root is on another node: what it reads alone is lent there. */
static bool is_lent_to_root(const modeli_member_t *member)
{
    return member->root_node != member->node;
}

modeli_step_t *modeli_look_at_all(const modeli_member_t *member, modeli_step_t *step)
{
    read_all(member, place_bytes, step);
    if (tells(member)) {
        step->reads[MODEL_LOCAL] = (modeli_reads_t){member->threads - 1.0, place_bytes, 1.0};
        step->reads[MODEL_REMOTE] = (modeli_reads_t){0.0, 0.0, 0.0};
    }
    return step + 1;
}

modeli_step_t *modeli_look_at_root(const modeli_member_t *member, modeli_step_t *step)
{
    model_place_t place = tells(member) && !member->is_root ? MODEL_LOCAL : member->root_place;
    step->of_root = true;
    step->reads[place] = (modeli_reads_t){1.0, place_bytes, 1.0};
    return step + 1;
}

/* The end: another meeting, if a member showed more than its team has memory for. */
size_t modeli_close(const modeli_step_t *steps, modeli_step_t *last, bool meets)
{
    last->meets = meets;
    return (size_t)(last - steps) + 1;
}

/* Of two members of one node, what each shows, if it is that little (team/stage.h). */
static void use_trays(const modeli_member_t *member, double shown, modeli_step_t *steps,
                      size_t count)
{
    const model_layout_t *layout = &member->call->layout;
    if (layout->nodes > 1 || layout->threads != 2 || shown > tray_bytes)
        return;
    for (size_t s = 0; s < count; s++)
        steps[s].in_trays = true;
}

/* modeli_close of members that show `shown` bytes at most, once. */
static size_t close_shown(const modeli_member_t *member, double shown, modeli_step_t *steps,
                          modeli_step_t *last)
{
    size_t count = modeli_close(steps, last, is_long(member, shown));
    use_trays(member, shown, steps, count);
    return count;
}

static size_t barrier(const modeli_member_t *member, modeli_step_t *steps)
{
    return (size_t)(modeli_show(member, false, 0.0, steps) - steps);
}

static size_t broadcast(const modeli_member_t *member, modeli_step_t *steps)
{
    double bytes = member->call->bytes;
    modeli_step_t *step = modeli_show(member, member->is_root, bytes, steps);
    if (is_long(member, bytes) && !member->is_root)
        step = modeli_look_at_root(member, step);
    if (!member->is_root)
        modeli_read_root(member, bytes, step);
    return close_shown(member, bytes, steps, step);
}

static size_t scatter(const modeli_member_t *member, modeli_step_t *steps)
{
    double shown = member->threads * member->call->bytes;
    modeli_step_t *step = modeli_show(member, member->is_root, shown, steps);
    keep_apart(member, shown, member->call->bytes, steps);
    if (is_long(member, shown) && !member->is_root)
        step = modeli_look_at_root(member, step);
    modeli_read_root(member, member->call->bytes, step);
    return close_shown(member, shown, steps, step);
}

/* The blocks of all, by those that want them. */
static size_t read_blocks(const modeli_member_t *member, double shown, bool shows, bool wants,
                          modeli_step_t *steps)
{
    modeli_step_t *step = modeli_show(member, shows, shown, steps);
    if (is_long(member, shown) && wants)
        step = modeli_look_at_all(member, step);
    if (wants)
        read_all(member, member->call->bytes, step);
    return close_shown(member, shown, steps, step);
}

static size_t gather(const modeli_member_t *member, modeli_step_t *steps)
{
    double bytes = member->call->bytes;
    size_t count = read_blocks(member, bytes, !member->is_root, member->is_root, steps);
    if (is_long(member, bytes) && is_lent_to_root(member))
        steps->shown = 0.0;
    return count;
}

static size_t allgather(const modeli_member_t *member, modeli_step_t *steps)
{
    return read_blocks(member, member->call->bytes, true, true, steps);
}

static size_t alltoall(const modeli_member_t *member, modeli_step_t *steps)
{
    double shown = member->threads * member->call->bytes;
    size_t count = read_blocks(member, shown, true, true, steps);
    keep_apart(member, shown, member->call->bytes, steps);
    use_trays(member, member->call->bytes, steps, count); /* the other's block alone */
    return count;
}

static pgasi_coll_shape_t shape_of(const modeli_member_t *member)
{
    const model_layout_t *layout = &member->call->layout;
    return (pgasi_coll_shape_t){.members = (uint32_t)layout->threads,
                                .nodes = (uint32_t)layout->nodes,
                                .most_on_node = (uint32_t)layout->threads_per_node};
}

/* What some members of a node have for those of another is a block; the next ones' turn comes with
 * another meeting. */
static size_t alltoall_each(const modeli_member_t *member, modeli_step_t *steps)
{
    const pgasi_coll_shape_t shape = shape_of(member);
    double bytes = member->call->bytes;
    size_t most = (size_t)fmin(bytes, carried_most);
    modeli_step_t *step = modeli_show(member, true, bytes, steps);
    steps->shown = (member->threads - 1.0) * bytes;
    steps->block *= fmax(pgasi_coll_senders(most, &shape), 1.0);
    steps->between = fmax(pgasi_coll_passes(most, &shape), 1.0) - 1.0;
    read_all(member, bytes, step);
    return modeli_close(steps, step, false);
}

/* `bytes` of the operands of so many members. */
static size_t combine_all(const modeli_member_t *member, const double members[MODEL_PLACES],
                          double bytes, bool wants, modeli_step_t *steps)
{
    double shown = member->call->bytes;
    modeli_step_t *step = modeli_show(member, true, shown, steps);
    if (is_long(member, shown) && wants)
        step = modeli_look_at_all(member, step);
    if (wants)
        modeli_combine(member, members, bytes, step);
    return close_shown(member, shown, steps, step);
}

static size_t reduce(const modeli_member_t *member, modeli_step_t *steps)
{
    return combine_all(member, member->members, member->call->bytes, member->is_root, steps);
}

static size_t allreduce(const modeli_member_t *member, modeli_step_t *steps)
{
    return combine_all(member, member->members, member->call->bytes, true, steps);
}

/* Who comes last combines the operands of the node, of which the lowest member is taken to be the
 * one, and only that travels. */
static size_t combine_by_last(const modeli_member_t *member, double bytes, bool wants,
                              modeli_step_t *steps)
{
    double operand = member->call->bytes;
    double first = member->is_lowest_of_node ? 1.0 : 0.0;
    double others = (double)member->call->layout.nodes - first;
    const double of_nodes[MODEL_PLACES] = {first, others, 0.0};
    modeli_step_t *step = modeli_show(member, true, operand, steps);
    steps->block = ceil(operand / carried_align) * carried_align;
    if (member->is_lowest_of_node && member->on_node > 1.0 && operand > 0.0) {
        steps->reads[MODEL_OWN] = (modeli_reads_t){1.0, operand, 1.0};
        steps->reads[MODEL_LOCAL] = (modeli_reads_t){member->on_node - 1.0, operand, 1.0};
        steps->combined = (member->on_node - 1.0) * operand;
    }
    if (wants)
        modeli_combine(member, of_nodes, bytes, step);
    return modeli_close(steps, step, false);
}

static size_t reduce_by_last(const modeli_member_t *member, modeli_step_t *steps)
{
    return combine_by_last(member, member->call->bytes, member->is_root, steps);
}

static size_t allreduce_by_last(const modeli_member_t *member, modeli_step_t *steps)
{
    return combine_by_last(member, member->call->bytes, true, steps);
}

static size_t reduce_scatter_by_last(const modeli_member_t *member, modeli_step_t *steps)
{
    return combine_by_last(member, modeli_slice_bytes(member, member->rank), true, steps);
}

static size_t reduce_scatter(const modeli_member_t *member, modeli_step_t *steps)
{
    double own = modeli_slice_bytes(member, member->rank);
    size_t count = combine_all(member, member->members, own, true, steps);
    keep_own(member, member->call->bytes, own, steps);
    return count;
}

/* Inclusive. */
static size_t scan(const modeli_member_t *member, modeli_step_t *steps)
{
    double lower = (double)member->rank;
    double near = member->carry != MODELI_CARRY_NOTHING ? lower : member->lower_on_node;
    double members[MODEL_PLACES] = {1.0, near, lower - near};
    return combine_all(member, members, member->call->bytes, true, steps);
}

/* ---- Blocks of different sizes, which here are all the same ---- */

/* A table of blocks, and the blocks of all others. */
static double table_bytes(const modeli_member_t *member)
{
    return (member->threads + 1.0) * extent_begin_bytes +
           (member->threads - 1.0) * member->call->bytes;
}

/* By eager: a member's unit, and what of it is a block; 0: otherwise. */
typedef struct eager {
    pgasi_coll_kind_t kind;
    double unit;
    double room;
} eager_t;

static eager_t eager_of(const modeli_member_t *member, pgasi_coll_kind_t kind)
{
    const pgasi_coll_shape_t shape = shape_of(member);
    if (member->carry == MODELI_CARRY_NOTHING)
        return (eager_t){.kind = kind};
    size_t unit = pgasi_coll_eager_unit(kind, &shape);
    return (eager_t){kind, (double)unit, (double)(unit - pgasi_coll_eager_head(kind))};
}

/* What of a node's members travels with a meeting, of so many bytes each. */
static double block_of_units(const modeli_member_t *member, double unit)
{
    double fullest = (double)member->call->layout.threads_per_node;
    if (member->carry == MODELI_CARRY_FROM_ROOT)
        return unit;
    return unit * fullest * (member->carry == MODELI_CARRY_EACH ? fullest : 1.0);
}

/* The begin: a member copies `shown` bytes to where others read them, and all meet with units, or
 * with places alone. Returns the next step. */
static modeli_step_t *show_uneven(const modeli_member_t *member, double shown, const eager_t *eager,
                                  modeli_step_t *steps)
{
    steps->shown = shown;
    steps->meets = true;
    if (eager->unit == 0.0)
        modeli_tell(member, steps);
    else
        steps->block = block_of_units(member, eager->unit);
    return steps + 1;
}

/* Whether blocks of `nbytes` bytes travel with the second meeting. */
static bool travels_later(const modeli_member_t *member, const eager_t *eager, double nbytes)
{
    const pgasi_coll_shape_t shape = shape_of(member);
    double blocks = 1.0;
    if (eager->unit == 0.0 || nbytes <= eager->room || nbytes > carried_most)
        return false;
    if (eager->kind != PGASI_KIND_OF_SCATTERV)
        blocks = member->threads - 1.0;
    if (eager->kind == PGASI_KIND_OF_ALLTOALLV)
        blocks *= member->threads;
    return pgasi_coll_carries_rest(eager->kind, (size_t)nbytes, (uint64_t)(blocks * nbytes),
                                   &shape);
}

/* And that meeting, before which a member copies `shown` bytes. Returns the next step. */
static modeli_step_t *show_later(const modeli_member_t *member, const eager_t *eager, double nbytes,
                                 double shown, modeli_step_t *step)
{
    step->shown = shown;
    step->meets = true;
    step->block = block_of_units(member, ceil(nbytes / carried_align) * carried_align);
    if (eager->kind == PGASI_KIND_OF_GATHERV)
        step->carry = MODELI_CARRY_TO_ROOT;
    return step + 1;
}

/* The member as it reads of another: what travels, from its node's arena. */
static modeli_member_t reader(const modeli_member_t *member, bool travels)
{
    modeli_member_t reader = *member;
    if (travels)
        return reader;
    reader.members[MODEL_LOCAL] = member->on_node - 1.0;
    reader.members[MODEL_REMOTE] = member->threads - member->on_node;
    if (!member->is_root)
        reader.root_place = member->root_node == member->node ? MODEL_LOCAL : MODEL_REMOTE;
    return reader;
}

/* Whether all meet once more, since a member shows `nbytes` bytes that do not travel. */
static bool is_kept(double nbytes, bool travels)
{
    return !travels && nbytes > MODEL_COLLECTIVE_SHORT;
}

static size_t scatterv(const modeli_member_t *member, modeli_step_t *steps)
{
    const eager_t eager = eager_of(member, PGASI_KIND_OF_SCATTERV);
    double table = table_bytes(member);
    double shown = member->is_root ? table : 0.0;
    bool is_later = travels_later(member, &eager, table);
    bool travels = is_later || table <= eager.room;
    const modeli_member_t at = reader(member, travels);
    modeli_step_t *step = show_uneven(member, shown, &eager, steps);
    step = modeli_look_at_root(member, step);
    if (is_later)
        step = show_later(member, &eager, table, shown, step);
    if (!member->is_root)
        modeli_read_root(&at, extent_bytes, step++);
    modeli_read_root(&at, member->call->bytes, step);
    return modeli_close(steps, step, is_kept(table, travels));
}

/* All look, to know whether they meet once more. */
static size_t gatherv(const modeli_member_t *member, modeli_step_t *steps)
{
    const eager_t eager = eager_of(member, PGASI_KIND_OF_GATHERV);
    double bytes = member->call->bytes;
    double shown = member->is_root ? 0.0 : bytes;
    bool is_later = travels_later(member, &eager, bytes);
    bool travels = is_later || bytes <= eager.room;
    const modeli_member_t at = reader(member, travels);
    bool is_lent = bytes > fmax(eager.room, MODEL_COLLECTIVE_SHORT) &&
                   (modeli_is_lent(member) || is_lent_to_root(member));
    modeli_step_t *step = show_uneven(member, is_lent ? 0.0 : shown, &eager, steps);
    step = modeli_look_at_all(member, step);
    if (is_later)
        step = show_later(member, &eager, bytes, shown, step);
    if (member->is_root)
        read_all(&at, bytes, step);
    return modeli_close(steps, step, member->threads > 1.0 && is_kept(bytes, travels));
}

static size_t alltoallv(const modeli_member_t *member, modeli_step_t *steps)
{
    const eager_t eager = eager_of(member, PGASI_KIND_OF_ALLTOALLV);
    double shown = table_bytes(member);
    modeli_step_t *step = modeli_look_at_all(member, show_uneven(member, shown, &eager, steps));
    read_all(member, extent_bytes, step);
    step++->reads[MODEL_OWN] = (modeli_reads_t){0.0, 0.0, 0.0};
    read_all(member, member->call->bytes, step);
    return modeli_close(steps, step, is_kept(shown, false));
}

static size_t alltoallv_each(const modeli_member_t *member, modeli_step_t *steps)
{
    const eager_t eager = eager_of(member, PGASI_KIND_OF_ALLTOALLV);
    double bytes = member->call->bytes;
    double blocks = (member->threads - 1.0) * bytes;
    bool is_lent = bytes > eager.room && blocks > MODEL_COLLECTIVE_SHORT;
    double shown = is_lent ? (member->on_node - 1.0) * bytes : blocks;
    bool is_later = travels_later(member, &eager, bytes);
    bool travels = is_later || bytes <= eager.room;
    const modeli_member_t at = reader(member, travels);
    modeli_step_t *step = show_uneven(member, shown, &eager, steps);
    read_all(member, each_bytes, step++);
    if (is_later)
        step = show_later(member, &eager, bytes, blocks, step);
    read_all(&at, bytes, step);
    return modeli_close(steps, step, is_kept(blocks, travels));
}

/* ---- The table ---- */

static const model_collective_t table[] = {
    {"barrier", "dissemination", barrier, MODELI_CARRY_NOTHING},
    {"broadcast", "linear", broadcast, MODELI_CARRY_NOTHING},
    {"broadcast", "binomial", broadcast, MODELI_CARRY_FROM_ROOT},
    {"broadcast", "hierarchical", modeli_broadcast_by_node, MODELI_CARRY_NOTHING},
    {"broadcast", "pipelined", modeli_broadcast_by_pieces, MODELI_CARRY_NOTHING},
    {"scatter", "linear", scatter, MODELI_CARRY_NOTHING},
    {"scatter", "binomial", scatter, MODELI_CARRY_FROM_ROOT},
    {"scatter", "pipelined", modeli_scatter_by_pieces, MODELI_CARRY_NOTHING},
    {"scatterv", "linear", scatterv, MODELI_CARRY_NOTHING},
    {"scatterv", "eager", scatterv, MODELI_CARRY_FROM_ROOT},
    {"gather", "linear", gather, MODELI_CARRY_NOTHING},
    {"gather", "binomial", gather, MODELI_CARRY_TO_ROOT},
    {"gather", "pipelined", modeli_gather_by_pieces, MODELI_CARRY_NOTHING},
    {"gatherv", "linear", gatherv, MODELI_CARRY_NOTHING},
    {"gatherv", "eager", gatherv, MODELI_CARRY_ALL},
    {"allgather", "linear", allgather, MODELI_CARRY_NOTHING},
    {"allgather", "bruck", allgather, MODELI_CARRY_ALL},
    {"allgather", "hierarchical", modeli_allgather_by_node, MODELI_CARRY_NOTHING},
    {"allgather", "pipelined", modeli_allgather_by_pieces, MODELI_CARRY_NOTHING},
    {"allgatherv", "linear", allgather, MODELI_CARRY_NOTHING},
    {"allgatherv", "bruck", allgather, MODELI_CARRY_ALL},
    {"alltoall", "linear", alltoall, MODELI_CARRY_NOTHING},
    {"alltoall", "bruck", alltoall_each, MODELI_CARRY_EACH},
    {"alltoall", "pipelined", modeli_alltoall_by_pieces, MODELI_CARRY_NOTHING},
    {"alltoallv", "linear", alltoallv, MODELI_CARRY_NOTHING},
    {"alltoallv", "eager", alltoallv_each, MODELI_CARRY_EACH},
    {"reduce", "linear", reduce, MODELI_CARRY_NOTHING},
    {"reduce", "binomial", reduce, MODELI_CARRY_TO_ROOT},
    {"reduce", "combining", reduce_by_last, MODELI_CARRY_TO_ROOT},
    {"reduce", "rabenseifner", modeli_reduce_by_slices, MODELI_CARRY_NOTHING},
    {"reduce", "hierarchical", modeli_reduce_by_node, MODELI_CARRY_NOTHING},
    {"reduce", "multilane", modeli_reduce_by_lanes, MODELI_CARRY_NOTHING},
    {"allreduce", "linear", allreduce, MODELI_CARRY_NOTHING},
    {"allreduce", "bruck", allreduce, MODELI_CARRY_ALL},
    {"allreduce", "combining", allreduce_by_last, MODELI_CARRY_ALL},
    {"allreduce", "rabenseifner", modeli_allreduce_by_slices, MODELI_CARRY_NOTHING},
    {"allreduce", "hierarchical", modeli_allreduce_by_node, MODELI_CARRY_NOTHING},
    {"allreduce", "multilane", modeli_allreduce_by_lanes, MODELI_CARRY_NOTHING},
    {"reduce_scatter", "linear", reduce_scatter, MODELI_CARRY_NOTHING},
    {"reduce_scatter", "bruck", reduce_scatter, MODELI_CARRY_ALL},
    {"reduce_scatter", "combining", reduce_scatter_by_last, MODELI_CARRY_ALL},
    {"scan", "linear", scan, MODELI_CARRY_NOTHING},
    {"scan", "bruck", scan, MODELI_CARRY_ALL},
};

const model_collective_t *model_collective_at(size_t i)
{
    return i < sizeof table / sizeof table[0] ? &table[i] : NULL;
}

const model_collective_t *model_collective_find(const char *collective, const char *algorithm)
{
    const model_collective_t *entry;
    for (size_t i = 0; (entry = model_collective_at(i)) != NULL; i++)
        if (strcmp(entry->name, collective) == 0 && strcmp(entry->algorithm, algorithm) == 0)
            return entry;
    return NULL;
}

const char *model_collective_algorithm(const model_collective_t *collective)
{
    return collective->algorithm;
}
