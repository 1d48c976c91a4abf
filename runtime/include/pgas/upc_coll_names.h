/**
 * UPC's collectives, for porting UPC programs: those of UPC 1.2 and 1.3 (upc_all_*, section 2), and
 * "UPC Collectives Library 2.0" (upccoll_*, section 3).
 *
 * Not part of pgas.h: include it in addition. Functions and constants have the documents' names. A
 * `shared T *` is a pgas_ptr_t, as in upc_names.h. Programs that are not ported from UPC do better
 * with coll.h, whose collectives take private memory too.
 *
 * All calls of sections 2 and 3.4 are collective, on all threads or on a team. Those of section 2
 * block; those of section 3.4 block, or are completed later, as section 3 says. They count as calls
 * on PGAS_TEAM_ALL, or on the team (team.h): not between pgas_team_notify and pgas_team_wait on it.
 * Calls on the same team with different numbers of bytes, roots or operations end the job with a
 * line that names two threads, and those of section 3 by the calls of coll.h on which they stand.
 * Those of section 3 that are not collective may be made by several attached threads at once
 * (attach.h).
 */
#ifndef PGAS_UPC_COLL_NAMES_H
#define PGAS_UPC_COLL_NAMES_H

#include <stddef.h>

#include <pgas/team.h>
#include <pgas/types.h>

PGAS_BEGIN_DECLS

/* 1. What both share. */

/**
 * One flag with IN and one with OUT may be given; two of either end the job, or are an error in
 * section 3. Where one is missing, section 2 takes ALLSYNC, and section 3 takes MYSYNC.
 *
 * In section 2 they say when data may be read and written, as seen by one call of all threads:
 *   IN_NOSYNC    as soon as any thread has entered: the caller's data may be touched before it has
 *   IN_MYSYNC    those of a thread that has entered
 *   IN_ALLSYNC   when all threads have entered
 *   OUT_NOSYNC   until all threads have returned
 *   OUT_MYSYNC   those of the caller, until it returns
 *   OUT_ALLSYNC  until any thread returns
 * NOSYNC costs nothing: data are read where they lie, and no thread waits for another, except that
 * a reduction waits for its operands. ALLSYNC adds a barrier, before or behind.
 *
 * In section 3 NOSYNC is MYSYNC, since nobody else knows a thread's buffers before it calls.
 */
typedef int upc_flag_t;

#define UPC_IN_NOSYNC 1
#define UPC_IN_MYSYNC 2
#define UPC_IN_ALLSYNC 4
#define UPC_OUT_NOSYNC 8
#define UPC_OUT_MYSYNC 16
#define UPC_OUT_ALLSYNC 32
/** Of section 3 alone: the next upccoll_fence completes the call. */
#define UPC_ASYNC_FENCE 64

/** An operation: one of these, or, in section 3, one that upccoll_op_create has made. */
typedef int upc_op_t;
typedef int upccoll_op_t;

enum {
    UPC_ADD,
    UPC_MULT,
    UPC_AND,
    UPC_OR,
    UPC_XOR,
    UPC_LOGAND,
    UPC_LOGOR,
    UPC_MIN,
    UPC_MAX,
    /** Section 3 only, on pairs. */
    UPC_MINLOC,
    UPC_MAXLOC,
    UPC_PREDEFINED_OPS,
    /** Section 2 only: the call's own function, commutative or not. */
    UPC_FUNC = -1,
    UPC_NONCOMM_FUNC = -2
};

/* 2. The collectives of UPC 1.2 and 1.3. */

/**
 * All threads give the same arguments; where they meet, other ones end the job with a line. They
 * do for ALLSYNC, in reductions for the operands, and in other calls for MYSYNC; but where coll.h's
 * collectives move the data and no flag is ALLSYNC, only what those compare is found, numbers of
 * bytes and roots. `func` is never compared.
 *
 * Each `dst` and `src` names what is on thread 0, unless the call says otherwise, and its phase is
 * ignored: the same place in every thread's memory belongs to it. A pointer that should be on
 * thread 0 and is not, and memory outside of the heap, end the job. Source and destination do not
 * overlap. `nbytes` 0 moves nothing, and no pointer is followed.
 */

/** Copies `nbytes` bytes at `src`, on any thread, to `dst` on every thread. */
PGAS_API void upc_all_broadcast(pgas_ptr_t dst, pgas_ptr_t src, size_t nbytes, upc_flag_t flags);

