#include <stdlib.h>

#include <pgas/detail.h>
#include <pgas/heap.h>
#include <pgas/job.h>
#include <pgas/ptr.h>
#include <pgas/stats.h>
#include <pgas/sync.h>

#include "base/clock.h"
#include "base/in_job.h"
#include "base/log.h"
#include "copy/transfer.h"
#include "plan/flow.h"
#include "plan/inspect.h"
#include "plan/node_channel.h"
#include "plan/pack.h"
#include "plan/setup.h"
#include "plan/side.h"
#include "sync/collective.h"

enum {
    ALL_OPTIONS = PGAS_PLAN_SCATTER | PGAS_PLAN_BY_NODE | PGAS_PLAN_IN_ARRIVAL_ORDER
};

static void free_side(pgasi_plan_side_t *side)
{
    pgas_free(side->memory);
    free(side->links);
    free(side->channels);
    free(side->node_messages);
    free(side->send_buffer);
}

static void free_plan(pgas_plan_t *plan)
{
    pgasi_plan_node_channels_free(plan);
    free_side(&plan->receive_side);
    free_side(&plan->send_side);
    free(plan->elements);
    free(plan->repeated);
    free(plan->positions);
    free(plan);
}

/* The program renumbers its indexes, and then gives one value per element. */
static void give_positions(pgas_plan_t *plan, size_t *positions)
{
    for (size_t i = 0; i < plan->index_count; i++)
        positions[i] = plan->positions[i];
    free(plan->positions);
    free(plan->repeated);
    plan->positions = plan->repeated = NULL;
    plan->repeated_count = 0;
    plan->memory_bytes -= plan->index_count * sizeof *plan->positions;
}

/* Only a scatter needs to know which elements are named again. */
static void keep_repeated(pgas_plan_t *plan)
{
    size_t count = (plan->options & PGAS_PLAN_SCATTER) != 0 ? plan->repeated_count : 0;
    uint32_t *kept = realloc(plan->repeated, (count + 1) * sizeof *kept);
    if (kept != NULL)
        plan->repeated = kept;
    plan->repeated_count = count;
    plan->memory_bytes += count * sizeof *kept;
}

static void begin_collective(pgasi_collective_t call, const pgas_plan_t *plan)
{
    const pgas_array_t *layout = &plan->layout;
    PGASI_COLLECTIVE(call, layout->count, layout->elem_size, layout->block, plan->options);
}

pgas_status_t pgas_plan_create(const pgas_array_t *array, const size_t *indices, size_t count,
                               unsigned options, size_t *positions, pgas_plan_t **plan)
{
    uint64_t start = pgasi_nanoseconds();
    if (array == NULL || plan == NULL || (count > 0 && indices == NULL))
        pgasi_fatal("pgas_plan_create", "NULL for the array, the indexes or the plan");
    if ((options & ~(unsigned)ALL_OPTIONS) != 0)
        pgasi_fatal("pgas_plan_create", "%u is none of the options", options);
    bool in_arrival_order = (options & PGAS_PLAN_IN_ARRIVAL_ORDER) != 0;
    if (in_arrival_order && count > 0 && positions == NULL)
        pgasi_fatal("pgas_plan_create", "arrival order, but NULL for the positions");
    pgas_plan_t lacking = {0}; /* meets the others' where there is no memory */
    pgas_plan_t *made = calloc(1, sizeof *made);
    bool has_memory = made != NULL;
    if (!has_memory)
        made = &lacking;
    made->layout = *array;
    made->options = options;
    made->index_count = count;
    made->memory_bytes = sizeof *made;
    uint32_t *elements = NULL;
    begin_collective(PGASI_PLAN_CREATE, made);
    pgas_status_t status =
        has_memory ? pgasi_plan_inspect(made, indices, &elements) : PGAS_ERR_NO_MEMORY;
    status = pgasi_plan_connect(made, elements, status);
    pgasi_collective_end();
    free(elements);
    if (!has_memory)
        pgasi_log("pgas_plan_create: no memory for a plan");
    else if (status != PGAS_OK)
        free_plan(made);
    if (status != PGAS_OK)
        return status;
    if (in_arrival_order)
        give_positions(made, positions);
    else
        keep_repeated(made);
    made->setup_seconds = 1e-9 * (double)(pgasi_nanoseconds() - start);
    *plan = made;
    return PGAS_OK;
}

void pgas_plan_free(pgas_plan_t *plan)
{
    if (plan == NULL)
        return;
    if (plan->flight != PGASI_PLAN_IDLE)
        pgasi_fatal("pgas_plan_free", "the plan is in flight");
    begin_collective(PGASI_PLAN_FREE, plan);
    /* If values are still in use, they are on all threads, and nobody releases them any more. */
    pgasi_plan_last_credit_wait(&plan->send_side, plan->send_side.sent - plan->holds_values);
    pgasi_plan_last_credit_wait(&plan->receive_side, plan->receive_side.sent);
    pgas_barrier();
    pgasi_collective_end();
    free_plan(plan);
}

