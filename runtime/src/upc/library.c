/* Beginning, end, handles, teams and checks of "UPC Collectives Library 2.0". */
#include "upc/library.h"

#include <stdint.h>
#include <stdlib.h>

#include <pgas/detail.h>
#include <pgas/job.h>
#include <pgas/ptr.h>

#include "base/in_job.h"
#include "base/log.h"
#include "coll/run.h"
#include "shm/guard.h"
#include "upc/copies.h"

enum {
    IN = UPC_IN_NOSYNC | UPC_IN_MYSYNC | UPC_IN_ALLSYNC,
    OUT = UPC_OUT_NOSYNC | UPC_OUT_MYSYNC | UPC_OUT_ALLSYNC
};

static enum {
    NEW,
    INITIALIZED,
    FINALIZED
} state;

/* The teams that upccoll_team_split has made. Attached threads may look them up meanwhile. */
static pgas_team_t **teams;
static size_t teams_count;
static pgasi_guard_t guard;

bool pgasi_upc_is_initialized(void)
{
    return state == INITIALIZED && pgasi_is_in_job;
}

/* NOLINTNEXTLINE(readability-non-const-parameter): the document's. */
upccoll_return_t upccoll_initialize(int *argc, char ***argv)
{
    (void)argc;
    (void)argv;
    if (state != NEW || !pgasi_is_in_job)
        return UPCCOLL_ERROR_UNINITIALIZED;
    state = INITIALIZED;
    return UPCCOLL_SUCCESS;
}

upccoll_return_t upccoll_finalize(void)
{
    if (!pgasi_upc_is_initialized())
        return UPCCOLL_ERROR_UNINITIALIZED;
    pgasi_upc_flights_wait(false);
    pgas_team_barrier(PGAS_TEAM_ALL);
    state = FINALIZED;
    pgasi_guard_lock(&guard);
    free(teams);
    teams = NULL;
    teams_count = 0;
    pgasi_guard_unlock(&guard);
    return UPCCOLL_SUCCESS;
}

/* ---- Teams ---- */

/* The guard is held. */
static size_t find_team(const pgas_team_t *team)
{
    size_t i = 0;
    while (i < teams_count && teams[i] != team)
        i++;
    return i;
}

static bool is_team(const pgas_team_t *team)
{
    pgasi_guard_lock(&guard);
    bool is_there = find_team(team) < teams_count;
    pgasi_guard_unlock(&guard);
    return is_there;
}

static bool add_team(pgas_team_t *team)
{
    pgasi_guard_lock(&guard);
    /* NOLINTNEXTLINE(bugprone-sizeof-expression): pointers. */
    pgas_team_t **more = realloc(teams, (teams_count + 1) * sizeof *more);
    if (more != NULL) {
        teams = more;
        teams[teams_count++] = team;
    }
    pgasi_guard_unlock(&guard);
    return more != NULL;
}

static bool remove_team(const pgas_team_t *team)
{
    pgasi_guard_lock(&guard);
    size_t i = find_team(team);
    bool was_there = i < teams_count;
    if (was_there)
        teams[i] = teams[--teams_count];
    pgasi_guard_unlock(&guard);
    return was_there;
}

/* Begins a call that has no flags, and checks its team. */
static pgasi_upc_call_t begin(upccoll_team_t team)
{
    pgasi_upc_call_t call = {.team = team};
    if (!pgasi_upc_is_initialized())
        call.error = UPCCOLL_ERROR_UNINITIALIZED;
    else if (team == NULL || (team != UPC_TEAM_ALL && !is_team(team)))
        call.error = UPCCOLL_ERROR_TEAM;
    return call;
}

upccoll_return_t upccoll_team_rank(upccoll_team_t team, int *rank)
{
    pgasi_upc_call_t call = begin(team);
    if (rank == NULL)
        pgasi_upc_fail(&call, UPCCOLL_ERROR);
    if (call.error == UPCCOLL_SUCCESS)
        *rank = pgas_team_rank(call.team);
    return call.error;
}

upccoll_return_t upccoll_team_size(upccoll_team_t team, int *size)
{
    pgasi_upc_call_t call = begin(team);
    if (size == NULL)
        pgasi_upc_fail(&call, UPCCOLL_ERROR);
    if (call.error == UPCCOLL_SUCCESS)
        *size = pgas_team_size(call.team);
    return call.error;
}

upccoll_return_t upccoll_team_split(upccoll_team_t team, int color, int key,
                                    upccoll_team_t *newteam)
{
    pgasi_upc_call_t call = begin(team);
    if (newteam == NULL)
        pgasi_upc_fail(&call, UPCCOLL_ERROR);
    if (call.error != UPCCOLL_SUCCESS)
        return call.error;
    pgas_team_t *made;
    if (pgas_team_split(call.team, color, key, &made) != PGAS_OK)
        return UPCCOLL_ERROR_MALLOC;
    if (made != NULL && !add_team(made))
        pgasi_fatal(__func__, "no memory for a team");
    *newteam = made;
    return UPCCOLL_SUCCESS;
}

