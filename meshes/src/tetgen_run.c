#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <locale.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "child.h"
#include "fail.h"
#include "meshes/tetgen_file.h"
#include "plc.h"
#include "temporary_file.h"

enum {
    ROOM_NBYTES = 65536,
    TETGEN_PATH_SIZE = 1024 /* of tetgen's own buffers */
};

/* The files of a run: what we write, what we read, and what else tetgen may leave behind. */
enum {
    FILE_POLY,
    FILE_NODE,
    FILE_ELE,
    FILE_LOG,
    FILE_FACE,
    FILE_EDGE,
    FILE_SMESH,
    FILES
};

static const char *const file_names[FILES] = {"in.poly",   "in.1.node", "in.1.ele",  "log",
                                              "in.1.face", "in.1.edge", "in.1.smesh"};

typedef struct run {
    meshi_temporary_t *directory;
    meshi_temporary_t *files[FILES];
} run_t;

static void close_run(run_t *run)
{
    for (size_t f = 0; f < FILES; f++)
        meshi_temporary_remove(run->files[f]);
    meshi_temporary_remove(run->directory);
}

static bool open_run(run_t *run, mesh_error_t *error)
{
    *run = (run_t){0};
    if (!meshi_temporary_directory(&run->directory, error))
        return false;
    for (size_t f = 0; f < FILES; f++)
        if (!meshi_temporary_member(run->directory, file_names[f], &run->files[f], error)) {
            close_run(run);
            return false;
        }
    if (strlen(meshi_temporary_path(run->files[FILE_SMESH])) >= TETGEN_PATH_SIZE) {
        close_run(run);
        return meshi_fail(error, "TMPDIR: the name is too long for tetgen");
    }
    return true;
}

/* A file of the temporary directory could not be created or written. */
static bool fail_temporary(const char *path, const char *what, int reason, mesh_error_t *error)
{
    return meshi_fail(error, "%s: cannot be %s: %s (%s)", path, what, strerror(reason),
                      reason == EFBIG ? "ulimit -f" : "TMPDIR names another place");
}

/* As a program reads it whatever the language is: numbers have points. */
typedef struct plain_numbers {
    locale_t plain;
    locale_t before;
} plain_numbers_t;

static plain_numbers_t begin_plain_numbers(void)
{
    plain_numbers_t numbers = {.plain = newlocale(LC_NUMERIC_MASK, "C", (locale_t)0)};
    numbers.before = uselocale(numbers.plain);
    return numbers;
}

static void end_plain_numbers(plain_numbers_t numbers)
{
    uselocale(numbers.before);
    if (numbers.plain != (locale_t)0)
        freelocale(numbers.plain);
}

static void put_poly(FILE *out, const meshi_plc_t *plc)
{
    plain_numbers_t numbers = begin_plain_numbers();
    fprintf(out, "%zu 3 0 0\n", plc->points);
    for (size_t i = 0; i < plc->points && !ferror(out); i++)
        fprintf(out, "%zu %.17g %.17g %.17g\n", i, plc->xyz[3 * i], plc->xyz[3 * i + 1],
                plc->xyz[3 * i + 2]);
    if (!ferror(out))
        fprintf(out, "%zu 0\n", plc->triangles);
    for (size_t t = 0; t < plc->triangles && !ferror(out); t++)
        fprintf(out, "1\n3 %d %d %d\n", plc->corners[3 * t], plc->corners[3 * t + 1],
                plc->corners[3 * t + 2]);
    if (!ferror(out))
        fprintf(out, "0\n0\n");
    end_plain_numbers(numbers);
}

static bool write_poly(const char *path, const meshi_plc_t *plc, mesh_error_t *error)
{
    FILE *out = fopen(path, "we");
    if (out == NULL)
        return fail_temporary(path, "created", errno, error);
    put_poly(out, plc);
    int reason = ferror(out) ? errno : 0;
    if (fclose(out) != 0 && reason == 0)
        reason = errno;
    return reason == 0 || fail_temporary(path, "written", reason, error);
}

static bool fail_start(const char *tetgen, int reason, mesh_error_t *error)
{
    if (reason == ENOENT)
        return meshi_fail(error,
                          "the program '%s' is not there: install TetGen (Debian package tetgen) "
                          "or name it with --tetgen",
                          tetgen);
    return meshi_fail(error, "the program '%s' cannot be started: %s (--tetgen names another)",
                      tetgen, strerror(reason));
}

/* The first line that tetgen printed, for a message. */
static void read_log(const char *path, char *line, size_t size)
{
    line[0] = '\0';
    FILE *log = fopen(path, "re");
    if (log == NULL)
        return;
    if (fgets(line, (int)size, log) != NULL)
        line[strcspn(line, "\r\n")] = '\0';
    fclose(log);
}