static void require_plan(const char *call, const pgas_plan_t *plan)
{
    if (plan == NULL)
        pgasi_fatal(call, "there is no plan: the pointer is NULL");
}

size_t pgas_plan_length(const pgas_plan_t *plan)
{
    require_plan("pgas_plan_length", plan);
    return plan->receive_side.length;
}

static void begin(const char *call, pgas_plan_t *plan, const pgas_array_t *array,
                  pgasi_plan_flight_t flight)
{
    pgasi_require_job(call);
    if (array == NULL)
        pgasi_fatal(call, "there is no array: the pointer is NULL");
    if (plan->flight != PGASI_PLAN_IDLE)
        pgasi_fatal(call, "the plan is in flight already");
    if (array->count != plan->layout.count || array->block != plan->layout.block ||
        array->elem_size != plan->layout.elem_size)
        pgasi_fatal(call,
                    "an array of %zu elements of %zu bytes in blocks of %zu, but the plan is for "
                    "%zu of %zu in %zu",
                    array->count, array->elem_size, array->block, plan->layout.count,
                    plan->layout.elem_size, plan->layout.block);
    plan->flight = flight;
    plan->part = pgas_array_mine(array);
    if (plan->holds_values)
        pgasi_plan_links_release(&plan->receive_side);
    plan->holds_values = false;
}

static void count_messages(const pgas_plan_t *plan, const pgasi_plan_side_t *side)
{
    for (size_t l = 0; l < side->link_count; l++)
        if (side->links[l].end != NULL && side->links[l].channel < 0)
            pgasi_count_packed_put(side->links[l].thread,
                                   side->links[l].count * plan->layout.elem_size);
    for (size_t c = 0; c < side->node_message_count; c++)
        pgasi_count_packed_put(side->node_messages[c].thread, side->node_messages[c].nbytes);
}

/* The slot of the receive buffer where the values of the gather in flight are. */
static char *gathered(const pgas_plan_t *plan)
{
    const pgasi_plan_side_t *side = &plan->receive_side;
    if (side->length == 0)
        return NULL;
    return side->receive_buffer + side->received % PGASI_PLAN_SLOTS * side->receive_stride;
}

static char *elements_of(const pgas_plan_t *plan, const pgasi_plan_link_t *link)
{
    return plan->part + (size_t)link->first_element * plan->layout.elem_size;
}

void pgas_plan_begin(pgas_plan_t *plan, const pgas_array_t *array, void *dst)
{
    require_plan("pgas_plan_begin", plan);
    bool in_arrival_order = (plan->options & PGAS_PLAN_IN_ARRIVAL_ORDER) != 0;
    size_t elem_size = plan->layout.elem_size;
    begin("pgas_plan_begin", plan, array, PGASI_PLAN_GATHERING);
    if (in_arrival_order != (dst == NULL) && plan->index_count > 0)
        pgasi_fatal("pgas_plan_begin", in_arrival_order
                                           ? "in arrival order the values stay in the plan's memory"
                                           : "the private pointer is NULL");
    plan->dst = dst;
    pgasi_plan_side_t *side = &plan->send_side;
    pgasi_plan_credit_wait(side);
    for (size_t l = 0; l < side->link_count; l++) {
        const pgasi_plan_link_t *link = &side->links[l];
        bool is_own = link->end == NULL;
        void *message =
            is_own ? gathered(plan) + pgasi_plan_own_link(&plan->receive_side)->first * elem_size
                   : pgasi_plan_send_slot(plan, side, link);
        pgasi_plan_pack(message, elements_of(plan, link), link->elements, link->count, elem_size);
        if (!is_own && link->channel < 0)
            pgasi_plan_link_post(plan, side, link, message);
    }
    pgasi_plan_channels_post(side);
    count_messages(plan, side);
}

static const void *finish_gather(pgas_plan_t *plan)
{
    pgasi_plan_side_t *side = &plan->receive_side;
    size_t elem_size = plan->layout.elem_size;
    char *values = gathered(plan);
    for (size_t l = 0; l < side->link_count; l++) {
        const pgasi_plan_link_t *link = &side->links[l];
        if (link->end == NULL)
            continue;
        const void *message = pgasi_plan_arrival_wait(plan, side, link);
        if (link->channel >= 0)
            pgasi_copy(values + link->first * elem_size, message, link->count * elem_size);
    }
    pgasi_plan_channels_release(side);
    if ((plan->options & PGAS_PLAN_IN_ARRIVAL_ORDER) != 0) {
        plan->holds_values = true;
        return values;
    }
    pgasi_plan_pack(plan->dst, values, plan->positions, plan->index_count, elem_size);
    pgasi_plan_links_release(side);
    return plan->dst;
}

/* Brings what the caller gives into arrival order, one value per element. */
static char *collect(const pgas_plan_t *plan, const void *src)
{
    const pgasi_plan_side_t *side = &plan->receive_side;
    size_t elem_size = plan->layout.elem_size;
    char *values = side->send_buffer + side->sent % PGASI_PLAN_SLOTS * side->send_stride;
    pgasi_plan_unpack(values, src, plan->positions,
                      plan->positions != NULL ? plan->index_count : side->length, elem_size, NULL);
    if (plan->combine != NULL)
        pgasi_plan_reduce(values, src, plan->positions, plan->repeated, plan->repeated_count,
                          elem_size, plan->combine);
    return values;
}

