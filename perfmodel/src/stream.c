#include "stream.h"

#include <math.h>

bool modeli_knows_writing(const model_parameters_t *machine)
{
    return machine->has[MODEL_PRIVATE_READ_BANDWIDTH] &&
           machine->has[MODEL_PRIVATE_SCALE_BANDWIDTH];
}

double modeli_traffic_seconds(modeli_traffic_t traffic, const model_parameters_t *machine)
{
    /* STREAM's scale, per element. */
    static const double scale_read = 8.0;
    static const double scale_written = 8.0;
    if (!modeli_knows_writing(machine))
        return (traffic.read + traffic.written) / machine->value[MODEL_PRIVATE_BANDWIDTH];
    /* The scale also reads 16 bytes per element, since it fetches the line that it writes to. So
     * reading alone is not slower: a measurement that says it is did not keep the memory busy. */
    double bandwidth = machine->value[MODEL_PRIVATE_SCALE_BANDWIDTH];
    double byte_read = 1.0 / fmax(machine->value[MODEL_PRIVATE_READ_BANDWIDTH], bandwidth);
    double scale = (scale_read + scale_written) / bandwidth;
    double byte_written = (scale - scale_read * byte_read) / scale_written;
    return traffic.read * byte_read + traffic.written * byte_written;
}
