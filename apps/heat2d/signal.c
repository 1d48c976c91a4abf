/* Halos by put-with-flag: a neighbour's memory gets the packed section, then a flag. A thread waits
 * only for its neighbours' flags; there is no barrier.
 *
 * Sections arrive in two slots in turn. The slot of exchange e was last used by exchange e - 2. A
 * neighbour's flag of exchange e - 1, without which a thread does not reach exchange e, says that
 * the neighbour has unpacked it. */
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "common/large.h"
#include "halo.h"
#include "sections.h"

enum {
    LINE = 64
};

typedef struct state {
    heat_sections_t sections;
    /** What neighbours have put here. */
    heat_buffers_t landed;
    /** For each direction the number of the last exchange whose section has arrived; each in a
     *  cache line of its own. */
    pgas_ptr_t flags;
    /** Sections in flight. */
    double *sent[HEAT_DIRECTIONS];
    pgas_handle_t handles[HEAT_DIRECTIONS];
    /** Sections whose flag is still to be put. */
    bool is_pending[HEAT_DIRECTIONS];
    pgas_handle_t flag_handles[HEAT_DIRECTIONS];
    /** The number of the exchange, from 1. */
    uint64_t turn;
} state_t;

static pgas_ptr_t flag_at(const state_t *state, int thread, int direction)
{
    return pgas_ptr_shift(pgas_ptr_on(state->flags, thread), (ptrdiff_t)direction * LINE);
}

static _Atomic uint64_t *own_flag(const state_t *state, int direction)
{
    return pgas_local(flag_at(state, pgas_mythread(), direction));
}

static void *prepare(const heat_problem_t *problem)
{
    state_t *state = common_alloc("halo", 1, sizeof *state);
    *state = (state_t){.turn = 0};
    heat_sections_find(problem, &state->sections);
    heat_buffers_create(problem, &state->landed);
    if (pgas_all_alloc((size_t)pgas_threads(), (size_t)HEAT_DIRECTIONS * LINE, &state->flags) !=
        PGAS_OK)
        pgas_exit(1);
    for (int d = 0; d < HEAT_DIRECTIONS; d++)
        atomic_store(own_flag(state, d), 0);
    for (int s = 0; s < state->sections.count; s++)
        state->sent[s] = common_alloc("halo", heat_section_bytes(&state->sections.of[s]), 1);
    pgas_barrier();
    return state;
}

static void start(const heat_problem_t *problem, state_t *state)
{
    for (int s = 0; s < state->sections.count; s++) {
        const heat_section_t *section = &state->sections.of[s];
        heat_section_pack(problem, section, state->sent[s]);
        state->handles[s] = pgas_memput_async(
            heat_buffer_at(&state->landed, section->thread, section->opposite, state->turn),
            state->sent[s], heat_section_bytes(section));
        state->is_pending[s] = true;
        state->flag_handles[s] = PGAS_HANDLE_COMPLETE;
    }
}

static void put_flag(state_t *state, int s)
{
    const heat_section_t *section = &state->sections.of[s];
    pgas_fence();
    state->is_pending[s] = false;
    state->flag_handles[s] = pgas_put_val_async(flag_at(state, section->thread, section->opposite),
                                                state->turn, sizeof state->turn);
}

/* Puts the flags of the sections that have arrived. */
static void poll(void *opaque)
{
    state_t *state = opaque;
    for (int s = 0; s < state->sections.count; s++)
        if (state->is_pending[s] && pgas_trysync(state->handles[s]))
            put_flag(state, s);
}

/* Puts the flags of all others. */
static void finish_sending(state_t *state)
{
    for (int s = 0; s < state->sections.count; s++)
        if (state->is_pending[s]) {
            pgas_waitsync(state->handles[s]);
            put_flag(state, s);
        }
    pgas_waitsync_all(state->flag_handles, (size_t)state->sections.count);
}

static void wait_for_flags(const state_t *state)
{
    for (int s = 0; s < state->sections.count; s++) {
        _Atomic uint64_t *flag = own_flag(state, state->sections.of[s].direction);
        while (atomic_load_explicit(flag, memory_order_acquire) < state->turn) {
            pgas_fence(); /* serves other nodes, too */
            sched_yield();
        }
    }
}

static void unpack(const heat_problem_t *problem, const state_t *state)
{
    for (int s = 0; s < state->sections.count; s++) {
        const heat_section_t *section = &state->sections.of[s];
        heat_section_unpack(problem, section,
                            heat_buffer_mine(&state->landed, section->direction, state->turn));
    }
}

static void advance(const heat_sweeper_t *sweeper, void *opaque, size_t steps,
                    common_clock_t *clock)
{
    const heat_problem_t *problem = sweeper->problem;
    state_t *state = opaque;
    bool overlaps = heat_sweep_has_inner(sweeper, steps);
    state->turn++;
    start(problem, state);
    poll(state);
    common_clock_book(clock, HEAT_HALO);
    if (overlaps)
        heat_sweep_inner(sweeper, steps, poll, state);
    common_clock_book(clock, HEAT_COMPUTE);
    finish_sending(state);
    common_clock_book(clock, HEAT_HALO);
    wait_for_flags(state);
    common_clock_book(clock, HEAT_BARRIER);
    unpack(problem, state);
    common_clock_book(clock, HEAT_HALO);
    if (overlaps)
        heat_sweep_outer(sweeper, steps);
    else
        heat_sweep_all(sweeper, steps);
    common_clock_book(clock, HEAT_COMPUTE);
}

/* A put and a flag for every section. */
static pgas_stats_t traffic(const heat_problem_t *problem)
{
    heat_sections_t sections;
    heat_sections_find(problem, &sections);
    pgas_stats_t stats = heat_sections_traffic(&sections, PGAS_CONTIGUOUS, PGAS_TO);
    for (int s = 0; s < sections.count; s++) {
        pgas_traffic_t *flags =
            &stats.traffic[pgas_place_of(sections.of[s].thread)][PGAS_INDIVIDUAL][PGAS_TO];
        flags->operations++;
        flags->bytes += sizeof(uint64_t);
    }
    return stats;
}

static void release(void *opaque)
{
    state_t *state = opaque;
    pgas_all_free(state->flags);
    heat_buffers_free(&state->landed);
    for (int s = 0; s < state->sections.count; s++)
        free(state->sent[s]);
    free(state);
}

const heat_form_t heat_signal = {"signal", prepare, advance, traffic, release};
