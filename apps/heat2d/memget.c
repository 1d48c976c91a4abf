/* Listing 7: sections that are not contiguous are packed by their owner; after a barrier everybody
 * gets what it needs and unpacks it. */
#include <stdlib.h>

#include "common/large.h"
#include "halo.h"
#include "sections.h"

typedef struct state {
    heat_sections_t sections;
    /** Packed sections that neighbours get from this thread. */
    heat_buffers_t packed;
    /** Scratch for the largest section that this thread unpacks. */
    double *halovec;
    size_t turn;
} state_t;

static void *prepare(const heat_problem_t *problem)
{
    state_t *state = common_alloc("halo", 1, sizeof *state);
    state->turn = 0;
    heat_sections_find(problem, &state->sections);
    heat_buffers_create(problem, &state->packed);
    size_t largest = 0;
    for (int s = 0; s < state->sections.count; s++) {
        size_t nbytes = heat_section_bytes(&state->sections.of[s]);
        largest = nbytes > largest ? nbytes : largest;
    }
    state->halovec = common_alloc("halo", largest, 1);
    return state;
}

static void get_and_unpack(const heat_problem_t *problem, const state_t *state)
{
    ptrdiff_t pitch = (ptrdiff_t)problem->mine.pitch;
    double *phi = problem->field[problem->now];
    for (int s = 0; s < state->sections.count; s++) {
        const heat_section_t *section = &state->sections.of[s];
        size_t nbytes = heat_section_bytes(section);
        if (section->rows > 1) {
            pgas_memget(
                state->halovec,
                heat_buffer_at(&state->packed, section->thread, section->opposite, state->turn),
                nbytes);
            heat_section_unpack(problem, section, state->halovec);
        } else {
            pgas_memget(&phi[section->halo_row * pitch + section->halo_col],
                        heat_point(problem, section->thread, &section->block, problem->now,
                                   section->their_row, section->their_col),
                        nbytes);
        }
    }
}

static void advance(const heat_sweeper_t *sweeper, void *opaque, size_t steps,
                    common_clock_t *clock)
{
    const heat_problem_t *problem = sweeper->problem;
    state_t *state = opaque;
    heat_sections_pack(problem, &state->sections, &state->packed, state->turn);
    common_clock_book(clock, HEAT_HALO);
    pgas_barrier();
    common_clock_book(clock, HEAT_BARRIER);
    get_and_unpack(problem, state);
    state->turn++;
    common_clock_book(clock, HEAT_HALO);
    heat_sweep_all(sweeper, steps);
    common_clock_book(clock, HEAT_COMPUTE);
}

static void release(void *opaque)
{
    state_t *state = opaque;
    heat_buffers_free(&state->packed);
    free(state->halovec);
    free(state);
}

const heat_form_t heat_memget = {"memget", prepare, advance, release, PGAS_CONTIGUOUS, PGAS_FROM};
