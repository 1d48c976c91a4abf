#include "node/mapped_file.h"

#include <dirent.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

/* Device and inode of what is mapped at `address`, from a line like
 * "7f0000-7f1000 rw-s 00000000 00:19 1234 /dev/shm/name (deleted)". */
static bool find_inode(const void *address, dev_t *device, ino_t *inode)
{
    FILE *maps = fopen("/proc/self/maps", "re");
    char *line = NULL;
    size_t size = 0;
    bool found = false;
    while (maps != NULL && !found && getline(&line, &size, maps) > 0) {
        uint64_t begin;
        uint64_t end;
        unsigned major_number;
        unsigned minor_number;
        uint64_t number;
        if (sscanf(line, "%" SCNx64 "-%" SCNx64 " %*s %*x %x:%x %" SCNu64, &begin, &end,
                   &major_number, &minor_number, &number) != 5)
            continue;
        found = (uintptr_t)address >= begin && (uintptr_t)address < end && number != 0;
        *device = makedev(major_number, minor_number);
        *inode = (ino_t)number;
    }
    free(line);
    if (maps != NULL)
        fclose(maps);
    return found;
}

int pgasi_mapped_file_open(const void *address)
{
    dev_t device;
    ino_t inode;
    if (!find_inode(address, &device, &inode))
        return -1;
    DIR *files = opendir("/proc/self/fd");
    int found = -1;
    const struct dirent *entry;
    while (files != NULL && found < 0 && (entry = readdir(files)) != NULL) {
        struct stat status;
        int file = (int)strtol(entry->d_name, NULL, 10);
        if (entry->d_name[0] != '.' && fstat(file, &status) == 0 && status.st_ino == inode &&
            status.st_dev == device)
            found = fcntl(file, F_DUPFD_CLOEXEC, 0);
    }
    if (files != NULL)
        closedir(files);
    return found;
}
