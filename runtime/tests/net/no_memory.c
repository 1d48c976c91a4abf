/**
 * Thread 1 has hardly any memory for what comes from the other nodes, by a limit of its address
 * space, or with an argument of its data: the job must end, in one way or another. See
 * no_memory.sh.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include <ucs/debug/log_def.h>

#include "check.h"

enum {
    BYTES = 8 << 20,
    LEFT = 1 << 20
};

static rlim_t kilobytes_of(const char *format)
{
    FILE *status = fopen("/proc/self/status", "r");
    char line[256];
    unsigned long found = 0;
    CHECK(status != NULL);
    while (fgets(line, sizeof line, status) != NULL)
        sscanf(line, format, &found);
    fclose(status);
    CHECK(found > 0);
    return found;
}

/* No more than LEFT, and nothing that malloc has kept. */
static void use_up_memory(bool of_data)
{
    rlim_t most = kilobytes_of(of_data ? "VmData: %lu" : "VmSize: %lu") * 1024 + LEFT;
    CHECK(setrlimit(of_data ? RLIMIT_DATA : RLIMIT_AS, &(struct rlimit){most, most}) == 0);
    for (size_t nbytes = LEFT; nbytes >= 4096; nbytes /= 2)
        for (int i = 0; i < 100000 && malloc(nbytes) != NULL; i++)
            continue;
}

/* As UCX does where it has no memory for a connection that another thread has asked for, though it
 * has some again right behind: nobody else would notice. */
static void drop_connection(void)
{
    if (pgas_mythread() == 1)
        ucs_log_dispatch(__FILE__, __LINE__, __func__, UCS_LOG_LEVEL_ERROR,
                         &ucs_global_opts.log_component, "failed to allocate a chunk of %d bytes",
                         393216);
    pgas_barrier();
}

int main(int argc, char **argv)
{
    CHECK(pgas_init() == PGAS_OK);
    if (argc > 1 && strcmp(argv[1], "dropped") == 0)
        drop_connection();
    pgas_array_t array;
    pgas_ptr_t to;
    CHECK(pgas_array_create(100000, 8, 100, &array) == PGAS_OK);
    pgas_barrier();
    char *bytes = malloc(BYTES);
    char *got = malloc(BYTES);
    CHECK(bytes != NULL && got != NULL);
    memset(bytes, 1, BYTES);
    memset(got, 1, BYTES);
    if (pgas_mythread() == 1)
        use_up_memory(argc > 1);
    pgas_barrier();
    CHECK(pgas_all_alloc((size_t)pgas_threads(), BYTES, &to) == PGAS_OK);
    to.thread = (uint32_t)(pgas_mythread() + 1) % (uint32_t)pgas_threads();
    pgas_memput(to, bytes, BYTES);
    pgas_memget(got, to, BYTES);
    pgas_barrier();
    free(bytes);
    free(got);
    pgas_finalize();
    return 0;
}
