#include <gasnet_vis.h>

#include "internal.h"

#include <stdlib.h>
#include <string.h>

#include <pgas/vis.h>

#include "everything_vis.h"
#include "held.h"

/*
 * Fathom's calls take places where GASNet's take addresses: the list of the remote side is
 * translated, and the translation is freed with the operation. Lists of the local side are copied
 * beside it, since the types differ in name.
 */

typedef struct lists {
    pgas_smemvec_t *remote;
    pgas_pmemvec_t *local;
    void *memory;
} lists_t;

/* The sizes of lists that the library multiplies. */
static void *allocate_lists(const char *call, size_t count, size_t size, size_t more, size_t each)
{
    size_t first;
    size_t second;
    size_t total;
    if (__builtin_mul_overflow(count, size, &first) ||
        __builtin_mul_overflow(more, each, &second) ||
        __builtin_add_overflow(first, second, &total))
        gasneti_fatal(call, "lists of %zu and %zu entries", count, more);
    return gasneti_held_allocate(call, total == 0 ? 1 : total);
}

static void require_same(const char *call, size_t remote_bytes, size_t local_bytes)
{
    if (remote_bytes != local_bytes)
        gasneti_fatal(call, "%zu bytes at the other node, but %zu bytes here", remote_bytes,
                      local_bytes);
}

static void add_bytes(const char *call, size_t *sum, size_t nbytes)
{
    if (__builtin_add_overflow(*sum, nbytes, sum))
        gasneti_fatal(call, "the sum of all regions overflows");
}

static size_t bytes_of(const char *call, size_t count, size_t nbytes)
{
    size_t all;
    if (__builtin_mul_overflow(count, nbytes, &all))
        gasneti_fatal(call, "%zu regions of %zu bytes overflow", count, nbytes);
    return all;
}

static lists_t vector_lists(const char *call, gasnet_node_t node, size_t remote_count,
                            const gasnet_memvec_t *remote, size_t local_count,
                            const gasnet_memvec_t *local)
{
    lists_t lists;
    gasneti_require_list(call, remote, remote_count);
    gasneti_require_list(call, local, local_count);
    lists.memory =
        allocate_lists(call, remote_count, sizeof *lists.remote, local_count, sizeof *lists.local);
    lists.remote = lists.memory;
    lists.local = (pgas_pmemvec_t *)(lists.remote + remote_count);
    size_t remote_bytes = 0;
    size_t local_bytes = 0;
    for (size_t i = 0; i < remote_count; i++) {
        pgas_ptr_t place = {0, 0, 0};
        if (remote[i].len > 0)
            place = gasneti_place(call, node, remote[i].addr, remote[i].len);
        lists.remote[i] = (pgas_smemvec_t){place, remote[i].len};
        add_bytes(call, &remote_bytes, remote[i].len);
    }
    for (size_t i = 0; i < local_count; i++) {
        if (local[i].len > 0)
            gasneti_require_private(call, local[i].addr);
        lists.local[i] = (pgas_pmemvec_t){local[i].addr, local[i].len};
        add_bytes(call, &local_bytes, local[i].len);
    }
    require_same(call, remote_bytes, local_bytes);
    return lists;
}

/* Only the places: a list of local addresses has the type that Fathom wants, which looks at them;
 * where the list does not go there, this does. */
static pgas_ptr_t *indexed_list(const char *call, gasnet_node_t node, size_t count,
                                void *const *remote, size_t nbytes, void *const *local,
                                size_t local_count, size_t local_bytes)
{
    gasneti_require_list(call, remote, count);
    gasneti_require_list(call, local, local_count);
    if ((count > 0 && nbytes == 0) || (local_count > 0 && local_bytes == 0))
        gasneti_fatal(call, "regions of 0 bytes");
    require_same(call, bytes_of(call, count, nbytes), bytes_of(call, local_count, local_bytes));
    for (size_t i = 0; gasneti_everything && i < local_count; i++)
        gasneti_require_private(call, local[i]);
    pgas_ptr_t *places = allocate_lists(call, count, sizeof *places, 0, 0);
    for (size_t i = 0; i < count; i++)
        places[i] = gasneti_place(call, node, remote[i], nbytes);
    return places;
}

/* Bytes from the first to the last of a section of one side. Fathom's calls look at the strides
 * themselves. */
static size_t extent_of(const char *call, const size_t *strides, const size_t *count, size_t levels)
{
    size_t extent = count[0];
    size_t unit = 1;
    for (size_t i = 0; i < levels; i++) {
        size_t least;
        size_t step;
        if (gasneti_everything &&
            (__builtin_mul_overflow(count[i], unit, &least) || strides[i] < least))
            gasneti_fatal(call, "strides[%zu] is %zu, but count[%zu] is %zu, of %zu bytes each", i,
                          strides[i], i, count[i], unit);
        if (__builtin_mul_overflow(count[i + 1] - 1, strides[i], &step) ||
            __builtin_add_overflow(extent, step, &extent))
            gasneti_fatal(call, "the extent of the section overflows");
        unit = strides[i];
    }
    return extent;
}

static pgas_ptr_t strided_place(const char *call, gasnet_node_t node, const void *addr,
                                const size_t *strides, const void *local,
                                const size_t *local_strides, const size_t *count, size_t levels)
{
    gasneti_require_list(call, count, levels + 1);
    if (gasneti_section_is_empty(count, levels)) /* no matter what the other arguments are */
        return (pgas_ptr_t){0, 0, 0};
    gasneti_require_list(call, strides, levels);
    gasneti_require_list(call, local_strides, levels);
    size_t extent = extent_of(call, strides, count, levels);
    if (gasneti_everything)
        extent_of(call, local_strides, count, levels);
    gasneti_require_private(call, local);
    return gasneti_place(call, node, addr, extent);
}

