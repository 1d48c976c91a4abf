#include "net/polling.h"

/* Of looks, in nanoseconds: a spin lasts about so long, and a yield comes after so many of them. */
static const double spin_alone = 13000;
static const double spin_crowded = 1560;
static const double spin_per_target = 20;

enum {
    /* Others' messages may wait so long for the main thread. */
    SELDOM_US = 32,
    SPINS_ALONE_MIN = 200,
    SPINS_ALONE_MAX = 4000,
    SPINS_CROWDED_MIN = 24,
    SPINS_CROWDED_MAX = 120,
    YIELDS_ALONE = 50,
    /* A thread that sleeps costs its core two switches. A refused yield counts for three. */
    YIELDS_CROWDED = 24,
    REFUSAL_CROWDED = 2,
    PER_TARGET_MAX = 3
};

static unsigned within(double value, unsigned least, unsigned most)
{
    if (value <= least)
        return least;
    return value >= most ? most : (unsigned)value;
}

pgasi_polling_t pgasi_polling_for(double nanoseconds, bool alone)
{
    double cost = nanoseconds < 1 ? 1 : nanoseconds;
    unsigned spins = alone ? within(spin_alone / cost, SPINS_ALONE_MIN, SPINS_ALONE_MAX)
                           : within(spin_crowded / cost, SPINS_CROWDED_MIN, SPINS_CROWDED_MAX);
    unsigned per_yield = spins / (alone ? YIELDS_ALONE : YIELDS_CROWDED);
    return (pgasi_polling_t){
        .spins = spins,
        .per_yield = per_yield,
        .per_refusal = alone ? 0 : REFUSAL_CROWDED * per_yield,
        .per_target = within(cost / spin_per_target, 1, PER_TARGET_MAX),
    };
}

bool pgasi_polling_is_frequent(unsigned times, uint64_t microseconds)
{
    return times > microseconds / SELDOM_US;
}
