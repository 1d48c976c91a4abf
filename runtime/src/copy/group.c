#include "copy/group.h"

#include <stdlib.h>

#include <pgas/detail.h>

#include "copy/in_flight.h"
#include "sync/background.h"

/* Marks the handle of a group, which has the group's index in the table. The network's handles
 * never set this bit. */
#define IS_GROUP ((uint64_t)1 << 62)

enum {
    INDEX_BITS = 24
};

#define INDEX_MASK (((uint64_t)1 << INDEX_BITS) - 1)

/* Where a group has the last put to a thread and the last get from it. A later put to the thread
 * completes after the earlier ones, and gets that travel together have one handle. */
typedef struct latest {
    uint64_t epoch;
    size_t put;
    size_t get;
} latest_t;

#define NONE ((size_t)-1)

static _Thread_local latest_t *latest;
static _Thread_local uint64_t last_epoch;

static _Thread_local pgasi_group_t *groups;
static _Thread_local size_t groups_size;
/* Free groups form a list: `count` is the index of the next one. */
static _Thread_local size_t free_group = NONE;

static void *grow(void *memory, size_t count, size_t size)
{
    void *grown = realloc(memory, count * size);
    if (grown == NULL)
        pgasi_fatal("copy", "no memory for %zu copies in flight", count);
    return grown;
}

/* Keeps what is not known to be complete. */
static void drop_complete(pgasi_group_t *group)
{
    size_t kept = 0;
    for (size_t i = 0; i < group->count; i++)
        if (!pgasi_in_flight_is_done(group->handles[i]))
            group->handles[kept++] = group->handles[i];
    if (kept < group->count)
        group->epoch = 0; /* `latest` is out of date */
    group->count = kept;
}

static void append(pgasi_group_t *group, pgasi_net_handle_t handle)
{
    if (group->count == group->size) {
        drop_complete(group);
        if (2 * group->count >= group->size) {
            group->size = group->size == 0 ? 8 : 2 * group->size;
            group->handles = grow(group->handles, group->size, sizeof *group->handles);
        }
    }
    group->handles[group->count++] = handle;
}

static void restart(pgasi_group_t *group)
{
    group->count = 0;
    group->epoch = 0;
}

static latest_t *latest_of(pgasi_group_t *group, uint32_t thread)
{
    if (latest == NULL) {
        latest = calloc(pgasi_job.threads, sizeof *latest);
        if (latest == NULL)
            pgasi_fatal("copy", "no memory for a table of %u threads", pgasi_job.threads);
    }
    if (group->epoch == 0)
        group->epoch = ++last_epoch;
    if (latest[thread].epoch != group->epoch)
        latest[thread] = (latest_t){.epoch = group->epoch, .put = NONE, .get = NONE};
    return &latest[thread];
}

void pgasi_group_add(pgasi_group_t *group, uint32_t thread, pgasi_net_handle_t handle)
{
    if (handle.bits == 0)
        return;
    latest_t *last = latest_of(group, thread);
    bool is_put = pgasi_net_is_put(handle);
    size_t at = is_put ? last->put : last->get;
    if (at != NONE && (is_put || group->handles[at].bits == handle.bits)) {
        group->handles[at] = handle;
        return;
    }
    append(group, handle);
    last = latest_of(group, thread); /* append may have started a new epoch */
    if (is_put)
        last->put = group->count - 1;
    else
        last->get = group->count - 1;
}

void pgasi_group_append(pgasi_group_t *group, pgas_handle_t handle)
{
    if (handle.bits != 0)
        append(group, (pgasi_net_handle_t){handle.bits});
}

void pgasi_group_flush(const pgasi_group_t *group)
{
    for (size_t i = 0; i < group->count; i++)
        pgasi_in_flight_flush(group->handles[i]);
}

bool pgasi_group_is_done(const pgasi_group_t *group)
{
    for (size_t i = 0; i < group->count; i++)
        if (!pgasi_in_flight_is_done(group->handles[i]))
            return false;
    return true;
}

bool pgasi_group_test(pgasi_group_t *group)
{
    if (group->count == 0)
        return true;
    pgasi_group_flush(group);
    pgasi_in_flight_test(group->handles[0]);
    pgasi_background_progress(false);
    drop_complete(group);
    return group->count == 0;
}

void pgasi_group_wait(pgasi_group_t *group)
{
    pgasi_group_flush(group);
    for (size_t i = 0; i < group->count; i++)
        pgasi_in_flight_wait(group->handles[i]);
    restart(group);
}

static void grow_groups(void)
{
    size_t size = groups_size == 0 ? 16 : 2 * groups_size;
    if (size > INDEX_MASK)
        pgasi_fatal("copy", "%zu groups of copies in flight are too many", groups_size);
    groups = grow(groups, size, sizeof *groups);
    for (size_t i = groups_size; i < size; i++)
        groups[i] = (pgasi_group_t){.count = i + 1 < size ? i + 1 : free_group};
    free_group = groups_size;
    groups_size = size;
}

pgas_handle_t pgasi_group_to_handle(pgasi_group_t *group)
{
    if (group->count <= 1) {
        pgas_handle_t handle = {group->count == 0 ? 0 : group->handles[0].bits};
        restart(group);
        return handle;
    }
    if (free_group == NONE)
        grow_groups();
    size_t index = free_group;
    pgasi_group_t *slot = &groups[index];
    free_group = slot->count;
    pgasi_group_t memory = *slot;
    *slot = *group;
    *group = (pgasi_group_t){.handles = memory.handles, .size = memory.size};
    return (pgas_handle_t){IS_GROUP | index};
}

pgasi_group_t *pgasi_group_of(pgas_handle_t handle)
{
    bool is_group = (handle.bits & IS_GROUP) != 0 && (handle.bits >> 63) == 0;
    return is_group ? &groups[handle.bits & INDEX_MASK] : NULL;
}

void pgasi_group_release(pgas_handle_t handle)
{
    size_t index = handle.bits & INDEX_MASK;
    restart(&groups[index]);
    groups[index].count = free_group;
    free_group = index;
}

void pgasi_group_free(pgasi_group_t *group)
{
    free(group->handles);
    *group = (pgasi_group_t){0};
}

void pgasi_group_detach(void)
{
    for (size_t i = 0; i < groups_size; i++)
        free(groups[i].handles);
    free(groups);
    free(latest);
    groups = NULL;
    latest = NULL;
    groups_size = 0;
    free_group = NONE;
}
