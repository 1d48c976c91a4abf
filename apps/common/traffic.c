#include "common/traffic.h"

void common_traffic_add(pgas_stats_t *sum, const pgas_stats_t *more, size_t times)
{
    for (int place = 0; place < PGAS_PLACES; place++)
        for (int mode = 0; mode < PGAS_MODES; mode++)
            for (int direction = 0; direction < PGAS_DIRECTIONS; direction++) {
                const pgas_traffic_t *from = &more->traffic[place][mode][direction];
                pgas_traffic_t *into = &sum->traffic[place][mode][direction];
                into->operations += from->operations * times;
                into->bytes += from->bytes * times;
            }
}
