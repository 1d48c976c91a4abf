#include "plan/plan.h"

#include <string.h>

#include <pgas/heap.h>
#include <pgas/ptr.h>

#include "node/node.h"

/* A leader has two tables of gates by node: to the nodes that own what its threads need, then to
 * those that need what its threads own. */
enum {
    NEEDS,
    OWED
};

static uint64_t gate_at(uint64_t gates, int table, uint32_t node)
{
    return gates + ((uint64_t)table * pgasi_nodes.count + node) * sizeof(pgasi_plan_gate_t);
}

static void *near(uint32_t thread, uint64_t offset)
{
    return pgas_local((pgas_ptr_t){.thread = thread, .offset = offset});
}

static pgasi_plan_gate_t *own_gate(const pgas_plan_t *plan, int table, uint32_t node)
{
    return near(pgasi_job.thread, gate_at(plan->gates.offset, table, node));
}

pgas_status_t pgasi_plan_make_gates(pgas_plan_t *plan)
{
    if (!pgasi_node_is_leader())
        return PGAS_OK;
    size_t nbytes = (size_t)2 * pgasi_nodes.count * sizeof(pgasi_plan_gate_t);
    pgas_status_t status = pgasi_plan_shared(plan, nbytes, &plan->gates);
    if (status == PGAS_OK)
        memset(pgas_local(plan->gates), 0, nbytes);
    return status;
}

/* The number of the side's route to `node`, which is made if there is none. */
static ptrdiff_t route_to(pgasi_plan_side_t *side, uint32_t node, int table, uint64_t gates)
{
    for (size_t r = side->route_count; r > 0; r--)
        if (side->routes[r - 1].node == node)
            return (ptrdiff_t)(r - 1);
    uint32_t leader = pgasi_nodes.leaders[pgasi_nodes.mine];
    pgasi_plan_gate_t *gate = near(leader, gate_at(gates, table, node));
    atomic_fetch_add(&gate->threads, 1);
    side->routes[side->route_count] = (pgasi_plan_route_t){
        .node = node,
        .leader = leader,
        .far_leader = pgasi_nodes.leaders[node],
        .gate = gate,
    };
    return (ptrdiff_t)side->route_count++;
}

/* Sends the links to other nodes through routes. */
static pgas_status_t make_routes(pgas_plan_t *plan, pgasi_plan_side_t *side, int table,
                                 pgasi_plan_gates_of_t *gates_of)
{
    size_t most =
        side->link_count < pgasi_nodes.count ? side->link_count : (size_t)pgasi_nodes.count;
    uint64_t gates = gates_of(pgasi_nodes.leaders[pgasi_nodes.mine]);
    side->routes = pgasi_plan_private(plan, most, sizeof *side->routes);
    if (side->routes == NULL)
        return PGAS_ERR_NO_MEMORY;
    for (size_t l = 0; l < side->link_count; l++) {
        uint32_t node = pgasi_job.peers[side->links[l].thread].node;
        if (node != pgasi_nodes.mine)
            side->links[l].route = route_to(side, node, table, gates);
    }
    return PGAS_OK;
}

pgas_status_t pgasi_plan_claim_parts(pgas_plan_t *plan, pgasi_plan_gates_of_t *gates_of)
{
    pgasi_plan_side_t *needs = &plan->needs;
    pgas_status_t status = make_routes(plan, needs, NEEDS, gates_of);
    for (size_t l = 0; l < needs->link_count && status == PGAS_OK; l++) {
        pgasi_plan_link_t *link = &needs->links[l];
        if (link->route >= 0)
            link->part = atomic_fetch_add(&needs->routes[link->route].gate->nbytes,
                                          link->count * plan->layout.elem_size);
    }
    return status;
}

pgas_status_t pgasi_plan_make_owed_routes(pgas_plan_t *plan, pgasi_plan_gates_of_t *gates_of)
{
    return make_routes(plan, &plan->owed, OWED, gates_of);
}

/* Two slots for a gate's messages. */
static pgas_status_t make_slots(pgas_plan_t *plan, const pgasi_plan_gate_t *gate, bool wanted,
                                uint64_t *offset)
{
    pgas_ptr_t slots = {0, 0, 0};
    pgas_status_t status = PGAS_OK;
    if (wanted)
        status = pgasi_plan_shared(
            plan, PGASI_PLAN_SLOTS * pgasi_plan_lines(atomic_load(&gate->nbytes)), &slots);
    *offset = slots.offset;
    return status;
}

/* Tells the gate at the other node's leader where this one is. */
static void tell(uint32_t leader, uint64_t far_gate, uint64_t gate, uint64_t landing)
{
    uint64_t told[2] = {gate, landing};
    pgasi_plan_store(leader, far_gate + offsetof(pgasi_plan_gate_t, far_gate), told, sizeof told);
}

