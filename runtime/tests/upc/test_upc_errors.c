/**
 * The error codes of "UPC Collectives Library 2.0": every function with every argument wrong, one
 * at a time, returns the document's code, writes nothing, and works with the right ones afterwards,
 * blocking and behind a handle. On a team of the caller alone, on which each side matters.
 */
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include <pgas/upc_coll_names.h>

#include "check.h"

enum {
    COUNT = 4,
    BAD = 99
};

/* What a function has. */
enum {
    SEND_COUNT = 1 << 0,
    SEND_COUNTS = 1 << 1,
    RECV_COUNT = 1 << 2,
    RECV_COUNTS = 1 << 3,
    ROOT = 1 << 4,
    COMBINES = 1 << 5,
    IN_PLACE = 1 << 6,
    /* Buffers that overlap end the debug build. */
    MAY_OVERLAP = 1 << 7,
    ANY = 0
};

typedef struct args {
    pgas_ptr_t send;
    pgas_ptr_t recv;
    size_t send_count;
    size_t recv_count;
    const size_t *send_counts;
    const size_t *send_displs;
    const size_t *recv_counts;
    const size_t *recv_displs;
    upccoll_dtype_t send_type;
    upccoll_dtype_t recv_type;
    upccoll_op_t op;
    int root;
    upccoll_team_t team;
    upccoll_flag_t flags;
    upccoll_handle_t *handle;
} args_t;

#define END a->team, a->flags, a->handle
#define SEND_ONE a->send, a->send_count, a->send_type
#define SEND_EACH a->send, a->send_counts, a->send_displs, a->send_type
#define RECV_ONE a->recv, a->recv_count, a->recv_type
#define RECV_EACH a->recv, a->recv_counts, a->recv_displs, a->recv_type
#define COMBINED a->send, a->recv, a->send_count, a->send_type, a->op

#define FUNCTION(name, ...) \
    static upccoll_return_t call_##name(const args_t *a) \
    { \
        return upccoll_##name(__VA_ARGS__); \
    }

FUNCTION(bcast, SEND_ONE, RECV_ONE, a->root, END)
FUNCTION(scatter, SEND_ONE, RECV_ONE, a->root, END)
FUNCTION(scatterv, SEND_EACH, RECV_ONE, a->root, END)
FUNCTION(gather, SEND_ONE, RECV_ONE, a->root, END)
FUNCTION(gatherv, SEND_ONE, RECV_EACH, a->root, END)
FUNCTION(allgather, SEND_ONE, RECV_ONE, END)
FUNCTION(allgatherv, SEND_ONE, RECV_EACH, END)
FUNCTION(alltoall, SEND_ONE, RECV_ONE, END)
FUNCTION(alltoallv, SEND_EACH, RECV_EACH, END)
FUNCTION(reduce, COMBINED, a->root, END)
FUNCTION(allreduce, COMBINED, END)
FUNCTION(reduce_scatter, a->send, a->recv, a->recv_counts, a->send_type, a->op, END)
FUNCTION(scan, COMBINED, END)
FUNCTION(scan_inclusive, COMBINED, END)

static const struct {
    const char *name;
    upccoll_return_t (*call)(const args_t *args);
    unsigned has;
} functions[] = {
    {"bcast", call_bcast, SEND_COUNT | RECV_COUNT | ROOT | IN_PLACE},
    {"scatter", call_scatter, SEND_COUNT | RECV_COUNT | ROOT},
    {"scatterv", call_scatterv, SEND_COUNTS | RECV_COUNT | ROOT},
    {"gather", call_gather, SEND_COUNT | RECV_COUNT | ROOT},
    {"gatherv", call_gatherv, SEND_COUNT | RECV_COUNTS | ROOT},
    {"allgather", call_allgather, SEND_COUNT | RECV_COUNT},
    {"allgatherv", call_allgatherv, SEND_COUNT | RECV_COUNTS},
    {"alltoall", call_alltoall, SEND_COUNT | RECV_COUNT},
    {"alltoallv", call_alltoallv, SEND_COUNTS | RECV_COUNTS | MAY_OVERLAP},
    {"reduce", call_reduce, COMBINES | ROOT | IN_PLACE},
    {"allreduce", call_allreduce, COMBINES | IN_PLACE},
    {"reduce_scatter", call_reduce_scatter, COMBINES | RECV_COUNTS},
    {"scan", call_scan, COMBINES | IN_PLACE},
    {"scan_inclusive", call_scan_inclusive, COMBINES | IN_PLACE},
};

