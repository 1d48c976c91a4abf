/**
 * Bells of threads that sleep on descriptors: a datagram to a socket, which is one of those, wakes
 * them. The order of flag, message and look is the same as in shm/bell.h.
 *
 * The sockets have abstract names, random numbers that lie in shared memory. Whoever else finds one
 * can wake a thread for nothing, and no more.
 */
#ifndef PGASI_SHM_BELL_SOCKET_H
#define PGASI_SHM_BELL_SOCKET_H

#include <stdbool.h>

#include "shm/bell.h"

/** Opens the socket of the own bell, before anybody rings; false if there can be none. */
bool pgasi_bell_socket_open(pgasi_bell_t *bell);

/** From here on whoever rings the own bell makes the descriptor ready that this returns; -1 if
 * there is no socket. The caller looks for messages once more before it sleeps. */
int pgasi_bell_socket_begin(pgasi_bell_t *bell);

/** The thread is awake; its descriptor is not ready any more. */
void pgasi_bell_socket_end(pgasi_bell_t *bell);

/** Wakes a thread that sleeps on descriptors. */
void pgasi_bell_socket_wake(const pgasi_bell_t *bell);

void pgasi_bell_socket_close(void);

#endif
