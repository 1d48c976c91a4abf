/**
 * How much of the last-level cache the threads of this job get.
 *
 * What the system reports is no answer: virtual machines report the caches of a whole socket for
 * every processor, other guests use them too, and a cache that several processors share is divided
 * among those that are busy. So reads at random, which do not wait for each other, are timed in
 * ever larger memory, all threads at once (docs/decisions.md, 130).
 */
#ifndef STREAM_LAST_LEVEL_H
#define STREAM_LAST_LEVEL_H

#include <stddef.h>

/** What a read takes in so many bytes. */
typedef struct stream_read_time {
    size_t nbytes;
    double seconds;
} stream_read_time_t;

/** The bytes that a cache holds, by `count` times in memory of growing size; the first one is that
 *  of reads which the cache answers. 0 while they do not tell: until memory of four times the size
 *  from which on reads are slow has been read, and reads from memory take 2.5 times as long as
 *  those from the cache, or if a time is 0, of a clock that is too coarse. */
size_t stream_cache_by_times(const stream_read_time_t *times, size_t count);

/** Bytes of last-level cache for each thread, all of them at once: the least of all threads, and no
 *  less than `second_level` (> 0), the size of a core's own cache; 0 if memory is not found to be
 *  slower than the cache. Reads in memory from `second_level` times the root of two up to `most`
 *  bytes per thread, and 1 GiB. The arguments are the same on all threads. Collective. */
size_t stream_measure_last_level(size_t second_level, size_t most);

#endif
