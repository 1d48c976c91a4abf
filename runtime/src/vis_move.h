/**
 * One contiguous move of an indexed or strided copy, wherever its ends are.
 */
#ifndef PGASI_VIS_MOVE_H
#define PGASI_VIS_MOVE_H

#include <string.h>

#include "group.h"

/** One end of a move. */
typedef struct pgasi_end {
    /** Where this process reaches it; NULL for memory of another node. */
    char *address;
    /** Where it is, if `address` is NULL. */
    pgas_ptr_t far;
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
    return (pgasi_end_t){.address = base != NULL ? base + ptr.offset : NULL, .far = ptr};
}

/** The end `distance` bytes further, or back. */
static inline pgasi_end_t pgasi_end_at(pgasi_end_t end, ptrdiff_t distance)
{
    if (end.address != NULL)
        end.address += distance;
    end.far.offset += (uint64_t)distance;
    return end;
}

/** memcpy without a call for the usual sizes of an element. */
static inline void pgasi_copy_near(void *dst, const void *src, size_t nbytes)
{
    if (nbytes == 8)
        memcpy(dst, src, 8);
    else if (nbytes == 4)
        memcpy(dst, src, 4);
    else
        memcpy(dst, src, nbytes);
}

/** Adds a move between two places of other nodes; pgasi_relay_finish completes it. */
void pgasi_relay(pgas_ptr_t dst, pgas_ptr_t src, size_t nbytes);

/** Completes the moves that pgasi_relay has taken. To be called at the end of every copy. */
void pgasi_relay_finish(void);

/**
 * Chunks up to this size are cut into pieces that the network bundles; larger ones are transfers of
 * their own. Over TCP on loopback, gets of 1000 chunks took 8 us per chunk of 1 KiB as transfers of
 * their own and 0.5 us cut, 8 us and 2 us per chunk of 4 KiB; at 16 KiB there is no difference.
 */
#define PGASI_CUT_MAX ((size_t)8192)

/** Adds a get from another node, or a put to one, to a group. */
static inline void pgasi_move_in(pgasi_group_t *group, char *dst, pgas_ptr_t src, size_t nbytes)
{
    size_t piece = nbytes > PGASI_CUT_MAX ? nbytes : PGASI_NET_COPIED_MAX;
    for (; nbytes > piece; nbytes -= piece, dst += piece, src.offset += piece)
        pgasi_group_add(group, src.thread, pgasi_net_get_nb(dst, src, piece));
    pgasi_group_add(group, src.thread, pgasi_net_get_nb(dst, src, nbytes));
}

static inline void pgasi_move_out(pgasi_group_t *group, pgas_ptr_t dst, const char *src,
                                  size_t nbytes)
{
    size_t piece = nbytes > PGASI_CUT_MAX ? nbytes : PGASI_NET_COPIED_MAX;
    for (; nbytes > piece; nbytes -= piece, src += piece, dst.offset += piece)
        pgasi_group_add(group, dst.thread, pgasi_net_put_nb(dst, src, piece));
    pgasi_group_add(group, dst.thread, pgasi_net_put_nb(dst, src, nbytes));
}

/** Adds a move of `nbytes` (> 0) to a group. */
static inline void pgasi_move(pgasi_group_t *group, pgasi_end_t dst, pgasi_end_t src, size_t nbytes)
{
    if (dst.address != NULL && src.address != NULL)
        pgasi_copy_near(dst.address, src.address, nbytes);
    else if (dst.address != NULL)
        pgasi_move_in(group, dst.address, src.far, nbytes);
    else if (src.address != NULL)
        pgasi_move_out(group, dst.far, src.address, nbytes);
    else
        pgasi_relay(dst.far, src.far, nbytes);
}

#endif
