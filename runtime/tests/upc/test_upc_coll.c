/**
 * "UPC Collectives Library 2.0": every function against a plain computation, on teams of all
 * shapes, with different types on both sides, the table of types and operations, and every error
 * that a call returns.
 *
 * Members call in different forms: blocking, with a handle that is waited for or tested, and for a
 * fence (test_upc_flight.c has what is in flight for longer).
 *
 * Orders that must do no harm:
 *   - a member enters late: with UPC_IN_ALLSYNC another one writes its data until then, with
 *     UPC_OUT_ALLSYNC the others find what it gets when they return
 *   - arguments that are ignored are garbage
 *   - a call that returns an error has done nothing, and the next one works
 */
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include <pgas/upc_coll_names.h>

#include "check.h"
#include "job_random.h"

#include "coll/team_shapes.h"

enum {
    ROUNDS = 150,
    MOST = 700, /* longs in a block */
    AREA = MOST_THREADS * MOST * (int)sizeof(long)
};

static const pgas_ptr_t garbage = {.thread = 77777, .phase = 1, .offset = 5};
static const upccoll_dtype_t no_type = 99;

/* The calling thread's buffers. */
static pgas_ptr_t src;
static pgas_ptr_t dst;
static long *sent;
static long *got;

typedef struct round {
    upccoll_team_t team;
    int rank;
    int size;
    int root;
    size_t count;
    long seed;
    upccoll_flag_t flags;
} round_t;

/* What `from` sends to `to`; -1: to all. */
static long value_of(const round_t *round, int from, int to, size_t i)
{
    return round->seed + 1000003L * from + 7919L * to + (long)i * 31;
}

static void fill(const round_t *round, size_t at, int from, int to, size_t count)
{
    for (size_t i = 0; i < count; i++)
        sent[at + i] = value_of(round, from, to, i);
}

static void check(const round_t *round, size_t at, int from, int to, size_t count)
{
    for (size_t i = 0; i < count; i++)
        CHECK(got[at + i] == value_of(round, from, to, i));
}

/* ---- Forms of calls: each member has its own ---- */

static enum form {
    BLOCKING,
    WAITED,
    TESTED,
    FENCED,
    FENCED_WITH_HANDLE,
    FORMS
} form;

static upccoll_handle_t given;

static upccoll_flag_t form_flags(void)
{
    return form >= FENCED ? UPC_ASYNC_FENCE : 0;
}

static upccoll_handle_t *form_handle(void)
{
    given = &form;
    return form == BLOCKING || form == FENCED ? NULL : &given;
}

/* A test that succeeds means that data are there, and the handle is still to be waited for. */
static void complete(void)
{
    if (form == WAITED || form == TESTED) {
        CHECK(given != UPCCOLL_INVALID_HANDLE && given != &form);
        while (form == TESTED && upccoll_test(given) == 0)
            pgas_poll();
        CHECK(form != TESTED || upccoll_test(given) == 1);
        upccoll_wait(given);
    } else if (form != BLOCKING) {
        CHECK(form != FENCED_WITH_HANDLE || given == UPCCOLL_INVALID_HANDLE);
        upccoll_fence();
    }
}

static void must(upccoll_return_t result)
{
    CHECK(result == UPCCOLL_SUCCESS);
    complete();
}

/* ---- Blocks of one size: ints are sent, longs received ---- */

static void bcast(const round_t *round)
{
    bool is_root = round->rank == round->root;
    fill(round, 0, round->root, -1, is_root ? round->count : 0);
    must(upccoll_bcast(is_root ? src : garbage, is_root ? 2 * round->count : SIZE_MAX,
                       is_root ? UPC_INT : no_type, dst, round->count, UPC_LONG, round->root,
                       round->team, round->flags | form_flags(), form_handle()));
    check(round, 0, round->root, -1, round->count);
}

