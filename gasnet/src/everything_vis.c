#include "everything_vis.h"

#include "everything_pieces.h"

/* A place in one of two lists that are walked together. */
typedef struct cursor {
    size_t entry;
    size_t offset;
} cursor_t;

static void advance(cursor_t *cursor, size_t nbytes, size_t size)
{
    cursor->offset += nbytes;
    if (cursor->offset == size)
        *cursor = (cursor_t){cursor->entry + 1, 0};
}

static size_t least(size_t a, size_t b)
{
    return a < b ? a : b;
}

pgas_handle_t gasneti_everything_vector(const char *call, bool is_get, size_t remote_count,
                                        const pgas_smemvec_t *remote, size_t local_count,
                                        const pgas_pmemvec_t *local)
{
    gasneti_pieces_t pieces;
    gasneti_pieces_begin(&pieces, call, is_get);
    cursor_t there = {0, 0};
    cursor_t here = {0, 0};
    while (there.entry < remote_count && here.entry < local_count) {
        const pgas_smemvec_t *to = &remote[there.entry];
        const pgas_pmemvec_t *from = &local[here.entry];
        size_t nbytes = least(to->len - there.offset, from->len - here.offset);
        pgas_ptr_t place = to->addr;
        place.offset += there.offset;
        gasneti_pieces_add(&pieces, place, (char *)from->addr + here.offset, nbytes);
        advance(&there, nbytes, to->len);
        advance(&here, nbytes, from->len);
    }
    return gasneti_pieces_end(&pieces);
}

pgas_handle_t gasneti_everything_indexed(const char *call, bool is_get, size_t remote_count,
                                         const pgas_ptr_t *remote, size_t remote_bytes,
                                         size_t local_count, void *const *local, size_t local_bytes)
{
    gasneti_pieces_t pieces;
    gasneti_pieces_begin(&pieces, call, is_get);
    cursor_t there = {0, 0};
    cursor_t here = {0, 0};
    while (there.entry < remote_count && here.entry < local_count) {
        size_t nbytes = least(remote_bytes - there.offset, local_bytes - here.offset);
        pgas_ptr_t place = remote[there.entry];
        place.offset += there.offset;
        gasneti_pieces_add(&pieces, place, (char *)local[here.entry] + here.offset, nbytes);
        advance(&there, nbytes, remote_bytes);
        advance(&here, nbytes, local_bytes);
    }
    return gasneti_pieces_end(&pieces);
}

bool gasneti_section_is_empty(const size_t *count, size_t levels)
{
    for (size_t i = 0; i <= levels; i++)
        if (count[i] == 0)
            return true;
    return false;
}

static void section(gasneti_pieces_t *pieces, pgas_ptr_t remote, const size_t *remote_strides,
                    char *local, const size_t *local_strides, const size_t *count, size_t levels)
{
    if (levels == 0) {
        gasneti_pieces_add(pieces, remote, local, count[0]);
        return;
    }
    for (size_t i = 0; i < count[levels]; i++) {
        section(pieces, remote, remote_strides, local, local_strides, count, levels - 1);
        remote.offset += remote_strides[levels - 1];
        local += local_strides[levels - 1];
    }
}

pgas_handle_t gasneti_everything_strided(const char *call, bool is_get, pgas_ptr_t remote,
                                         const size_t *remote_strides, void *local,
                                         const size_t *local_strides, const size_t *count,
                                         size_t levels)
{
    gasneti_pieces_t pieces;
    if (gasneti_section_is_empty(count, levels))
        return PGAS_HANDLE_COMPLETE;
    gasneti_pieces_begin(&pieces, call, is_get);
    section(&pieces, remote, remote_strides, local, local_strides, count, levels);
    return gasneti_pieces_end(&pieces);
}
