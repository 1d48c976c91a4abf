#include "job/stats_file.h"

#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "base/log.h"

static bool refuse(const char *name, const char *reason)
{
    pgasi_log("PGAS_STATS='%s' cannot be written: %s", name, reason);
    return false;
}

static const char access_list[] = "system.posix_acl_access";

/* Whoever could not read the file that is there shall not read the new one. Where the group is
 * another one, others were of the old one, and the new one's members were others. The directory may
 * give a new file an access list. */
static bool keep_permissions(int fd, const struct stat *there)
{
    fremovexattr(fd, access_list);
    mode_t mode = (there->st_mode & 0777) | S_IRUSR | S_IWUSR;
    mode_t of_all = mode >> 3 & mode & 07;
    if (fchown(fd, (uid_t)-1, there->st_gid) != 0)
        mode = (mode & 0700) | of_all << 3 | of_all;
    return fchmod(fd, mode) == 0;
}

/* Where a file has an access list, its group bits are what the list allows at most, and whom it
 * forbids would be others in a file without one. */
static void forget_list(const char *path, struct stat *status)
{
    if (getxattr(path, access_list, NULL, 0) > 0)
        status->st_mode &= ~(mode_t)(S_IRWXG | S_IRWXO);
}

/* Writes a name in the same folder to `beside`, PATH_MAX bytes: no longer than names may be where
 * `name` is not. False, with errno, if the whole path is too long. */
static bool name_beside(const char *name, uint32_t number, char *beside)
{
    enum {
        SUFFIX = sizeof ".01234567" - 1
    };
    const char *slash = strrchr(name, '/');
    int folder = slash != NULL ? (int)(slash + 1 - name) : 0;
    if (snprintf(beside, PATH_MAX, "%.*s%.*s.%08x", folder, name, NAME_MAX - SUFFIX, name + folder,
                 number) < PATH_MAX)
        return true;
    errno = ENAMETOOLONG;
    return false;
}

/* Creates an empty file beside `name`, with the permissions of what is there, or those that a new
 * file has; -1, with errno, if it cannot. `beside` holds PATH_MAX bytes and receives its name. */
static int create_beside(const char *name, char *beside)
{
    uint32_t number;
    struct stat there;
    bool is_there = stat(name, &there) == 0;
    if (is_there)
        forget_list(name, &there);
    if (getrandom(&number, sizeof number, 0) != sizeof number || !name_beside(name, number, beside))
        return -1;
    int fd = open(beside, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, is_there ? 0600 : 0666);
    if (fd < 0 || !is_there || keep_permissions(fd, &there))
        return fd;
    int reason = errno;
    unlink(beside);
    close(fd);
    errno = reason;
    return -1;
}

/* In a folder such as /tmp nobody replaces what is another user's. */
static bool may_replace(const char *name, const struct stat *there)
{
    char path[PATH_MAX];
    struct stat folder;
    uid_t mine = geteuid();
    if (mine == 0 || there->st_uid == mine ||
        snprintf(path, sizeof path, "%s", name) >= (int)sizeof path ||
        stat(dirname(path), &folder) != 0)
        return true;
    return (folder.st_mode & S_ISVTX) == 0 || folder.st_uid == mine;
}

bool pgasi_stats_file_check(const char *name)
{
    char beside[PATH_MAX];
    struct stat there;
    bool is_there = stat(name, &there) == 0;
    if (is_there && !S_ISREG(there.st_mode))
        return refuse(name, "it is not a regular file");
    /* What is replaced is a link, not what it leads to. */
    if (lstat(name, &there) == 0 && !may_replace(name, &there))
        return refuse(name, strerror(EPERM));
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
