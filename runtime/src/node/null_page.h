/**
 * The start of every segment, which nobody can read or write: that is where the null pointer leads,
 * and one a little further.
 *
 * An access to a value through the null pointer of a thread of the node is a fault, so that it
 * costs other accesses nothing to find it. A handler of SIGSEGV turns it into a line that says so,
 * and leaves all other faults as they are. It is not set up where the program, or a sanitizer, has
 * one of its own.
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

/** Takes the handler back. */
void pgasi_null_page_release(void);

#endif