/** Copies block i of `src`, on any thread, `nbytes` bytes, to `dst` on thread i. */
PGAS_API void upc_all_scatter(pgas_ptr_t dst, pgas_ptr_t src, size_t nbytes, upc_flag_t flags);

/** Copies `nbytes` bytes at `src` on thread i to block i of `dst`, on any thread. */
PGAS_API void upc_all_gather(pgas_ptr_t dst, pgas_ptr_t src, size_t nbytes, upc_flag_t flags);

/** The same to block i of `dst` on every thread. Between nodes of several threads it takes up to 8
 *  MiB of the threads' shared heaps for long data, unless the flag is IN_NOSYNC; where one has no
 *  room, the job ends with a line (coll.h). */
PGAS_API void upc_all_gather_all(pgas_ptr_t dst, pgas_ptr_t src, size_t nbytes, upc_flag_t flags);

/** Copies block i of `src` on thread j to block j of `dst` on thread i. */
PGAS_API void upc_all_exchange(pgas_ptr_t dst, pgas_ptr_t src, size_t nbytes, upc_flag_t flags);

/** Copies `nbytes` bytes at `src` on thread i to `dst` on thread perm[i], where perm[i] is the int
 *  at `perm` on thread i: each thread once, of which only the range is checked. */
PGAS_API void upc_all_permute(pgas_ptr_t dst, pgas_ptr_t src, pgas_ptr_t perm, size_t nbytes,
                              upc_flag_t flags);

/**
 * upc_all_reduceT and upc_all_prefix_reduceT, for T and TYPE: C signed char, UC unsigned char, S
 * short, US unsigned short, I int, UI unsigned, L long, UL unsigned long, F float, D double, LD
 * long double.
 *
 * The operands are `nelems` elements from `src` on, in any thread's memory, in blocks of `blk_size`
 * elements, of which the first begins with the element whose phase is 0 (pgas_ptr_add makes such
 * pointers); `blk_size` 0: all on one thread. upc_all_reduceT combines them into the element at
 * `dst`, on any thread. upc_all_prefix_reduceT combines elements 0 to i into element i from `dst`
 * on, which lie as those of `src` do: with the same thread and phase.
 *
 * `op` is one up to UPC_MAX, of which UPC_AND, UPC_OR and UPC_XOR are for integers; or UPC_FUNC or
 * UPC_NONCOMM_FUNC, for which `func` is called, in any thread and any number of times; it is
 * ignored otherwise. All operations are taken as associative, all but UPC_NONCOMM_FUNC as
 * commutative. Results are the same bits in every run with the same number of threads.
 *
 * A thread combines its own elements, and no element is copied, unless UPC_NONCOMM_FUNC or a
 * prefix meet more than one block of a thread: then it combines an equal share of neighbouring
 * elements, for which it takes private memory. `nelems` 0 writes nothing.
 */
#define PGASI_UPC_REDUCE(suffix, type) \
    PGAS_API void upc_all_reduce##suffix(pgas_ptr_t dst, pgas_ptr_t src, upc_op_t op, \
                                         size_t nelems, size_t blk_size, type (*func)(type, type), \
                                         upc_flag_t flags); \
    PGAS_API void upc_all_prefix_reduce##suffix(pgas_ptr_t dst, pgas_ptr_t src, upc_op_t op, \
                                                size_t nelems, size_t blk_size, \
                                                type (*func)(type, type), upc_flag_t flags);

#define PGASI_UPC_TYPES(X) \
    X(C, signed char) \
    X(UC, unsigned char) \
    X(S, short) \
    X(US, unsigned short) \
    X(I, int) \
    X(UI, unsigned) \
    X(L, long) \
    X(UL, unsigned long) \
    X(F, float) \
    X(D, double) \
    X(LD, long double)

PGASI_UPC_TYPES(PGASI_UPC_REDUCE)

/* 3. UPC Collectives Library 2.0. */

