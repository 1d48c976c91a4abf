/**
 * Connections of other users to this process.
 *
 * PMIx 4 asks who connects over TCP, and believes the answer; and it reads that answer without a
 * limit of time, during which its server does nothing else. What the kernel knows of the other end
 * of a loopback connection is true.
 */
#ifndef LAUNCHER_STRANGERS_H
#define LAUNCHER_STRANGERS_H

/** Shuts all connections over TCP (IPv4) whose other end on this host is another user's, root's
 *  aside. One that has been looked at is not looked at again. */
void strangers_shut(void);

#endif