static void scatter(const round_t *round)
{
    bool is_root = round->rank == round->root;
    for (int i = 0; is_root && i < round->size; i++)
        fill(round, (size_t)i * round->count, round->root, i, round->count);
    must(upccoll_scatter(is_root ? src : garbage, is_root ? 2 * round->count : SIZE_MAX,
                         is_root ? UPC_INT : no_type, dst, round->count, UPC_LONG, round->root,
                         round->team, round->flags | form_flags(), form_handle()));
    check(round, 0, round->root, round->rank, round->count);
}

static void gather(const round_t *round)
{
    bool is_root = round->rank == round->root;
    fill(round, 0, round->rank, -1, round->count);
    must(upccoll_gather(src, 2 * round->count, UPC_INT, is_root ? dst : garbage,
                        is_root ? round->count : SIZE_MAX, is_root ? UPC_LONG : no_type,
                        round->root, round->team, round->flags | form_flags(), form_handle()));
    for (int i = 0; is_root && i < round->size; i++)
        check(round, (size_t)i * round->count, i, -1, round->count);
}

static void allgather(const round_t *round)
{
    fill(round, 0, round->rank, -1, round->count);
    must(upccoll_allgather(src, 2 * round->count, UPC_INT, dst, round->count, UPC_LONG, round->team,
                           round->flags | form_flags(), form_handle()));
    for (int i = 0; i < round->size; i++)
        check(round, (size_t)i * round->count, i, -1, round->count);
}

static void alltoall(const round_t *round)
{
    for (int i = 0; i < round->size; i++)
        fill(round, (size_t)i * round->count, round->rank, i, round->count);
    must(upccoll_alltoall(src, 2 * round->count, UPC_INT, dst, round->count, UPC_LONG, round->team,
                          round->flags | form_flags(), form_handle()));
    for (int i = 0; i < round->size; i++)
        check(round, (size_t)i * round->count, i, round->rank, round->count);
}

/* ---- Blocks of different sizes, in descending order ---- */

static size_t size_of(const round_t *round, int from, int to)
{
    return (size_t)(value_of(round, from, to, 1) % 7) * round->count / 7;
}

/* `from` or `to` is -1: each member. */
static void place(const round_t *round, int from, int to, size_t *counts, size_t *displs)
{
    size_t end = 0;
    for (int i = round->size - 1; i >= 0; i--) {
        counts[i] = size_of(round, from < 0 ? i : from, to < 0 ? i : to);
        displs[i] = end;
        end += counts[i];
    }
}

static void scatterv(const round_t *round)
{
    size_t counts[MOST_THREADS];
    size_t displs[MOST_THREADS];
    bool is_root = round->rank == round->root;
    place(round, round->root, -1, counts, displs);
    for (int i = 0; is_root && i < round->size; i++)
        fill(round, displs[i], round->root, i, counts[i]);
    must(upccoll_scatterv(is_root ? src : garbage, is_root ? counts : NULL, is_root ? displs : NULL,
                          is_root ? UPC_LONG : no_type, dst, 2 * counts[round->rank], UPC_INT,
                          round->root, round->team, round->flags | form_flags(), form_handle()));
    check(round, 0, round->root, round->rank, counts[round->rank]);
}

static void gatherv(const round_t *round)
{
    size_t counts[MOST_THREADS];
    size_t displs[MOST_THREADS];
    bool is_root = round->rank == round->root;
    place(round, -1, round->root, counts, displs);
    fill(round, 0, round->rank, round->root, counts[round->rank]);
    must(upccoll_gatherv(src, 2 * counts[round->rank], UPC_INT, is_root ? dst : garbage,
                         is_root ? counts : NULL, is_root ? displs : NULL,
                         is_root ? UPC_LONG : no_type, round->root, round->team,
                         round->flags | form_flags(), form_handle()));
    for (int i = 0; is_root && i < round->size; i++)
        check(round, displs[i], i, round->root, counts[i]);
}

