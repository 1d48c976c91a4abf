#include "doctor.h"

void doctor_look_at_network(struct doctor_network *network)
{
    (void)network;
}
