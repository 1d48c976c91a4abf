/* The collectives of UPC 1.2 that move data. Every thread reads what it needs from where it lies,
 * or writes what it has to where it belongs; only flags make threads wait for each other. Where
 * they meet anyway, and not all are on one node, coll.h's collectives do the work. */
#include <string.h>

#include <pgas/coll.h>
#include <pgas/detail.h>
#include <pgas/job.h>
#include <pgas/ptr.h>

#include "upc/copies.h"
#include "upc/phase.h"

/* The `nbytes` bytes of block `index` of `ptr`. */
static pgas_ptr_t block_of(pgas_ptr_t ptr, int index, size_t nbytes)
{
    return pgas_ptr_shift(ptr, (ptrdiff_t)((size_t)index * nbytes));
}

static pgas_ptr_t mine(pgas_ptr_t ptr)
{
    return pgas_ptr_on(ptr, pgas_mythread());
}

static void get(pgas_ptr_t dst, pgas_ptr_t src, size_t nbytes)
{
    pgasi_upc_get(pgas_local(dst), src, nbytes);
}

static void put(pgas_ptr_t dst, pgas_ptr_t src, size_t nbytes)
{
    pgasi_upc_put(dst, pgas_local(src), nbytes);
}

/* What coll.h moved is complete for the caller. */
static void leave_collective(const pgasi_upc_phase_t *phase)
{
    if (phase->out == UPC_OUT_ALLSYNC)
        pgasi_upc_meet(phase);
    pgasi_upc_end();
}

static void enter_collective(const pgasi_upc_phase_t *phase)
{
    if (phase->in == UPC_IN_ALLSYNC)
        pgasi_upc_meet(phase);
}

static void leave_direct(const pgasi_upc_phase_t *phase)
{
    pgasi_upc_copies_wait();
    pgasi_upc_leave(phase);
    pgasi_upc_end();
}

void upc_all_broadcast(pgas_ptr_t dst, pgas_ptr_t src, size_t nbytes, upc_flag_t flags)
{
    pgasi_upc_phase_t phase = pgasi_upc_begin(PGASI_UPC_BROADCAST, dst, src, nbytes, flags, 0);
    pgasi_upc_check_everywhere(&phase, "dst", dst, nbytes);
    pgasi_upc_check_place(&phase, "src", src, nbytes);
    if (pgasi_upc_is_direct(&phase)) {
        pgasi_upc_enter(&phase);
        get(mine(dst), src, nbytes);
        leave_direct(&phase);
        return;
    }
    enter_collective(&phase);
    bool is_root = pgas_threadof(src) == pgas_mythread();
    pgas_broadcast(PGAS_TEAM_ALL, is_root ? pgas_local(src) : pgas_local(mine(dst)), nbytes,
                   pgas_threadof(src));
    if (is_root && nbytes > 0)
        pgasi_copy(pgas_local(mine(dst)), pgas_local(src), nbytes);
    leave_collective(&phase);
}

void upc_all_scatter(pgas_ptr_t dst, pgas_ptr_t src, size_t nbytes, upc_flag_t flags)
{
    pgasi_upc_phase_t phase = pgasi_upc_begin(PGASI_UPC_SCATTER, dst, src, nbytes, flags, 0);
    size_t total = pgasi_upc_product(&phase, nbytes, (size_t)pgas_threads());
    pgasi_upc_check_everywhere(&phase, "dst", dst, nbytes);
    pgasi_upc_check_place(&phase, "src", src, total);
    if (pgasi_upc_is_direct(&phase)) {
        pgasi_upc_enter(&phase);
        get(mine(dst), block_of(src, pgas_mythread(), nbytes), nbytes);
        leave_direct(&phase);
        return;
    }
    enter_collective(&phase);
    pgas_scatter(PGAS_TEAM_ALL, pgas_local(src), pgas_local(mine(dst)), nbytes, pgas_threadof(src));
    leave_collective(&phase);
}

