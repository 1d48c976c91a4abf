/**
 * Faults of memory that get a line: the null page, threads of negative numbers, the system's want
 * of pages, and threads that have not attached.
 *
 * The null page is the start of every segment, where null pointers lead, which nobody can read or
 * write. An access to a value through a null pointer to a thread of the node is a fault, so that no
 * other access pays for a check. So is one to a thread of a negative number, as programs compute it
 * for a neighbour that is not there; one by an operating-system thread that has not attached; and
 * the first touch of a page for which a full file system has no room (PGAS_SEGMENT=posix). Handlers
 * of SIGSEGV and SIGBUS turn such faults into a line that says so, and leave all others as they
 * are. Where the program or a sanitizer has a handler, there is none of ours.
 */
#ifndef PGASI_NODE_FAULT_H
#define PGASI_NODE_FAULT_H

#include <stdint.h>

/** The segments of a node: of its k-th thread, `threads[k]`, k * stride bytes behind `segments`. */
typedef struct pgasi_fault_segments {
    char *segments;
    uint64_t stride;
    const uint32_t *threads;
    uint32_t count;
} pgasi_fault_segments_t;

/** Protects the null page of each segment and sets up the handlers. When they are mapped, and
 * before they are touched; `threads` stays valid until pgasi_fault_release. */
void pgasi_fault_handle(const pgasi_fault_segments_t *segments);

/** Removes the handlers. */
void pgasi_fault_release(void);

#endif