/**
 * A call whose `handle` is NULL waits for its end. With a handle it starts, and upccoll_wait
 * completes it; with UPC_ASYNC_FENCE upccoll_fence or upccoll_finalize does, and a handle, if there
 * is one, is set to UPCCOLL_INVALID_HANDLE. Until then its buffers are not touched; counts and
 * displacements may change at once. Starts wait for nobody, and waits for no other thread's waits;
 * any number may be in flight, on one team in the order in which they were started, and members may
 * mix the forms. They go on in every call of the library that waits (coll_async.h).
 *
 * What differs from the document:
 *
 *   its misprints `allgatherv` is what it calls a second allgather; counts and displacements of
 *                 _v calls and of reduce_scatter are arrays; upccoll_scan is exclusive, as its
 *                 formula is, and upccoll_scan_inclusive is added.
 *   colours       INT_MIN is none: who gives it to upccoll_team_split gets a null team.
 *   types         pairs for MINLOC and MAXLOC have C's size, padding included; UPC_ADD and the
 *                 like on pairs, and UPC_MIN and UPC_MAX on complex numbers, return
 *                 UPCCOLL_ERROR_UPC_OP. upc_op_t and the types are int.
 *   counts        0 is legal, and buffers that overlap are an error, as below.
 *
 * A call that finds its own arguments wrong returns one of these codes and does nothing; members
 * that find none wait for it. What only all members together can find ends the job (coll.h).
 */
typedef enum {
    UPCCOLL_SUCCESS,
    /** A null pointer, or a number that is none of those allowed. */
    UPCCOLL_ERROR,
    /** Neither UPC_TEAM_ALL nor a team that upccoll_team_split has given the calling thread. */
    UPCCOLL_ERROR_TEAM,
    /** These three are not returned. */
    UPCCOLL_ERROR_SIZE,
    UPCCOLL_ERROR_RANK,
    UPCCOLL_ERROR_HANDLE,
    /** Null though there are bytes, another thread's, or not in the heap; and, for the receive
     *  buffer, one that overlaps the send buffer. */
    UPCCOLL_ERROR_SENDBUF,
    UPCCOLL_ERROR_RECVBUF,
    /** Bytes that overflow. */
    UPCCOLL_ERROR_COUNT,
    UPCCOLL_ERROR_DATATYPE,
    /** No operation, or none of the type. */
    UPCCOLL_ERROR_UPC_OP,
    UPCCOLL_ERROR_FLAGS,
    UPCCOLL_ERROR_ROOT,
    UPCCOLL_ERROR_SENDTYPE,
    UPCCOLL_ERROR_RECVTYPE,
    /** Bytes that overflow or, for the receive side, are not as many as the caller sends itself;
     *  NULL for an array. */
    UPCCOLL_ERROR_SENDCNTS,
    UPCCOLL_ERROR_RECVCNTS,
    /** NULL for an array, or a displacement that overflows. */
    UPCCOLL_ERROR_SDISPLS,
    UPCCOLL_ERROR_RDISPLS,
    UPCCOLL_ERROR_MALLOC,
    /** Before upccoll_initialize or after upccoll_finalize. Of upccoll_initialize: before
     * pgas_init, a second time, or after upccoll_finalize. */
    UPCCOLL_ERROR_UNINITIALIZED
} upccoll_return_t;

/* 3.1 Types and operations. */

typedef int upccoll_flag_t;
typedef void *upccoll_handle_t;
#define UPCCOLL_INVALID_HANDLE 0

/** The type of an element. Pairs have the size of a C structure of the two. UPC_BYTE counts as
 *  unsigned char. */
typedef int upccoll_dtype_t;

enum {
    UPC_BYTE,
    UPC_CHAR,
    UPC_UCHAR,
    UPC_SHORT,
    UPC_USHORT,
    UPC_INT,
    UPC_UINT,
    UPC_LONG,
    UPC_ULONG,
    UPC_LONGLONG,
    UPC_ULONGLONG,
    UPC_FLOAT,
    UPC_DOUBLE,
    UPC_LONGDOUBLE,
    /** Complex numbers. */
    UPC_CPLX,
    UPC_DBLCPLX,
    UPC_LONGDBLCPLX,
    /** A value and an index, for UPC_MINLOC and UPC_MAXLOC alone. */
    UPC_FLOAT_INT,
    UPC_DOUBLE_INT,
    UPC_LONG_INT,
    UPC_2INT,
    UPC_SHORT_INT,
    UPC_LONG_DOUBLE_INT
};

/** Combines: inout[i] = in[i] op inout[i] for `len` (> 0) elements of type `dt`, where `in` comes
 *  from lower ranks. It does not communicate. */
typedef void upccoll_user_fun(void *in, void *inout, size_t len, upccoll_dtype_t dt);

/** Makes an operation; `commute` is 0 or 1. Not collective. Section 3's predefined operations are
 *  those of coll.h: which type has which, NaN and ties are described there. */
PGAS_API upccoll_return_t upccoll_op_create(upccoll_user_fun *function, int commute,
                                            upccoll_op_t *op);