static void allgatherv(const round_t *round)
{
    size_t counts[MOST_THREADS];
    size_t displs[MOST_THREADS];
    place(round, -1, 0, counts, displs);
    fill(round, 0, round->rank, 0, counts[round->rank]);
    must(upccoll_allgatherv(src, 2 * counts[round->rank], UPC_INT, dst, counts, displs, UPC_LONG,
                            round->team, round->flags | form_flags(), form_handle()));
    for (int i = 0; i < round->size; i++)
        check(round, displs[i], i, 0, counts[i]);
}

static void alltoallv(const round_t *round)
{
    size_t counts[2][MOST_THREADS];
    size_t displs[2][MOST_THREADS];
    place(round, round->rank, -1, counts[0], displs[0]);
    place(round, -1, round->rank, counts[1], displs[1]);
    for (int i = 0; i < round->size; i++)
        fill(round, displs[0][i], round->rank, i, counts[0][i]);
    must(upccoll_alltoallv(src, counts[0], displs[0], UPC_LONG, dst, counts[1], displs[1],
                           UPC_ULONGLONG, round->team, round->flags | form_flags(), form_handle()));
    for (int i = 0; i < round->size; i++)
        check(round, displs[1][i], i, round->rank, counts[1][i]);
}

/* ---- Combining ---- */

/* The last that is not 0, of the one type that it knows. */
static void last(void *in, void *inout, size_t len, upccoll_dtype_t dt)
{
    const long long *left = in;
    long long *right = inout;
    CHECK(dt == UPC_LONGLONG && len > 0);
    for (size_t i = 0; i < len; i++)
        if (right[i] == 0)
            right[i] = left[i];
}

/* Two functions, so that one is not taken for the other. */
static void first(void *in, void *inout, size_t len, upccoll_dtype_t dt)
{
    const long long *left = in;
    long long *right = inout;
    CHECK(dt == UPC_LONGLONG && len > 0);
    for (size_t i = 0; i < len; i++)
        if (left[i] != 0)
            right[i] = left[i];
}

typedef struct combination {
    upccoll_op_t op;
    int kind;
} combination_t;

static long long operand(const round_t *round, int rank, size_t i)
{
    return (value_of(round, rank, 3, i) % 3) * (rank + 1);
}

/* Of ranks below `end`. */
static long long combined(const round_t *round, const combination_t *op, int end, size_t i)
{
    long long all = operand(round, 0, i);
    for (int rank = 1; rank < end; rank++) {
        long long more = operand(round, rank, i);
        if (op->kind == 0)
            all += more;
        else if (op->kind == 1)
            all = more != 0 ? more : all;
        else
            all = all != 0 ? all : more;
    }
    return all;
}

static void check_combined(const round_t *round, const combination_t *op, int end, size_t begin,
                           size_t count)
{
    for (size_t i = 0; i < count; i++)
        CHECK(got[i] == combined(round, op, end, begin + i));
}

static void fill_operands(const round_t *round, size_t count)
{
    for (size_t i = 0; i < count; i++)
        sent[i] = (long)operand(round, round->rank, i);
}

static void reductions(const round_t *round, const combination_t *op)
{
    bool is_root = round->rank == round->root;
    fill_operands(round, round->count);
    must(upccoll_reduce(src, is_root ? dst : garbage, round->count, UPC_LONGLONG, op->op,
                        round->root, round->team, round->flags | form_flags(), form_handle()));
    if (is_root)
        check_combined(round, op, round->size, 0, round->count);
    must(upccoll_allreduce(src, dst, round->count, UPC_LONGLONG, op->op, round->team,
                           round->flags | form_flags(), form_handle()));
    check_combined(round, op, round->size, 0, round->count);
    size_t counts[MOST_THREADS] = {0};
    size_t displs[MOST_THREADS];
    place(round, -1, 0, counts, displs);
    size_t before = 0;
    for (int i = 0; i < round->rank; i++)
        before += counts[i];
    size_t total = before;
    for (int i = round->rank; i < round->size; i++)
        total += counts[i];
    fill_operands(round, total);
    must(upccoll_reduce_scatter(src, dst, counts, UPC_LONGLONG, op->op, round->team,
                                round->flags | form_flags(), form_handle()));
    check_combined(round, op, round->size, before, counts[round->rank]);
}

