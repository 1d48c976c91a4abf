#include "plan/node_channel.h"

#include <string.h>

#include <pgas/heap.h>
#include <pgas/ptr.h>

#include "node/node.h"
#include "plan/memory.h"

/* A leader's table has two rows of node channels by node: from the nodes that own what its threads
 * need, then to those that need what its threads own. */
typedef enum row {
    RECEIVE,
    SEND
} row_t;

static uint64_t offset_of(uint64_t table, row_t row, uint32_t node)
{
    size_t number = (size_t)row * pgasi_nodes.count + node;
    return table + number * sizeof(pgasi_plan_node_channel_t);
}

/* The leader's. */
static pgasi_plan_node_channel_t *own_node_channel(const pgas_plan_t *plan, row_t row,
                                                   uint32_t node)
{
    return pgasi_plan_local(pgasi_job.thread, offset_of(plan->node_channels.offset, row, node));
}

/* Where any leader has its table. */
static uint64_t table_of(const pgas_plan_t *plan, uint32_t leader)
{
    uint64_t table;
    pgasi_plan_get(&table, leader, plan->directory + offsetof(pgasi_plan_entry_t, node_channels),
                   sizeof table);
    return table;
}

pgas_status_t pgasi_plan_node_channels_create(pgas_plan_t *plan)
{
    if (!pgasi_node_is_leader())
        return PGAS_OK;
    size_t nbytes = (size_t)2 * pgasi_nodes.count * sizeof(pgasi_plan_node_channel_t);
    pgas_status_t status = pgasi_plan_shared_alloc(plan, nbytes, &plan->node_channels);
    if (status == PGAS_OK)
        memset(pgas_local(plan->node_channels), 0, nbytes);
    return status;
}

/* The number of the side's channel to `node`, which is created if there is none. */
static ptrdiff_t channel_to(pgasi_plan_side_t *side, uint32_t node, row_t row, uint64_t table)
{
    for (size_t c = side->channel_count; c > 0; c--)
        if (side->channels[c - 1].node == node)
            return (ptrdiff_t)(c - 1);
    uint32_t leader = pgasi_nodes.leaders[pgasi_nodes.mine];
    pgasi_plan_node_channel_t *node_channel = pgasi_plan_local(leader, offset_of(table, row, node));
    atomic_fetch_add(&node_channel->threads, 1);
    side->channels[side->channel_count] = (pgasi_plan_channel_t){
        .node = node,
        .leader = leader,
        .remote_leader = pgasi_nodes.leaders[node],
        .node_channel = node_channel,
    };
    return (ptrdiff_t)side->channel_count++;
}

/* Gives a channel to each link to another node. */
static pgas_status_t create_channels(pgas_plan_t *plan, pgasi_plan_side_t *side, row_t row)
{
    size_t most =
        side->link_count < pgasi_nodes.count ? side->link_count : (size_t)pgasi_nodes.count;
    uint64_t table = table_of(plan, pgasi_nodes.leaders[pgasi_nodes.mine]);
    side->channels = pgasi_plan_private_alloc(plan, most, sizeof *side->channels);
    if (side->channels == NULL)
        return PGAS_ERR_NO_MEMORY;
    for (size_t l = 0; l < side->link_count; l++) {
        uint32_t node = pgasi_job.peers[side->links[l].thread].node;
        if (node != pgasi_nodes.mine)
            side->links[l].channel = channel_to(side, node, row, table);
    }
    return PGAS_OK;
}

pgas_status_t pgasi_plan_receive_channels_create(pgas_plan_t *plan)
{
    pgasi_plan_side_t *side = &plan->receive_side;
    pgas_status_t status = create_channels(plan, side, RECEIVE);
    for (size_t l = 0; l < side->link_count && status == PGAS_OK; l++) {
        pgasi_plan_link_t *link = &side->links[l];
        if (link->channel >= 0)
            link->channel_offset =
                atomic_fetch_add(&side->channels[link->channel].node_channel->nbytes,
                                 link->count * plan->layout.elem_size);
    }
    return status;
}

pgas_status_t pgasi_plan_send_channels_create(pgas_plan_t *plan)
{
    return create_channels(plan, &plan->send_side, SEND);
}

/* Allocates two slots for a node channel's messages if they are `needed`. */
static pgas_status_t allocate_slots(pgas_plan_t *plan, uint64_t nbytes, bool needed,
                                    uint64_t *offset)
{
    pgas_ptr_t slots = {0, 0, 0};
    pgas_status_t status = PGAS_OK;
    if (needed)
        status = pgasi_plan_shared_alloc(plan, PGASI_PLAN_SLOTS * pgasi_plan_lines(nbytes), &slots);
    *offset = slots.offset;
    return status;
}

/* A row serves one direction, and with PGAS_PLAN_SCATTER the other one too. */
static pgas_status_t allocate_buffers(pgas_plan_t *plan, row_t row,
                                      pgasi_plan_node_channel_t *node_channel)
{
    bool scatters = (plan->options & PGAS_PLAN_SCATTER) != 0;
    uint64_t nbytes = atomic_load(&node_channel->nbytes);
    pgas_status_t status =
        allocate_slots(plan, nbytes, row == RECEIVE || scatters, &node_channel->receive_buffer);
    if (status == PGAS_OK)
        status = allocate_slots(plan, nbytes, row == SEND || scatters, &node_channel->send_buffer);
    return status;
}

