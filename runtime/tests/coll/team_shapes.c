#include "team_shapes.h"

#include <pgas/pgas.h>

#include "check.h"
#include "pause.h"
#include "random.h"

pgas_team_t *shapes[SHAPES];

void shapes_create(void)
{
    int me = pgas_mythread();
    int last = pgas_threads() - 1;
    shapes[0] = PGAS_TEAM_ALL;
    shapes[1] = PGAS_TEAM_NODE;
    CHECK(pgas_team_split(PGAS_TEAM_ALL, 0, -me, &shapes[2]) == PGAS_OK);
    CHECK(pgas_team_split(PGAS_TEAM_ALL, me % 2, 0, &shapes[3]) == PGAS_OK);
    CHECK(pgas_team_split(PGAS_TEAM_ALL, me == last ? PGAS_NO_TEAM : 7, me == 0 ? last : me,
                          &shapes[4]) == PGAS_OK);
    CHECK(pgas_team_split(PGAS_TEAM_ALL, 0, me % 2, &shapes[5]) == PGAS_OK);
}

void shapes_free(void)
{
    for (int i = 2; i < SHAPES; i++)
        pgas_team_free(shapes[i]);
}

uint64_t shapes_seed(const pgas_team_t *team, uint64_t seed, uint64_t round)
{
    uint64_t state = seed ^ round << 32 ^ (uint64_t)pgas_team_thread(team, 0);
    random_next(&state);
    return state;
}

void dawdle(uint64_t *state)
{
    if (random_below(state, 12) == 0)
        sleep_microseconds(random_below(state, 1200));
}
