/**
 * The null page: the start of every segment, where null pointers lead, which nobody can read or
 * write.
 *
 * An access to a value through a null pointer to a thread of the node is a fault, so that no other
 * access pays for a check. A handler of SIGSEGV turns the fault into a line that says so, and
 * leaves all other faults as they are. Where the program or a sanitizer has a handler, there is
 * none of ours.
 */
#ifndef PGASI_NODE_NULL_PAGE_H
#define PGASI_NODE_NULL_PAGE_H

#include <stdint.h>

/** The segments of a node: of its k-th thread, `threads[k]`, k * stride bytes behind `segments`. */
typedef struct pgasi_null_pages {
    char *segments;
    uint64_t stride;
    const uint32_t *threads;
    uint32_t count;
} pgasi_null_pages_t;

/** Protects the first `nbytes` bytes of each segment and sets up the handler. When they are mapped;
 *  `threads` stays valid until pgasi_null_page_release. */
void pgasi_null_page_protect(const pgasi_null_pages_t *pages, uint64_t nbytes);

/** Removes the handler. */
void pgasi_null_page_release(void);

#endif
