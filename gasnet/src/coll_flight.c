#include "coll.h"

#include <stdlib.h>

#include <pgas/coll_async.h>
#include <pgas/team.h>

#include "coll_functions.h"
#include "coll_images.h"
#include "coll_meet.h"

/* An operation. */
struct gasneti_coll_operation {
    struct gasneti_coll_operation *next;
    uint64_t number;
    /* Of no other operation, so that a handle that is used again is found out. */
    uintptr_t handle;
    gasneti_coll_move_t move;
    /* Of one of several images: what is done for it; nothing below is used but the last. */
    gasneti_coll_meeting_t *meeting;
    /* The barrier before, a part of the data, and the barrier behind, from when they are started
     * until they are known to be complete. */
    pgas_handle_t entering;
    pgas_handle_t moving;
    pgas_handle_t leaving;
    /* The last part of the data is started. */
    bool has_moved_on;
    bool leaves_together;
    bool has_left;
    /* Without a handle: the next operation's completes it. */
    bool is_aggregated;
};

typedef struct gasneti_coll_operation operation_t;

static pgas_team_t *entering_team;
static pgas_team_t *leaving_team;

/* The operations of a thread that are not synchronised, in the order of their initiation. */
static GASNETI_PER_CLIENT struct {
    operation_t *first;
    operation_t **end;
    uint64_t initiated;
    /* The first whose data are not all started, and the first of those that leave together whose
     * barrier behind is not. */
    operation_t *to_move;
    operation_t *to_leave;
    /* A function of the program is called, which may poll. */
    bool is_computing;
} flight;

/* Of all threads. */
static _Atomic size_t in_flight;
static _Atomic uintptr_t handles_made;

bool gasneti_coll_is_in_flight(void)
{
    return in_flight > 0;
}

/* Ends the job unless node 0 has been given the same images and as many functions. */
static void require_same_init(const char *call)
{
    uint64_t own = UINT64_C(0xcbf29ce484222325) ^ gasneti_coll_functions();
    for (gasnet_node_t node = 0; node <= gasnet_nodes(); node++)
        own = (own ^ gasneti_coll_first_of(node)) * UINT64_C(0x100000001b3);
    uint64_t first = own;
    gasneti_enter();
    pgas_handle_t handle = pgas_broadcast_async(PGAS_TEAM_ALL, &first, sizeof first, 0);
    gasneti_leave();
    gasneti_wait_native(handle);
    if (first != own)
        gasneti_fatal(call, "node 0 has been given other images, or another number of functions");
}

void gasneti_coll_open(const char *call)
{
    gasneti_enter();
    const int me = (int)gasnet_mynode();
    bool done = pgas_team_split(PGAS_TEAM_ALL, 0, me, &entering_team) == PGAS_OK &&
                pgas_team_split(PGAS_TEAM_ALL, 0, me, &leaving_team) == PGAS_OK;
    gasneti_leave();
    if (!done)
        gasneti_fatal(call, "no memory for two teams");
    require_same_init(call);
}

static void check_not_computing(const char *call)
{
    if (flight.is_computing)
        gasneti_fatal(call, "called by a function that a reduction or scan calls");
}

/* Forgets a handle of the runtime that is complete. */
static bool is_complete(pgas_handle_t *handle)
{
    if (!pgas_trysync(*handle))
        return false;
    *handle = PGAS_HANDLE_COMPLETE;
    return true;
}

static bool has_moved(operation_t *operation)
{
    gasneti_coll_move_t *move = &operation->move;
    if (!operation->has_moved_on || !is_complete(&operation->moving))
        return false;
    if (move->finish != NULL)
        move->finish(move);
    move->finish = NULL;
    return true;
}

static bool is_done(operation_t *operation)
{
    if (operation->meeting != NULL)
        return gasneti_coll_is_met(operation->meeting);
    return has_moved(operation) && (!operation->leaves_together ||
                                    (operation->has_left && is_complete(&operation->leaving)));
}

static bool compute(gasneti_coll_move_t *move)
{
    gasneti_leave();
    flight.is_computing = true;
    bool goes_on = move->compute(move);
    flight.is_computing = false;
    gasneti_enter();
    return goes_on;
}

/* Starts what can be started of an operation's data. */
static void move_on(operation_t *operation)
{
    gasneti_coll_move_t *move = &operation->move;
    while (!operation->has_moved_on && is_complete(&operation->entering) &&
           is_complete(&operation->moving)) {
        bool goes_on = move->compute == NULL || compute(move);
        if (goes_on)
            operation->moving = move->start(move);
        operation->has_moved_on = move->compute == NULL || !goes_on;
    }
}

