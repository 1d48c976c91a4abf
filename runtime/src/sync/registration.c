#include <pgas/am.h>

#include <pgas/detail.h>

#include "am/handlers.h"
#include "am/progress.h"
#include "base/in_job.h"
#include "base/self.h"
#include "sync/barrier.h"
#include "sync/collective.h"
#include "sync/registration.h"

/* All have published their names before anybody compares, and nobody sends before all have. */
void pgasi_handlers_agree(const char *call)
{
    uint64_t mine = pgasi_handlers_hash();
    uint64_t of_thread_0;
    pgasi_sync_exchange(0, NULL, mine, &of_thread_0);
    if (mine != of_thread_0)
        pgasi_handlers_differ(call, 0);
}

/* In the job the call is collective; its name is compared with the table, not as an argument, so
 * that the line says which. */
pgas_am_t pgas_am_register(const char *name, pgas_am_handler_t *handler, pgas_am_where_t where)
{
    if (pgasi_has_left_job)
        pgasi_outside_job(__func__);
    if (!pgasi_is_in_job)
        return (pgas_am_t){pgasi_handlers_add(__func__, name, handler, where)};
    pgasi_collective_begin(PGASI_AM_REGISTER, 0, NULL);
    pgas_am_t am = {pgasi_handlers_add(__func__, name, handler, where)};
    pgasi_am_use();
    pgasi_handlers_agree(__func__);
    pgasi_collective_end();
    return am;
}
