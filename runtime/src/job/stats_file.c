#include "job/stats_file.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/log.h"

static bool refuse(const char *name, const char *reason)
{
    pgasi_log("PGAS_STATS='%s' cannot be written: %s", name, reason);
    return false;
}

/* Creates an empty file beside `name`, with the permissions that a new file has; -1, with errno, if
 * it cannot. `beside` holds PATH_MAX bytes and receives its name. */
static int create_beside(const char *name, char *beside)
{
    uint32_t number;
    if (getrandom(&number, sizeof number, 0) != sizeof number)
        return -1;
    if (snprintf(beside, PATH_MAX, "%s.%08x", name, number) >= PATH_MAX) {
        errno = ENAMETOOLONG;
        return -1;
    }
    return open(beside, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
}

bool pgasi_stats_file_check(const char *name)
{
    char beside[PATH_MAX];
    struct stat there;
    if (stat(name, &there) == 0 && !S_ISREG(there.st_mode))
        return refuse(name, "it is not a regular file");
    int fd = create_beside(name, beside);
    if (fd < 0)
        return refuse(name, strerror(errno));
    unlink(beside);
    close(fd);
    return true;
}

/* Closes the descriptor. */
static bool write_json(int fd, const json_t *root)
{
    FILE *f = fdopen(fd, "w");
    if (f == NULL) {
        close(fd);
        return false;
    }
    bool is_written = json_dumpf(root, f, JSON_INDENT(2)) == 0 && fflush(f) == 0;
    int reason = errno;
    bool is_closed = fclose(f) == 0;
    if (!is_written)
        errno = reason;
    return is_written && is_closed;
}

bool pgasi_stats_file_write(const char *name, const json_t *root)
{
    char beside[PATH_MAX];
    int fd = create_beside(name, beside);
    if (fd < 0)
        return refuse(name, strerror(errno));
    if (write_json(fd, root) && rename(beside, name) == 0)
        return true;
    int reason = errno;
    unlink(beside);
    return refuse(name, strerror(reason));
}