/* The known functions change as many bytes as their type has. */
static void require_elements(pgas_combine_t *combine, size_t elem_size)
{
    size_t size = pgasi_plan_combine_size(combine);
    if (size != 0 && size != elem_size)
        pgasi_fatal("pgas_plan_scatter_begin",
                    "a function that adds elements of %zu bytes, but the array has %zu", size,
                    elem_size);
}

void pgas_plan_scatter_begin(pgas_plan_t *plan, const pgas_array_t *array, const void *src,
                             pgas_combine_t *combine)
{
    require_plan("pgas_plan_scatter_begin", plan);
    size_t elem_size = plan->layout.elem_size;
    if ((plan->options & PGAS_PLAN_SCATTER) == 0)
        pgasi_fatal("pgas_plan_scatter_begin", "the plan was made without PGAS_PLAN_SCATTER");
    begin("pgas_plan_scatter_begin", plan, array, PGASI_PLAN_SCATTERING);
    if (src == NULL && plan->index_count > 0)
        pgasi_fatal("pgas_plan_scatter_begin", "the private pointer is NULL");
    require_elements(combine, elem_size);
    plan->combine = combine;
    pgasi_plan_side_t *side = &plan->receive_side;
    pgasi_plan_credit_wait(side);
    const char *values = collect(plan, src);
    for (size_t l = 0; l < side->link_count; l++) {
        const pgasi_plan_link_t *link = &side->links[l];
        if (link->end == NULL)
            continue;
        const char *part = values + link->first * elem_size;
        char *message = pgasi_plan_send_slot(plan, side, link);
        if (message != part)
            pgasi_copy(message, part, link->count * elem_size);
        if (link->channel < 0)
            pgasi_plan_link_post(plan, side, link, message);
    }
    pgasi_plan_channels_post(side);
    count_messages(plan, side);
}

/* What the thread itself has scattered to its own elements. */
static const char *own_values(const pgas_plan_t *plan)
{
    const pgasi_plan_side_t *side = &plan->receive_side;
    return side->send_buffer + (side->sent - 1) % PGASI_PLAN_SLOTS * side->send_stride +
           pgasi_plan_own_link(side)->first * plan->layout.elem_size;
}

static void finish_scatter(pgas_plan_t *plan)
{
    pgasi_plan_side_t *side = &plan->send_side;
    for (size_t l = 0; l < side->link_count; l++) {
        const pgasi_plan_link_t *link = &side->links[l];
        const void *message =
            link->end == NULL ? own_values(plan) : pgasi_plan_arrival_wait(plan, side, link);
        pgasi_plan_unpack(elements_of(plan, link), message, link->elements, link->count,
                          plan->layout.elem_size, plan->combine);
    }
    pgasi_plan_channels_release(side);
    pgasi_plan_links_release(side);
}

const void *pgas_plan_finish(pgas_plan_t *plan)
{
    const void *values = NULL;
    pgasi_require_job("pgas_plan_finish");
    require_plan("pgas_plan_finish", plan);
    if (plan->flight == PGASI_PLAN_IDLE)
        pgasi_fatal("pgas_plan_finish", "the plan is not in flight");
    if (plan->flight == PGASI_PLAN_GATHERING)
        values = finish_gather(plan);
    else
        finish_scatter(plan);
    plan->flight = PGASI_PLAN_IDLE;
    return values;
}

const void *pgas_plan_execute(pgas_plan_t *plan, const pgas_array_t *array, void *dst)
{
    pgas_plan_begin(plan, array, dst);
    return pgas_plan_finish(plan);
}

void pgas_plan_scatter(pgas_plan_t *plan, const pgas_array_t *array, const void *src,
                       pgas_combine_t *combine)
{
    pgas_plan_scatter_begin(plan, array, src, combine);
    pgas_plan_finish(plan);
}

static void add_side(const pgas_plan_t *plan, const pgasi_plan_side_t *side,
                     pgas_direction_t direction, pgas_plan_info_t *info)
{
    for (size_t l = 0; l < side->link_count; l++) {
        const pgasi_plan_link_t *link = &side->links[l];
        pgas_place_t place = pgas_place_of((int)link->thread);
        info->values[place][direction] += link->count;
        info->bytes[place][direction] += link->count * plan->layout.elem_size;
        info->messages[place][direction] += link->end != NULL && link->channel < 0;
    }
    info->messages[PGAS_REMOTE][direction] += side->node_message_count;
}

void pgas_plan_info(const pgas_plan_t *plan, pgas_plan_info_t *info)
{
    require_plan("pgas_plan_info", plan);
    *info = (pgas_plan_info_t){
        .setup_seconds = plan->setup_seconds,
        .memory_bytes = plan->memory_bytes,
    };
    add_side(plan, &plan->receive_side, PGAS_FROM, info);
    add_side(plan, &plan->send_side, PGAS_TO, info);
}
