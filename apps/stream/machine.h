/**
 * The sizes of the machine's caches.
 */
#ifndef STREAM_MACHINE_H
#define STREAM_MACHINE_H

#include <stddef.h>

/** Bytes of a cache line. */
size_t stream_cache_line(void);

/** Bytes of a core's first-level cache for data; 0 where the system does not tell. */
size_t stream_first_level_cache(void);

/** Bytes of a core's second-level cache; 0 where the system does not tell. */
size_t stream_second_level_cache(void);

/** Bytes of this host's last-level caches together; a guess of 32 MiB where the system does not
 *  tell. */
size_t stream_last_level_cache(void);

/** Bytes of last-level cache for each of the host's threads; the least of all hosts. Collective. */
size_t stream_last_level_share(void);

/** Elements of 8 bytes per thread with which an array of all threads of one host fills `times`
 *  last-level caches, but no more than a 16th of the host's memory. The same on every thread: the
 *  largest of all hosts. Collective. */
size_t stream_elements_beyond_cache(size_t times);

#endif
