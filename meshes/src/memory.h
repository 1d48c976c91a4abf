/**
 * Whether there can be memory for something, before it is asked for.
 */
#ifndef MESHES_SRC_MEMORY_H
#define MESHES_SRC_MEMORY_H

#include <stdbool.h>
#include <stddef.h>

/** Whether this machine has `nbytes` of memory at all, in use or not; true where the system does
 *  not tell. Linux grants more than it has, and ends the process when that is used. */
bool meshi_memory_exists(size_t nbytes);

#endif
