/**
 * A program of known collective calls, for the test of what PGAS_STATS reports: two barriers of the
 * team of all, a broadcast of 24 bytes from rank 0, started without waiting, and a barrier of all
 * threads; all after the counts were set to zero.
 */
#include "check.h"

int main(void)
{
    CHECK(pgas_init() == PGAS_OK);
    char data[24] = "";
    pgas_collective_traffic_t list[8];
    pgas_team_barrier(PGAS_TEAM_ALL);
    CHECK(pgas_stats_collectives(list, 8) > 0);
    pgas_stats_reset();
    CHECK(pgas_stats_collectives(list, 8) == 0);
    pgas_team_barrier(PGAS_TEAM_ALL);
    pgas_team_notify(PGAS_TEAM_ALL);
    pgas_team_wait(PGAS_TEAM_ALL);
    pgas_waitsync(pgas_broadcast_async(PGAS_TEAM_ALL, data, sizeof data, 0));
    list[1].calls = 77;
    CHECK(pgas_stats_collectives(list, 1) == 2); /* no more than there is room for */
    CHECK(list[0].calls == 2 && list[1].calls == 77);
    pgas_barrier();
    pgas_finalize();
    return 0;
}
