/* As memget, but the copies travel while the points that need none of them are computed. */
#include <stdlib.h>

#include "common/large.h"
#include "halo.h"
#include "sections.h"

typedef struct state {
    heat_sections_t sections;
    /** Packed sections that neighbours get from this thread. */
    heat_buffers_t packed;
    /** Receive buffers for the sections that this thread unpacks. */
    double *halovec[HEAT_DIRECTIONS];
    pgas_handle_t handles[HEAT_DIRECTIONS];
    size_t turn;
} state_t;

static void *prepare(const heat_problem_t *problem)
{
    state_t *state = common_alloc("halo", 1, sizeof *state);
    state->turn = 0;
    heat_sections_find(problem, &state->sections);
    heat_buffers_create(problem, &state->packed);
    for (int s = 0; s < state->sections.count; s++)
        state->halovec[s] = common_alloc("halo", heat_section_bytes(&state->sections.of[s]), 1);
    return state;
}

static void start(const heat_problem_t *problem, state_t *state)
{
    ptrdiff_t pitch = (ptrdiff_t)problem->mine.pitch;
    double *phi = problem->field[problem->now];
    for (int s = 0; s < state->sections.count; s++) {
        const heat_section_t *section = &state->sections.of[s];
        size_t nbytes = heat_section_bytes(section);
        if (section->rows > 1)
            state->handles[s] = pgas_memget_async(
                state->halovec[s],
                heat_buffer_at(&state->packed, section->thread, section->opposite, state->turn),
                nbytes);
        else
            state->handles[s] =
                pgas_memget_async(&phi[section->halo_row * pitch + section->halo_col],
                                  heat_point(problem, section->thread, &section->block,
                                             problem->now, section->their_row, section->their_col),
                                  nbytes);
    }
}

/* Lets the copies progress. */
static void poll(void *opaque)
{
    state_t *state = opaque;
    pgas_trysync_all(state->handles, (size_t)state->sections.count);
}

static void finish(const heat_problem_t *problem, state_t *state)
{
    pgas_waitsync_all(state->handles, (size_t)state->sections.count);
    for (int s = 0; s < state->sections.count; s++)
        if (state->sections.of[s].rows > 1)
            heat_section_unpack(problem, &state->sections.of[s], state->halovec[s]);
}

static void advance(const heat_sweeper_t *sweeper, void *opaque, size_t steps,
                    common_clock_t *clock)
{
    const heat_problem_t *problem = sweeper->problem;
    state_t *state = opaque;
    bool overlaps = heat_sweep_has_inner(sweeper, steps);
    heat_sections_pack(problem, &state->sections, &state->packed, state->turn);
    common_clock_book(clock, HEAT_HALO);
    pgas_barrier();
    common_clock_book(clock, HEAT_BARRIER);
    start(problem, state);
    common_clock_book(clock, HEAT_HALO);
    if (overlaps)
        heat_sweep_inner(sweeper, steps, poll, state);
    common_clock_book(clock, HEAT_COMPUTE);
    finish(problem, state);
    state->turn++;
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
    heat_buffers_free(&state->packed);
    for (int s = 0; s < state->sections.count; s++)
        free(state->halovec[s]);
    free(state);
}

const heat_form_t heat_async = {"async", prepare, advance, release, PGAS_CONTIGUOUS, PGAS_FROM};
