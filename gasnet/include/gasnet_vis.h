/**
 * Vector, indexed and strided puts and gets of GASNet-1. Included by gasnet.h. After "Proposal for
 * Extending the UPC Memory Copy Library Functions", version 2.0, whose sections 5.2.1, 5.3.1
 * and 6.2.1 say what they do; counts and strides as in pgas/vis.h.
 *
 * Remote regions lie in the segment of their node. The source must not change before the sync.
 * Lists, counts and strides must not either, as the document says. Lists, counts, strides and
 * private regions that are NULL are errors, unless they are empty; and so are indexed regions of 0
 * bytes.
 */
#ifndef GASNET_VIS_H
#define GASNET_VIS_H

#include <gasnet_extended.h>
#include <gasnet_types.h>

PGAS_BEGIN_DECLS

typedef struct {
    void *addr;
    size_t len;
} gasnet_memvec_t;

/** Vector: lists of regions of any size. */
PGAS_API void gasnet_putv_bulk(gasnet_node_t dstnode, size_t dstcount,
                               gasnet_memvec_t const dstlist[], size_t srccount,
                               gasnet_memvec_t const srclist[]);
PGAS_API void gasnet_getv_bulk(size_t dstcount, gasnet_memvec_t const dstlist[],
                               gasnet_node_t srcnode, size_t srccount,
                               gasnet_memvec_t const srclist[]);
PGAS_API gasnet_handle_t gasnet_putv_nb_bulk(gasnet_node_t dstnode, size_t dstcount,
                                             gasnet_memvec_t const dstlist[], size_t srccount,
                                             gasnet_memvec_t const srclist[]);
PGAS_API gasnet_handle_t gasnet_getv_nb_bulk(size_t dstcount, gasnet_memvec_t const dstlist[],
                                             gasnet_node_t srcnode, size_t srccount,
                                             gasnet_memvec_t const srclist[]);
PGAS_API void gasnet_putv_nbi_bulk(gasnet_node_t dstnode, size_t dstcount,
                                   gasnet_memvec_t const dstlist[], size_t srccount,
                                   gasnet_memvec_t const srclist[]);
PGAS_API void gasnet_getv_nbi_bulk(size_t dstcount, gasnet_memvec_t const dstlist[],
                                   gasnet_node_t srcnode, size_t srccount,
                                   gasnet_memvec_t const srclist[]);

/** Indexed: lists of regions of one size per side. */
PGAS_API void gasnet_puti_bulk(gasnet_node_t dstnode, size_t dstcount, void *const dstlist[],
                               size_t dstlen, size_t srccount, void *const srclist[],
                               size_t srclen);
PGAS_API void gasnet_geti_bulk(size_t dstcount, void *const dstlist[], size_t dstlen,
                               gasnet_node_t srcnode, size_t srccount, void *const srclist[],
                               size_t srclen);
PGAS_API gasnet_handle_t gasnet_puti_nb_bulk(gasnet_node_t dstnode, size_t dstcount,
                                             void *const dstlist[], size_t dstlen, size_t srccount,
                                             void *const srclist[], size_t srclen);
PGAS_API gasnet_handle_t gasnet_geti_nb_bulk(size_t dstcount, void *const dstlist[], size_t dstlen,
                                             gasnet_node_t srcnode, size_t srccount,
                                             void *const srclist[], size_t srclen);
PGAS_API void gasnet_puti_nbi_bulk(gasnet_node_t dstnode, size_t dstcount, void *const dstlist[],
                                   size_t dstlen, size_t srccount, void *const srclist[],
                                   size_t srclen);
PGAS_API void gasnet_geti_nbi_bulk(size_t dstcount, void *const dstlist[], size_t dstlen,
                                   gasnet_node_t srcnode, size_t srccount, void *const srclist[],
                                   size_t srclen);

/** Strided: rectangular sections; count[0] is in bytes. */
PGAS_API void gasnet_puts_bulk(gasnet_node_t dstnode, void *dstaddr, const size_t dststrides[],
                               void *srcaddr, const size_t srcstrides[], const size_t count[],
                               size_t stridelevels);
PGAS_API void gasnet_gets_bulk(void *dstaddr, const size_t dststrides[], gasnet_node_t srcnode,
                               void *srcaddr, const size_t srcstrides[], const size_t count[],
                               size_t stridelevels);
PGAS_API gasnet_handle_t gasnet_puts_nb_bulk(gasnet_node_t dstnode, void *dstaddr,
                                             const size_t dststrides[], void *srcaddr,
                                             const size_t srcstrides[], const size_t count[],
                                             size_t stridelevels);
PGAS_API gasnet_handle_t gasnet_gets_nb_bulk(void *dstaddr, const size_t dststrides[],
                                             gasnet_node_t srcnode, void *srcaddr,
                                             const size_t srcstrides[], const size_t count[],
                                             size_t stridelevels);
PGAS_API void gasnet_puts_nbi_bulk(gasnet_node_t dstnode, void *dstaddr, const size_t dststrides[],
                                   void *srcaddr, const size_t srcstrides[], const size_t count[],
                                   size_t stridelevels);
PGAS_API void gasnet_gets_nbi_bulk(void *dstaddr, const size_t dststrides[], gasnet_node_t srcnode,
                                   void *srcaddr, const size_t srcstrides[], const size_t count[],
                                   size_t stridelevels);

/* ---- Texts ---- */

/**
 * GASNet tools' texts of lists, for messages: each writes to `buf`, which has as many bytes as the
 * function with `_bufsz` returns, and ends it by 0. Calls are described by all of their arguments;
 * the result is the number of bytes that they move. `stats` is ignored.
 */
PGAS_API size_t gasnett_format_memveclist_bufsz(size_t count);
PGAS_API void gasnett_format_memveclist(char *buf, size_t count, gasnet_memvec_t const list[]);
PGAS_API size_t gasnett_format_addrlist_bufsz(size_t count);
PGAS_API void gasnett_format_addrlist(char *buf, size_t count, void *const list[], size_t len);
PGAS_API size_t gasnett_format_strides_bufsz(size_t count);
PGAS_API void gasnett_format_strides(char *buf, size_t count, const size_t list[]);
PGAS_API size_t gasnett_format_putvgetv_bufsz(size_t dstcount, size_t srccount);
PGAS_API size_t gasnett_format_putvgetv(char *buf, gasnet_node_t node, size_t dstcount,
                                        gasnet_memvec_t const dstlist[], size_t srccount,
                                        gasnet_memvec_t const srclist[]);
PGAS_API size_t gasnett_format_putigeti_bufsz(size_t dstcount, size_t srccount);
PGAS_API size_t gasnett_format_putigeti(char *buf, gasnet_node_t node, size_t dstcount,
                                        void *const dstlist[], size_t dstlen, size_t srccount,
                                        void *const srclist[], size_t srclen);
PGAS_API size_t gasnett_format_putsgets_bufsz(size_t stridelevels);
PGAS_API size_t gasnett_format_putsgets(char *buf, void *stats, gasnet_node_t node, void *dstaddr,
                                        const size_t dststrides[], void *srcaddr,
                                        const size_t srcstrides[], const size_t count[],
                                        size_t stridelevels);

PGAS_END_DECLS

#endif
