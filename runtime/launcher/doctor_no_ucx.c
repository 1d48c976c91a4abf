#include "doctor.h"

void doctor_query_network(doctor_network_t *network)
{
    (void)network;
}
