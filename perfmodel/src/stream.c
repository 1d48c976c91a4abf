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
    double byte_read = 1.0 / machine->value[MODEL_PRIVATE_READ_BANDWIDTH];
    double triad = (triad_read + triad_written) / bandwidth;
    double byte_written = fmax((triad - triad_read * byte_read) / triad_written, byte_read);
    return traffic.read * byte_read + traffic.written * byte_written;
}
