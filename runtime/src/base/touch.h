/**
 * Private memory that is not mapped is found before a message is sent from it.
 */
#ifndef PGASI_BASE_TOUCH_H
#define PGASI_BASE_TOUCH_H

#include <stddef.h>

/** Reads a byte of every page of the `nbytes` (> 0) bytes of private memory that a message will be
 *  sent from. Memory that is not mapped then crashes here, in the thread and the call at fault; the
 *  network would find it later, and take the connection for lost. */
void pgasi_touch_source(const void *src, size_t nbytes);

#endif
