/**
 * A program of which others may not open the descriptors, as one that may be executed and not read,
 * or, with an argument, one to which the system refuses memory files: its node's memory is a file
 * in /dev/shm, unless PGAS_SEGMENT says otherwise.
 */
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

#include "check.h"

static bool is_mapped(const char *name)
{
    FILE *maps = fopen("/proc/self/maps", "r");
    CHECK(maps != NULL);
    char line[4096];
    bool found = false;
    while (!found && fgets(line, sizeof line, maps) != NULL)
        found = strstr(line, name) != NULL;
    fclose(maps);
    return found;
}

static void refuse_memory_files(void)
{
    struct sock_filter rules[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_memfd_create, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    struct sock_fprog program = {sizeof rules / sizeof rules[0], rules};
    CHECK(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0);
    CHECK(prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0);
}

int main(int argc, char **argv)
{
    (void)argv;
    const char *segment = getenv("PGAS_SEGMENT");
    if (argc > 1)
        refuse_memory_files();
    else
        CHECK(prctl(PR_SET_DUMPABLE, 0) == 0);
    CHECK(pgas_init() == PGAS_OK);
    if (segment == NULL || strcmp(segment, "auto") == 0)
        CHECK(is_mapped("/dev/shm/fathom-"));
    pgas_ptr_t words;
    CHECK(pgas_all_alloc((size_t)pgas_threads(), sizeof(uint64_t), &words) == PGAS_OK);
    words.thread = (uint32_t)(pgas_mythread() + 1) % (uint32_t)pgas_threads();
    PGAS_WRITE(uint64_t, words, words.thread);
    pgas_barrier();
    words.thread = (uint32_t)pgas_mythread();
    CHECK(PGAS_READ(uint64_t, words) == words.thread);
    pgas_finalize();
    return 0;
}