/** Frees it; its number may be given again, also while collectives that use it are in flight. Not
 *  collective. UPCCOLL_ERROR_UPC_OP: a predefined operation, or one that is freed already. */
PGAS_API upccoll_return_t upccoll_op_free(upccoll_op_t op);

/** The size of an element in bytes. */
PGAS_API upccoll_return_t upccoll_type_size(upccoll_dtype_t dt, size_t *nbytes);

/* 3.2 Beginning and end. */

/** Between pgas_init and pgas_finalize, once: a second one, also after upccoll_finalize, returns
 *  UPCCOLL_ERROR_UNINITIALIZED and does nothing. Changes no arguments, which may be NULL. Not
 *  collective, unlike upccoll_finalize, which contains a barrier. */
PGAS_API upccoll_return_t upccoll_initialize(int *argc, char ***argv);
PGAS_API upccoll_return_t upccoll_finalize(void);

/** upccoll_test: 1 if the call is complete, and what it gets is there; upccoll_wait returns when it
 *  is, and frees the handle, after which another test or wait of it ends the job, as any by another
 *  attached thread does. Of UPCCOLL_INVALID_HANDLE: 1, and returns. upccoll_fence completes what
 *  the calling operating-system thread has started with UPC_ASYNC_FENCE. Not collective. */
PGAS_API int upccoll_test(upccoll_handle_t h);
PGAS_API void upccoll_wait(upccoll_handle_t h);
PGAS_API void upccoll_fence(void);

/* 3.3 Teams (team.h): a team is a pgas_team_t, and pgas_team_ calls take it, but pgas_team_free,
 * after which these functions would know it still. */

typedef void *upccoll_team_t;
#define UPC_TEAM_ALL ((upccoll_team_t)PGAS_TEAM_ALL)

PGAS_API upccoll_return_t upccoll_team_rank(upccoll_team_t team, int *rank);
PGAS_API upccoll_return_t upccoll_team_size(upccoll_team_t team, int *size);

/** As pgas_team_split: any keys, of which equal ones are ordered by rank in `team`. */
PGAS_API upccoll_return_t upccoll_team_split(upccoll_team_t team, int color, int key,
                                             upccoll_team_t *newteam);

/** Not UPC_TEAM_ALL. What is no team of the calling thread's ends the job. */
PGAS_API void upccoll_team_free(upccoll_team_t team);

/* 3.4 Collectives. */

/**
 * Buffers are the calling thread's own shared memory, contiguous, and their phase is ignored.
 * Arguments that only one side needs are ignored on the other. Displacements are in elements. A
 * count of 0 is legal: nothing moves, the buffer may be null, and the call returns UPCCOLL_SUCCESS.
 * Buffers that overlap are an error (in upccoll_alltoallv, in the debug build), except that
 * `sendbuf` may be `recvbuf` at the root of upccoll_bcast, and in upccoll_reduce, upccoll_allreduce
 * and the scans.
 *
 * Flags are the same on all members, apart from UPC_ASYNC_FENCE. Buffers are the caller's own, so
 * NOSYNC is MYSYNC. With UPC_IN_ALLSYNC no byte moves before all members have called, or started:
 * the price is a meeting of the team more, in which each member waits for all others. With
 * UPC_OUT_ALLSYNC none is complete before all have what they get: another one, unless the algorithm
 * ends with a meeting anyway, as with more than 4 KiB. upccoll_barrier ignores both.
 */
PGAS_API upccoll_return_t upccoll_barrier(upccoll_team_t team, upccoll_flag_t flags,
                                          upccoll_handle_t *handle);

PGAS_API upccoll_return_t upccoll_bcast(pgas_ptr_t sendbuf, size_t sendcount,
                                        upccoll_dtype_t sendtype, pgas_ptr_t recvbuf,
                                        size_t recvcnt, upccoll_dtype_t recvtype, int root,
                                        upccoll_team_t team, upccoll_flag_t flags,
                                        upccoll_handle_t *handle);

PGAS_API upccoll_return_t upccoll_scatter(pgas_ptr_t sendbuf, size_t sendcnt,
                                          upccoll_dtype_t sendtype, pgas_ptr_t recvbuf,
                                          size_t recvcnt, upccoll_dtype_t recvtype, int root,
                                          upccoll_team_t team, upccoll_flag_t flags,
                                          upccoll_handle_t *handle);

