#include <pgas/tick.h>

#include "base/clock.h"

pgas_tick_t pgas_ticks_now(void)
{
    return pgasi_nanoseconds();
}
