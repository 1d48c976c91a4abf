/**
 * The machine that a host is part of: containers of one machine look like hosts of their own.
 */
#ifndef PGASI_NODE_MACHINE_H
#define PGASI_NODE_MACHINE_H

enum {
    PGASI_MACHINE_LENGTH = 40
};

/** Writes what tells the running system of the caller's machine from others', the same in all its
 *  containers; "" if that cannot be found out. */
void pgasi_machine_tell(char machine[PGASI_MACHINE_LENGTH]);

#endif
