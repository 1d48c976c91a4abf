#include "net/ucx/wire.h"

#include <stdatomic.h>
#include <string.h>

#include "base/log.h"

uint64_t pgasi_ucx_secret;

static bool has_secret(const void *bytes, size_t nbytes)
{
    uint64_t secret;
    if (nbytes >= sizeof secret)
        memcpy(&secret, bytes, sizeof secret);
    if (nbytes < sizeof secret || secret != pgasi_ucx_secret) {
        pgasi_ucx_dropped("it does not come from this job");
        return false;
    }
    return true;
}

static bool drop_length(void)
{
    pgasi_ucx_dropped("its header has another length");
    return false;
}

bool pgasi_ucx_open(const void *bytes, size_t nbytes, void *header, size_t size)
{
    if (!has_secret(bytes, nbytes))
        return false;
    if (nbytes != size)
        return drop_length();
    memcpy(header, bytes, size);
    return true;
}

bool pgasi_ucx_open_am(const void *bytes, size_t nbytes, pgasi_ucx_am_t *header)
{
    if (!has_secret(bytes, nbytes))
        return false;
    if (nbytes < pgasi_ucx_am_size(0) || nbytes > sizeof *header)
        return drop_length();
    memcpy(header, bytes, nbytes);
    return nbytes == pgasi_ucx_am_size(header->am.nargs) || drop_length();
}

void pgasi_ucx_dropped(const char *why)
{
    static atomic_flag told = ATOMIC_FLAG_INIT;
    if (!atomic_flag_test_and_set(&told))
        pgasi_tell("network: a message has been dropped: %s (docs/clusters.md, Security)", why);
}
