#include "stream.h"

#include <math.h>

double modeli_traffic_seconds(modeli_traffic_t traffic, const model_parameters_t *machine)
{
    /* STREAM's triad, per element. */
    static const double triad_read = 16.0;
    static const double triad_written = 8.0;
    double bandwidth = machine->value[MODEL_PRIVATE_BANDWIDTH];
    if (!machine->has[MODEL_PRIVATE_READ_BANDWIDTH])
        return (traffic.read + traffic.written) / bandwidth;
    /* The triad reads 24 bytes of each element too, since it fetches the line that it writes to. So
     * reading alone is no slower, and a measurement that says so has not kept the memory busy. */
    double byte_read = 1.0 / fmax(machine->value[MODEL_PRIVATE_READ_BANDWIDTH], bandwidth);
    double triad = (triad_read + triad_written) / bandwidth;
    double byte_written = (triad - triad_read * byte_read) / triad_written;
    return traffic.read * byte_read + traffic.written * byte_written;
}