static void scans(const round_t *round, const combination_t *op)
{
    fill_operands(round, round->count);
    must(upccoll_scan_inclusive(src, dst, round->count, UPC_LONGLONG, op->op, round->team,
                                round->flags | form_flags(), form_handle()));
    check_combined(round, op, round->rank + 1, 0, round->count);
    for (size_t i = 0; i < round->count; i++)
        got[i] = 77;
    must(upccoll_scan(src, dst, round->count, UPC_LONGLONG, op->op, round->team,
                      round->flags | form_flags(), form_handle()));
    if (round->rank > 0)
        check_combined(round, op, round->rank, 0, round->count);
    for (size_t i = 0; round->rank == 0 && i < round->count; i++)
        CHECK(got[i] == (op->kind == 0 ? 0 : 77));
    /* In place. */
    must(upccoll_allreduce(src, src, round->count, UPC_LONGLONG, op->op, round->team,
                           round->flags | form_flags(), form_handle()));
    memcpy(got, sent, round->count * sizeof *got);
    check_combined(round, op, round->size, 0, round->count);
}

/* ---- Rounds ---- */

static upccoll_flag_t flags_of(uint64_t *state)
{
    static const upccoll_flag_t ins[] = {0, UPC_IN_NOSYNC, UPC_IN_MYSYNC, UPC_IN_ALLSYNC};
    static const upccoll_flag_t outs[] = {0, UPC_OUT_NOSYNC, UPC_OUT_MYSYNC, UPC_OUT_ALLSYNC};
    return ins[random_below(state, 4)] | outs[random_below(state, 4)];
}

static void run(upccoll_team_t team, uint64_t *state, const combination_t *op, uint64_t *own)
{
    static void (*const moves[])(const round_t *) = {
        bcast, scatter, gather, allgather, alltoall, scatterv, gatherv, allgatherv, alltoallv};
    round_t round = {.team = team};
    must(upccoll_team_rank(team, &round.rank));
    must(upccoll_team_size(team, &round.size));
    round.root = (int)random_below(state, (size_t)round.size);
    round.count = random_size(state, MOST);
    round.seed = (long)(random_next(state) >> 40);
    round.flags = flags_of(state);
    dawdle(own);
    form = (enum form)random_below(own, FORMS);
    size_t kind = random_below(state, 12);
    if (kind < 9)
        moves[kind](&round);
    else if (kind == 9)
        must(upccoll_barrier(team, round.flags | form_flags(), form_handle()));
    else if (kind == 10)
        reductions(&round, op);
    else
        scans(&round, op);
    form = BLOCKING;
}

/* With IN_ALLSYNC another thread writes the root's data as long as it has not called; with
 * OUT_ALLSYNC all have what they get when the first returns. */
static void allsync(void)
{
    int me = pgas_mythread();
    int threads = pgas_threads();
    for (int i = 0; i < 20; i++) {
        sent[0] = -1;
        pgas_barrier();
        if (me == threads - 1) {
            uint64_t state = (uint64_t)i;
            dawdle(&state);
            long value = 100 + i;
            pgas_memput(pgas_ptr_on(src, 0), &value, sizeof value);
        }
        must(upccoll_bcast(src, 1, UPC_LONG, dst, 1, UPC_LONG, 0, UPC_TEAM_ALL,
                           UPC_IN_ALLSYNC | UPC_OUT_ALLSYNC, NULL));
        long value;
        pgas_memget(&value, pgas_ptr_on(dst, (me + 1) % threads), sizeof value);
        CHECK(value == 100 + i);
        pgas_barrier();
    }
}

/* ---- Types and operations ---- */

/* By type: `i` integers, `r` reals, `c` complex numbers, `p` pairs. */
static const char classes[] = "iiiiiiiiiiirrrcccpppppp";

