#include "everything_vis.h"

typedef struct copy {
    const char *call;
    bool is_get;
    gasneti_op_t *op;
} copy_t;

static void piece(const copy_t *copy, pgas_ptr_t remote, char *local, size_t nbytes)
{
    if (nbytes == 0)
        return;
    if (copy->is_get)
        gasneti_op_get(copy->op, copy->call, local, remote, nbytes);
    else
        gasneti_op_put(copy->op, copy->call, remote, local, nbytes);
}

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
    const copy_t copy = {call, is_get, gasneti_op_begin()};
    cursor_t there = {0, 0};
    cursor_t here = {0, 0};
    while (there.entry < remote_count && here.entry < local_count) {
        const pgas_smemvec_t *to = &remote[there.entry];
        const pgas_pmemvec_t *from = &local[here.entry];
        size_t nbytes = least(to->len - there.offset, from->len - here.offset);
        pgas_ptr_t place = to->addr;
        place.offset += there.offset;
        piece(&copy, place, (char *)from->addr + here.offset, nbytes);
        advance(&there, nbytes, to->len);
        advance(&here, nbytes, from->len);
    }
    return gasneti_op_end(copy.op);
}

pgas_handle_t gasneti_everything_indexed(const char *call, bool is_get, size_t remote_count,
                                         const pgas_ptr_t *remote, size_t remote_bytes,
                                         size_t local_count, void *const *local, size_t local_bytes)
{
    const copy_t copy = {call, is_get, gasneti_op_begin()};
    cursor_t there = {0, 0};
    cursor_t here = {0, 0};
    while (there.entry < remote_count && here.entry < local_count) {
        size_t nbytes = least(remote_bytes - there.offset, local_bytes - here.offset);
        pgas_ptr_t place = remote[there.entry];
        place.offset += there.offset;
        piece(&copy, place, (char *)local[here.entry] + here.offset, nbytes);
        advance(&there, nbytes, remote_bytes);
        advance(&here, nbytes, local_bytes);
    }
    return gasneti_op_end(copy.op);
}

static void section(const copy_t *copy, pgas_ptr_t remote, const size_t *remote_strides,
                    char *local, const size_t *local_strides, const size_t *count, size_t levels)
{
    if (levels == 0) {
        piece(copy, remote, local, count[0]);
        return;
    }
    for (size_t i = 0; i < count[levels]; i++) {
        section(copy, remote, remote_strides, local, local_strides, count, levels - 1);
        remote.offset += remote_strides[levels - 1];
        local += local_strides[levels - 1];
    }
}

pgas_handle_t gasneti_everything_strided(const char *call, bool is_get, pgas_ptr_t remote,
                                         const size_t *remote_strides, void *local,
                                         const size_t *local_strides, const size_t *count,
                                         size_t levels)
{
    const copy_t copy = {call, is_get, gasneti_op_begin()};
    section(&copy, remote, remote_strides, local, local_strides, count, levels);
    return gasneti_op_end(copy.op);
}
