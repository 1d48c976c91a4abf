/**
 * PGAS_COLL as rules; also for `fathom-run --doctor`, which is in no job.
 */
#ifndef PGASI_COLL_SETTING_H
#define PGASI_COLL_SETTING_H

#include <pgas/types.h>

#include "coll/algorithm.h"

/** Reads the rules of the setting, once pgasi_config_load has loaded it. Logs what is wrong and
 *  returns PGAS_ERR_ARGUMENT. */
pgas_status_t pgasi_coll_setting_read(pgasi_coll_rules_t *rules);

#endif
