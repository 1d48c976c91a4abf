/* An operating-system thread that is not attached may end the job beside pgas_finalize, and have
 * looked at the node's control block just before that goes. */
#include <pgas/pgas.h>
#include <stdatomic.h>

#include "check.h"
#include "node/segment.h"

int main(void)
{
    CHECK(pgas_init() == PGAS_OK);
    pgas_barrier();
    pgasi_control_t *control = pgasi_node_memory.control;
    pgas_finalize();
    CHECK(atomic_exchange(&control->ending, 1) == 0);
    return 0;
}
