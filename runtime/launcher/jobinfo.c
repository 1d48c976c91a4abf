#include "jobinfo.h"

#include <ctype.h>
#include <pmix_server.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    JOB_FIELDS = 13,
    THREAD_FIELDS = 8,
    HOST_LENGTH = 48
};

/* What PMIx makes its map of. It overflows with names of more than 56 letters, and a comma
 * separates names. There is one host, so any name is as good. */
static void plain_name(const char *host, char name[HOST_LENGTH + 1])
{
    size_t length = strnlen(host, HOST_LENGTH);
    for (size_t i = 0; i < length; i++)
        name[i] = isalnum((unsigned char)host[i]) || strchr("-._", host[i]) != NULL ? host[i] : '-';
    name[length] = '\0';
    if (length == 0)
        snprintf(name, HOST_LENGTH, "host");
}

/* "0,1,...,threads-1"; the caller frees it. NULL without memory. */
static char *rank_list(size_t threads)
{
    size_t capacity = threads * 21 + 1;
    char *list = malloc(capacity);
    size_t used = 0;
    for (size_t t = 0; list != NULL && t < threads; t++)
        used += (size_t)snprintf(list + used, capacity - used, t > 0 ? ",%zu" : "%zu", t);
    return list;
}

static void load_u32(pmix_info_t *info, const char *key, size_t number)
{
    uint32_t value = (uint32_t)number;
    PMIX_INFO_LOAD(info, key, &value, PMIX_UINT32);
}

static void load_rank(pmix_info_t *info, const char *key, size_t number)
{
    pmix_rank_t value = (pmix_rank_t)number;
    PMIX_INFO_LOAD(info, key, &value, PMIX_PROC_RANK);
}

/* Ranks among the threads of a node are 16 bits wide in PMIx. */
static void load_u16(pmix_info_t *info, const char *key, size_t number)
{
    uint16_t value = (uint16_t)number;
    PMIX_INFO_LOAD(info, key, &value, PMIX_UINT16);
}

/* What is known about one thread, as one entry that holds an array. */
static bool load_thread(pmix_info_t *info, const char *host, size_t thread)
{
    pmix_info_t *field;
    PMIX_INFO_CREATE(field, THREAD_FIELDS);
    if (field == NULL)
        return false;
    load_rank(&field[0], PMIX_RANK, thread);
    load_u32(&field[1], PMIX_APPNUM, 0);
    load_rank(&field[2], PMIX_APP_RANK, thread);
    load_rank(&field[3], PMIX_GLOBAL_RANK, thread);
    load_u16(&field[4], PMIX_LOCAL_RANK, thread);
    load_u16(&field[5], PMIX_NODE_RANK, thread);
    load_u32(&field[6], PMIX_NODEID, 0);
    PMIX_INFO_LOAD(&field[7], PMIX_HOSTNAME, host, PMIX_STRING);
    pmix_data_array_t array = {.type = PMIX_INFO, .size = THREAD_FIELDS, .array = field};
    PMIX_INFO_LOAD(info, PMIX_PROC_INFO_ARRAY, &array, PMIX_DATA_ARRAY);
    PMIX_INFO_FREE(field, THREAD_FIELDS);
    return true;
}

pmix_status_t jobinfo_create(const char *nspace, const char *given_host, size_t threads,
                             pmix_info_t **info, size_t *count)
{
    char host[HOST_LENGTH + 1];
    plain_name(given_host, host);
    pmix_status_t status = PMIX_ERR_NOMEM;
    char *node_map = NULL;
    char *proc_map = NULL;
    char *ranks = rank_list(threads);
    if (ranks == NULL)
        return status;
    status = PMIx_generate_regex(host, &node_map);
    if (status != PMIX_SUCCESS)
        goto free_ranks;
    status = PMIx_generate_ppn(ranks, &proc_map);
    if (status != PMIX_SUCCESS)
        goto free_node_map;

    pmix_info_t *list;
    PMIX_INFO_CREATE(list, JOB_FIELDS + threads);
    if (list == NULL) {
        status = PMIX_ERR_NOMEM;
        goto free_proc_map;
    }
    PMIX_INFO_LOAD(&list[0], PMIX_JOBID, nspace, PMIX_STRING);
    load_u32(&list[1], PMIX_UNIV_SIZE, threads);
    load_u32(&list[2], PMIX_MAX_PROCS, threads);
    load_u32(&list[3], PMIX_JOB_SIZE, threads);
    load_u32(&list[4], PMIX_JOB_NUM_APPS, 1);
    load_u32(&list[5], PMIX_NUM_NODES, 1);
    load_u32(&list[6], PMIX_LOCAL_SIZE, threads);
    load_u32(&list[7], PMIX_NODE_SIZE, threads);
    load_u32(&list[8], PMIX_NODEID, 0);
    PMIX_INFO_LOAD(&list[9], PMIX_LOCAL_PEERS, ranks, PMIX_STRING);
    PMIX_INFO_LOAD(&list[10], PMIX_HOSTNAME, host, PMIX_STRING);
    PMIX_INFO_LOAD(&list[11], PMIX_NODE_MAP, node_map, PMIX_REGEX);
    PMIX_INFO_LOAD(&list[12], PMIX_PROC_MAP, proc_map, PMIX_REGEX);
    for (size_t t = 0; t < threads && status == PMIX_SUCCESS; t++)
        if (!load_thread(&list[JOB_FIELDS + t], host, t))
            status = PMIX_ERR_NOMEM;
    *info = list;
    *count = JOB_FIELDS + threads;
    if (status != PMIX_SUCCESS)
        PMIX_INFO_FREE(list, JOB_FIELDS + threads);

free_proc_map:
    free(proc_map);
free_node_map:
    free(node_map);
free_ranks:
    free(ranks);
    return status;
}
