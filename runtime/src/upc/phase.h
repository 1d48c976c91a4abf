/**
 * What every collective of UPC 1.2 does before and after it touches data: flags, places, meetings.
 */
#ifndef PGASI_UPC_PHASE_H
#define PGASI_UPC_PHASE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <pgas/upc_coll_names.h>

#include "shm/call.h"
#include "stats/collectives.h"

/** A call: what its meetings compare, and its flags, of which there is one each. */
typedef struct pgasi_upc_phase {
    const char *call;
    pgasi_call_t record;
    pgasi_counted_t *counted;
    upc_flag_t in;
    upc_flag_t out;
} pgasi_upc_phase_t;

/** Begins a call with its flags, and two pointers and a number that are the same on all threads,
 *  and `more`, 56 bits of what else is, or of a hash of that. Ends the job for flags that exclude
 *  each other, and if another agent (base/agent.h) is in a collective call. */
pgasi_upc_phase_t pgasi_upc_begin(pgasi_collective_t kind, pgas_ptr_t dst, pgas_ptr_t src,
                                  uint64_t number, upc_flag_t flags, uint64_t more);

/** Ends it, when all meetings are over. */
void pgasi_upc_end(void);

/** All threads meet. */
void pgasi_upc_meet(const pgasi_upc_phase_t *phase);

/** Meets, unless the flag is NOSYNC: before data of other threads are touched, and after. */
void pgasi_upc_enter(const pgasi_upc_phase_t *phase);
void pgasi_upc_leave(const pgasi_upc_phase_t *phase);

/** Whether threads read and write each other's memory themselves. Otherwise coll.h's algorithms
 *  serve the network better. */
bool pgasi_upc_is_direct(const pgasi_upc_phase_t *phase);

/** a * b; ends the job if it overflows. */
size_t pgasi_upc_product(const pgasi_upc_phase_t *phase, size_t a, size_t b);

/** Ends the job unless `nbytes` bytes from `ptr` on lie in the heap. */
void pgasi_upc_check_place(const pgasi_upc_phase_t *phase, const char *name, pgas_ptr_t ptr,
                           size_t nbytes);

/** The same for what is at that place on every thread; `ptr` is on thread 0. */
void pgasi_upc_check_everywhere(const pgasi_upc_phase_t *phase, const char *name, pgas_ptr_t ptr,
                                size_t nbytes);

#endif
