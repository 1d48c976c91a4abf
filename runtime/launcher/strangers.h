/**
 * Connections of other users to this process.
 *
 * PMIx 4 asks every process that connects over TCP who it is and believes the reply. It waits for
 * that reply without a time limit, and serves nobody meanwhile. What the kernel says about the
 * other end of a loopback connection can be trusted.
 */
#ifndef LAUNCHER_STRANGERS_H
#define LAUNCHER_STRANGERS_H

/** Shuts all TCP connections (IPv4) whose other end on this host belongs to another user than this
 *  one or root. Each connection is checked once. */
void strangers_shut(void);

#endif