void upc_all_gather(pgas_ptr_t dst, pgas_ptr_t src, size_t nbytes, upc_flag_t flags)
{
    pgasi_upc_phase_t phase = pgasi_upc_begin(PGASI_UPC_GATHER, dst, src, nbytes, flags, 0);
    size_t total = pgasi_upc_product(&phase, nbytes, (size_t)pgas_threads());
    pgasi_upc_check_everywhere(&phase, "src", src, nbytes);
    pgasi_upc_check_place(&phase, "dst", dst, total);
    if (pgasi_upc_is_direct(&phase)) {
        pgasi_upc_enter(&phase);
        put(block_of(dst, pgas_mythread(), nbytes), mine(src), nbytes);
        leave_direct(&phase);
        return;
    }
    enter_collective(&phase);
    pgas_gather(PGAS_TEAM_ALL, pgas_local(mine(src)), pgas_local(dst), nbytes, pgas_threadof(dst));
    leave_collective(&phase);
}

/* Block `index` of every thread's `src`, each to its place in the own `dst`, beginning with the
 * next thread, so that not all read from one. */
static void get_from_all(pgas_ptr_t dst, pgas_ptr_t src, int index, size_t nbytes)
{
    for (size_t i = 0; i < (size_t)pgas_threads(); i++) {
        int thread = (int)pgasi_upc_neighbour(i);
        get(block_of(mine(dst), thread, nbytes), block_of(pgas_ptr_on(src, thread), index, nbytes),
            nbytes);
    }
}

void upc_all_gather_all(pgas_ptr_t dst, pgas_ptr_t src, size_t nbytes, upc_flag_t flags)
{
    pgasi_upc_phase_t phase = pgasi_upc_begin(PGASI_UPC_GATHER_ALL, dst, src, nbytes, flags, 0);
    size_t total = pgasi_upc_product(&phase, nbytes, (size_t)pgas_threads());
    pgasi_upc_check_everywhere(&phase, "dst", dst, total);
    pgasi_upc_check_everywhere(&phase, "src", src, nbytes);
    if (pgasi_upc_is_direct(&phase)) {
        pgasi_upc_enter(&phase);
        get_from_all(dst, src, 0, nbytes);
        leave_direct(&phase);
        return;
    }
    enter_collective(&phase);
    pgas_allgather(PGAS_TEAM_ALL, pgas_local(mine(src)), pgas_local(mine(dst)), nbytes);
    leave_collective(&phase);
}

void upc_all_exchange(pgas_ptr_t dst, pgas_ptr_t src, size_t nbytes, upc_flag_t flags)
{
    pgasi_upc_phase_t phase = pgasi_upc_begin(PGASI_UPC_EXCHANGE, dst, src, nbytes, flags, 0);
    size_t total = pgasi_upc_product(&phase, nbytes, (size_t)pgas_threads());
    pgasi_upc_check_everywhere(&phase, "dst", dst, total);
    pgasi_upc_check_everywhere(&phase, "src", src, total);
    if (pgasi_upc_is_direct(&phase)) {
        pgasi_upc_enter(&phase);
        get_from_all(dst, src, pgas_mythread(), nbytes);
        leave_direct(&phase);
        return;
    }
    enter_collective(&phase);
    pgas_alltoall(PGAS_TEAM_ALL, pgas_local(mine(src)), pgas_local(mine(dst)), nbytes);
    leave_collective(&phase);
}

static int destination(const pgasi_upc_phase_t *phase, pgas_ptr_t perm)
{
    int to;
    memcpy(&to, pgas_local(mine(perm)), sizeof to);
    if (to < 0 || to >= pgas_threads())
        pgasi_fatal(phase->call, "`perm` names thread %d: the job has %d", to, pgas_threads());
    return to;
}

void upc_all_permute(pgas_ptr_t dst, pgas_ptr_t src, pgas_ptr_t perm, size_t nbytes,
                     upc_flag_t flags)
{
    pgasi_upc_phase_t phase =
        pgasi_upc_begin(PGASI_UPC_PERMUTE, dst, src, nbytes, flags, perm.offset);
    pgasi_upc_check_everywhere(&phase, "dst", dst, nbytes);
    pgasi_upc_check_everywhere(&phase, "src", src, nbytes);
    pgasi_upc_check_everywhere(&phase, "perm", perm, nbytes > 0 ? sizeof(int) : 0);
    pgasi_upc_enter(&phase);
    if (nbytes > 0)
        put(pgas_ptr_on(dst, destination(&phase, perm)), mine(src), nbytes);
    leave_direct(&phase);
}
