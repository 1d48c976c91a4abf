#include "boot/boot.h"

#include <stdlib.h>

const pgasi_boot_t *pgasi_boot(void)
{
    return getenv("PMIX_NAMESPACE") != NULL ? &pgasi_boot_pmix : &pgasi_boot_single;
}
