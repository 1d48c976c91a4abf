/**
 * The sizes of the machine's caches.
 */
#ifndef STREAM_MACHINE_H
#define STREAM_MACHINE_H

#include <stddef.h>

/** Bytes of a cache line. */
size_t stream_cache_line(void);

/** Bytes of a core's first-level cache for data, and of its second-level cache; the least of all
 *  threads of all hosts, 0 where a system does not tell. Collective. */
size_t stream_first_level_cache(void);
size_t stream_second_level_cache(void);

/** Bytes of this host's last-level caches together, as the system reports them, which may be more
 *  than there is (last_level.h); a guess of 32 MiB where it does not tell. */
size_t stream_last_level_cache(void);

/** Bytes of last-level cache for each thread, measured the first time, at most what the system
 *  reports; where it cannot be measured, each thread's share of that, and no more than an eighth of
 *  what measurements use of the memory. The least of all threads of all hosts. Collective. */
size_t stream_last_level_share(void);

/** Elements of 8 bytes per thread with which an array of all threads of one host fills `times`
 *  times what they have of the last-level cache, by the share above, or 32 MiB if that is more, but
 *  no more than a 16th of any host's memory. The same on every thread; where hosts have caches of
 *  very different size, those with more need a number of the user's. Collective. */
size_t stream_elements_beyond_cache(size_t times);

#endif
