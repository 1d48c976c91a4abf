#include "temporary_directory.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "fail.h"

#define RANDOM_PART "XXXXXX"
#define OWNER_FILE "owner"

enum {
    PREFIX_SIZE = 128,
    LISTING_SIZE = 4096,
    TRIALS = 100
};

static const char *get_parent(void)
{
    const char *parent = getenv("TMPDIR");
    return parent != NULL && *parent != '\0' ? parent : "/tmp";
}

/* The same as an absolute path: a program takes one that begins with '-' for an option. False if
 * there is no room for it. */
static bool get_absolute_parent(char *path, size_t size)
{
    const char *parent = get_parent();
    path[0] = '\0';
    if (parent[0] != '/' && getcwd(path, size) == NULL)
        return false;
    size_t length = strlen(path);
    int more = snprintf(path + length, size - length, length > 0 ? "/%s" : "%s", parent);
    return more >= 0 && (size_t)more < size - length;
}

/* The host is in the name because a lock on a shared file system may hold on one host only. */
static void get_prefix(char prefix[PREFIX_SIZE])
{
    struct utsname host;
    if (uname(&host) != 0)
        host.nodename[0] = '\0';
    snprintf(prefix, PREFIX_SIZE, "fathom-mesh-%.64s-", host.nodename);
    for (char *c = strchr(prefix, '/'); c != NULL; c = strchr(c, '/'))
        *c = '_';
}

static bool is_same_file(int directory, const char *name, int fd)
{
    struct stat open_file;
    struct stat named_file;
    return fstat(fd, &open_file) == 0 &&
           fstatat(directory, name, &named_file, AT_SYMLINK_NOFOLLOW) == 0 &&
           open_file.st_dev == named_file.st_dev && open_file.st_ino == named_file.st_ino;
}

/* Locks the owner file of a new directory. A process that clears the parent may have taken the
 * directory for an abandoned one before it was locked: then `again` is true. A file system without
 * locks does no harm, since no process gets one there. */
static bool lock_new(meshi_directory_t *made, bool *again)
{
    int directory = open(made->path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    *again = directory < 0 && errno == ENOENT;
    if (directory < 0)
        return false;
    made->owner =
        openat(directory, OWNER_FILE, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
    int reason = errno;
    *again = made->owner < 0 && reason == ENOENT;
    if (made->owner >= 0)
        *again = (flock(made->owner, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) ||
                 !is_same_file(directory, OWNER_FILE, made->owner);
    close(directory);
    if (made->owner >= 0 && *again)
        close(made->owner);
    errno = reason;
    return made->owner >= 0 && !*again;
}

/* Stops at the first error that another name would not avoid; errno has it then. */
static bool make_and_lock(const char *parent, const char *prefix, meshi_directory_t *made)
{
    for (size_t trial = 0; trial < TRIALS; trial++) {
        bool again = false;
        snprintf(made->path, sizeof made->path, "%s/%s" RANDOM_PART, parent, prefix);
        if (mkdtemp(made->path) == NULL)
            return false;
        if (lock_new(made, &again))
            return true;
        int reason = again ? EBUSY : errno;
        rmdir(made->path);
        errno = reason;
        if (!again)
            return false;
    }
    return false;
}

bool meshi_directory_create(meshi_directory_t *directory, mesh_error_t *error)
{
    char prefix[PREFIX_SIZE];
    char parent[sizeof directory->path - PREFIX_SIZE - sizeof RANDOM_PART OWNER_FILE];
    get_prefix(prefix);
    if (!get_absolute_parent(parent, sizeof parent))
        return meshi_fail(error, "TMPDIR: the name is too long");
    if (!make_and_lock(parent, prefix, directory))
        return meshi_fail(
            error, "%s: cannot create a temporary directory: %s (TMPDIR names another place)",
            parent, strerror(errno));
    snprintf(directory->owner_path, sizeof directory->owner_path, "%s/" OWNER_FILE,
             directory->path);
    return true;
}

static bool is_ours(int fd, mode_t type)
{
    struct stat status;
    return fstat(fd, &status) == 0 && (status.st_mode & S_IFMT) == type &&
           status.st_uid == geteuid();
}

/* Removes all but the owner file, which says whose they are as long as one is left. opendir would
 * allocate, which a signal handler must not. */
static bool remove_files(int directory)
{
    _Alignas(struct dirent64) char entries[LISTING_SIZE];
    bool removed = true;
    ssize_t nbytes;
    while ((nbytes = getdents64(directory, entries, sizeof entries)) > 0)
        for (ssize_t at = 0; at < nbytes;) {
            const struct dirent64 *entry = (const void *)&entries[at];
            const char *name = entry->d_name;
            if (strcmp(name, ".") != 0 && strcmp(name, "..") != 0 &&
                strcmp(name, OWNER_FILE) != 0 && unlinkat(directory, name, 0) != 0)
                removed = false;
            at += entry->d_reclen;
        }
    return removed && nbytes == 0;
}

/* Over NFS a file that is removed while it is open stays under another name until it is closed, and
 * with it the directory. */
void meshi_directory_remove(const meshi_directory_t *directory)
{
    int files = open(directory->path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    bool empty = files < 0 || remove_files(files); /* without a descriptor: as it should be */
    if (files >= 0)
        close(files);
    /* A signal may have come between the two. */
    empty = empty && (unlink(directory->owner_path) == 0 || errno == ENOENT);
    close(directory->owner);
    if (empty)
        rmdir(directory->path);
}

/* Removes the files of an open directory that its owner has left; true if it is empty now. */
static bool empty_abandoned(int directory)
{
    int owner = openat(directory, OWNER_FILE, O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    if (owner < 0)
        return errno == ENOENT;
    bool empty = is_ours(owner, S_IFREG) && flock(owner, LOCK_EX | LOCK_NB) == 0 &&
                 is_same_file(directory, OWNER_FILE, owner) && remove_files(directory) &&
                 unlinkat(directory, OWNER_FILE, 0) == 0;
    close(owner);
    return empty;
}

/* The owner of an empty directory without an owner file has ended, or is about to create that file.
 * In the second case removing the directory does no harm: the owner makes another. */
static void clear_one(int parent, const char *name)
{
    int directory = openat(parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (directory < 0)
        return;
    if (is_ours(directory, S_IFDIR) && empty_abandoned(directory) &&
        is_same_file(parent, name, directory))
        unlinkat(parent, name, AT_REMOVEDIR);
    close(directory);
}

void meshi_directories_clear(void)
{
    char prefix[PREFIX_SIZE];
    get_prefix(prefix);
    size_t length = strlen(prefix);
    DIR *parent = opendir(get_parent());
    if (parent == NULL)
        return;
    for (struct dirent *entry; (entry = readdir(parent)) != NULL;) {
        const char *name = entry->d_name;
        if (strncmp(name, prefix, length) == 0 && strlen(name + length) == sizeof RANDOM_PART - 1)
            clear_one(dirfd(parent), name);
    }
    closedir(parent);
}