/* Another program, which --tetgen may name, ends well without a mesh. */
static bool check_written(const run_t *run, const char *tetgen, mesh_error_t *error)
{
    static const int meshes[] = {FILE_NODE, FILE_ELE};
    char said[160];
    for (size_t i = 0; i < sizeof meshes / sizeof meshes[0]; i++)
        if (access(meshi_temporary_path(run->files[meshes[i]]), F_OK) != 0) {
            read_log(meshi_temporary_path(run->files[FILE_LOG]), said, sizeof said);
            return meshi_fail(error,
                              "the program '%s' has ended well, but has written no %s; --tetgen "
                              "names another; it said: %s",
                              tetgen, file_names[meshes[i]], said);
        }
    return true;
}

static bool check_end(int status, const char *tetgen, const char *log, mesh_error_t *error)
{
    char said[160];
    if (WIFEXITED(status) && WEXITSTATUS(status) == 0)
        return true;
    if (status == MESHI_CHILD_UNKNOWN)
        return meshi_fail(
            error, "how %s ended is not known: another part of the program waited for it", tetgen);
    read_log(log, said, sizeof said);
    if (WIFSIGNALED(status) && WTERMSIG(status) == SIGXFSZ)
        return meshi_fail(error, "%s: %s stopped at the limit of file sizes (ulimit -f)", log,
                          tetgen);
    if (WIFSIGNALED(status))
        return meshi_fail(error, "%s was killed by signal %d (out of memory?); it said: %s", tetgen,
                          WTERMSIG(status), said);
    return meshi_fail(error, "%s ended with status %d; it said: %s", tetgen, WEXITSTATUS(status),
                      said);
}

/* tetgen ignores errors of its writes, and a number that was cut off is still a number. */
static bool check_last_line(const char *path, mesh_error_t *error)
{
    char last = '\n';
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    bool known = fd >= 0 && lseek(fd, -1, SEEK_END) >= 0 && read(fd, &last, 1) == 1;
    if (fd >= 0)
        close(fd);
    return !known || last == '\n' || meshi_fail(error, "%s: ends within a line", path);
}

/* True if there is space in the temporary directory now. */
static bool check_room(const char *log, mesh_error_t *error)
{
    static const char block[ROOM_NBYTES];
    int fd = open(log, O_WRONLY | O_APPEND | O_CLOEXEC);
    if (fd < 0)
        return true;
    size_t left = sizeof block;
    ssize_t written;
    while (left > 0 && ((written = write(fd, block, left)) > 0 || errno == EINTR))
        left -= written > 0 ? (size_t)written : 0;
    int reason = errno;
    close(fd);
    return left == 0 || fail_temporary(log, "written", reason, error);
}

static void tell(const mesh_progress_t *progress, const char *stage)
{
    if (progress != NULL && progress->report != NULL)
        progress->report(progress->context, stage, 0, 0);
}

static bool run_program(const run_t *run, const char *tetgen, double volume_limit,
                        const mesh_progress_t *progress, mesh_error_t *error)
{
    const char *log = meshi_temporary_path(run->files[FILE_LOG]);
    char poly[PATH_MAX];
    char program[PATH_MAX];
    char switches[64];
    char *args[] = {program, switches, poly, NULL};
    pid_t child;
    snprintf(poly, sizeof poly, "%s", meshi_temporary_path(run->files[FILE_POLY]));
    snprintf(program, sizeof program, "%s", tetgen);
    plain_numbers_t numbers = begin_plain_numbers();
    snprintf(switches, sizeof switches, "-pYq1.414/10a%.12fFQ", volume_limit);
    end_plain_numbers(numbers);
    int output = open(log, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    if (output < 0)
        return fail_temporary(log, "created", errno, error);
    int reason = meshi_child_start(args, output, meshi_temporary_owner(run->directory), 0, &child);
    close(output);
    if (reason != 0)
        return fail_start(tetgen, reason, error);
    return check_end(meshi_child_wait(child, "tetgen", progress), tetgen, log, error);
}

static bool run_in(const run_t *run, const char *tetgen, const meshi_plc_t *plc,
                   double volume_limit, const mesh_progress_t *progress, mesh_geometry_t *mesh,
                   mesh_error_t *error)
{
    const char *node = meshi_temporary_path(run->files[FILE_NODE]);
    const char *ele = meshi_temporary_path(run->files[FILE_ELE]);
    if (!write_poly(meshi_temporary_path(run->files[FILE_POLY]), plc, error))
        return false;
    bool made = run_program(run, tetgen, volume_limit, progress, error);
    tell(progress, "reading the mesh");
    if (made && check_written(run, tetgen, error) && check_last_line(node, error) &&
        check_last_line(ele, error) && mesh_tetgen_read(node, ele, mesh, error))
        return true;
    /* A full disk explains whatever else went wrong. */
    return check_room(meshi_temporary_path(run->files[FILE_LOG]), error) && false;
}

bool meshi_tetgen_run(const char *tetgen, const meshi_plc_t *plc, double volume_limit,
                      const mesh_progress_t *progress, mesh_geometry_t *mesh, mesh_error_t *error)
{
    run_t run;
    if (!open_run(&run, error))
        return false;
    bool done = run_in(&run, tetgen, plc, volume_limit, progress, mesh, error);
    close_run(&run);
    return done;
}