pgas_status_t pgasi_plan_make_needs_gates(pgas_plan_t *plan, pgasi_plan_gates_of_t *gates_of)
{
    bool scatters = (plan->options & PGAS_PLAN_SCATTER) != 0;
    for (uint32_t node = 0; pgasi_node_is_leader() && node < pgasi_nodes.count; node++) {
        pgasi_plan_gate_t *gate = own_gate(plan, NEEDS, node);
        uint64_t nbytes = atomic_load(&gate->nbytes);
        if (nbytes == 0)
            continue;
        pgas_status_t status = make_slots(plan, gate, true, &gate->landing);
        if (status == PGAS_OK)
            status = make_slots(plan, gate, scatters, &gate->staging);
        if (status != PGAS_OK)
            return status;
        uint32_t leader = pgasi_nodes.leaders[node];
        uint64_t far_gate = gate_at(gates_of(leader), OWED, pgasi_nodes.mine);
        pgasi_plan_store(leader, far_gate + offsetof(pgasi_plan_gate_t, nbytes), &nbytes,
                         sizeof nbytes);
        tell(leader, far_gate, gate_at(plan->gates.offset, NEEDS, node), gate->landing);
    }
    return PGAS_OK;
}

pgas_status_t pgasi_plan_make_owed_gates(pgas_plan_t *plan, pgasi_plan_gates_of_t *gates_of)
{
    (void)gates_of;
    bool scatters = (plan->options & PGAS_PLAN_SCATTER) != 0;
    for (uint32_t node = 0; pgasi_node_is_leader() && node < pgasi_nodes.count; node++) {
        pgasi_plan_gate_t *gate = own_gate(plan, OWED, node);
        if (atomic_load(&gate->nbytes) == 0)
            continue;
        pgas_status_t status = make_slots(plan, gate, true, &gate->staging);
        if (status == PGAS_OK)
            status = make_slots(plan, gate, scatters, &gate->landing);
        if (status != PGAS_OK)
            return status;
        tell(pgasi_nodes.leaders[node], gate->far_gate, gate_at(plan->gates.offset, OWED, node),
             gate->landing);
    }
    return PGAS_OK;
}

static void read_routes(pgasi_plan_side_t *side)
{
    for (size_t r = 0; r < side->route_count; r++) {
        pgasi_plan_route_t *route = &side->routes[r];
        const pgasi_plan_gate_t *gate = route->gate;
        route->threads = atomic_load(&gate->threads);
        route->nbytes = atomic_load(&gate->nbytes);
        route->stride = pgasi_plan_lines(route->nbytes);
        route->landing = near(route->leader, gate->landing);
        route->staging = near(route->leader, gate->staging);
        route->far_gate = gate->far_gate;
        route->far_landing = gate->far_landing;
    }
}

static pgas_status_t find_counted(pgas_plan_t *plan, int table, pgasi_plan_side_t *side)
{
    side->counted = pgasi_plan_private(plan, pgasi_nodes.count, sizeof *side->counted);
    if (side->counted == NULL)
        return PGAS_ERR_NO_MEMORY;
    for (uint32_t node = 0; pgasi_node_is_leader() && node < pgasi_nodes.count; node++) {
        uint64_t nbytes = atomic_load(&own_gate(plan, table, node)->nbytes);
        if (nbytes > 0)
            side->counted[side->counted_count++] =
                (pgasi_plan_counted_t){.thread = pgasi_nodes.leaders[node], .nbytes = nbytes};
    }
    return PGAS_OK;
}

pgas_status_t pgasi_plan_read_gates(pgas_plan_t *plan)
{
    read_routes(&plan->needs);
    read_routes(&plan->owed);
    if (!pgasi_node_is_leader())
        return PGAS_OK;
    pgas_status_t status = find_counted(plan, NEEDS, &plan->needs);
    return status == PGAS_OK ? find_counted(plan, OWED, &plan->owed) : status;
}

/* Frees the buffers of one of the leader's tables. */
static void free_slots(const pgas_plan_t *plan, int table)
{
    for (uint32_t node = 0; node < pgasi_nodes.count; node++) {
        const pgasi_plan_gate_t *gate = own_gate(plan, table, node);
        pgas_free((pgas_ptr_t){.thread = pgasi_job.thread, .offset = gate->landing});
        pgas_free((pgas_ptr_t){.thread = pgasi_job.thread, .offset = gate->staging});
    }
}

void pgasi_plan_free_gates(const pgas_plan_t *plan)
{
    if (pgas_ptr_is_null(plan->gates))
        return;
    free_slots(plan, NEEDS);
    free_slots(plan, OWED);
    pgas_free(plan->gates);
}
