/**
 * Sockets of bells: a datagram wakes a thread that sleeps on descriptors.
 *
 * They have abstract names, random numbers that lie in shared memory. Whoever else finds one can
 * wake a thread for nothing, and no more.
 */
#ifndef PGASI_SHM_BELL_SOCKET_H
#define PGASI_SHM_BELL_SOCKET_H

#include <stdbool.h>
#include <stdint.h>

/** Opens the thread's socket and sets its number; false if there can be none. */
bool pgasi_bell_socket_open(uint64_t *number);

/** Its descriptor; -1 if it is not open. */
int pgasi_bell_socket(void);

/** Makes the descriptor not ready. */
void pgasi_bell_socket_drain(void);

/** Wakes the thread whose socket has this number. For threads that have one, too. */
void pgasi_bell_socket_wake(uint64_t number);

void pgasi_bell_socket_close(void);

#endif
