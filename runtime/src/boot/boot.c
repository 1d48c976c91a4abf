#include "boot/boot.h"

#include <stdatomic.h>
#include <stdlib.h>

/* Chosen once: the program may change its environment, as MPI_Init does in a job of one thread. */
const pgasi_boot_t *pgasi_boot(void)
{
    static const pgasi_boot_t *_Atomic chosen;
    const pgasi_boot_t *boot = atomic_load_explicit(&chosen, memory_order_acquire);
    if (boot == NULL) {
        boot = getenv("PMIX_NAMESPACE") != NULL ? &pgasi_boot_pmix : &pgasi_boot_single;
        atomic_store_explicit(&chosen, boot, memory_order_release);
    }
    return boot;
}
