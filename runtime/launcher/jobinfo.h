/**
 * What a PMIx client can ask about its job: sizes, ranks, the (single) host.
 */
#ifndef LAUNCHER_JOBINFO_H
#define LAUNCHER_JOBINFO_H

#include <pmix_common.h>
#include <stddef.h>

/**
 * Builds the information registered for a job of `threads` threads on this host.
 *
 * @param nspace  the job's PMIx name
 * @param host    this host's name
 * @param threads number of threads, at least 1
 * @param info    the array; the caller owns it and frees it with PMIX_INFO_FREE(info, count)
 * @param count   its length
 * @return PMIX_SUCCESS, or the PMIx error; outputs are set only on success.
 */
pmix_status_t jobinfo_create(const char *nspace, const char *host, size_t threads,
                             pmix_info_t **info, size_t *count);

#endif
