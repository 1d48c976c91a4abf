/**
 * A launcher that says something odd of the job: pgas_init fails with a line. See launch.sh.
 *
 * usage: runtime_odd_launcher KEY VALUE   the answer to PMIx_Get for KEY: a text, or #NUMBER
 */
#include <dlfcn.h>
#include <pmix.h>
#include <stdlib.h>
#include <string.h>

#include <pgas/pgas.h>

static const char *odd_key;
static const char *odd_value;

/* In the place of the library's, which answers everything else. */
__attribute__((visibility("default"))) pmix_status_t PMIx_Get(const pmix_proc_t *proc,
                                                              const char key[],
                                                              const pmix_info_t info[],
                                                              size_t ninfo, pmix_value_t **val)
{
    pmix_status_t (*get)(const pmix_proc_t *, const char *, const pmix_info_t[], size_t,
                         pmix_value_t **);
    *(void **)&get = dlsym(RTLD_NEXT, "PMIx_Get");
    if (strcmp(key, odd_key) != 0)
        return get(proc, key, info, ninfo, val);
    PMIX_VALUE_CREATE(*val, 1);
    if (*val == NULL)
        return PMIX_ERR_NOMEM;
    if (odd_value[0] == '#') {
        (*val)->type = PMIX_UINT64;
        (*val)->data.uint64 = strtoull(odd_value + 1, NULL, 10);
    } else {
        (*val)->type = PMIX_STRING;
        (*val)->data.string = strdup(odd_value);
    }
    return PMIX_SUCCESS;
}

int main(int argc, char **argv)
{
    if (argc != 3)
        return 2;
    odd_key = argv[1];
    odd_value = argv[2];
    if (pgas_init() != PGAS_OK)
        return 1;
    pgas_finalize();
    return 0;
}