void gasneti_coll_advance(void)
{
    if (flight.is_computing)
        return;
    while (flight.to_move != NULL) {
        move_on(flight.to_move);
        if (!flight.to_move->has_moved_on)
            break;
        flight.to_move = flight.to_move->next;
    }
    while (flight.to_leave != NULL && has_moved(flight.to_leave)) {
        operation_t *operation = flight.to_leave;
        operation->leaving = pgas_team_barrier_async(leaving_team);
        operation->has_left = true;
        do
            flight.to_leave = flight.to_leave->next;
        while (flight.to_leave != NULL && !flight.to_leave->leaves_together);
    }
}

static operation_t *append(const char *call, int flags)
{
    operation_t *operation = gasneti_allocate(call, sizeof *operation);
    *operation = (operation_t){.is_aggregated = (flags & GASNET_COLL_AGGREGATE) != 0};
    in_flight++;
    operation->number = flight.initiated++;
    operation->handle = ++handles_made;
    if (flight.first == NULL)
        flight.end = &flight.first;
    *flight.end = operation;
    flight.end = &operation->next;
    return operation;
}

static gasnet_coll_handle_t handle_of(const operation_t *operation)
{
    // NOLINTNEXTLINE(performance-no-int-to-ptr): a number, which nobody follows
    return operation->is_aggregated ? GASNET_COLL_INVALID_HANDLE
                                    : (gasnet_coll_handle_t)operation->handle;
}

gasnet_coll_handle_t gasneti_coll_start_node(const char *call, const gasneti_coll_move_t *move,
                                             int flags)
{
    operation_t *operation = append(call, flags);
    operation->move = *move;
    operation->leaves_together = (flags & GASNET_COLL_OUT_ALLSYNC) != 0;
    gasneti_enter();
    if ((flags & GASNET_COLL_IN_ALLSYNC) != 0)
        operation->entering = pgas_team_barrier_async(entering_team);
    if (flight.to_move == NULL)
        flight.to_move = operation;
    if (flight.to_leave == NULL && operation->leaves_together)
        flight.to_leave = operation;
    gasneti_coll_advance();
    gasneti_leave();
    return handle_of(operation);
}

gasnet_coll_handle_t gasneti_coll_start(const char *call, const gasneti_coll_move_t *move,
                                        int flags)
{
    check_not_computing(call);
    if (!gasneti_coll_has_images())
        return gasneti_coll_start_node(call, move, flags);
    operation_t *operation = append(call, flags);
    operation->meeting = gasneti_coll_arrive(call, move, flags);
    return handle_of(operation);
}

/* ---- Synchronisation ---- */

/* The operations that a handle completes: its own and those aggregated with it. */
typedef struct group {
    operation_t **first;
    operation_t *last;
} group_t;

/* Among the operations from `*first` on. */
static bool find_group(operation_t **first, gasnet_coll_handle_t handle, group_t *group)
{
    group->first = first;
    for (operation_t *at = *first; at != NULL; at = at->next) {
        group->last = at;
        if (at->handle == (uintptr_t)handle && !at->is_aggregated)
            return true;
        if (!at->is_aggregated)
            group->first = &at->next;
    }
    return false;
}

/* Lists of handles often are in the order of initiation: the search goes on at `*from`, where one
 * group ends and another may begin. */
static group_t group_of(const char *call, gasnet_coll_handle_t handle, operation_t **from)
{
    group_t group;
    check_not_computing(call);
    if (!find_group(from, handle, &group) && !find_group(&flight.first, handle, &group))
        gasneti_fatal(call, "there is no such handle in flight: it has been synchronised already, "
                            "or is another thread's");
    return group;
}

/* Returns what was behind the group. */
static operation_t **drop(group_t group)
{
    operation_t *at = *group.first;
    operation_t *behind = group.last->next;
    *group.first = behind;
    if (behind == NULL)
        flight.end = group.first;
    while (at != behind) {
        operation_t *next = at->next;
        if (at->meeting != NULL)
            gasneti_coll_depart(at->meeting);
        free(at);
        in_flight--;
        at = next;
    }
    return group.first;
}

/* Searches from `*from` on, and moves that behind the group. */
static bool test(const char *call, gasnet_coll_handle_t handle, operation_t ***from)
{
    group_t group = group_of(call, handle, *from);
    gasneti_enter();
    gasneti_coll_advance();
    bool done = true;
    for (operation_t *at = *group.first; done && at != group.last->next; at = at->next)
        done = is_done(at);
    gasneti_leave();
    *from = done ? drop(group) : &group.last->next;
    return done;
}

