/**
 * What the machine's caches are like.
 */
#ifndef STREAM_MACHINE_H
#define STREAM_MACHINE_H

#include <stddef.h>

/** Bytes of a cache line. */
size_t stream_cache_line(void);

/** Bytes of a core's second-level cache; 0 where the system does not tell. */
size_t stream_second_level_cache(void);

/** Bytes of this host's last-level caches together; a guess of 32 MiB where the system does not
 *  tell. */
size_t stream_last_level_cache(void);

/** Bytes of those for each of the host's threads; the least of all hosts. Collective. */
size_t stream_last_level_share(void);

/** Elements of 8 bytes per thread with which the threads of one host fill `times` last-level caches
 *  by an array, as far as that is no more than a 16th of the host's memory. The same on every
 *  thread: the largest that any host proposes. Collective. */
size_t stream_elements_beyond_cache(size_t times);

#endif
