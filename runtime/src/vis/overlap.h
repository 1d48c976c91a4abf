/**
 * Finds destinations that overlap where they must not; for the debug build.
 */
#ifndef PGASI_VIS_OVERLAP_H
#define PGASI_VIS_OVERLAP_H

#include "vis/move.h"

/** Notes a region of the copy that is under way. */
void pgasi_overlap_note(pgasi_end_t end, size_t nbytes, bool is_destination);

/** Ends the job if a destination among the regions noted overlaps another region. Forgets them. */
void pgasi_overlap_check(const char *call);

#endif
