#include "net/ucx/wire.h"

#include <stdatomic.h>
#include <string.h>

#include "base/log.h"

uint64_t pgasi_ucx_secret;

bool pgasi_ucx_open(const void *bytes, size_t nbytes, void *header, size_t size)
{
    uint64_t secret;
    if (nbytes >= sizeof secret)
        memcpy(&secret, bytes, sizeof secret);
    if (nbytes < sizeof secret || secret != pgasi_ucx_secret) {
        pgasi_ucx_dropped("it does not come from this job");
        return false;
    }
    if (nbytes != size) {
        pgasi_ucx_dropped("its header has another length");
        return false;
    }
    memcpy(header, bytes, size);
    return true;
}

void pgasi_ucx_dropped(const char *why)
{
    static atomic_flag told = ATOMIC_FLAG_INIT;
    if (!atomic_flag_test_and_set(&told))
        pgasi_tell("network: a message has been dropped: %s (docs/clusters.md, Security)", why);
}