/* ---- How a call completes its operation ---- */

static void finish_blocking(bool is_get, pgas_handle_t handle, void *memory)
{
    (void)is_get;
    gasneti_leave();
    gasneti_wait_native(handle);
    gasneti_held_free(memory);
}

static gasnet_handle_t finish_explicit(bool is_get, pgas_handle_t handle, void *memory)
{
    (void)is_get;
    gasnet_handle_t own = gasneti_handle_with(handle, memory);
    gasneti_leave();
    return own;
}

static void finish_implicit(bool is_get, pgas_handle_t handle, void *memory)
{
    gasneti_implicit_add(is_get, handle, memory);
    gasneti_leave();
}

/*
 * The three forms of a call. `prepare` makes what is in `made`, outside the runtime; `start` starts
 * the operation from it; `memory` is what to free.
 */
#define FORMS(name, is_a_get, parameters, prepare, start, memory) \
    void name##_bulk parameters \
    { \
        static const bool is_get = is_a_get; \
        static const char call[] = #name "_bulk"; \
        prepare; \
        gasneti_enter(); \
        finish_blocking(is_get, start, memory); \
    } \
    gasnet_handle_t name##_nb_bulk parameters \
    { \
        static const bool is_get = is_a_get; \
        static const char call[] = #name "_nb_bulk"; \
        prepare; \
        gasneti_enter(); \
        return finish_explicit(is_get, start, memory); \
    } \
    void name##_nbi_bulk parameters \
    { \
        static const bool is_get = is_a_get; \
        static const char call[] = #name "_nbi_bulk"; \
        prepare; \
        gasneti_enter(); \
        finish_implicit(is_get, start, memory); \
    }

FORMS(gasnet_putv, false,
      (gasnet_node_t dstnode, size_t dstcount, gasnet_memvec_t const dstlist[], size_t srccount,
       gasnet_memvec_t const srclist[]),
      lists_t made = vector_lists(call, dstnode, dstcount, dstlist, srccount, srclist),
      gasneti_everything
          ? gasneti_everything_vector(call, is_get, dstcount, made.remote, srccount, made.local)
          : pgas_memput_vlist_async(dstcount, made.remote, srccount, made.local),
      made.memory)

FORMS(gasnet_getv, true,
      (size_t dstcount, gasnet_memvec_t const dstlist[], gasnet_node_t srcnode, size_t srccount,
       gasnet_memvec_t const srclist[]),
      lists_t made = vector_lists(call, srcnode, srccount, srclist, dstcount, dstlist),
      gasneti_everything
          ? gasneti_everything_vector(call, is_get, srccount, made.remote, dstcount, made.local)
          : pgas_memget_vlist_async(dstcount, made.local, srccount, made.remote),
      made.memory)

FORMS(gasnet_puti, false,
      (gasnet_node_t dstnode, size_t dstcount, void *const dstlist[], size_t dstlen,
       size_t srccount, void *const srclist[], size_t srclen),
      pgas_ptr_t *made = indexed_list(call, dstnode, dstcount, dstlist, dstlen, srclist, srccount,
                                      srclen),
      gasneti_everything ? gasneti_everything_indexed(call, is_get, dstcount, made, dstlen,
                                                      srccount, srclist, srclen)
                         : pgas_memput_ilist_async(dstcount, made, dstlen, srccount,
                                                   (const void *const *)srclist, srclen),
      made)

FORMS(gasnet_geti, true,
      (size_t dstcount, void *const dstlist[], size_t dstlen, gasnet_node_t srcnode,
       size_t srccount, void *const srclist[], size_t srclen),
      pgas_ptr_t *made = indexed_list(call, srcnode, srccount, srclist, srclen, dstlist, dstcount,
                                      dstlen),
      gasneti_everything
          ? gasneti_everything_indexed(call, is_get, srccount, made, srclen, dstcount, dstlist,
                                       dstlen)
          : pgas_memget_ilist_async(dstcount, dstlist, dstlen, srccount, made, srclen),
      made)

FORMS(gasnet_puts, false,
      (gasnet_node_t dstnode, void *dstaddr, const size_t dststrides[], void *srcaddr,
       const size_t srcstrides[], const size_t count[], size_t stridelevels),
      pgas_ptr_t made = strided_place(call, dstnode, dstaddr, dststrides, srcaddr, srcstrides,
                                      count, stridelevels),
      gasneti_everything
          ? gasneti_everything_strided(call, is_get, made, dststrides, srcaddr, srcstrides, count,
                                       stridelevels)
          : pgas_memput_strided_async(made, dststrides, srcaddr, srcstrides, count, stridelevels),
      NULL)

FORMS(gasnet_gets, true,
      (void *dstaddr, const size_t dststrides[], gasnet_node_t srcnode, void *srcaddr,
       const size_t srcstrides[], const size_t count[], size_t stridelevels),
      pgas_ptr_t made = strided_place(call, srcnode, srcaddr, srcstrides, dstaddr, dststrides,
                                      count, stridelevels),
      gasneti_everything
          ? gasneti_everything_strided(call, is_get, made, srcstrides, dstaddr, dststrides, count,
                                       stridelevels)
          : pgas_memget_strided_async(dstaddr, dststrides, made, srcstrides, count, stridelevels),
      NULL)
