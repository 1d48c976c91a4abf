#include "base/self.h"

pgasi_peer_t pgasi_nobody;
pgasi_job_t pgasi_job = {.peers = &pgasi_nobody, .thread = 0, .threads = 1};

bool pgasi_is_in_job;
bool pgasi_has_left_job;
_Thread_local pgasi_restriction_t pgasi_restriction;
