/**
 * One move of an indexed or strided copy, wherever its ends are.
 */
#ifndef PGASI_VIS_MOVE_H
#define PGASI_VIS_MOVE_H

#include "base/touch.h"
#include "copy/group.h"

/** One end of a move. */
typedef struct pgasi_end {
    /** Its address in this process; NULL for memory of another node. */
    char *address;
    /** Where it lies, if `address` is NULL. */
    pgas_ptr_t remote;
} pgasi_end_t;

/** An end in private memory. */
static inline pgasi_end_t pgasi_private_end(const void *address)
{
    return (pgasi_end_t){.address = (char *)address};
}

/** An end in shared memory. `ptr` is valid. */
static inline pgasi_end_t pgasi_shared_end(pgas_ptr_t ptr)
{
    char *base = pgasi_job.peers[ptr.thread].base;
    return (pgasi_end_t){.address = base != NULL ? base + ptr.offset : NULL, .remote = ptr};
}

/** The end `distance` bytes further, or back. */
static inline pgasi_end_t pgasi_end_at(pgasi_end_t end, ptrdiff_t distance)
{
    if (end.address != NULL)
        end.address += distance;
    end.remote.offset += (uint64_t)distance;
    return end;
}

/** Adds moves from other nodes to other nodes; pgasi_relay_finish completes them. */
void pgasi_relay(pgas_ptr_t dst, pgas_ptr_t src, const pgasi_chunks_t *chunks);

/** Completes the moves that pgasi_relay has added. Called at the end of every copy. */
void pgasi_relay_finish(void);

/** Frees what the calling agent has (base/agent.h). */
void pgasi_relay_detach(void);

/** Adds gets from another node, or puts to one, to a group. */
static inline void pgasi_move_in(pgasi_group_t *group, char *dst, pgas_ptr_t src,
                                 pgasi_chunks_t chunks)
{
    for (;;) {
        pgasi_net_handle_t handle;
        size_t begun = pgasi_net_get_chunks_nb(dst, src, &chunks, &handle);
        pgasi_group_add(group, src.thread, handle);
        chunks.count -= begun;
        if (chunks.count == 0)
            return;
        dst += (ptrdiff_t)begun * chunks.dst;
        src.offset += begun * (uint64_t)chunks.src;
    }
}

static inline void pgasi_move_out(pgasi_group_t *group, pgas_ptr_t dst, const char *src,
                                  pgasi_chunks_t chunks)
{
    for (;;) {
        pgasi_net_handle_t handle;
        if (chunks.nbytes > PGASI_NET_COPIED_MAX)
            pgasi_touch_source(src, chunks.nbytes);
        size_t begun = pgasi_net_put_chunks_nb(dst, src, &chunks, &handle);
        pgasi_group_add(group, dst.thread, handle);
        chunks.count -= begun;
        if (chunks.count == 0)
            return;
        dst.offset += begun * (uint64_t)chunks.dst;
        src += (ptrdiff_t)begun * chunks.src;
    }
}

/** Adds a move of chunks to a group; copies at once where both ends are local. */
static inline void pgasi_move_chunks(pgasi_group_t *group, pgasi_end_t dst, pgasi_end_t src,
                                     const pgasi_chunks_t *chunks)
{
    if (dst.address != NULL && src.address != NULL)
        pgasi_chunks_copy(dst.address, src.address, chunks);
    else if (dst.address != NULL)
        pgasi_move_in(group, dst.address, src.remote, *chunks);
    else if (src.address != NULL)
        pgasi_move_out(group, dst.remote, src.address, *chunks);
    else
        pgasi_relay(dst.remote, src.remote, chunks);
}

/** The same of `nbytes` (> 0) contiguous bytes. */
static inline void pgasi_move(pgasi_group_t *group, pgasi_end_t dst, pgasi_end_t src, size_t nbytes)
{
    const pgasi_chunks_t one = {.nbytes = nbytes, .count = 1};
    pgasi_move_chunks(group, dst, src, &one);
}

#endif
