#include "names.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

static const char directory[] = "/dev/shm"; // where glibc's shm_open keeps names

static const char where_ucx[] = "UCX_POSIX_DIR";

static void remove_all_in(int parent, const char *name)
{
    int fd = openat(parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    DIR *names = fd >= 0 ? fdopendir(fd) : NULL;
    if (names == NULL) {
        if (fd >= 0)
            close(fd);
        return;
    }
    const struct dirent *entry;
    while ((entry = readdir(names)) != NULL)
        unlinkat(dirfd(names), entry->d_name, 0);
    closedir(names);
}

static void remove_one(int parent, const char *name)
{
    struct stat file;
    if (fstatat(parent, name, &file, AT_SYMLINK_NOFOLLOW) != 0 || file.st_uid != geteuid())
        return;
    if (S_ISREG(file.st_mode)) {
        unlinkat(parent, name, 0);
    } else if (S_ISDIR(file.st_mode)) {
        remove_all_in(parent, name);
        unlinkat(parent, name, AT_REMOVEDIR);
    }
}

void names_remove(pid_t pid)
{
    DIR *names = opendir(directory);
    if (names == NULL)
        return;
    char prefix[32];
    int length = snprintf(prefix, sizeof prefix, "fathom-%ld-", (long)pid);
    const struct dirent *entry;
    while ((entry = readdir(names)) != NULL)
        if (strncmp(entry->d_name, prefix, (size_t)length) == 0)
            remove_one(dirfd(names), entry->d_name);
    closedir(names);
}

/* No process has the launcher's number, and nobody has its lock. The lock protects the directory of
 * a launcher in a container that shares /dev/shm, but not its process numbers, with this one. */
static bool is_abandoned(int parent, const char *name)
{
    static const char prefix[] = "fathom-";
    char *end;
    if (strncmp(name, prefix, sizeof prefix - 1) != 0)
        return false;
    long pid = strtol(name + sizeof prefix - 1, &end, 10);
    if (strcmp(end, "-ucx") != 0 || pid <= 0 || pid > INT_MAX || kill((pid_t)pid, 0) == 0 ||
        errno != ESRCH)
        return false;
    int fd = openat(parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    bool is_free = fd >= 0 && flock(fd, LOCK_EX | LOCK_NB) == 0;
    if (fd >= 0)
        close(fd);
    return is_free;
}

void names_remove_abandoned(void)
{
    DIR *names = opendir(directory);
    if (names == NULL)
        return;
    const struct dirent *entry;
    while ((entry = readdir(names)) != NULL)
        if (is_abandoned(dirfd(names), entry->d_name))
            remove_one(dirfd(names), entry->d_name);
    closedir(names);
}

/* Jobs that leave UCX's transports alone do not use its shared memory. */
static bool may_use_ucx_memory(void)
{
    const char *segment = getenv("PGAS_SEGMENT");
    return getenv("UCX_TLS") != NULL || (segment != NULL && strcmp(segment, "ucx") == 0);
}

/* What cannot be made here is no failure: UCX then uses the directory that it always does. */
void names_gather_ucx(void)
{
    char path[64];
    snprintf(path, sizeof path, "%s/fathom-%ld-ucx", directory, (long)getpid());
    if (!may_use_ucx_memory() || getenv(where_ucx) != NULL || mkdir(path, S_IRWXU) != 0)
        return;
    setenv(where_ucx, path, 1);
    int fd = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (fd >= 0)
        flock(fd, LOCK_EX | LOCK_NB); /* as long as this process lives */
}
