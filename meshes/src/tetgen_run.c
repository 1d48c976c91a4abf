#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "fail.h"
#include "meshes/tetgen_file.h"
#include "plc.h"
#include "temporary_file.h"

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
    return true;
}

static bool write_poly(const char *path, const meshi_plc_t *plc, mesh_error_t *error)
{
    FILE *out = fopen(path, "we");
    if (out == NULL)
        return meshi_fail(error, "%s: cannot be created: %s", path, strerror(errno));
    fprintf(out, "%zu 3 0 0\n", plc->points);
    for (size_t i = 0; i < plc->points; i++)
        fprintf(out, "%zu %.17g %.17g %.17g\n", i, plc->xyz[3 * i], plc->xyz[3 * i + 1],
                plc->xyz[3 * i + 2]);
    fprintf(out, "%zu 0\n", plc->triangles);
    for (size_t t = 0; t < plc->triangles; t++)
        fprintf(out, "1\n3 %d %d %d\n", plc->corners[3 * t], plc->corners[3 * t + 1],
                plc->corners[3 * t + 2]);
    fprintf(out, "0\n0\n");
    bool bad = ferror(out) != 0;
    if (fclose(out) != 0 || bad)
        return meshi_fail(error, "%s: cannot be written: %s (TMPDIR names another place)", path,
                          strerror(errno));
    return true;
}

/* Only async-signal-safe calls: between fork and exec. */
static _Noreturn void become_tetgen(const char *tetgen, char *const args[], const char *log,
                                    int failure)
{
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    setpgid(0, 0);
    int in = open("/dev/null", O_RDONLY);
    int out = open(log, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    if (in >= 0 && out >= 0 && dup2(in, 0) >= 0 && dup2(out, 1) >= 0 && dup2(out, 2) >= 0)
        execvp(tetgen, args);
    int reason = errno;
    ssize_t told = write(failure, &reason, sizeof reason);
    _exit(told == (ssize_t)sizeof reason ? 127 : 126);
}

/* Starts the program; its failing to start is known when this returns. */
static bool start_tetgen(const char *tetgen, char *const args[], const char *log, pid_t *child,
                         mesh_error_t *error)
{
    int failure[2];
    sigset_t all;
    sigset_t before;
    if (pipe2(failure, O_CLOEXEC) != 0)
        return meshi_fail(error, "%s: cannot be started: %s", tetgen, strerror(errno));
    sigfillset(&all);
    pthread_sigmask(SIG_BLOCK, &all, &before);
    pid_t pid = fork();
    int reason = errno;
    if (pid == 0)
        become_tetgen(tetgen, args, log, failure[1]);
    if (pid > 0)
        meshi_temporary_child(pid);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    close(failure[1]);
    if (pid > 0 && read(failure[0], &reason, sizeof reason) <= 0)
        reason = 0;
    close(failure[0]);
    if (pid > 0 && reason == 0) {
        *child = pid;
        return true;
    }
    if (pid > 0) {
        waitpid(pid, NULL, 0);
        meshi_temporary_child(0);
    }
    if (reason == ENOENT)
        return meshi_fail(error,
                          "the program '%s' is not there: install TetGen (Debian package tetgen) "
                          "or name it with --tetgen",
                          tetgen);
    return meshi_fail(error, "the program '%s' cannot be started: %s (--tetgen names another)",
                      tetgen, strerror(reason));
}

static int wait_for(pid_t child, const mesh_progress_t *progress)
{
    const struct timespec pause = {0, 20000000};
    int status = 0;
    pid_t ended;
    while ((ended = waitpid(child, &status, WNOHANG)) == 0 || (ended < 0 && errno == EINTR)) {
        if (progress != NULL && progress->report != NULL)
            progress->report(progress->context, "tetgen", 0, 0);
        nanosleep(&pause, NULL);
    }
    meshi_temporary_child(0);
    return status;
}

/* The first line tetgen left, for a message. */
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

static bool check_end(int status, const char *tetgen, const char *log, mesh_error_t *error)
{
    char said[160];
    if (WIFEXITED(status) && WEXITSTATUS(status) == 0)
        return true;
    read_log(log, said, sizeof said);
    if (WIFSIGNALED(status))
        return meshi_fail(error, "%s was killed by signal %d (out of memory?); it said: %s", tetgen,
                          WTERMSIG(status), said);
    return meshi_fail(error, "%s ended with status %d; it said: %s", tetgen, WEXITSTATUS(status),
                      said);
}

static bool run_in(const run_t *run, const char *tetgen, const meshi_plc_t *plc,
                   double volume_limit, const mesh_progress_t *progress, mesh_geometry_t *mesh,
                   mesh_error_t *error)
{
    const char *log = meshi_temporary_path(run->files[FILE_LOG]);
    const char *node = meshi_temporary_path(run->files[FILE_NODE]);
    const char *ele = meshi_temporary_path(run->files[FILE_ELE]);
    char poly[4096];
    char program[4096];
    char switches[64];
    pid_t child;
    snprintf(poly, sizeof poly, "%s", meshi_temporary_path(run->files[FILE_POLY]));
    snprintf(program, sizeof program, "%s", tetgen);
    snprintf(switches, sizeof switches, "-pYq1.414/10a%.12fFQ", volume_limit);
    char *args[] = {program, switches, poly, NULL};
    if (!write_poly(poly, plc, error) || !start_tetgen(tetgen, args, log, &child, error) ||
        !check_end(wait_for(child, progress), tetgen, log, error))
        return false;
    if (progress != NULL && progress->report != NULL)
        progress->report(progress->context, "reading the mesh", 0, 0);
    return mesh_tetgen_read(node, ele, mesh, error);
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
