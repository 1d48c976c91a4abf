#include "coll/setting.h"

#include "base/config.h"
#include "base/log.h"

pgas_status_t pgasi_coll_setting_read(pgasi_coll_rules_t *rules)
{
    char wrong[512];
    if (pgasi_coll_rules_read(pgasi_settings.coll, rules, wrong, sizeof wrong))
        return PGAS_OK;
    pgasi_log_alike("PGAS_COLL='%s': %s", pgasi_settings.coll, wrong);
    return PGAS_ERR_ARGUMENT;
}