static size_t function;
static args_t right;
static const long *sent;
static long *got;

static bool has(unsigned what)
{
    return (functions[function].has & what) != 0;
}

/* The handle is UPCCOLL_INVALID_HANDLE afterwards, and nothing was written. */
static void fails(upccoll_return_t error, args_t args)
{
    upccoll_handle_t handle = &function;
    for (int i = 0; i < 2; i++) {
        memset(got, 0x5a, COUNT * sizeof *got);
        args.handle = i == 0 ? NULL : &handle;
        upccoll_return_t found = functions[function].call(&args);
        if (found != error)
            pgas_fail(1, "upccoll_%s returns %d, not %d", functions[function].name, found, error);
        for (size_t k = 0; k < COUNT; k++)
            CHECK(got[k] == 0x5a5a5a5a5a5a5a5a);
    }
    if (handle != UPCCOLL_INVALID_HANDLE)
        pgas_fail(1, "upccoll_%s sets a handle with %d", functions[function].name, error);
}

static void works(void)
{
    memset(got, 0x5a, COUNT * sizeof *got);
    CHECK(functions[function].call(&right) == UPCCOLL_SUCCESS);
    bool is_exclusive = functions[function].call == call_scan;
    for (size_t k = 0; k < COUNT; k++)
        CHECK(got[k] == (is_exclusive ? 0 : sent[k]));
}

/* Expects `error` of a call that has `what`, all others right. */
#define WRONG(what, error, member, value) \
    do { \
        args_t args = right; \
        args.member = value; \
        if ((what) == ANY || has(what)) \
            fails(error, args); \
    } while (0)

static void common_errors(void)
{
    pgas_ptr_t null = pgas_ptr_null();
    WRONG(ANY, UPCCOLL_ERROR_TEAM, team, NULL);
    WRONG(ANY, UPCCOLL_ERROR_TEAM, team, &function);
    WRONG(ANY, UPCCOLL_ERROR_FLAGS, flags, UPC_IN_NOSYNC | UPC_IN_ALLSYNC);
    WRONG(ANY, UPCCOLL_ERROR_FLAGS, flags, UPC_OUT_MYSYNC | UPC_OUT_NOSYNC);
    WRONG(ANY, UPCCOLL_ERROR_FLAGS, flags, 128);
    WRONG(ANY, UPCCOLL_ERROR_SENDBUF, send, null);
    WRONG(ANY, UPCCOLL_ERROR_RECVBUF, recv, null);
    /* In the segment, before the heap. */
    pgas_ptr_t below = pgas_ptr_shift(pgas_ptr_on(null, pgas_mythread()), 2 << 20);
    WRONG(ANY, UPCCOLL_ERROR_SENDBUF, send, below);
    WRONG(ANY, UPCCOLL_ERROR_RECVBUF, recv, below);
    if (!has(MAY_OVERLAP))
        WRONG(ANY, UPCCOLL_ERROR_RECVBUF, recv, pgas_ptr_shift(right.send, sizeof(long)));
    if (pgas_threads() > 1) {
        int other = (pgas_mythread() + 1) % pgas_threads();
        WRONG(ANY, UPCCOLL_ERROR_SENDBUF, send, pgas_ptr_on(right.send, other));
        WRONG(ANY, UPCCOLL_ERROR_RECVBUF, recv, pgas_ptr_on(right.recv, other));
    }
    if (!has(IN_PLACE | MAY_OVERLAP))
        WRONG(ANY, UPCCOLL_ERROR_RECVBUF, recv, right.send);
    WRONG(ROOT, UPCCOLL_ERROR_ROOT, root, 1);
    WRONG(ROOT, UPCCOLL_ERROR_ROOT, root, -1);
}

