/**
 * What this machine offers to Fathom, and what will hurt.
 */
#ifndef LAUNCHER_DOCTOR_H
#define LAUNCHER_DOCTOR_H

#include <stdbool.h>
#include <stddef.h>

/** Prints it all on standard output, in sections of lines "  name   value"; an item that needs
 *  action has a line "  ! advice" under it. Returns the exit status of the program: 0, or
 *  EXIT_FAILURE when the output cannot be written. */
int doctor_run(void);

/** What UCX finds. The texts are the struct's own. */
struct doctor_network {
    char version[32]; /**< of the library in use; empty in a build without UCX */
    char devices[1024]; /**< network devices, each with its transports; lines ended by '\n' */
    char shared_memory[256]; /**< transports within the machine, with blanks between */
    size_t device_count; /**< network devices other than the loopback interface */
    bool has_rdma; /**< one of them reads and writes memory itself */
};

/** Asks UCX, or tells that this build has none: one of doctor_ucx.c and doctor_no_ucx.c is built.
 *  `network` is all zero before. */
void doctor_look_at_network(struct doctor_network *network);

#endif
