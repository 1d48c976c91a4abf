/**
 * What this machine offers to Fathom, and what will cause trouble.
 */
#ifndef LAUNCHER_DOCTOR_H
#define LAUNCHER_DOCTOR_H

#include <stdbool.h>
#include <stddef.h>

/** Prints a report on standard output, in sections of lines "  name   value"; an item that needs
 *  action has a line "  ! advice" under it. */
void doctor_run(void);

/** What UCX finds. All texts end with '\0'. */
typedef struct doctor_network {
    /** Version of the library in use; empty in a build without UCX. */
    char version[32];
    /** Network devices, one per line with its transports; every line ends with '\n'. */
    char devices[1024];
    /** Transports within the machine, separated by blanks. */
    char shared_memory[256];
    /** Number of network devices other than the loopback interface. */
    size_t device_count;
    /** One of the devices supports RDMA. */
    bool has_rdma;
    /** Endpoints can be made at all by the transports that UCX_TLS allows, or by all, and UCX
     * reports when the other side of one is lost. */
    bool has_transport;
    bool reports_loss;
    /** How puts and gets of jobs on one host, and on several, would travel with the settings that
     * are set: the transport that has remote memory access, or why they are messages. */
    char rma_one_host[256];
    char rma_hosts[256];
} doctor_network_t;

/** Queries UCX, or reports that this build has none: either doctor_ucx.c or doctor_no_ucx.c is
 *  built. `network` must be all zero. */
void doctor_query_network(doctor_network_t *network);

/** How many times as long memcpy takes where the destination is some bytes ahead of the source in a
 *  page as where it is not: about 1, or 10 where it crawls (pgas/detail.h, pgasi_copy_crawls); 0 if
 *  there is no memory to try it. */
double doctor_crawling_copies(void);

#endif
