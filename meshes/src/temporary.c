#include "temporary_file.h"

#include "meshes/temporary.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <sys/xattr.h>
#include <time.h>
#include <unistd.h>

#include "fail.h"
#include "temporary_directory.h"

enum {
    TEMPORARIES_MAX = 16,
    PAUSE_MILLISECONDS = 10
};

struct meshi_temporary {
    volatile sig_atomic_t used;
    volatile sig_atomic_t is_directory;
    char path[PATH_MAX]; /* of a file */
    meshi_directory_t directory;
};

static struct meshi_temporary table[TEMPORARIES_MAX];
static volatile sig_atomic_t child_process;
static volatile sig_atomic_t child_grace; /* milliseconds */

static struct meshi_temporary *free_slot(mesh_error_t *error)
{
    for (size_t i = 0; i < TEMPORARIES_MAX; i++)
        if (!table[i].used)
            return &table[i];
    (void)meshi_fail(error, "more than %d temporary files at once", TEMPORARIES_MAX);
    return NULL;
}

static void block_signals(sigset_t *before)
{
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_BLOCK, &all, before);
}

static void restore_signals(const sigset_t *before)
{
    pthread_sigmask(SIG_SETMASK, before, NULL);
}

static const char access_list[] = "system.posix_acl_access";

/* Whoever could not read what is replaced still cannot; its owner writes it. Where the group is
 * another one, others were of the old one, and the new one's members were others. The directory may
 * give a new file an access list. */
static mode_t mode_in_place_of(const struct stat *there, int fd)
{
    fremovexattr(fd, access_list);
    mode_t mode = (there->st_mode & 0777) | S_IRUSR | S_IWUSR;
    mode_t of_all = mode >> 3 & mode & 07;
    bool has_group = fchown(fd, (uid_t)-1, there->st_gid) == 0;
    return has_group ? mode : (mode & 0700) | of_all << 3 | of_all;
}

/* Where a file has an access list, its group bits are what the list allows at most, and whom it
 * forbids would be others in a file without one. */
static void forget_list(const char *path, struct stat *status)
{
    if (getxattr(path, access_list, NULL, 0) > 0)
        status->st_mode &= ~(mode_t)(S_IRWXG | S_IRWXO);
}

/* Returns `status`, and removes the file if that is not 0. */
static int close_created(const char *path, int fd, int status)
{
    int reason = errno;
    if (status != 0)
        unlink(path);
    close(fd);
    errno = reason;
    return status;
}

/* `there` is what will be replaced. */
static int create_in_place_of(char *path, const struct stat *there)
{
    int fd = mkstemp(path);
    if (fd < 0)
        return -1;
    return close_created(path, fd, fchmod(fd, mode_in_place_of(there, fd)));
}

/* The system gives it the permissions of a new file, of which the directory may have a say; but its
 * owner, who opens it again, writes it. */
static int create_new(char *path)
{
    const mode_t owner = S_IRUSR | S_IWUSR;
    struct stat made;
    int fd = mkstemp(path);
    if (fd < 0)
        return -1;
    unlink(path);
    close(fd);
    fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (fd < 0)
        return -1;
    int status = fstat(fd, &made);
    if (status == 0 && (made.st_mode & owner) != owner)
        status = fchmod(fd, (made.st_mode & 0777) | owner);
    return close_created(path, fd, status);
}

/* /dev/stdout and its like are links to what a descriptor is open for, perhaps a regular file. */
static bool is_descriptor(const char *target)
{
    static const char processes[] = "/proc/";
    char link[sizeof processes];
    return readlink(target, link, sizeof link) >= (ssize_t)sizeof processes - 1 &&
           strncmp(link, processes, sizeof processes - 1) == 0;
}

/* A pattern for a name in the same folder: not too long where the target's is not. */
static bool name_beside(const char *target, char *path, size_t size)
{
    static const char suffix[] = ".XXXXXX";
    const char *slash = strrchr(target, '/');
    int folder = slash != NULL ? (int)(slash + 1 - target) : 0;
    int length = snprintf(path, size, "%.*s%.*s%s", folder, target,
                          (int)(NAME_MAX - (sizeof suffix - 1)), target + folder, suffix);
    return length >= 0 && (size_t)length < size;
}

static bool create(const char *target, meshi_temporary_t **temporary, mesh_error_t *error)
{
    struct stat there;
    struct meshi_temporary *slot = free_slot(error);
    if (slot == NULL)
        return false;
    if (target[0] == '\0')
        return meshi_fail(error, "the name of a file to write is empty");
    bool is_there = stat(target, &there) == 0;
    if (is_there)
        forget_list(target, &there);
    if (is_descriptor(target) || (is_there && !S_ISREG(there.st_mode)))
        return meshi_fail(error, "%s: cannot be replaced: it is not a regular file", target);
    if (!name_beside(target, slot->path, sizeof slot->path))
        return meshi_fail(error, "%s: the name is too long", target);
    sigset_t before;
    block_signals(&before);
    int status = is_there ? create_in_place_of(slot->path, &there) : create_new(slot->path);
    int reason = errno;
    slot->is_directory = 0;
    slot->used = status == 0;
    restore_signals(&before);
    if (status != 0)
        return meshi_fail(error, "%s: cannot create a file beside it: %s", target,
                          strerror(reason));
    *temporary = slot;
    return true;
}

