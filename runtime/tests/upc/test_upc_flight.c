/**
 * Calls of "UPC Collectives Library 2.0" in flight: handles, UPC_ASYNC_FENCE, and what flags mean
 * there. Nothing here is timed: a thread goes on when it has been told to.
 *
 * Orders that must do no harm:
 *   - many calls of one kind on overlapping teams, waited for in the reverse order
 *   - calls with an operation of the program's own, on types that look alike
 *   - UPC_IN_ALLSYNC: a thread writes another's data after that one has started, before it starts
 *     itself
 *   - UPC_OUT_ALLSYNC: one returns from its wait while another never waits, but polls; what all get
 *     is there then
 *   - the document's EX1 and EX2: a lock held around the start, and around the wait
 *   - a call that blocks between the start and the wait of others
 *   - nobody waits: finalize completes
 */
#include <stdlib.h>
#include <string.h>

#include <pgas/upc_coll_names.h>

#include "check.h"

enum {
    MANY = 24,
    COUNT = 900, /* longs, more than a slot of a team holds */
    FEW = 5
};

static const upccoll_flag_t all_flags[] = {0, UPC_IN_ALLSYNC, UPC_OUT_ALLSYNC,
                                           UPC_IN_ALLSYNC | UPC_OUT_ALLSYNC};

static pgas_ptr_t src;
static pgas_ptr_t dst;
static long *sent;
static long *got;
/* A signal of each thread, by which others tell it something. */
static pgas_ptr_t words;

static void must(upccoll_return_t result)
{
    CHECK(result == UPCCOLL_SUCCESS);
}

static pgas_ptr_t at(pgas_ptr_t base, size_t index)
{
    return pgas_ptr_shift(base, (ptrdiff_t)(index * COUNT * sizeof(long)));
}

/* ---- Telling ---- */

static pgas_signal_t *own_word(void)
{
    return pgas_local(pgas_ptr_on(words, pgas_mythread()));
}

static void tell(int thread)
{
    pgas_put_signal(pgas_ptr_null(), NULL, 0, pgas_ptr_on(words, thread), PGAS_SIGNAL_ADD, 1);
}

/* Without sleeping: the thread goes on with its collectives only where it polls. */
static void poll_until(uint64_t count)
{
    while (pgas_signal_fetch(own_word()) < count)
        pgas_poll();
}

static void start_over(void)
{
    pgas_barrier();
    pgas_signal_set(own_word(), 0);
    pgas_barrier();
}

/* ---- Many in flight ---- */

static long value(int rank, int call, size_t i)
{
    return 1000L * call + 17L * rank + (long)i;
}

static void start(int call, upccoll_team_t team, size_t count, upccoll_flag_t flags,
                  upccoll_handle_t *handle)
{
    int rank;
    int size;
    must(upccoll_team_rank(team, &rank));
    must(upccoll_team_size(team, &size));
    size_t index = (size_t)call;
    for (size_t i = 0; i < count; i++)
        sent[index * COUNT + i] = value(rank, call, i);
    if (call % 3 == 0)
        must(upccoll_bcast(at(src, index), count, UPC_LONG, at(dst, index), count, UPC_LONG,
                           call % size, team, flags, handle));
    else if (call % 3 == 1)
        must(upccoll_allreduce(at(src, index), at(dst, index), count, UPC_LONG, UPC_MAX, team,
                               flags, handle));
    else
        must(upccoll_barrier(team, flags, handle));
}

static void check(int call, upccoll_team_t team, size_t count)
{
    int size;
    must(upccoll_team_size(team, &size));
    for (size_t i = 0; i < count && call % 3 != 2; i++)
        CHECK(got[(size_t)call * COUNT + i] ==
              value(call % 3 == 0 ? call % size : size - 1, call, i));
}

/* With handles, in the reverse order; for a fence; and half of them each. */
static void many(const upccoll_team_t teams[2], size_t count, upccoll_flag_t flags, int fenced)
{
    upccoll_handle_t handles[MANY];
    for (int call = 0; call < MANY; call++) {
        bool is_fenced = call % 2 < fenced;
        start(call, teams[call % 2], count, flags | (is_fenced ? UPC_ASYNC_FENCE : 0),
              &handles[call]);
        CHECK((handles[call] == UPCCOLL_INVALID_HANDLE) == is_fenced);
    }
    pgas_barrier(); /* one that is no collective of the library */
    for (int call = MANY; call-- > 0;)
        upccoll_wait(handles[call]);
    upccoll_fence();
    for (int call = 0; call < MANY; call++)
        check(call, teams[call % 2], count);
    pgas_barrier();
}

/* ---- Own operations ---- */

/* UPC_BYTE and UPC_UCHAR are one type of elements, but the function is told which. */
static void add_type(void *in, void *inout, size_t len, upccoll_dtype_t dt)
{
    const unsigned char *left = in;
    unsigned char *right = inout;
    CHECK(dt == UPC_BYTE || dt == UPC_UCHAR);
    for (size_t i = 0; i < len; i++)
        right[i] = (unsigned char)(left[i] + right[i] + (dt == UPC_BYTE ? 1 : 2));
}

static void wrong(void *in, void *inout, size_t len, upccoll_dtype_t dt)
{
    (void)in, (void)inout, (void)len, (void)dt;
    CHECK(false);
}

