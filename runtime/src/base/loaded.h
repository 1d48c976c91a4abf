/**
 * Keeping the runtime in the process.
 */
#ifndef PGASI_BASE_LOADED_H
#define PGASI_BASE_LOADED_H

/** The shared object that contains the runtime, if one does, stays loaded until the process ends:
 *  for functions of the runtime that others call until then. */
void pgasi_stay_loaded(void);

#endif