/* Tells the node channel at `remote_end`, of the other node's leader, where this one is. */
static void tell(const pgas_plan_t *plan, row_t row, uint32_t node, uint64_t remote_end)
{
    const pgasi_plan_node_channel_t *node_channel = own_node_channel(plan, row, node);
    pgasi_plan_remote_t told = {
        .end = offset_of(plan->node_channels.offset, row, node),
        .receive_buffer = node_channel->receive_buffer,
        .stride = pgasi_plan_lines(atomic_load(&node_channel->nbytes)),
    };
    pgasi_plan_put(pgasi_nodes.leaders[node],
                   remote_end + offsetof(pgasi_plan_node_channel_t, end.remote), &told,
                   sizeof told);
}

pgas_status_t pgasi_plan_node_channels_request(pgas_plan_t *plan)
{
    for (uint32_t node = 0; pgasi_node_is_leader() && node < pgasi_nodes.count; node++) {
        pgasi_plan_node_channel_t *node_channel = own_node_channel(plan, RECEIVE, node);
        uint64_t nbytes = atomic_load(&node_channel->nbytes);
        if (nbytes == 0)
            continue;
        pgas_status_t status = allocate_buffers(plan, RECEIVE, node_channel);
        if (status != PGAS_OK)
            return status;
        uint32_t leader = pgasi_nodes.leaders[node];
        uint64_t remote_end = offset_of(table_of(plan, leader), SEND, pgasi_nodes.mine);
        pgasi_plan_put(leader, remote_end + offsetof(pgasi_plan_node_channel_t, nbytes), &nbytes,
                       sizeof nbytes);
        tell(plan, RECEIVE, node, remote_end);
    }
    return PGAS_OK;
}

pgas_status_t pgasi_plan_node_channels_reply(pgas_plan_t *plan)
{
    for (uint32_t node = 0; pgasi_node_is_leader() && node < pgasi_nodes.count; node++) {
        pgasi_plan_node_channel_t *node_channel = own_node_channel(plan, SEND, node);
        if (atomic_load(&node_channel->nbytes) == 0)
            continue;
        pgas_status_t status = allocate_buffers(plan, SEND, node_channel);
        if (status != PGAS_OK)
            return status;
        tell(plan, SEND, node, node_channel->end.remote.end);
    }
    return PGAS_OK;
}

static void read_channels(pgasi_plan_side_t *side)
{
    for (size_t c = 0; c < side->channel_count; c++) {
        pgasi_plan_channel_t *channel = &side->channels[c];
        const pgasi_plan_node_channel_t *node_channel = channel->node_channel;
        channel->threads = atomic_load(&node_channel->threads);
        channel->nbytes = atomic_load(&node_channel->nbytes);
        channel->stride = pgasi_plan_lines(channel->nbytes);
        channel->receive_buffer = pgasi_plan_local(channel->leader, node_channel->receive_buffer);
        channel->send_buffer = pgasi_plan_local(channel->leader, node_channel->send_buffer);
        channel->remote = node_channel->end.remote;
    }
}

static pgas_status_t find_node_messages(pgas_plan_t *plan, row_t row, pgasi_plan_side_t *side)
{
    side->node_messages =
        pgasi_plan_private_alloc(plan, pgasi_nodes.count, sizeof *side->node_messages);
    if (side->node_messages == NULL)
        return PGAS_ERR_NO_MEMORY;
    for (uint32_t node = 0; node < pgasi_nodes.count; node++) {
        uint64_t nbytes = atomic_load(&own_node_channel(plan, row, node)->nbytes);
        if (nbytes > 0)
            side->node_messages[side->node_message_count++] =
                (pgasi_plan_node_message_t){.thread = pgasi_nodes.leaders[node], .nbytes = nbytes};
    }
    return PGAS_OK;
}

pgas_status_t pgasi_plan_channels_read(pgas_plan_t *plan)
{
    read_channels(&plan->receive_side);
    read_channels(&plan->send_side);
    if (!pgasi_node_is_leader())
        return PGAS_OK;
    pgas_status_t status = find_node_messages(plan, RECEIVE, &plan->receive_side);
    return status == PGAS_OK ? find_node_messages(plan, SEND, &plan->send_side) : status;
}

static void free_slots(uint64_t offset)
{
    pgas_free((pgas_ptr_t){.thread = pgasi_job.thread, .offset = offset});
}

void pgasi_plan_node_channels_free(const pgas_plan_t *plan)
{
    if (pgas_ptr_is_null(plan->node_channels))
        return;
    for (row_t row = RECEIVE; row <= SEND; row++)
        for (uint32_t node = 0; node < pgasi_nodes.count; node++) {
            const pgasi_plan_node_channel_t *node_channel = own_node_channel(plan, row, node);
            free_slots(node_channel->receive_buffer);
            free_slots(node_channel->send_buffer);
        }
    pgas_free(plan->node_channels);
}
