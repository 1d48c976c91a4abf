/**
 * The gate: over TCP, UCX gets the bytes of nobody but threads of the job.
 *
 * UCX's transport over TCP does what comes by any connection: it writes to the address that a
 * message names, and takes numbers in it for its own pointers. The secret in the headers of the
 * runtime comes too late for that. So the gate stands between UCX and its sockets. Whoever opens a
 * connection says the job's word for callers of that address, 16 bytes, before anything else; who
 * is called hears it before UCX gets a byte, and answers with the word for the called, which the
 * caller hears before UCX gets a byte there. A connection whose other end says something else looks
 * closed to UCX. The verdict is given when all 16 bytes have come, so that nobody can guess them
 * one by one. Who has got the port of a thread that has died hears a word that opens no other door.
 *
 * One door stands for each file descriptor. UCX uses a socket in one thread at a time, so that a
 * door needs no lock; but the next one with that number may belong to another thread, which must
 * see what was done to the door: the state is stored behind it, and loaded before.
 */
#ifndef PGASI_NET_UCX_GATE_H
#define PGASI_NET_UCX_GATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/socket.h>
#include <sys/types.h>

#include "base/secrets.h"

/** Stands between UCX and its sockets from now on: before UCX is initialised, once. False: it
 *  cannot, UCX is another one than those known here; bytes pass as without it. A program that uses
 *  UCX itself has the gate, too. What UCX opens is closed in programs that this one starts. */
bool pgasi_ucx_gate_build(void);

/** Tells the gate the job's words. Before that, connections wait. */
void pgasi_ucx_gate_open(const pgasi_secrets_t *secrets);

/** The word for callers of this address: who hears it there can say it nowhere else. */
void pgasi_ucx_gate_word(const pgasi_secrets_t *secrets, const struct sockaddr *called,
                         unsigned char *word);

/** To be called at least three times in so many milliseconds: true if for as long, as far as these
 *  calls have seen, a connection's other end has acknowledged nothing of what is on its way to it;
 *  `address` receives whose it is, in text. What fills the other end's buffers is acknowledged, and
 *  not on its way. */
bool pgasi_ucx_gate_is_cut(uint64_t milliseconds, char *address, size_t size);

/** What UCX calls in place of the C library's functions. A read from a connection whose other end
 *  has not said its word finds nothing (EAGAIN), and the end (0) where it has said another one. */
int pgasi_ucx_gate_socket(int domain, int type, int protocol);
int pgasi_ucx_gate_accept(int fd, struct sockaddr *address, socklen_t *length);
int pgasi_ucx_gate_connect(int fd, const struct sockaddr *address, socklen_t length);
ssize_t pgasi_ucx_gate_recv(int fd, void *bytes, size_t nbytes, int flags);
ssize_t pgasi_ucx_gate_send(int fd, const void *bytes, size_t nbytes, int flags);
ssize_t pgasi_ucx_gate_sendmsg(int fd, const struct msghdr *message, int flags);

#endif
