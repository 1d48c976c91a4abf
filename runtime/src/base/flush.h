/**
 * Writes out what streams hold when the process ends by other ways than exit.
 */
#ifndef PGASI_BASE_FLUSH_H
#define PGASI_BASE_FLUSH_H

/**
 * As fflush(NULL), for no more than a second: a thread may hold a stream while it waits for input,
 * or for a pipe that nobody reads. From the second call on, nothing.
 */
void pgasi_flush_streams(void);

#endif
