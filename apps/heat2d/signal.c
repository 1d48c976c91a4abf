/* Halos by puts with signals: a neighbour's memory gets the packed section and a signal. A thread
 * waits only for its neighbours' signals; there is no barrier.
 *
 * Sections arrive in two slots in turn. The slot of exchange e was last used by exchange e - 2. A
 * neighbour's signal of exchange e - 1, without which a thread does not reach exchange e, says that
 * the neighbour has unpacked it. */
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
    /** For each direction the number of the last exchange whose section has arrived, a
     *  pgas_signal_t; each in a cache line of its own. */
    pgas_ptr_t signals;
    /** A packed section on its way out. */
    double *packed;
    /** The number of the exchange, from 1. */
    uint64_t turn;
} state_t;

static pgas_ptr_t signal_at(const state_t *state, int thread, int direction)
{
    return pgas_ptr_shift(pgas_ptr_on(state->signals, thread), (ptrdiff_t)direction * LINE);
}

static pgas_signal_t *own_signal(const state_t *state, int direction)
{
    return pgas_local(signal_at(state, pgas_mythread(), direction));
}

static void *prepare(const heat_problem_t *problem)
{
    state_t *state = common_alloc("halo", 1, sizeof *state);
    *state = (state_t){.turn = 0};
    heat_sections_find(problem, &state->sections);
    heat_buffers_create(problem, &state->landed);
    if (pgas_all_alloc((size_t)pgas_threads(), (size_t)HEAT_DIRECTIONS * LINE, &state->signals) !=
        PGAS_OK)
        pgas_exit(1);
    for (int d = 0; d < HEAT_DIRECTIONS; d++)
        pgas_signal_set(own_signal(state, d), 0);
    size_t largest = 0;
    for (int s = 0; s < state->sections.count; s++) {
        size_t nbytes = heat_section_bytes(&state->sections.of[s]);
        largest = nbytes > largest ? nbytes : largest;
    }
    state->packed = common_alloc("halo", largest, 1);
    pgas_barrier();
    return state;
}

static void send(const heat_problem_t *problem, state_t *state)
{
    for (int s = 0; s < state->sections.count; s++) {
        const heat_section_t *section = &state->sections.of[s];
        heat_section_pack(problem, section, state->packed);
        pgas_put_signal(
            heat_buffer_at(&state->landed, section->thread, section->opposite, state->turn),
            state->packed, heat_section_bytes(section),
            signal_at(state, section->thread, section->opposite), PGAS_SIGNAL_SET, state->turn);
    }
}

static void wait_for_sections(const state_t *state)
{
    for (int s = 0; s < state->sections.count; s++)
        pgas_signal_wait(own_signal(state, state->sections.of[s].direction), PGAS_GE, state->turn);
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
    send(problem, state);
    common_clock_book(clock, HEAT_HALO);
    if (overlaps)
        heat_sweep_inner(sweeper, steps, NULL, NULL);
    common_clock_book(clock, HEAT_COMPUTE);
    wait_for_sections(state);
    common_clock_book(clock, HEAT_BARRIER);
    unpack(problem, state);
    common_clock_book(clock, HEAT_HALO);
    if (overlaps)
        heat_sweep_outer(sweeper, steps);
    else
        heat_sweep_all(sweeper, steps);
    common_clock_book(clock, HEAT_COMPUTE);
}

static void release(void *opaque)
{
    state_t *state = opaque;
    pgas_all_free(state->signals);
    heat_buffers_free(&state->landed);
    free(state->packed);
    free(state);
}

const heat_form_t heat_signal = {"signal", prepare, advance, release, PGAS_CONTIGUOUS, PGAS_TO};