void upccoll_team_free(upccoll_team_t team)
{
    if (!remove_team(team))
        pgasi_fatal(__func__, "this is no team of upccoll_team_split, or is freed already");
    pgas_team_free(team);
}

/* ---- Checks ---- */

void pgasi_upc_fail(pgasi_upc_call_t *call, upccoll_return_t error)
{
    if (call->error == UPCCOLL_SUCCESS)
        call->error = error;
}

static bool is_several(upccoll_flag_t flags)
{
    return (flags & (flags - 1)) != 0;
}

pgasi_upc_call_t pgasi_upc_call(upccoll_team_t team, upccoll_flag_t flags, upccoll_handle_t *handle)
{
    pgasi_upc_call_t call = begin(team);
    call.flags = flags;
    call.handle = handle;
    if ((flags & ~(IN | OUT | UPC_ASYNC_FENCE)) != 0 || is_several(flags & IN) ||
        is_several(flags & OUT))
        pgasi_upc_fail(&call, UPCCOLL_ERROR_FLAGS);
    return call;
}

bool pgasi_upc_is_root(pgasi_upc_call_t *call, int root)
{
    if (call->error != UPCCOLL_SUCCESS)
        return false;
    if (root < 0 || root >= pgas_team_size(call->team))
        pgasi_upc_fail(call, UPCCOLL_ERROR_ROOT);
    return root == pgas_team_rank(call->team);
}

size_t pgasi_upc_bytes(pgasi_upc_call_t *call, size_t count, upccoll_dtype_t dt,
                       upccoll_return_t bad_count, upccoll_return_t bad_type)
{
    size_t nbytes = 0;
    pgas_datatype_t type = pgasi_upc_datatype(dt);
    if (type < 0)
        pgasi_upc_fail(call, bad_type);
    else if (__builtin_mul_overflow(count, pgas_datatype_size(type), &nbytes))
        pgasi_upc_fail(call, bad_count);
    return nbytes;
}

size_t pgasi_upc_for_all(pgasi_upc_call_t *call, size_t nbytes, upccoll_return_t error)
{
    size_t all;
    if (call->error != UPCCOLL_SUCCESS)
        return 0;
    if (__builtin_mul_overflow(nbytes, (size_t)pgas_team_size(call->team), &all))
        pgasi_upc_fail(call, error);
    return all;
}

void *pgasi_upc_buffer(pgasi_upc_call_t *call, pgas_ptr_t buffer, size_t nbytes,
                       upccoll_return_t error)
{
    if (nbytes == 0 || call->error != UPCCOLL_SUCCESS)
        return NULL;
    if (pgas_threadof(buffer) != pgas_mythread() || !pgasi_is_in_heap(buffer, nbytes)) {
        pgasi_upc_fail(call, error);
        return NULL;
    }
    return pgas_local(buffer);
}

void pgasi_upc_check_apart(pgasi_upc_call_t *call, const void *send, size_t send_bytes,
                           const void *recv, size_t recv_bytes, bool may_be_same)
{
    if (send_bytes == 0 || recv_bytes == 0 || (may_be_same && send == recv))
        return;
    uintptr_t a = (uintptr_t)send;
    uintptr_t b = (uintptr_t)recv;
    if (a < b + recv_bytes && b < a + send_bytes)
        pgasi_upc_fail(call, UPCCOLL_ERROR_RECVBUF);
}

/* What the collective needs while it runs lies where it outlives the call. */
bool pgasi_upc_start(pgasi_upc_call_t *call)
{
    bool is_fenced = (call->flags & UPC_ASYNC_FENCE) != 0;
    if (call->error == UPCCOLL_SUCCESS && (is_fenced || call->handle != NULL)) {
        call->flight = pgasi_upc_flight_open(is_fenced);
        if (call->flight == NULL)
            pgasi_upc_fail(call, UPCCOLL_ERROR_MALLOC);
    }
    if (call->error != UPCCOLL_SUCCESS)
        return false;
    if (call->flight != NULL) {
        call->flight->own = call->own;
        call->flight->memory[0] = call->memory[0];
        call->flight->memory[1] = call->memory[1];
    }
    call->extra.meets_first = (call->flags & UPC_IN_ALLSYNC) != 0;
    call->extra.meets_last = (call->flags & UPC_OUT_ALLSYNC) != 0;
    call->extra.context = call->flight != NULL ? &call->flight->own : &call->own;
    pgasi_coll_add(&call->extra);
    return true;
}

upccoll_return_t pgasi_upc_finish(pgasi_upc_call_t *call)
{
    bool is_waited = call->flight != NULL && !call->flight->is_fenced;
    pgasi_coll_add(&(pgasi_coll_extra_t){.context = NULL}); /* a barrier takes nothing */
    if (call->handle != NULL)
        *call->handle = is_waited ? pgasi_upc_flight_handle(call->flight) : UPCCOLL_INVALID_HANDLE;
    if (call->flight == NULL) {
        free(call->memory[0]);
        free(call->memory[1]);
    }
    return call->error;
}
