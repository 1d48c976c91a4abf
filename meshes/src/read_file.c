#include "read_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "fail.h"
#include "gunzip.h"

static bool read_open_file(int fd, const char *path, char **text, size_t *nbytes,
                           mesh_error_t *error)
{
    struct stat status;
    if (fstat(fd, &status) != 0)
        return meshi_fail(error, "%s: cannot be read: %s", path, strerror(errno));
    if (!S_ISREG(status.st_mode))
        return meshi_fail(error, "%s: is not a regular file", path);
    size_t size = (size_t)status.st_size;
    char *buffer = malloc(size + 1);
    if (buffer == NULL)
        return meshi_fail_memory(error, path, size);
    size_t filled = 0;
    while (filled < size) {
        ssize_t part = read(fd, buffer + filled, size - filled);
        if (part < 0 && errno == EINTR)
            continue;
        if (part < 0) {
            free(buffer);
            return meshi_fail(error, "%s: cannot be read: %s", path, strerror(errno));
        }
        if (part == 0)
            break;
        filled += (size_t)part;
    }
    *text = buffer;
    *nbytes = filled;
    return true;
}

static bool read_file(const char *path, char **text, size_t *nbytes, mesh_error_t *error)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0)
        return meshi_fail(error, "%s: cannot be opened: %s", path, strerror(errno));
    bool done = read_open_file(fd, path, text, nbytes, error);
    close(fd);
    return done;
}

bool meshi_read_file(const char *path, char **text, size_t *nbytes, mesh_error_t *error)
{
    char *bytes;
    size_t count;
    if (!read_file(path, &bytes, &count, error))
        return false;
    if (!meshi_is_gzip(bytes, count)) {
        *text = bytes;
        *nbytes = count;
        return true;
    }
    bool done = meshi_gunzip(path, bytes, count, text, nbytes, error);
    free(bytes);
    return done;
}