PGAS_API upccoll_return_t upccoll_scatterv(pgas_ptr_t sendbuf, const size_t *sendcnts,
                                           const size_t *sdispls, upccoll_dtype_t sendtype,
                                           pgas_ptr_t recvbuf, size_t recvcnt,
                                           upccoll_dtype_t recvtype, int root, upccoll_team_t team,
                                           upccoll_flag_t flags, upccoll_handle_t *handle);

PGAS_API upccoll_return_t upccoll_gather(pgas_ptr_t sendbuf, size_t sendcnt,
                                         upccoll_dtype_t sendtype, pgas_ptr_t recvbuf,
                                         size_t recvcnt, upccoll_dtype_t recvtype, int root,
                                         upccoll_team_t team, upccoll_flag_t flags,
                                         upccoll_handle_t *handle);

PGAS_API upccoll_return_t upccoll_gatherv(pgas_ptr_t sendbuf, size_t sendcnt,
                                          upccoll_dtype_t sendtype, pgas_ptr_t recvbuf,
                                          const size_t *recvcnts, const size_t *rdispls,
                                          upccoll_dtype_t recvtype, int root, upccoll_team_t team,
                                          upccoll_flag_t flags, upccoll_handle_t *handle);

PGAS_API upccoll_return_t upccoll_allgather(pgas_ptr_t sendbuf, size_t sendcnt,
                                            upccoll_dtype_t sendtype, pgas_ptr_t recvbuf,
                                            size_t recvcnt, upccoll_dtype_t recvtype,
                                            upccoll_team_t team, upccoll_flag_t flags,
                                            upccoll_handle_t *handle);

PGAS_API upccoll_return_t upccoll_allgatherv(pgas_ptr_t sendbuf, size_t sendcnt,
                                             upccoll_dtype_t sendtype, pgas_ptr_t recvbuf,
                                             const size_t *recvcnts, const size_t *rdispls,
                                             upccoll_dtype_t recvtype, upccoll_team_t team,
                                             upccoll_flag_t flags, upccoll_handle_t *handle);

PGAS_API upccoll_return_t upccoll_alltoall(pgas_ptr_t sendbuf, size_t sendcnt,
                                           upccoll_dtype_t sendtype, pgas_ptr_t recvbuf,
                                           size_t recvcnt, upccoll_dtype_t recvtype,
                                           upccoll_team_t team, upccoll_flag_t flags,
                                           upccoll_handle_t *handle);

PGAS_API upccoll_return_t upccoll_alltoallv(pgas_ptr_t sendbuf, const size_t *sendcnts,
                                            const size_t *sdispls, upccoll_dtype_t sendtype,
                                            pgas_ptr_t recvbuf, const size_t *recvcnts,
                                            const size_t *rdispls, upccoll_dtype_t recvtype,
                                            upccoll_team_t team, upccoll_flag_t flags,
                                            upccoll_handle_t *handle);

PGAS_API upccoll_return_t upccoll_reduce(pgas_ptr_t sendbuf, pgas_ptr_t recvbuf, size_t count,
                                         upccoll_dtype_t dt, upccoll_op_t op, int root,
                                         upccoll_team_t team, upccoll_flag_t flags,
                                         upccoll_handle_t *handle);

PGAS_API upccoll_return_t upccoll_allreduce(pgas_ptr_t sendbuf, pgas_ptr_t recvbuf, size_t count,
                                            upccoll_dtype_t dt, upccoll_op_t op,
                                            upccoll_team_t team, upccoll_flag_t flags,
                                            upccoll_handle_t *handle);

PGAS_API upccoll_return_t upccoll_reduce_scatter(pgas_ptr_t sendbuf, pgas_ptr_t recvbuf,
                                                 const size_t *recvcounts, upccoll_dtype_t dt,
                                                 upccoll_op_t op, upccoll_team_t team,
                                                 upccoll_flag_t flags, upccoll_handle_t *handle);

/** Rank 0 gets the neutral element of a predefined operation, and keeps what it has for another. */
PGAS_API upccoll_return_t upccoll_scan(pgas_ptr_t sendbuf, pgas_ptr_t recvbuf, size_t count,
                                       upccoll_dtype_t dt, upccoll_op_t op, upccoll_team_t team,
                                       upccoll_flag_t flags, upccoll_handle_t *handle);
PGAS_API upccoll_return_t upccoll_scan_inclusive(pgas_ptr_t sendbuf, pgas_ptr_t recvbuf,
                                                 size_t count, upccoll_dtype_t dt, upccoll_op_t op,
                                                 upccoll_team_t team, upccoll_flag_t flags,
                                                 upccoll_handle_t *handle);

PGAS_END_DECLS

#endif
