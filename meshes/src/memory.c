#include "memory.h"

#include <unistd.h>

bool meshi_memory_exists(size_t nbytes)
{
    long pages = sysconf(_SC_PHYS_PAGES);
    long page_bytes = sysconf(_SC_PAGESIZE);
    return pages <= 0 || page_bytes <= 0 || nbytes / (size_t)page_bytes <= (size_t)pages;
}
