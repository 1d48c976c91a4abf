/*
 * Puts and gets of the own supernode, which are inline, keep the program's order: a node that sees
 * the flag sees the data, and a loop of gets sees the flag at last.
 */
#include "client.h"

enum {
    ROUNDS = 500,
    WORDS = 4
};

int main(int argc, char **argv)
{
    start(&argc, &argv, GASNET_PAGESIZE);
    gasnet_node_t to = gasnet_mynode() + 1 < gasnet_nodes() ? gasnet_mynode() + 1 : 0;
    uint64_t *mine = (uint64_t *)(void *)own_segment();
    uint64_t *there = (uint64_t *)(void *)segment_of(to);
    memset(mine, 0, GASNET_PAGESIZE);
    meet();
    /* The data is put after the flag of the round before has come, and read after its own. */
    for (uint64_t round = 1; round <= ROUNDS; round++) {
        for (int i = 0; i < WORDS; i++)
            gasnet_put_val(to, &there[8 + i], round, 8);
        gasnet_put_val(to, &there[0], round, 8);
        for (int tries = 1; gasnet_get_val(gasnet_mynode(), &mine[0], 8) < round; tries++)
            if (tries % 1000 == 0)
                gasnet_AMPoll();
        for (int i = 0; i < WORDS; i++) {
            uint64_t seen = 0;
            gasnet_get(&seen, gasnet_mynode(), &mine[8 + i], 8);
            CHECK(seen >= round);
        }
    }
    meet();
    gasnet_exit(0);
}
