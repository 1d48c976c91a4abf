#include "net/ucx/initiator.h"

_Thread_local pgasi_ucx_initiator_t *pgasi_ucx_me;