static void moving_errors(void)
{
    static const size_t beyond[] = {SIZE_MAX / 4};
    static const size_t back[] = {SIZE_MAX / sizeof(long)};
    WRONG(SEND_COUNT | SEND_COUNTS, UPCCOLL_ERROR_SENDTYPE, send_type, BAD);
    WRONG(SEND_COUNT | SEND_COUNTS, UPCCOLL_ERROR_SENDTYPE, send_type, -1);
    WRONG(RECV_COUNT | RECV_COUNTS, UPCCOLL_ERROR_RECVTYPE, recv_type, BAD);
    WRONG(SEND_COUNT, UPCCOLL_ERROR_SENDCNTS, send_count, SIZE_MAX);
    WRONG(RECV_COUNT, UPCCOLL_ERROR_RECVCNTS, recv_count, SIZE_MAX);
    WRONG(RECV_COUNT, UPCCOLL_ERROR_RECVCNTS, recv_count, COUNT - 1);
    WRONG(SEND_COUNTS, UPCCOLL_ERROR_SENDCNTS, send_counts, NULL);
    WRONG(SEND_COUNTS, UPCCOLL_ERROR_SENDCNTS, send_counts, beyond);
    WRONG(SEND_COUNTS, UPCCOLL_ERROR_SDISPLS, send_displs, NULL);
    WRONG(SEND_COUNTS, UPCCOLL_ERROR_SDISPLS, send_displs, beyond);
    WRONG(SEND_COUNTS, UPCCOLL_ERROR_SDISPLS, send_displs, back);
    WRONG(RECV_COUNTS, UPCCOLL_ERROR_RECVCNTS, recv_counts, NULL);
    WRONG(RECV_COUNTS, UPCCOLL_ERROR_RECVCNTS, recv_counts, beyond);
    WRONG(RECV_COUNTS, UPCCOLL_ERROR_RDISPLS, recv_displs, NULL);
    WRONG(RECV_COUNTS, UPCCOLL_ERROR_RDISPLS, recv_displs, beyond);
    WRONG(RECV_COUNTS, UPCCOLL_ERROR_RDISPLS, recv_displs, back);
}

static void combining_errors(void)
{
    WRONG(ANY, UPCCOLL_ERROR_DATATYPE, send_type, BAD);
    WRONG(ANY, UPCCOLL_ERROR_UPC_OP, op, BAD);
    WRONG(ANY, UPCCOLL_ERROR_UPC_OP, op, UPC_MINLOC);
    WRONG(ANY, UPCCOLL_ERROR_UPC_OP, op, UPC_FUNC);
    if (has(RECV_COUNTS)) {
        WRONG(ANY, UPCCOLL_ERROR_RECVCNTS, recv_counts, NULL);
        return;
    }
    WRONG(ANY, UPCCOLL_ERROR_COUNT, send_count, SIZE_MAX);
}

static void types(void)
{
    static const size_t sizes[] = {
        1,
        1,
        1,
        sizeof(short),
        sizeof(short),
        sizeof(int),
        sizeof(int),
        sizeof(long),
        sizeof(long),
        sizeof(long long),
        sizeof(long long),
        sizeof(float),
        sizeof(double),
        sizeof(long double),
        2 * sizeof(float),
        2 * sizeof(double),
        2 * sizeof(long double),
        2 * sizeof(float),
        2 * sizeof(double),
        2 * sizeof(long),
        2 * sizeof(int),
        2 * sizeof(int),
        2 * sizeof(long double),
    };
    size_t nbytes = 77;
    for (size_t dt = 0; dt < sizeof sizes / sizeof *sizes; dt++) {
        CHECK(upccoll_type_size((upccoll_dtype_t)dt, &nbytes) == UPCCOLL_SUCCESS);
        CHECK(nbytes == sizes[dt]);
    }
    CHECK(upccoll_type_size(UPC_LONG_DOUBLE_INT + 1, &nbytes) == UPCCOLL_ERROR_DATATYPE);
    CHECK(upccoll_type_size(-1, &nbytes) == UPCCOLL_ERROR_DATATYPE && nbytes == sizes[22]);
    CHECK(upccoll_type_size(UPC_INT, NULL) == UPCCOLL_ERROR);
}

