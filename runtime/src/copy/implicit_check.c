#include "copy/implicit_check.h"

#ifdef PGAS_DEBUG

#include "copy/call_site.h"

static _Thread_local pgasi_sites_t copies;
static _Thread_local pgasi_sites_t region; /* one, or none */

void pgasi_implicit_begun(const char *call)
{
    pgasi_site_t site = pgasi_site_of(call);
    if (region.length == 0)
        pgasi_sites_add(&copies, &site);
}

void pgasi_implicit_synchronised(void)
{
    pgasi_sites_clear(&copies);
}

void pgasi_region_begun(const char *call)
{
    pgasi_site_t site = pgasi_site_of(call);
    pgasi_sites_add(&region, &site);
}

void pgasi_region_ended(void)
{
    pgasi_sites_clear(&region);
}

void pgasi_implicit_report(const char *call)
{
    pgasi_sites_report(call, &copies, "call", "never synchronised (pgas_waitsynci)");
    pgasi_sites_report(call, &region, "access region", "never ended");
}

#endif