/* Whether nothing that is to start before the operation's next part waits for this thread. */
static bool is_alone(const operation_t *operation)
{
    return (flight.to_move == NULL || flight.to_move->number >= operation->number) &&
           (flight.to_leave == NULL || flight.to_leave->number >= operation->number);
}

/* Waits in the runtime for the part of an operation that is under way. */
static void wait_for_part(operation_t *operation)
{
    pgas_handle_t *part = &operation->entering;
    if (pgas_handle_is_complete(*part))
        part = operation->has_left ? &operation->leaving : &operation->moving;
    pgas_handle_t handle = *part;
    *part = PGAS_HANDLE_COMPLETE;
    pgas_waitsync(handle);
}

static void wait_for(operation_t *operation)
{
    bool done;
    for (unsigned rounds = 0;;) {
        gasneti_enter();
        gasneti_coll_advance();
        done = is_done(operation);
        bool sleeps = !done && !gasneti_waits_by_testing() && is_alone(operation);
        if (sleeps)
            wait_for_part(operation);
        gasneti_leave();
        if (done)
            return;
        if (operation->meeting != NULL)
            gasneti_coll_pause(operation->meeting, &rounds);
        else if (!sleeps)
            gasneti_pause(&rounds);
    }
}

/* Searches from `from` on; returns what is behind the group. */
static operation_t **wait(const char *call, gasnet_coll_handle_t handle, operation_t **from)
{
    group_t group = group_of(call, handle, from);
    for (operation_t *at = *group.first; at != group.last->next; at = at->next)
        wait_for(at);
    return drop(group);
}

void gasneti_coll_complete(const char *call, const gasneti_coll_move_t *move, int flags)
{
    wait(call, gasneti_coll_start(call, move, flags), &flight.first);
}

#ifndef GASNET_SEQ

void gasneti_coll_release(void)
{
    for (operation_t *at = flight.first; at != NULL; at = at->next)
        wait_for(at);
    if (flight.first != NULL) {
        group_t all = {&flight.first, NULL};
        for (operation_t *at = flight.first; at != NULL; at = at->next)
            all.last = at;
        drop(all);
    }
}

#endif

void gasnet_coll_wait_sync(gasnet_coll_handle_t handle)
{
    if (handle != GASNET_COLL_INVALID_HANDLE)
        wait(__func__, handle, &flight.first);
}

int gasnet_coll_try_sync(gasnet_coll_handle_t handle)
{
    operation_t **from = &flight.first;
    if (handle == GASNET_COLL_INVALID_HANDLE || test(__func__, handle, &from))
        return GASNET_OK;
    return GASNET_ERR_NOT_READY;
}

void gasnet_coll_wait_sync_all(gasnet_coll_handle_t *handles, size_t n)
{
    operation_t **from = &flight.first;
    gasneti_require_list(__func__, handles, n);
    for (size_t i = 0; i < n; i++) {
        if (handles[i] != GASNET_COLL_INVALID_HANDLE)
            from = wait(__func__, handles[i], from);
        handles[i] = GASNET_COLL_INVALID_HANDLE;
    }
}

/* Tries each; how many were in flight before, and how many still are. */
static size_t test_each(const char *call, gasnet_coll_handle_t *handles, size_t n, size_t *before)
{
    operation_t **from = &flight.first;
    size_t after = 0;
    gasneti_require_list(call, handles, n);
    *before = 0;
    for (size_t i = 0; i < n; i++) {
        if (handles[i] == GASNET_COLL_INVALID_HANDLE)
            continue;
        ++*before;
        if (test(call, handles[i], &from))
            handles[i] = GASNET_COLL_INVALID_HANDLE;
        else
            after++;
    }
    return after;
}

static bool test_some(const char *call, gasnet_coll_handle_t *handles, size_t n)
{
    size_t before;
    size_t after = test_each(call, handles, n, &before);
    return before == 0 || after < before;
}

int gasnet_coll_try_sync_all(gasnet_coll_handle_t *handles, size_t n)
{
    size_t before;
    return test_each(__func__, handles, n, &before) == 0 ? GASNET_OK : GASNET_ERR_NOT_READY;
}

int gasnet_coll_try_sync_some(gasnet_coll_handle_t *handles, size_t n)
{
    return test_some(__func__, handles, n) ? GASNET_OK : GASNET_ERR_NOT_READY;
}

void gasnet_coll_wait_sync_some(gasnet_coll_handle_t *handles, size_t n)
{
    for (unsigned rounds = 0; !test_some(__func__, handles, n);)
        gasneti_pause(&rounds);
}