static bool has(upccoll_dtype_t dt, upccoll_op_t op)
{
    char class = classes[dt];
    switch (op) {
    case UPC_ADD:
    case UPC_MULT:
    case UPC_LOGAND:
    case UPC_LOGOR:
        return class != 'p';
    case UPC_AND:
    case UPC_OR:
    case UPC_XOR:
        return class == 'i';
    case UPC_MIN:
    case UPC_MAX:
        return class == 'i' || class == 'r';
    default:
        return class == 'p';
    }
}

static void table(void)
{
    for (upccoll_dtype_t dt = UPC_BYTE; dt <= UPC_LONG_DOUBLE_INT; dt++)
        for (upccoll_op_t op = UPC_ADD; op < UPC_PREDEFINED_OPS; op++)
            CHECK(upccoll_allreduce(src, dst, 1, dt, op, UPC_TEAM_ALL, 0, NULL) ==
                  (has(dt, op) ? UPCCOLL_SUCCESS : UPCCOLL_ERROR_UPC_OP));
    static const struct {
        upccoll_dtype_t dt;
        size_t size;
    } sizes[] = {{UPC_BYTE, 1},
                 {UPC_SHORT, sizeof(short)},
                 {UPC_ULONGLONG, 8},
                 {UPC_LONGDOUBLE, sizeof(long double)},
                 {UPC_CPLX, 8},
                 {UPC_LONGDBLCPLX, 2 * sizeof(long double)},
                 {UPC_SHORT_INT, 8},
                 {UPC_DOUBLE_INT, 16},
                 {UPC_LONG_DOUBLE_INT, 2 * sizeof(long double)}};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        size_t nbytes = 0;
        must(upccoll_type_size(sizes[i].dt, &nbytes));
        CHECK(nbytes == sizes[i].size);
    }
    /* The document's numbers. */
    CHECK(UPCCOLL_ERROR_UPC_OP == 10 && UPCCOLL_ERROR_UNINITIALIZED == 20);
    CHECK(UPC_MAXLOC == 10 && UPC_PREDEFINED_OPS == 11 && UPC_LONG_DOUBLE_INT == 22);
}

/* ---- Errors ---- */

static void fails(upccoll_return_t error, upccoll_return_t result)
{
    CHECK(result == error);
}

static upccoll_return_t alone(upccoll_team_t team, upccoll_flag_t flags, upccoll_handle_t *handle)
{
    return upccoll_barrier(team, flags, handle);
}

static upccoll_return_t bcast_with(pgas_ptr_t from, size_t count, upccoll_dtype_t type,
                                   pgas_ptr_t to, size_t count_to, int root, upccoll_team_t team)
{
    return upccoll_bcast(from, count, type, to, count_to, UPC_LONG, root, team, 0, NULL);
}

static upccoll_return_t reduce_with(pgas_ptr_t from, pgas_ptr_t to, size_t count,
                                    upccoll_dtype_t type, upccoll_op_t op)
{
    return upccoll_allreduce(from, to, count, type, op, UPC_TEAM_ALL, 0, NULL);
}

