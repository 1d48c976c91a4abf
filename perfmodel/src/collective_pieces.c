/* What members do where long private blocks go piece by piece, as in the runtime's
 * coll/pipelined.c: all look at all that show something, since they must agree on how many pieces
 * there are. */
#include <math.h>

#include "collective_steps.h"

#include "coll/algorithm.h"

/* Who shows a block for all others or, if it `is_each`, one for each; and who reads them. */
typedef struct way {
    bool is_each;
    bool is_from_root;
    bool shows;
    bool reads;
    bool has_own;
} way_t;

static double piece_of(const modeli_member_t *member, const way_t *way)
{
    pgasi_coll_kind_t kind = way->is_each ? PGASI_KIND_OF_ALLTOALL : PGASI_KIND_OF_ALLGATHER;
    return (double)pgasi_coll_piece(kind, (uint32_t)fmax(member->threads, 2.0));
}

static size_t by_pieces(const modeli_member_t *member, const way_t *way, modeli_step_t *steps)
{
    double bytes = member->call->bytes;
    double blocks = way->is_each ? member->threads - 1.0 : 1.0;
    double first = fmin(piece_of(member, way), bytes);
    double pieces = ceil(bytes / first);
    modeli_step_t *step = steps + 1;
    steps->shown = way->shows ? blocks * first : 0.0;
    steps->meets = true;
    step = way->is_from_root ? modeli_look_at_root(member, step) : modeli_look_at_all(member, step);
    if (way->has_own)
        step->reads[MODEL_OWN] = (modeli_reads_t){1.0, bytes, 1.0};
    if (way->reads)
        step->reads[MODEL_LOCAL] =
            (modeli_reads_t){way->is_from_root ? 1.0 : member->members[MODEL_LOCAL], bytes, pieces};
    step->shown = way->shows ? blocks * (bytes - first) : 0.0;
    step->between = pieces - 1.0;
    return modeli_close(steps, step, true);
}

size_t modeli_broadcast_by_pieces(const modeli_member_t *member, modeli_step_t *steps)
{
    const way_t way = {.is_from_root = true, .shows = member->is_root, .reads = !member->is_root};
    return by_pieces(member, &way, steps);
}

size_t modeli_scatter_by_pieces(const modeli_member_t *member, modeli_step_t *steps)
{
    const way_t way = {.is_each = true,
                       .is_from_root = true,
                       .shows = member->is_root,
                       .reads = !member->is_root,
                       .has_own = member->is_root};
    return by_pieces(member, &way, steps);
}

size_t modeli_gather_by_pieces(const modeli_member_t *member, modeli_step_t *steps)
{
    const way_t way = {
        .shows = !member->is_root, .reads = member->is_root, .has_own = member->is_root};
    return by_pieces(member, &way, steps);
}

size_t modeli_allgather_by_pieces(const modeli_member_t *member, modeli_step_t *steps)
{
    const way_t way = {.shows = true, .reads = true, .has_own = true};
    return by_pieces(member, &way, steps);
}

size_t modeli_alltoall_by_pieces(const modeli_member_t *member, modeli_step_t *steps)
{
    const way_t way = {.is_each = true, .shows = true, .reads = true, .has_own = true};
    return by_pieces(member, &way, steps);
}
