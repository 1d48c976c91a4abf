/**
 * The resources that UCT finds on this host: a transport on a device each.
 */
#ifndef PGASI_NET_UCX_RESOURCE_H
#define PGASI_NET_UCX_RESOURCE_H

#include <uct/api/uct.h>

/** Takes one resource of a memory domain, which is open during the call. */
typedef void (*pgasi_ucx_resource_visit_t)(uct_md_h domain, const uct_tl_resource_desc_t *resource,
                                           void *user_data);

/** Visits all of them. Domains that cannot be opened are left out, and what UCX says of them. */
void pgasi_ucx_resources_visit(pgasi_ucx_resource_visit_t visit, void *user_data);

/** From now on UCX prints nothing, until pgasi_ucx_speak. Calls nest. */
void pgasi_ucx_be_silent(void);
void pgasi_ucx_speak(void);

#endif
