/**
 * Finds the file behind a mapping that somebody else has made.
 */
#ifndef PGASI_NODE_MAPPED_FILE_H
#define PGASI_NODE_MAPPED_FILE_H

/** A new descriptor, which the caller closes, of the file that is mapped at `address` and that this
 *  process has open. -1 if there is none. */
int pgasi_mapped_file_open(const void *address);

#endif
