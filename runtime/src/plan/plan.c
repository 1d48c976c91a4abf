#include "plan/plan.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <pgas/heap.h>
#include <pgas/job.h>
#include <pgas/ptr.h>
#include <pgas/stats.h>
#include <pgas/sync.h>

#include "copy/transfer.h"
#include "plan/move.h"
#include "sync/collective.h"

static double seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static void free_side(pgasi_plan_side_t *side)
{
    pgas_free(side->memory);
    free(side->links);
    free(side->routes);
    free(side->counted);
    free(side->staging);
}

static void free_plan(pgas_plan_t *plan)
{
    pgasi_plan_free_gates(plan);
    free_side(&plan->needs);
    free_side(&plan->owed);
    free(plan->elements);
    free(plan->repeated);
    free(plan->places);
    free(plan);
}

/* The program renumbers its indexes, and names no element twice after that. */
static void tell_positions(pgas_plan_t *plan, size_t *positions)
{
    for (size_t i = 0; i < plan->index_count; i++)
        positions[i] = plan->places[i];
    free(plan->places);
    free(plan->repeated);
    plan->places = plan->repeated = NULL;
    plan->repeated_count = 0;
    plan->memory_bytes -= plan->index_count * sizeof *plan->places;
}

/* Only a scatter asks which elements are named again. */
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
    double start = seconds();
    if (array == NULL || plan == NULL || (count > 0 && indices == NULL))
        pgasi_fatal("pgas_plan_create", "NULL for the array, the indexes or the plan");
    bool in_arrival_order = (options & PGAS_PLAN_IN_ARRIVAL_ORDER) != 0;
    if (in_arrival_order && count > 0 && positions == NULL)
        pgasi_fatal("pgas_plan_create", "arrival order, but NULL for the positions");
    pgas_plan_t *made = calloc(1, sizeof *made);
    if (made == NULL)
        pgasi_fatal("pgas_plan_create", "no memory for %zu bytes", sizeof *made);
    made->layout = *array;
    made->options = options;
    made->index_count = count;
    made->memory_bytes = sizeof *made;
    uint32_t *elements = NULL;
    begin_collective(PGASI_PLAN_CREATE, made);
    pgas_status_t status = pgasi_plan_inspect(made, indices, &elements);
    status = pgasi_plan_connect(made, elements, status);
    pgasi_collective_end();
    free(elements);
    if (status != PGAS_OK) {
        free_plan(made);
        return status;
    }
    if (in_arrival_order)
        tell_positions(made, positions);
    else
        keep_repeated(made);
    made->setup_seconds = seconds() - start;
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
    /* What is still held, then on all threads, is never given back. */
    pgasi_plan_settle(&plan->owed, plan->owed.sent - plan->holds_values);
    pgasi_plan_settle(&plan->needs, plan->needs.sent);
    pgas_barrier();
    pgasi_collective_end();
    free_plan(plan);
}

size_t pgas_plan_length(const pgas_plan_t *plan)
{
    return plan->needs.length;
}

static void begin(const char *call, pgas_plan_t *plan, const pgas_array_t *array,
                  pgasi_plan_flight_t flight)
{
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
        pgasi_plan_taken_links(&plan->needs);
    plan->holds_values = false;
}

static void count_messages(const pgas_plan_t *plan, const pgasi_plan_side_t *side)
{
    for (size_t l = 0; l < side->link_count; l++)
        if (side->links[l].end != NULL && side->links[l].route < 0)
            pgasi_count_packed_put(side->links[l].thread,
                                   side->links[l].count * plan->layout.elem_size);
    for (size_t c = 0; c < side->counted_count; c++)
        pgasi_count_packed_put(side->counted[c].thread, side->counted[c].nbytes);
}

/* The slot of the needs' landing where the values of the gather in flight are. */
static char *gathered(const pgas_plan_t *plan)
{
    const pgasi_plan_side_t *needs = &plan->needs;
    if (needs->length == 0)
        return NULL;
    return needs->landing + needs->received % PGASI_PLAN_SLOTS * needs->stride;
}

static char *elements_of(const pgas_plan_t *plan, const pgasi_plan_link_t *link)
{
    return plan->part + (size_t)link->first_element * plan->layout.elem_size;
}

static const pgasi_plan_link_t *own_link(const pgasi_plan_side_t *side)
{
    for (size_t l = 0; l < side->link_count; l++)
        if (side->links[l].end == NULL)
            return &side->links[l];
    return NULL;
}

void pgas_plan_begin(pgas_plan_t *plan, const pgas_array_t *array, void *dst)
{
    bool in_arrival_order = (plan->options & PGAS_PLAN_IN_ARRIVAL_ORDER) != 0;
    size_t elem_size = plan->layout.elem_size;
    begin("pgas_plan_begin", plan, array, PGASI_PLAN_GATHERING);
    if (in_arrival_order != (dst == NULL) && plan->index_count > 0)
        pgasi_fatal("pgas_plan_begin", in_arrival_order
                                           ? "in arrival order the values stay in the plan's memory"
                                           : "the private pointer is NULL");
    plan->dst = dst;
    pgasi_plan_side_t *owed = &plan->owed;
    pgasi_plan_await_room(owed);
    for (size_t l = 0; l < owed->link_count; l++) {
        const pgasi_plan_link_t *link = &owed->links[l];
        bool is_own = link->end == NULL;
        void *message = is_own ? gathered(plan) + own_link(&plan->needs)->first * elem_size
                               : pgasi_plan_outgoing(plan, owed, link);
        pgasi_plan_pick(message, elements_of(plan, link), link->elements, link->count, elem_size);
        if (!is_own && link->route < 0)
            pgasi_plan_send(plan, owed, link, message);
    }
    pgasi_plan_send_routes(owed);
    count_messages(plan, owed);
}

