#include "upc/phase.h"

#include <pgas/detail.h>
#include <pgas/job.h>
#include <pgas/ptr.h>

#include "sync/collective.h"
#include "team/calls.h"
#include "team/meet.h"
#include "team/types.h"
#include "upc/copies.h"

enum {
    IN = UPC_IN_NOSYNC | UPC_IN_MYSYNC | UPC_IN_ALLSYNC,
    OUT = UPC_OUT_NOSYNC | UPC_OUT_MYSYNC | UPC_OUT_ALLSYNC
};

static bool is_several(upc_flag_t flags)
{
    return (flags & (flags - 1)) != 0;
}

pgasi_upc_phase_t pgasi_upc_begin(pgasi_collective_t kind, pgas_ptr_t dst, pgas_ptr_t src,
                                  uint64_t number, upc_flag_t flags, uint64_t more)
{
    pgasi_upc_phase_t phase = {
        .record = {.call = kind,
                   .count = PGASI_CALL_ARGUMENTS,
                   .arguments = {(uint64_t)dst.thread << 48 | dst.offset,
                                 (uint64_t)src.thread << 48 | src.offset, number,
                                 (uint64_t)flags | more << 8}},
        .in = flags & IN,
        .out = flags & OUT,
    };
    phase.call = pgasi_call_name(&phase.record);
    pgasi_alone_begin(phase.call); /* between the meetings, too */
    pgasi_team_begin(phase.call, PGAS_TEAM_ALL, &phase.record);
    pgasi_team_end();
    if ((flags & ~(IN | OUT)) != 0 || is_several(phase.in) || is_several(phase.out))
        pgasi_fatal(phase.call,
                    "the flags are %d: at most one is UPC_IN_, one UPC_OUT_, and no other", flags);
    phase.counted = pgasi_count_call(kind, 0, "");
    pgasi_upc_copies_begin(phase.counted);
    phase.in = phase.in != 0 ? phase.in : UPC_IN_ALLSYNC;
    phase.out = phase.out != 0 ? phase.out : UPC_OUT_ALLSYNC;
    return phase;
}

void pgasi_upc_end(void)
{
    pgasi_alone_end();
}

void pgasi_upc_meet(const pgasi_upc_phase_t *phase)
{
    pgasi_call_t record = phase->record;
    pgasi_lane_t *lane = pgasi_team_begin_now(phase->call, PGAS_TEAM_ALL, &record);
    lane->counted = phase->counted;
    pgasi_team_meet(lane, &record);
    pgasi_team_end();
}

void pgasi_upc_enter(const pgasi_upc_phase_t *phase)
{
    if (phase->in != UPC_IN_NOSYNC)
        pgasi_upc_meet(phase);
}

void pgasi_upc_leave(const pgasi_upc_phase_t *phase)
{
    if (phase->out != UPC_OUT_NOSYNC)
        pgasi_upc_meet(phase);
}

bool pgasi_upc_is_direct(const pgasi_upc_phase_t *phase)
{
    return phase->in == UPC_IN_NOSYNC ||
           (phase->in == UPC_IN_ALLSYNC && pgas_team_size(PGAS_TEAM_NODE) == pgas_threads());
}

size_t pgasi_upc_product(const pgasi_upc_phase_t *phase, size_t a, size_t b)
{
    size_t product;
    if (__builtin_mul_overflow(a, b, &product))
        pgasi_fatal(phase->call, "%zu times %zu bytes overflow", a, b);
    return product;
}

void pgasi_upc_check_place(const pgasi_upc_phase_t *phase, const char *name, pgas_ptr_t ptr,
                           size_t nbytes)
{
    bool is_nowhere = nbytes == 0 && pgas_threadof(ptr) >= pgas_threads();
    if (is_nowhere || (nbytes > 0 && !pgasi_is_in_heap(ptr, nbytes)))
        pgasi_fatal(phase->call, "%zu bytes at `%s`, thread %d, offset %zu, are not in the heap",
                    nbytes, name, pgas_threadof(ptr), pgas_addrfield(ptr));
}

void pgasi_upc_check_everywhere(const pgasi_upc_phase_t *phase, const char *name, pgas_ptr_t ptr,
                                size_t nbytes)
{
    if (pgas_threadof(ptr) != 0)
        pgasi_fatal(phase->call, "`%s` is on thread %d: it must be on thread 0", name,
                    pgas_threadof(ptr));
    pgasi_upc_check_place(phase, name, ptr, nbytes);
}
