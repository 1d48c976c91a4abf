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

enum {
    SOURCE_BITS = 16,
    HANDLER_BITS = 11,
    CREDIT_BITS = 4
};

static bool fits(uint32_t value, unsigned bits)
{
    return value >> bits == 0;
}

static uint32_t low_bits(uint32_t value, unsigned bits)
{
    return value & ((UINT32_C(1) << bits) - 1);
}

size_t pgasi_ucx_am_shorten(const pgasi_net_am_t *am, pgasi_ucx_am_brief_t *brief)
{
    if (am->kind != 0 || am->is_placed != 0 || !fits(am->source, SOURCE_BITS) ||
        !fits(am->handler, HANDLER_BITS) || !fits(am->credits, CREDIT_BITS))
        return 0;
    brief->secret = pgasi_ucx_secret;
    brief->what = am->source | (uint32_t)am->handler << SOURCE_BITS |
                  (uint32_t)(am->is_reply != 0) << (SOURCE_BITS + HANDLER_BITS) |
                  am->credits << (SOURCE_BITS + HANDLER_BITS + 1);
    memcpy(brief->args, am->args, am->nargs * sizeof *am->args);
    return offsetof(pgasi_ucx_am_brief_t, args) + am->nargs * sizeof *am->args;
}

bool pgasi_ucx_open_brief(const void *bytes, size_t nbytes, pgasi_net_am_t *am)
{
    const size_t least = offsetof(pgasi_ucx_am_brief_t, args);
    uint32_t what;
    if (!has_secret(bytes, nbytes))
        return false;
    if (nbytes < least || nbytes > least + sizeof am->args || nbytes % sizeof *am->args != 0)
        return drop_length();
    memcpy(&what, (const char *)bytes + offsetof(pgasi_ucx_am_brief_t, what), sizeof what);
    am->offset = 0;
    am->is_placed = 0;
    am->payload_behind = 0;
    am->is_reply = (uint8_t)low_bits(what >> (SOURCE_BITS + HANDLER_BITS), 1);
    am->source = low_bits(what, SOURCE_BITS);
    am->credits = what >> (SOURCE_BITS + HANDLER_BITS + 1);
    am->handler = (uint16_t)low_bits(what >> SOURCE_BITS, HANDLER_BITS);
    am->kind = 0;
    am->nargs = (uint8_t)((nbytes - least) / sizeof *am->args);
    memcpy(am->args, (const char *)bytes + least, nbytes - least);
    return true;
}

void pgasi_ucx_dropped(const char *why)
{
    static atomic_flag told = ATOMIC_FLAG_INIT;
    if (!atomic_flag_test_and_set(&told))
        pgasi_tell("network: a message has been dropped: %s (docs/clusters.md, Security)", why);
}
