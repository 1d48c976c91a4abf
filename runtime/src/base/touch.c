#include "base/touch.h"

/* The smallest page size: larger pages are touched more than once. */
#define PAGE ((size_t)4096)

void pgasi_touch_source(const void *src, size_t nbytes)
{
    const volatile char *bytes = src;
    for (size_t i = 0; i < nbytes; i += PAGE)
        (void)bytes[i];
    (void)bytes[nbytes - 1];
}