/* `team` is a team of the caller alone, so that what is no error would not wait. */
static void errors(upccoll_team_t team)
{
    upccoll_handle_t unset = &form;
    int number;
    pgas_ptr_t null = pgas_ptr_null();
    pgas_ptr_t other = pgas_ptr_on(src, (pgas_mythread() + 1) % pgas_threads());
    fails(UPCCOLL_ERROR_FLAGS, alone(team, UPC_IN_MYSYNC | UPC_IN_ALLSYNC, NULL));
    fails(UPCCOLL_ERROR_FLAGS, alone(team, UPC_OUT_NOSYNC | UPC_OUT_ALLSYNC, NULL));
    fails(UPCCOLL_ERROR_FLAGS, alone(team, 128, NULL));
    fails(UPCCOLL_ERROR_FLAGS, alone(team, UPC_IN_ALLSYNC | UPC_IN_MYSYNC, &unset));
    CHECK(unset == UPCCOLL_INVALID_HANDLE);
    fails(UPCCOLL_ERROR_TEAM, alone(NULL, 0, NULL));
    fails(UPCCOLL_ERROR_TEAM, alone(&number, 0, NULL));
    fails(UPCCOLL_ERROR_TEAM, upccoll_team_rank(NULL, &number));
    fails(UPCCOLL_ERROR, upccoll_team_rank(team, NULL));
    fails(UPCCOLL_ERROR, upccoll_team_size(team, NULL));
    fails(UPCCOLL_ERROR, upccoll_team_split(team, 0, 0, NULL));
    fails(UPCCOLL_ERROR_ROOT, bcast_with(src, 1, UPC_LONG, dst, 1, 1, team));
    fails(UPCCOLL_ERROR_ROOT, bcast_with(src, 1, UPC_LONG, dst, 1, -1, team));
    fails(UPCCOLL_ERROR_SENDTYPE, bcast_with(src, 1, no_type, dst, 1, 0, team));
    fails(UPCCOLL_ERROR_SENDCNTS, bcast_with(src, SIZE_MAX, UPC_LONG, dst, 1, 0, team));
    fails(UPCCOLL_ERROR_RECVCNTS, bcast_with(src, 1, UPC_INT, dst, 1, 0, team));
    fails(UPCCOLL_ERROR_SENDBUF, bcast_with(null, 1, UPC_LONG, dst, 1, 0, team));
    fails(UPCCOLL_ERROR_RECVBUF, bcast_with(src, 1, UPC_LONG, null, 1, 0, team));
    fails(UPCCOLL_ERROR_RECVBUF, bcast_with(src, 2, UPC_LONG, pgas_ptr_shift(src, 8), 2, 0, team));
    if (pgas_threads() > 1)
        fails(UPCCOLL_ERROR_SENDBUF, bcast_with(other, 1, UPC_LONG, dst, 1, 0, team));
    must(bcast_with(null, 0, UPC_LONG, null, 0, 0, team));
    fails(UPCCOLL_ERROR_DATATYPE, reduce_with(src, dst, 1, no_type, UPC_ADD));
    fails(UPCCOLL_ERROR_DATATYPE, upccoll_type_size(-1, &(size_t){0}));
    fails(UPCCOLL_ERROR_COUNT, reduce_with(src, dst, SIZE_MAX / 4, UPC_LONG, UPC_ADD));
    fails(UPCCOLL_ERROR_UPC_OP, reduce_with(src, dst, 1, UPC_DOUBLE, UPC_XOR));
    fails(UPCCOLL_ERROR_UPC_OP, reduce_with(src, dst, 1, UPC_LONG, UPC_PREDEFINED_OPS + 9));
    fails(UPCCOLL_ERROR_UPC_OP, reduce_with(src, dst, 1, UPC_LONG, UPC_FUNC));
    fails(UPCCOLL_ERROR_RECVBUF, reduce_with(src, pgas_ptr_shift(src, 8), 2, UPC_LONG, UPC_ADD));
    fails(UPCCOLL_ERROR_UPC_OP, upccoll_op_free(UPC_PREDEFINED_OPS + 9));
    fails(UPCCOLL_ERROR, upccoll_op_create(NULL, 1, &number));
    fails(UPCCOLL_ERROR, upccoll_op_create(last, 2, &number));
    fails(UPCCOLL_ERROR, upccoll_op_create(last, 1, NULL));
    size_t one[] = {1};
    size_t far_away[] = {SIZE_MAX / 4};
    fails(UPCCOLL_ERROR_SENDCNTS,
          upccoll_alltoallv(src, NULL, one, UPC_LONG, dst, one, one, UPC_LONG, team, 0, NULL));
    fails(UPCCOLL_ERROR_SDISPLS,
          upccoll_alltoallv(src, one, NULL, UPC_LONG, dst, one, one, UPC_LONG, team, 0, NULL));
    fails(UPCCOLL_ERROR_RECVCNTS,
          upccoll_alltoallv(src, one, one, UPC_LONG, dst, NULL, one, UPC_LONG, team, 0, NULL));
    fails(UPCCOLL_ERROR_RDISPLS,
          upccoll_alltoallv(src, one, one, UPC_LONG, dst, one, far_away, UPC_LONG, team, 0, NULL));
    fails(UPCCOLL_ERROR_RECVTYPE,
          upccoll_alltoallv(src, one, one, UPC_LONG, dst, one, one, no_type, team, 0, NULL));
    fails(UPCCOLL_ERROR_RECVCNTS,
          upccoll_reduce_scatter(src, dst, NULL, UPC_LONG, UPC_ADD, team, 0, NULL));
}

