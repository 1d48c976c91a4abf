/**
 * Active messages of clients, on those of Fathom (pgas/am.h).
 */
#ifndef GASNETI_AM_H
#define GASNETI_AM_H

/** Registers Fathom's handlers, two for each of the client's. Before pgas_init. */
void gasneti_am_register(void);

#endif
