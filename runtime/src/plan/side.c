#include "plan/side.h"

#include <string.h>

#include <pgas/job.h>
#include <pgas/ptr.h>

#include "base/log.h"
#include "copy/async.h"
#include "node/node.h"
#include "plan/memory.h"

const pgasi_plan_link_t *pgasi_plan_own_link(const pgasi_plan_side_t *side)
{
    for (size_t l = 0; l < side->link_count; l++)
        if (side->links[l].thread == pgasi_job.thread)
            return &side->links[l];
    return NULL;
}

pgas_status_t pgasi_plan_ends_create(pgas_plan_t *plan, pgasi_plan_side_t *side, bool receives)
{
    size_t ends = side->link_count * sizeof *side->ends;
    side->receive_stride = pgasi_plan_lines(side->length * plan->layout.elem_size);
    pgas_status_t status = pgasi_plan_shared_alloc(
        plan, ends + (receives ? PGASI_PLAN_SLOTS * side->receive_stride : 0), &side->memory);
    if (status != PGAS_OK || pgas_ptr_is_null(side->memory))
        return status;
    char *memory = pgas_local(side->memory);
    memset(memory, 0, ends);
    side->ends = (pgasi_plan_end_t *)(void *)memory;
    side->receive_buffer = receives ? memory + ends : NULL;
    for (size_t l = 0; l < side->link_count; l++)
        if (side->links[l].thread != pgasi_job.thread)
            side->links[l].end = &side->ends[l];
    return PGAS_OK;
}

/* The side's ends are the first of its memory. */
static uint64_t offset_of(const pgasi_plan_side_t *side, const void *memory)
{
    return side->memory.offset + (uint64_t)((const char *)memory - (const char *)side->ends);
}

pgasi_plan_remote_t pgasi_plan_end_of(const pgas_plan_t *plan, const pgasi_plan_side_t *side,
                                      const pgasi_plan_link_t *link)
{
    pgasi_plan_remote_t end = {.end = offset_of(side, link->end)};
    if (side->receive_buffer != NULL) {
        end.receive_buffer =
            offset_of(side, side->receive_buffer) + link->first * plan->layout.elem_size;
        end.stride = side->receive_stride;
    }
    return end;
}

pgas_status_t pgasi_plan_send_links_create(pgas_plan_t *plan, const pgasi_plan_request_t *requests,
                                           size_t count)
{
    pgasi_plan_side_t *side = &plan->send_side;
    side->links = pgasi_plan_private_alloc(plan, count, sizeof *side->links);
    if (side->links == NULL)
        return PGAS_ERR_NO_MEMORY;
    for (size_t r = 0; r < count; r++) {
        side->links[side->link_count++] = (pgasi_plan_link_t){
            .thread = requests[r].thread,
            .count = requests[r].count,
            .first = (uint32_t)side->length,
            .remote = requests[r].remote,
            .channel = -1,
            .channel_offset = requests[r].channel_offset,
        };
        side->length += requests[r].count;
    }
    /* Many threads may need the same element; positions are numbers of 32 bits. */
    if (side->length <= UINT32_MAX)
        return PGAS_OK;
    pgasi_log("pgas_plan_create: others need %zu values of this thread; 2^32 are too many",
              side->length);
    return PGAS_ERR_UNSUPPORTED;
}

/* Contiguous elements need no list. */
static void find_contiguous(pgas_plan_t *plan)
{
    for (size_t l = 0; l < plan->send_side.link_count; l++) {
        pgasi_plan_link_t *link = &plan->send_side.links[l];
        const uint32_t *elements = plan->elements + link->first;
        bool is_contiguous = elements[link->count - 1] - elements[0] == link->count - 1;
        link->first_element = is_contiguous ? elements[0] : 0;
        link->elements = is_contiguous ? NULL : elements;
    }
}

pgas_status_t pgasi_plan_elements_get(pgas_plan_t *plan, const pgasi_plan_request_t *requests)
{
    const pgasi_plan_side_t *side = &plan->send_side;
    plan->elements = pgasi_plan_private_alloc(plan, side->length, sizeof *plan->elements);
    if (plan->elements == NULL)
        return PGAS_ERR_NO_MEMORY;
    pgasi_group_t *group = pgasi_empty_group();
    for (size_t l = 0; l < side->link_count; l++)
        pgasi_start_get(group, plan->elements + side->links[l].first,
                        (pgas_ptr_t){.thread = requests[l].thread, .offset = requests[l].elements},
                        requests[l].count * sizeof(uint32_t));
    pgasi_group_wait(group);
    find_contiguous(plan);
    return PGAS_OK;
}

static bool is_packed_alone(const pgasi_plan_link_t *link)
{
    return pgasi_job.peers[link->thread].node != pgasi_nodes.mine && link->channel < 0;
}

pgas_status_t pgasi_plan_send_buffer_create(pgas_plan_t *plan)
{
    pgasi_plan_side_t *side = &plan->send_side;
    size_t count = 0;
    for (size_t l = 0; l < side->link_count; l++)
        if (is_packed_alone(&side->links[l])) {
            side->links[l].send_first = count;
            count += side->links[l].count;
        }
    if (count == 0)
        return PGAS_OK;
    side->send_stride = pgasi_plan_lines(count * plan->layout.elem_size);
    side->send_buffer = pgasi_plan_private_alloc(plan, PGASI_PLAN_SLOTS, side->send_stride);
    return side->send_buffer != NULL ? PGAS_OK : PGAS_ERR_NO_MEMORY;
}

/* All that the thread gives, so that values for one element can be combined. */
pgas_status_t pgasi_plan_scatter_buffer_create(pgas_plan_t *plan)
{
    pgasi_plan_side_t *side = &plan->receive_side;
    if ((plan->options & PGAS_PLAN_SCATTER) == 0)
        return PGAS_OK;
    side->send_stride = side->receive_stride;
    side->send_buffer = pgasi_plan_private_alloc(plan, PGASI_PLAN_SLOTS, side->send_stride);
    for (size_t l = 0; l < side->link_count; l++)
        side->links[l].send_first = side->links[l].first;
    return side->send_buffer != NULL ? PGAS_OK : PGAS_ERR_NO_MEMORY;
}

void pgasi_plan_mutual_find(pgas_plan_t *plan)
{
    const pgasi_plan_side_t *sends = &plan->send_side;
    size_t s = 0;
    for (size_t r = 0; r < plan->receive_side.link_count; r++) {
        pgasi_plan_link_t *link = &plan->receive_side.links[r];
        while (s < sends->link_count && sends->links[s].thread < link->thread)
            s++;
        if (s < sends->link_count && sends->links[s].thread == link->thread)
            link->is_mutual = sends->links[s].is_mutual = true;
    }
}
