/**
 * Gathers one record from every thread.
 */
#ifndef COMMON_GATHER_H
#define COMMON_GATHER_H

#include <stddef.h>

/** Returns pgas_threads() records of `nbytes` each, by thread: what every thread passed as `mine`.
 *  Collective; every thread gets them all. The caller frees them with free(). */
void *common_gather(const void *mine, size_t nbytes);

#endif