static const void *finish_gather(pgas_plan_t *plan)
{
    pgasi_plan_side_t *needs = &plan->needs;
    size_t elem_size = plan->layout.elem_size;
    char *values = gathered(plan);
    for (size_t l = 0; l < needs->link_count; l++) {
        const pgasi_plan_link_t *link = &needs->links[l];
        if (link->end == NULL)
            continue;
        const void *message = pgasi_plan_arrival(plan, needs, link);
        if (link->route >= 0)
            memcpy(values + link->first * elem_size, message, link->count * elem_size);
    }
    pgasi_plan_taken_routes(needs);
    if ((plan->options & PGAS_PLAN_IN_ARRIVAL_ORDER) != 0) {
        plan->holds_values = true;
        return values;
    }
    pgasi_plan_pick(plan->dst, values, plan->places, plan->index_count, elem_size);
    pgasi_plan_taken_links(needs);
    return plan->dst;
}

/* Brings what the caller gives into arrival order, one value per element. */
static char *collect(const pgas_plan_t *plan, const void *src)
{
    const pgasi_plan_side_t *needs = &plan->needs;
    size_t elem_size = plan->layout.elem_size;
    char *values = needs->staging + needs->sent % PGASI_PLAN_SLOTS * needs->staging_stride;
    pgasi_plan_drop(values, src, plan->places,
                    plan->places != NULL ? plan->index_count : needs->length, elem_size, NULL);
    if (plan->combine != NULL)
        pgasi_plan_join(values, src, plan->places, plan->repeated, plan->repeated_count, elem_size,
                        plan->combine);
    return values;
}

void pgas_plan_scatter_begin(pgas_plan_t *plan, const pgas_array_t *array, const void *src,
                             pgas_combine_t *combine)
{
    size_t elem_size = plan->layout.elem_size;
    if ((plan->options & PGAS_PLAN_SCATTER) == 0)
        pgasi_fatal("pgas_plan_scatter_begin", "the plan was made without PGAS_PLAN_SCATTER");
    begin("pgas_plan_scatter_begin", plan, array, PGASI_PLAN_SCATTERING);
    if (src == NULL && plan->index_count > 0)
        pgasi_fatal("pgas_plan_scatter_begin", "the private pointer is NULL");
    plan->combine = combine;
    pgasi_plan_side_t *needs = &plan->needs;
    pgasi_plan_await_room(needs);
    const char *values = collect(plan, src);
    for (size_t l = 0; l < needs->link_count; l++) {
        const pgasi_plan_link_t *link = &needs->links[l];
        if (link->end == NULL)
            continue;
        const char *part = values + link->first * elem_size;
        char *message = pgasi_plan_outgoing(plan, needs, link);
        if (message != part)
            memcpy(message, part, link->count * elem_size);
        if (link->route < 0)
            pgasi_plan_send(plan, needs, link, message);
    }
    pgasi_plan_send_routes(needs);
    count_messages(plan, needs);
}

/* What the thread itself has scattered to its own elements. */
static const char *own_values(const pgas_plan_t *plan)
{
    const pgasi_plan_side_t *needs = &plan->needs;
    return needs->staging + (needs->sent - 1) % PGASI_PLAN_SLOTS * needs->staging_stride +
           own_link(needs)->first * plan->layout.elem_size;
}

static void finish_scatter(pgas_plan_t *plan)
{
    pgasi_plan_side_t *owed = &plan->owed;
    for (size_t l = 0; l < owed->link_count; l++) {
        const pgasi_plan_link_t *link = &owed->links[l];
        const void *message =
            link->end == NULL ? own_values(plan) : pgasi_plan_arrival(plan, owed, link);
        pgasi_plan_drop(elements_of(plan, link), message, link->elements, link->count,
                        plan->layout.elem_size, plan->combine);
    }
    pgasi_plan_taken_routes(owed);
    pgasi_plan_taken_links(owed);
}

const void *pgas_plan_finish(pgas_plan_t *plan)
{
    const void *values = NULL;
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
        info->messages[place][direction] += link->end != NULL && link->route < 0;
    }
    info->messages[PGAS_OTHER_NODE][direction] += side->counted_count;
}

void pgas_plan_info(const pgas_plan_t *plan, pgas_plan_info_t *info)
{
    *info = (pgas_plan_info_t){
        .setup_seconds = plan->setup_seconds,
        .memory_bytes = plan->memory_bytes,
    };
    add_side(plan, &plan->needs, PGAS_FROM, info);
    add_side(plan, &plan->owed, PGAS_TO, info);
}
