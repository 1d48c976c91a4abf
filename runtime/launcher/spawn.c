#include "spawn.h"

#include "signals.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

enum {
    READ_END,
    WRITE_END
};

/* The pipes of one start; -1 where there is none. */
typedef struct pipes {
    int in[2];
    int out[2];
    int err[2];
    int report[2]; /* carries errno when exec fails, closes when it succeeds */
} pipes_t;

static void close_both(int ends[2])
{
    for (int i = 0; i < 2; i++) {
        if (ends[i] >= 0)
            close(ends[i]);
        ends[i] = -1;
    }
}

static void close_all(pipes_t *pipes)
{
    int saved = errno;
    close_both(pipes->in);
    close_both(pipes->out);
    close_both(pipes->err);
    close_both(pipes->report);
    errno = saved;
}

static bool open_all(pipes_t *pipes, bool wants_input)
{
    *pipes = (pipes_t){.in = {-1, -1}, .out = {-1, -1}, .err = {-1, -1}, .report = {-1, -1}};
    if (pipe2(pipes->out, O_CLOEXEC) == 0 && pipe2(pipes->err, O_CLOEXEC) == 0 &&
        pipe2(pipes->report, O_CLOEXEC) == 0 && (!wants_input || pipe2(pipes->in, O_CLOEXEC) == 0))
        return true;
    close_all(pipes);
    return false;
}

/* What a child tells that does not run its program. */
typedef struct failure {
    spawn_failure_t what;
    int reason;
} failure_t;

/* In the child: a copy of the launcher until exec, so only async-signal-safe calls. */
static _Noreturn void run_child(const spawn_request_t *request, const pipes_t *pipes,
                                pid_t launcher)
{
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != launcher)
        _exit(128 + SIGKILL); /* the launcher died before the line above took effect */
    setpgid(0, 0);

    failure_t failure = {.what = SPAWN_INPUT};
    int in = pipes->in[READ_END] >= 0 ? pipes->in[READ_END] : open("/dev/null", O_RDONLY);
    if (in < 0 || dup2(in, STDIN_FILENO) < 0 || dup2(pipes->out[WRITE_END], STDOUT_FILENO) < 0 ||
        dup2(pipes->err[WRITE_END], STDERR_FILENO) < 0)
        goto report;
    if (in != pipes->in[READ_END])
        close(in);
    failure.what = SPAWN_BIND;
    if (request->cpus != NULL && sched_setaffinity(0, request->cpus_nbytes, request->cpus) != 0)
        goto report;
    failure.what = SPAWN_EXEC;
    setrlimit(RLIMIT_NOFILE, &request->files);
    signals_restore();
    execvpe(request->command[0], request->command, request->env);

report:;
    failure.reason = errno;
    ssize_t written = write(pipes->report[WRITE_END], &failure, sizeof failure);
    _exit(written == sizeof failure ? 127 : 126);
}

/* Waits until the child runs its program, or has failed to. */
static failure_t await_exec(int report)
{
    failure_t failure;
    ssize_t got;
    do
        got = read(report, &failure, sizeof failure);
    while (got < 0 && errno == EINTR);
    return got == sizeof failure ? failure : (failure_t){.what = SPAWN_OK};
}

spawn_failure_t spawn_start(const spawn_request_t *request, spawn_result_t *result)
{
    pipes_t pipes;
    if (!open_all(&pipes, request->wants_input))
        return SPAWN_RESOURCES;
    pid_t launcher = getpid();
    pid_t pid = fork();
    if (pid < 0) {
        close_all(&pipes);
        return SPAWN_RESOURCES;
    }
    if (pid == 0)
        run_child(request, &pipes, launcher);

    setpgid(pid, pid); /* in both processes, so that neither is too early; the later call's error is
                          harmless */
    close(pipes.report[WRITE_END]);
    pipes.report[WRITE_END] = -1;
    failure_t failure = await_exec(pipes.report[READ_END]);
    if (failure.what != SPAWN_OK) {
        waitpid(pid, NULL, 0);
        close_all(&pipes);
        errno = failure.reason;
        return failure.what;
    }
    *result = (spawn_result_t){.pid = pid,
                               .in = pipes.in[WRITE_END],
                               .out = pipes.out[READ_END],
                               .err = pipes.err[READ_END]};
    pipes.in[WRITE_END] = pipes.out[READ_END] = pipes.err[READ_END] = -1;
    close_all(&pipes);
    if (result->in >= 0)
        fcntl(result->in, F_SETFL, O_NONBLOCK);
    fcntl(result->out, F_SETFL, O_NONBLOCK);
    fcntl(result->err, F_SETFL, O_NONBLOCK);
    return SPAWN_OK;
}
