/* A library of collectives for the slot of coll/library.h, made of the runtime's public calls: each
 * member shows its bytes in shared memory, adds to a counter of all others, reads what it needs
 * when its own counter says that all have, and adds to a second one. It declines sizes at will.
 * Linked to a test of collectives, it serves those that PGAS_COLL gives it. */
#include "coll/library.h"

#include <stdlib.h>
#include <string.h>

#include "check.h"

enum {
    SLOTS = 4,
    MOST = 1 << 17 /* bytes that a member shows */
};

/* A member's shared memory. */
typedef struct area {
    uint64_t shown[SLOTS];
    uint64_t done[SLOTS];
    unsigned char bytes[SLOTS][MOST];
} area_t;

typedef struct members {
    int rank;
    int size;
    uint64_t uses[SLOTS];
    area_t *own;
    pgas_ptr_t areas[];
} members_t;

typedef struct request {
    pgasi_library_call_t call;
    unsigned slot;
    uint64_t expected;
    bool has_read;
} request_t;

static size_t starts;
static size_t teams;

static size_t shown_bytes(const pgasi_library_call_t *call, int size)
{
    bool is_for_each = call->kind == PGASI_KIND_OF_SCATTER || call->kind == PGASI_KIND_OF_ALLTOALL;
    return is_for_each ? call->nbytes * (size_t)size : call->nbytes;
}

static bool serves(const pgasi_library_call_t *call)
{
    const members_t *members = call->of_team;
    return call->nbytes <= MOST && shown_bytes(call, members->size) <= MOST &&
           call->nbytes % 5 != 1;
}

static void *team_create(pgas_team_t *team)
{
    size_t size = (size_t)pgas_team_size(team);
    pgas_ptr_t area;
    members_t *members = calloc(1, sizeof *members + size * sizeof *members->areas);
    CHECK(members != NULL && pgas_alloc(sizeof(area_t), &area) == PGAS_OK);
    members->size = (int)size;
    members->rank = pgas_team_rank(team);
    members->own = pgas_local(area);
    for (int i = 0; i < SLOTS; i++)
        members->own->shown[i] = members->own->done[i] = 0;
    pgas_allgather(team, &area, members->areas, sizeof area);
    teams++;
    return members;
}

static void team_free(void *of_team)
{
    members_t *members = of_team;
    pgas_free(members->areas[members->rank]);
    free(members);
    if (--teams == 0)
        CHECK(starts > 0);
}

static pgas_ptr_t place(const members_t *members, int rank, size_t offset)
{
    return pgas_ptr_shift(members->areas[rank], (ptrdiff_t)offset);
}

/* Adds to a counter of all members. */
static void tell(const members_t *members, size_t counter)
{
    for (int rank = 0; rank < members->size; rank++)
        PGAS_ATOMIC_UPDATE(uint64_t, PGAS_ADD, place(members, rank, counter), 1, PGAS_ACQ_REL);
}

static bool all_have(const members_t *members, size_t counter, uint64_t expected)
{
    return PGAS_ATOMIC_LOAD(uint64_t, place(members, members->rank, counter), PGAS_ACQUIRE) ==
           expected;
}

static bool is_at_root(const pgasi_library_call_t *call)
{
    const members_t *members = call->of_team;
    return (int)call->root == members->rank;
}

static void *start(const pgasi_library_call_t *call)
{
    members_t *members = call->of_team;
    request_t *request = malloc(sizeof *request);
    CHECK(request != NULL);
    unsigned slot = (unsigned)(call->number % SLOTS);
    bool shows = is_at_root(call) ||
                 (call->kind != PGASI_KIND_OF_BROADCAST && call->kind != PGASI_KIND_OF_SCATTER);
    if (shows && call->nbytes > 0)
        memcpy(members->own->bytes[slot], call->src, shown_bytes(call, members->size));
    *request = (request_t){
        .call = *call, .slot = slot, .expected = ++members->uses[slot] * (uint64_t)members->size};
    tell(members, offsetof(area_t, shown) + slot * sizeof(uint64_t));
    starts++;
    return request;
}

/* ---- Reading ---- */

static void get(const request_t *request, void *dst, int rank, size_t from)
{
    size_t offset = offsetof(area_t, bytes) + request->slot * (size_t)MOST + from;
    if (request->call.nbytes > 0)
        pgas_memget(dst, place(request->call.of_team, rank, offset), request->call.nbytes);
}

static void get_all(const request_t *request, size_t from)
{
    const members_t *members = request->call.of_team;
    for (int rank = 0; rank < members->size; rank++)
        get(request, (char *)request->call.dst + (size_t)rank * request->call.nbytes, rank, from);
}

/* From the left: the lower ranks' result is the left operand. */
static void combine(const request_t *request)
{
    const pgasi_library_call_t *call = &request->call;
    const members_t *members = call->of_team;
    void *so_far = malloc(call->nbytes + 1);
    void *next = malloc(call->nbytes + 1);
    CHECK(so_far != NULL && next != NULL);
    get(request, so_far, 0, 0);
    for (int rank = 1; rank < members->size && call->count > 0; rank++) {
        get(request, next, rank, 0);
        pgasi_kernel(call->type, call->op)(so_far, next, call->count, call->type);
        void *result = next;
        next = so_far;
        so_far = result;
    }
    if (call->nbytes > 0)
        memcpy(call->dst, so_far, call->nbytes);
    free(so_far);
    free(next);
}

static void read_result(const request_t *request)
{
    const pgasi_library_call_t *call = &request->call;
    const members_t *members = call->of_team;
    size_t own = (size_t)members->rank * call->nbytes;
    if (call->kind == PGASI_KIND_OF_BROADCAST && !is_at_root(call))
        get(request, call->dst, (int)call->root, 0);
    else if (call->kind == PGASI_KIND_OF_SCATTER)
        get(request, call->dst, (int)call->root, own);
    else if (call->kind == PGASI_KIND_OF_ALLTOALL)
        get_all(request, own);
    else if (call->kind == PGASI_KIND_OF_ALLGATHER ||
             (call->kind == PGASI_KIND_OF_GATHER && is_at_root(call)))
        get_all(request, 0);
    else if (call->kind == PGASI_KIND_OF_ALLREDUCE ||
             (call->kind == PGASI_KIND_OF_REDUCE && is_at_root(call)))
        combine(request);
}

/* A slot is used again when all have read it. */
static bool test(void *argument)
{
    request_t *request = argument;
    const members_t *members = request->call.of_team;
    size_t counter = request->slot * sizeof(uint64_t);
    if (!request->has_read) {
        if (!all_have(members, offsetof(area_t, shown) + counter, request->expected))
            return false;
        read_result(request);
        tell(members, offsetof(area_t, done) + counter);
        request->has_read = true;
    }
    if (!all_have(members, offsetof(area_t, done) + counter, request->expected))
        return false;
    free(request);
    return true;
}

static const pgasi_library_t library = {
    .name = "test",
    .serves = serves,
    .team_create = team_create,
    .team_free = team_free,
    .start = start,
    .test = test,
};

static void __attribute__((constructor)) install(void)
{
    pgasi_library_install(&library);
}
