/**
 * Messages whose arguments and payload say what they must be: for the tests of active messages.
 */
#ifndef RUNTIME_TESTS_AM_MESSAGE_H
#define RUNTIME_TESTS_AM_MESSAGE_H

#include <stddef.h>
#include <stdint.h>

#include "check.h"

/** Argument `index`, byte `index` of the message with this seed. */
static inline int32_t message_argument(uint32_t seed, unsigned index)
{
    return (int32_t)((seed + index + 1) * UINT32_C(2654435761));
}

static inline unsigned char message_byte(uint32_t seed, size_t index)
{
    return (unsigned char)((seed >> 3) + index * 7 + (index >> 8));
}

static inline void message_fill(uint32_t seed, int32_t *args, unsigned nargs, void *payload,
                                size_t nbytes)
{
    unsigned char *bytes = payload;
    for (unsigned i = 0; i < nargs; i++)
        args[i] = message_argument(seed, i);
    for (size_t i = 0; i < nbytes; i++)
        bytes[i] = message_byte(seed, i);
}

/** Ends the job unless arguments from number `first` on and payload are those of the message. */
static inline void message_check(uint32_t seed, const int32_t *args, unsigned first, unsigned nargs,
                                 const void *payload, size_t nbytes)
{
    const unsigned char *bytes = payload;
    for (unsigned i = first; i < nargs; i++)
        CHECK(args[i] == message_argument(seed, i));
    for (size_t i = 0; i < nbytes; i++)
        CHECK(bytes[i] == message_byte(seed, i));
}

#endif
