/**
 * Finds destinations that overlap where they must not; for the debug build.
 */
#ifndef PGASI_VIS_OVERLAP_H
#define PGASI_VIS_OVERLAP_H

#include "vis/move.h"

/** Records a region of the present copy. */
void pgasi_overlap_note(pgasi_end_t end, size_t nbytes, bool is_destination);

/** Ends the job if a destination among the recorded regions overlaps another region. Forgets
 *  them. */
void pgasi_overlap_check(const char *call);

/** Frees what the calling agent has (base/agent.h). */
void pgasi_overlap_detach(void);

#endif