bool meshi_temporary_directory(meshi_temporary_t **temporary, mesh_error_t *error)
{
    struct meshi_temporary *slot = free_slot(error);
    if (slot == NULL)
        return false;
    meshi_directories_clear();
    sigset_t before;
    block_signals(&before);
    bool made = meshi_directory_create(&slot->directory, error);
    slot->is_directory = 1;
    slot->used = made;
    restore_signals(&before);
    if (made)
        *temporary = slot;
    return made;
}

bool meshi_temporary_member(const meshi_temporary_t *directory, const char *name,
                            meshi_temporary_t **temporary, mesh_error_t *error)
{
    struct meshi_temporary *slot = free_slot(error);
    if (slot == NULL)
        return false;
    int length = snprintf(slot->path, sizeof slot->path, "%s/%s", directory->directory.path, name);
    if (length < 0 || (size_t)length >= sizeof slot->path)
        return meshi_fail(error, "%s: the name is too long", directory->directory.path);
    slot->is_directory = 0;
    slot->used = 1;
    *temporary = slot;
    return true;
}

int meshi_temporary_owner(const meshi_temporary_t *directory)
{
    return directory->directory.owner;
}

const char *meshi_temporary_path(const meshi_temporary_t *temporary)
{
    return temporary->path;
}

static void drop(const struct meshi_temporary *temporary)
{
    if (temporary->is_directory)
        meshi_directory_remove(&temporary->directory);
    else
        unlink(temporary->path);
}

void meshi_temporary_remove(meshi_temporary_t *temporary)
{
    if (temporary == NULL)
        return;
    drop(temporary);
    temporary->used = 0;
}

static bool commit(meshi_temporary_t *temporary, const char *target, mesh_error_t *error)
{
    if (rename(temporary->path, target) != 0)
        return meshi_fail(error, "%s: cannot be replaced: %s", target, strerror(errno));
    temporary->used = 0;
    return true;
}

/* The user has named the target. */
static void name_target(const char *temporary, const char *target, mesh_error_t *error)
{
    size_t length = strlen(temporary);
    if (error == NULL || strncmp(error->text, temporary, length) != 0)
        return;
    mesh_error_t found = *error;
    meshi_report(error, "%s%s", target, found.text + length);
}

bool mesh_temporary_write(const char *target, mesh_temporary_writer_t *write, const void *content,
                          mesh_error_t *error)
{
    meshi_temporary_t *temporary;
    if (!create(target, &temporary, error))
        return false;
    bool is_written = write(temporary->path, content, error) && commit(temporary, target, error);
    if (is_written)
        return true;
    name_target(temporary->path, target, error);
    meshi_temporary_remove(temporary);
    return false;
}

bool mesh_temporary_check(const char *target, mesh_error_t *error)
{
    meshi_temporary_t *temporary;
    if (target == NULL)
        return true;
    if (!create(target, &temporary, error))
        return false;
    meshi_temporary_remove(temporary);
    return true;
}

void meshi_temporary_child(pid_t child, int grace)
{
    child_grace = grace;
    child_process = child;
}

/* Leaves the child unreaped, so that its number and its group remain its own. */
static bool has_child_ended(void)
{
    siginfo_t info = {.si_pid = 0};
    return waitid(P_PID, (id_t)child_process, &info, WEXITED | WNOHANG | WNOWAIT) != 0 ||
           info.si_pid != 0;
}

static void end_child(void)
{
    static const struct timespec pause = {0, PAUSE_MILLISECONDS * 1000000L};
    if (child_grace > 0)
        kill(-child_process, SIGTERM);
    for (int waited = 0; waited < child_grace && !has_child_ended(); waited += PAUSE_MILLISECONDS)
        nanosleep(&pause, NULL);
    kill(-child_process, SIGKILL);
    kill(child_process, SIGKILL);
    while (waitpid(child_process, NULL, 0) < 0 && errno == EINTR)
        ;
}

void mesh_temporaries_remove(void)
{
    int saved = errno;
    if (child_process > 0)
        end_child();
    for (size_t i = 0; i < TEMPORARIES_MAX; i++)
        if (table[i].used && !table[i].is_directory)
            drop(&table[i]);
    for (size_t i = 0; i < TEMPORARIES_MAX; i++)
        if (table[i].used && table[i].is_directory)
            drop(&table[i]);
    errno = saved;
}