static void uninitialized(void)
{
    fails(UPCCOLL_ERROR_UNINITIALIZED, upccoll_barrier(UPC_TEAM_ALL, 0, NULL));
    fails(UPCCOLL_ERROR_UNINITIALIZED, upccoll_type_size(UPC_INT, &(size_t){0}));
    fails(UPCCOLL_ERROR_UNINITIALIZED, upccoll_op_create(last, 1, &(upccoll_op_t){0}));
    fails(UPCCOLL_ERROR_UNINITIALIZED, upccoll_team_rank(UPC_TEAM_ALL, &(int){0}));
    fails(UPCCOLL_ERROR_UNINITIALIZED, upccoll_finalize());
}

int main(int argc, char **argv)
{
    fails(UPCCOLL_ERROR_UNINITIALIZED, upccoll_initialize(&argc, &argv));
    CHECK(pgas_init() == PGAS_OK);
    uninitialized();
    must(upccoll_initialize(&argc, &argv));
    fails(UPCCOLL_ERROR_UNINITIALIZED, upccoll_initialize(NULL, NULL));
    size_t rounds = argc > 1 ? strtoul(argv[1], NULL, 10) : ROUNDS;
    uint64_t seed = random_seed_of_job();
    uint64_t own = random_seed_of_thread(seed);
    CHECK(pgas_all_alloc((size_t)pgas_threads(), AREA, &src) == PGAS_OK);
    CHECK(pgas_all_alloc((size_t)pgas_threads(), AREA, &dst) == PGAS_OK);
    src = pgas_ptr_on(src, pgas_mythread());
    dst = pgas_ptr_on(dst, pgas_mythread());
    sent = pgas_local(src);
    got = pgas_local(dst);
    /* Freed numbers are given again. */
    combination_t ops[3] = {{.op = UPC_ADD, .kind = 0}, {.kind = 1}, {.kind = 2}};
    must(upccoll_op_create(first, 1, &ops[1].op));
    must(upccoll_op_free(ops[1].op));
    must(upccoll_op_create(last, 0, &ops[1].op));
    must(upccoll_op_create(first, 0, &ops[2].op));
    CHECK(ops[1].op >= UPC_PREDEFINED_OPS && ops[2].op > ops[1].op);
    upccoll_team_t teams[4] = {UPC_TEAM_ALL};
    int me = pgas_mythread();
    must(upccoll_team_split(UPC_TEAM_ALL, 0, -me, &teams[1]));
    must(upccoll_team_split(UPC_TEAM_ALL, me % 2, 5, &teams[2]));
    must(upccoll_team_split(teams[1], me, 0, &teams[3]));
    table();
    errors(teams[3]);
    allsync();
    for (size_t i = 0; i < rounds; i++) {
        pgas_team_t *team = teams[i % 4];
        uint64_t state = shapes_seed(team, seed, i);
        run(team, &state, &ops[random_below(&state, 3)], &own);
    }
    CHECK(upccoll_test(UPCCOLL_INVALID_HANDLE) == 1);
    upccoll_wait(UPCCOLL_INVALID_HANDLE);
    upccoll_fence();
    upccoll_team_free(teams[3]);
    upccoll_team_free(teams[2]);
    upccoll_team_free(teams[1]);
    fails(UPCCOLL_ERROR_TEAM, upccoll_barrier(teams[1], 0, NULL));
    must(upccoll_finalize());
    uninitialized();
    fails(UPCCOLL_ERROR_UNINITIALIZED, upccoll_initialize(NULL, NULL));
    pgas_finalize();
    return 0;
}
