/**
 * Active messages of clients, on those of Fathom (pgas/am.h).
 */
#ifndef GASNETI_AM_H
#define GASNETI_AM_H

#include <stdbool.h>

/** Registers Fathom's handlers, two for each of the client's. Before pgas_init. */
void gasneti_am_register(void);

/** Whether the calling thread has run handlers since the last call. */
bool gasneti_am_has_run(void);

/** True if the calling thread holds a handler-safe lock, or is in a no-interrupt section. */
bool gasneti_is_restricted(void);

/** Ends the job with a line if so, or in a handler. */
void gasneti_require_unrestricted(const char *call);

#endif