/* The operation is freed, and its number given again, while calls that have it are in flight. */
static void own_operations(upccoll_op_t op)
{
    upccoll_op_t next;
    upccoll_handle_t handles[FEW];
    int threads = pgas_threads();
    for (int call = 0; call < FEW; call++) {
        *(unsigned char *)&sent[(size_t)call * COUNT] = 1;
        must(upccoll_allreduce(at(src, (size_t)call), at(dst, (size_t)call), 1,
                               call % 2 == 0 ? UPC_BYTE : UPC_UCHAR, op, UPC_TEAM_ALL,
                               UPC_IN_ALLSYNC, &handles[call]));
    }
    must(upccoll_op_free(op));
    must(upccoll_op_create(wrong, 1, &next));
    CHECK(next == op);
    for (int call = 0; call < FEW; call++) {
        upccoll_wait(handles[call]);
        int each = call % 2 == 0 ? 1 : 2;
        CHECK(*(unsigned char *)&got[(size_t)call * COUNT] ==
              (unsigned char)(threads + (threads - 1) * each));
    }
}

/* ---- Flags ---- */

/* The last thread starts when all others have, and before that writes the data of thread 0, whose
 * own buffer is not touched until then, either. */
static void in_allsync(size_t count)
{
    int me = pgas_mythread();
    int last = pgas_threads() - 1;
    upccoll_handle_t handle;
    start_over();
    for (size_t i = 0; i < count; i++) {
        sent[i] = me == 0 ? 5 : -1;
        got[i] = 3;
    }
    pgas_barrier();
    if (me == last && last > 0) {
        poll_until((uint64_t)last);
        for (size_t i = 0; i < count; i++)
            PGAS_WRITE(long, pgas_ptr_shift(pgas_ptr_on(src, 0), (ptrdiff_t)(i * sizeof(long))), 9);
        pgas_fence();
        CHECK(PGAS_READ(long, pgas_ptr_on(dst, 0)) == 3);
    }
    must(upccoll_bcast(src, count, UPC_LONG, dst, count, UPC_LONG, 0, UPC_TEAM_ALL, UPC_IN_ALLSYNC,
                       &handle));
    tell(last);
    upccoll_wait(handle);
    for (size_t i = 0; i < count; i++)
        CHECK(got[i] == (last > 0 ? 9 : 5));
}

/* The last thread polls until another has returned from its wait. */
static void out_allsync(size_t count)
{
    int me = pgas_mythread();
    int last = pgas_threads() - 1;
    upccoll_handle_t handle;
    start_over();
    for (size_t i = 0; i < count; i++) {
        sent[i] = me;
        got[i] = -1;
    }
    pgas_barrier();
    must(upccoll_bcast(src, count, UPC_LONG, dst, count, UPC_LONG, 0, UPC_TEAM_ALL, UPC_OUT_ALLSYNC,
                       &handle));
    if (me == last && last > 0)
        poll_until((uint64_t)last);
    upccoll_wait(handle);
    for (int t = 0; t <= last; t++)
        for (size_t i = 0; i<count; i += count> 8 ? count - 1 : 1)
            CHECK(PGAS_READ(long, pgas_ptr_shift(pgas_ptr_on(dst, t),
                                                 (ptrdiff_t)(i * sizeof(long)))) == 0);
    tell(last);
}

/* Figure 1: each holds the lock while it starts, and then while it waits. */
static void examples(pgas_lock_t lock, upccoll_flag_t flags)
{
    upccoll_handle_t handle;
    for (int i = 0; i < FEW; i++) {
        pgas_lock(lock);
        start(3 * i, UPC_TEAM_ALL, COUNT, flags, &handle);
        pgas_unlock(lock);
        upccoll_wait(handle);
        check(3 * i, UPC_TEAM_ALL, COUNT);
        pgas_barrier();
        start(3 * i, UPC_TEAM_ALL, FEW, flags, &handle);
        pgas_lock(lock);
        upccoll_wait(handle);
        pgas_unlock(lock);
        check(3 * i, UPC_TEAM_ALL, FEW);
        pgas_barrier();
    }
}

int main(void)
{
    CHECK(pgas_init() == PGAS_OK);
    must(upccoll_initialize(NULL, NULL));
    size_t threads = (size_t)pgas_threads();
    size_t nbytes = sizeof(long[MANY][COUNT]);
    int me = pgas_mythread();
    CHECK(pgas_all_alloc(threads, nbytes, &src) == PGAS_OK);
    CHECK(pgas_all_alloc(threads, nbytes, &dst) == PGAS_OK);
    CHECK(pgas_all_alloc(threads, sizeof(pgas_signal_t), &words) == PGAS_OK);
    src = pgas_ptr_on(src, me);
    dst = pgas_ptr_on(dst, me);
    sent = pgas_local(src);
    got = pgas_local(dst);
    upccoll_team_t teams[2] = {UPC_TEAM_ALL};
    upccoll_op_t op;
    must(upccoll_team_split(UPC_TEAM_ALL, 0, -me, &teams[1]));
    must(upccoll_op_create(add_type, 1, &op));
    pgas_lock_t lock;
    CHECK(pgas_all_lock_alloc(&lock) == PGAS_OK);
    for (size_t f = 0; f < sizeof all_flags / sizeof all_flags[0]; f++) {
        for (int fenced = 0; fenced <= 2; fenced++) {
            many(teams, COUNT, all_flags[f], fenced);
            many(teams, FEW, all_flags[f], fenced);
        }
        examples(lock, all_flags[f]);
    }
    own_operations(op);
    in_allsync(FEW);
    in_allsync(COUNT);
    out_allsync(FEW);
    out_allsync(COUNT);
    pgas_barrier();
    upccoll_handle_t left;
    start(0, UPC_TEAM_ALL, COUNT, UPC_ASYNC_FENCE, NULL);
    start(3, teams[1], COUNT, 0, &left);
    must(upccoll_finalize());
    for (size_t i = 0; i < COUNT; i++)
        CHECK(got[i] == value(0, 0, i));
    pgas_finalize();
    return 0;
}
