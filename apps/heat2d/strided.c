/* Halos by strided copies: no thread packs or unpacks. */
#include <stdlib.h>

#include "common/large.h"
#include "halo.h"
#include "sections.h"

static void *prepare(const heat_problem_t *problem)
{
    heat_sections_t *sections = common_alloc("halo", 1, sizeof *sections);
    heat_sections_find(problem, sections);
    return sections;
}

static void get(const heat_problem_t *problem, const heat_sections_t *sections)
{
    ptrdiff_t pitch = (ptrdiff_t)problem->mine.pitch;
    double *phi = problem->field[problem->now];
    for (int s = 0; s < sections->count; s++) {
        const heat_section_t *section = &sections->of[s];
        pgas_memget_2d(&phi[section->halo_row * pitch + section->halo_col],
                       problem->mine.pitch * sizeof(double),
                       heat_point(problem, section->thread, &section->block, problem->now,
                                  section->their_row, section->their_col),
                       section->block.pitch * sizeof(double), section->cols * sizeof(double),
                       section->rows);
    }
}

static void advance(const heat_sweeper_t *sweeper, void *opaque, size_t steps,
                    common_clock_t *clock)
{
    const heat_problem_t *problem = sweeper->problem;
    pgas_barrier();
    common_clock_book(clock, HEAT_BARRIER);
    get(problem, opaque);
    common_clock_book(clock, HEAT_HALO);
    if (steps > 1) { /* the second step overwrites what neighbours get */
        pgas_barrier();
        common_clock_book(clock, HEAT_BARRIER);
    }
    heat_sweep_all(sweeper, steps);
    common_clock_book(clock, HEAT_COMPUTE);
}

static void release(void *opaque)
{
    free(opaque);
}

const heat_form_t heat_strided = {"strided", prepare, advance, release, PGAS_CONDENSED, PGAS_FROM};
