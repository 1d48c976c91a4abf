#include "transfer_native.h"

typedef pgas_ptr_t remote_t;
typedef pgas_handle_t handle_t;

#define COMPLETE PGAS_HANDLE_COMPLETE

static inline remote_t at(remote_t remote, size_t offset)
{
    return pgas_ptr_shift(remote, (ptrdiff_t)offset);
}

static inline void get(void *dst, remote_t src, size_t nbytes)
{
    pgas_memget(dst, src, nbytes);
}

static inline void put(remote_t dst, const void *src, size_t nbytes)
{
    pgas_memput(dst, src, nbytes);
}

static inline handle_t start_get(void *dst, remote_t src, size_t nbytes)
{
    return pgas_memget_async(dst, src, nbytes);
}

static inline handle_t start_put(remote_t dst, const void *src, size_t nbytes)
{
    return pgas_memput_async(dst, src, nbytes);
}

static inline void wait_for(handle_t handle)
{
    pgas_waitsync(handle);
}

static inline void start_get_implicit(void *dst, remote_t src, size_t nbytes)
{
    pgas_memget_asynci(dst, src, nbytes);
}

static inline void start_put_implicit(remote_t dst, const void *src, size_t nbytes)
{
    pgas_memput_asynci(dst, src, nbytes);
}

static inline void wait_for_implicit(void)
{
    pgas_waitsynci();
}

#include "transfer_loops.h"

void stream_native_run(const stream_native_t *memory, const stream_transfer_t *transfer,
                       size_t count)
{
    const loop_t loop = {
        .remote = memory->remote,
        .buffer = memory->buffer,
        .nbytes = transfer->nbytes,
        .depth = transfer->depth,
        .handles = memory->handles,
        .count = count,
    };
    run_loop(&loop, transfer);
}
