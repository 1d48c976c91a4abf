/**
 * The start of every segment, which nobody can read or write: that is where the null pointer leads,
 * and one a little further.
 *
 * An access to a value through the null pointer of a thread of the node is a fault, so that it
 * costs other accesses nothing to find it. A handler of SIGSEGV turns it into a line that says so,
 * and leaves all other faults as they are. It is not set up where the program, or a sanitizer, has
 * one of its own.
 */
#ifndef PGASI_NULL_PAGE_H
#define PGASI_NULL_PAGE_H

/** Protects those of all segments of the node and sets up the handler. When they are mapped. */
void pgasi_null_page_protect(void);

/** Takes the handler back. */
void pgasi_null_page_release(void);

#endif
