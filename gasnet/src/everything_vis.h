/**
 * Vector, indexed and strided copies with GASNET_SEGMENT_EVERYTHING: as pieces that go together
 * (everything_pieces.h). All pieces belong to one handle.
 */
#ifndef GASNETI_EVERYTHING_VIS_H
#define GASNETI_EVERYTHING_VIS_H

#include <pgas/vis.h>

#include "everything.h"

/* Both sides have as many bytes. Counts and strides as in gasnet_vis.h. In the runtime. */
pgas_handle_t gasneti_everything_vector(const char *call, bool is_get, size_t remote_count,
                                        const pgas_smemvec_t *remote, size_t local_count,
                                        const pgas_pmemvec_t *local);
pgas_handle_t gasneti_everything_indexed(const char *call, bool is_get, size_t remote_count,
                                         const pgas_ptr_t *remote, size_t remote_bytes,
                                         size_t local_count, void *const *local,
                                         size_t local_bytes);
pgas_handle_t gasneti_everything_strided(const char *call, bool is_get, pgas_ptr_t remote,
                                         const size_t *remote_strides, void *local,
                                         const size_t *local_strides, const size_t *count,
                                         size_t levels);

/** Whether a strided section has nothing: a count is 0. */
bool gasneti_section_is_empty(const size_t *count, size_t levels);

#endif