static void nothing(void *in, void *inout, size_t len, upccoll_dtype_t dt)
{
    (void)in, (void)inout, (void)len, (void)dt;
}

/* Numbers of freed operations are given again, and only those. */
static void operations(void)
{
    enum {
        MANY = 1000
    };
    static upccoll_op_t ops[MANY];
    static bool is_given[2 * MANY];
    for (int i = 0; i < MANY; i++) {
        CHECK(upccoll_op_create(nothing, i % 2, &ops[i]) == UPCCOLL_SUCCESS);
        CHECK(ops[i] >= UPC_PREDEFINED_OPS && ops[i] < UPC_PREDEFINED_OPS + MANY);
        CHECK(!is_given[ops[i]]);
        is_given[ops[i]] = true;
    }
    for (int i = 0; i < MANY; i += 3) {
        CHECK(upccoll_op_free(ops[i]) == UPCCOLL_SUCCESS);
        CHECK(upccoll_op_free(ops[i]) == UPCCOLL_ERROR_UPC_OP);
        is_given[ops[i]] = false;
    }
    for (int i = 0; i < MANY; i += 3) {
        CHECK(upccoll_op_create(nothing, 1, &ops[i]) == UPCCOLL_SUCCESS);
        CHECK(ops[i] < UPC_PREDEFINED_OPS + MANY && !is_given[ops[i]]);
        is_given[ops[i]] = true;
    }
    for (int i = 0; i < MANY; i++)
        CHECK(upccoll_op_free(ops[i]) == UPCCOLL_SUCCESS);
}

int main(void)
{
    static const size_t counts[] = {COUNT};
    static const size_t displs[] = {0};
    pgas_ptr_t buffers;
    CHECK(pgas_init() == PGAS_OK);
    CHECK(upccoll_initialize(NULL, NULL) == UPCCOLL_SUCCESS);
    CHECK(pgas_all_alloc((size_t)pgas_threads(), 4 * sizeof(long) * COUNT, &buffers) == PGAS_OK);
    right = (args_t){.send = pgas_ptr_on(buffers, pgas_mythread()),
                     .send_count = COUNT,
                     .recv_count = COUNT,
                     .send_counts = counts,
                     .send_displs = displs,
                     .recv_counts = counts,
                     .recv_displs = displs,
                     .send_type = UPC_LONG,
                     .recv_type = UPC_LONG,
                     .op = UPC_ADD};
    right.recv = pgas_ptr_shift(right.send, 2 * sizeof(long) * COUNT);
    CHECK(upccoll_team_split(UPC_TEAM_ALL, pgas_mythread(), 0, &right.team) == UPCCOLL_SUCCESS);
    long *mine = pgas_local(right.send);
    for (int i = 0; i < COUNT; i++)
        mine[i] = 1000L * pgas_mythread() + i;
    sent = mine;
    got = pgas_local(right.recv);
    for (function = 0; function < sizeof functions / sizeof *functions; function++) {
        works();
        common_errors();
        if (has(COMBINES))
            combining_errors();
        else
            moving_errors();
        works();
    }
    types();
    operations();
    upccoll_team_free(right.team);
    CHECK(upccoll_finalize() == UPCCOLL_SUCCESS);
    for (function = 0; function < sizeof functions / sizeof *functions; function++)
        fails(UPCCOLL_ERROR_UNINITIALIZED, right);
    pgas_finalize();
    return 0;
}
