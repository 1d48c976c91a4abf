/* What a run leaves when it is killed: no child, and a directory that the next run clears, and
 * nobody else's. Signals end a run that METIS works for. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "sample.h"

enum {
    PATH_SIZE = 512,
    TRIES = 60,
    PATIENCE_MS = 60000,
    REFUSED = 3 /* status of a victim whose call failed */
};

static char *work; /* holds tmp, which is TMPDIR, the fake tetgen and what the tests put there */
static char tmp[PATH_SIZE];
static char fake_tetgen[PATH_SIZE];
static uint64_t seed;

static void make_path(char path[PATH_SIZE], const char *directory, const char *name)
{
    assert_true((size_t)snprintf(path, PATH_SIZE, "%s/%s", directory, name) < PATH_SIZE);
}

static void write_file(const char *path, const char *text, mode_t mode)
{
    int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, mode);
    assert_true(fd >= 0);
    assert_int_equal(write(fd, text, strlen(text)), strlen(text));
    close(fd);
}

static int set_up(void **state)
{
    static char directory[] = "/tmp/meshes-processes-XXXXXX";
    char pipe[PATH_SIZE];
    char script[PATH_SIZE + 32];
    (void)state;
    work = mkdtemp(directory);
    if (work == NULL)
        return -1;
    make_path(tmp, work, "tmp");
    make_path(fake_tetgen, work, "tetgen");
    /* Waits for ever, without children of its own. */
    make_path(pipe, work, "pipe");
    snprintf(script, sizeof script, "#!/bin/sh\nread -r line <'%s'\n", pipe);
    write_file(fake_tetgen, script, 0700);
    seed = sample_seed();
    return mkfifo(pipe, 0600) == 0 && mkdir(tmp, 0700) == 0 && setenv("TMPDIR", tmp, 1) == 0 ? 0
                                                                                             : -1;
}

static int tear_down(void **state)
{
    char command[PATH_SIZE + 16];
    (void)state;
    snprintf(command, sizeof command, "rm -rf '%s'", work);
    return system(command); /* NOLINT(bugprone-command-processor): a path of our own */
}

/* A process of the test's own, which ends with it. Its session is that of its children, whatever
 * they make of themselves. */
static pid_t start_victim(void)
{
    pid_t victim = fork();
    assert_true(victim >= 0);
    if (victim == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        setsid();
    }
    return victim;
}

static void assert_alive(pid_t victim)
{
    siginfo_t info = {.si_pid = 0};
    assert_int_equal(waitid(P_PID, (id_t)victim, &info, WEXITED | WNOWAIT | WNOHANG), 0);
    assert_int_equal(info.si_pid, 0);
}

/* Waits so long at random that the victim is somewhere else every time. */
static void wait_up_to(unsigned microseconds)
{
    usleep((useconds_t)(sample_random(&seed) * microseconds));
}

/* The session of a process that is no zombie; 0 for others. */
static pid_t get_session(const char *process)
{
    char path[PATH_SIZE];
    char text[PATH_SIZE] = "";
    char state = 'Z';
    int session = 0;
    snprintf(path, sizeof path, "/proc/%.20s/stat", process);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return 0;
    ssize_t length = read(fd, text, sizeof text - 1);
    close(fd);
    const char *name_end = length > 0 ? strrchr(text, ')') : NULL;
    if (name_end == NULL || sscanf(name_end, ") %c %*d %*d %d", &state, &session) != 2)
        return 0;
    return state == 'Z' || state == 'X' ? 0 : session;
}

/* How many processes a session has; `signal_number` is sent to them. */
static size_t signal_session(pid_t session, int signal_number)
{
    size_t count = 0;
    DIR *processes = opendir("/proc");
    assert_non_null(processes);
    for (struct dirent *entry; (entry = readdir(processes)) != NULL;) {
        pid_t pid = (pid_t)strtol(entry->d_name, NULL, 10);
        if (pid > 0 && get_session(entry->d_name) == session) {
            kill(pid, signal_number);
            count++;
        }
    }
    closedir(processes);
    return count;
}

/* A process that was killed needs time to end. */
static void assert_gone(pid_t session)
{
    for (size_t ms = 0; ms < PATIENCE_MS && signal_session(session, 0) > 0; ms++)
        usleep(1000);
    size_t left = signal_session(session, SIGKILL);
    if (left > 0)
        fail_msg("%zu processes of a run that was killed are left", left);
}

static size_t count_entries(const char *directory)
{
    size_t count = 0;
    DIR *listing = opendir(directory);
    assert_non_null(listing);
    for (struct dirent *entry; (entry = readdir(listing)) != NULL;)
        count += entry->d_name[0] != '.';
    closedir(listing);
    return count;
}

/* A run whose end is a failure. */
static void run_failing(const char *tetgen, const char *says)
{
    mesh_geometry_t mesh;
    mesh_ventricle_report_t report;
    mesh_error_t error;
    assert_false(
        mesh_ventricle_make(&mesh_ventricle_default, 5000, tetgen, NULL, &mesh, &report, &error));
    if (strstr(error.text, says) == NULL)
        fail_msg("'%s' does not say '%s'", error.text, says);
}

/* One after which its directory is gone as after any other. */
static void run_once(void)
{
    run_failing("false", "ended with status 1");
}

/* Another process that runs the fake tetgen until it is killed. */
static pid_t start_ventricle(void)
{
    pid_t victim = start_victim();
    if (victim == 0) {
        mesh_geometry_t mesh;
        mesh_ventricle_report_t report;
        mesh_error_t error;
        (void)mesh_ventricle_make(&mesh_ventricle_default, 5000, fake_tetgen, NULL, &mesh, &report,
                                  &error);
        _exit(REFUSED);
    }
    return victim;
}

static int has_child(pid_t process)
{
    char path[64];
    char text[16];
    snprintf(path, sizeof path, "/proc/%d/task/%d/children", process, process);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return -1;
    ssize_t length = read(fd, text, sizeof text);
    close(fd);
    return length > 0;
}

static void end(pid_t victim)
{
    int status;
    kill(victim, SIGKILL);
    assert_int_equal(waitpid(victim, &status, 0), victim);
    assert_true(WIFSIGNALED(status));
    assert_gone(victim);
}

/* The name of a directory under TMPDIR, if there is one. */
static void find_directory(char name[PATH_SIZE])
{
    DIR *listing = opendir(tmp);
    assert_non_null(listing);
    for (struct dirent *entry; (entry = readdir(listing)) != NULL;)
        if (entry->d_name[0] != '.')
            snprintf(name, PATH_SIZE, "%s", entry->d_name);
    closedir(listing);
}

/* The name of the one directory under TMPDIR, once tetgen runs in it: then it has a log. */
static void await_run(pid_t victim, char name[PATH_SIZE])
{
    char path[PATH_SIZE];
    char log[PATH_SIZE];
    do {
        find_directory(name);
        assert_alive(victim);
        usleep(1000);
        make_path(path, tmp, name);
        make_path(log, path, "log");
    } while (access(log, F_OK) != 0 || signal_session(victim, 0) < 2);
}

/* In every second try the moment is that of the fork. */
static void test_killed(void **state)
{
    char name[PATH_SIZE] = "";
    (void)state;
    if (has_child(getpid()) < 0)
        skip();
    for (size_t try = 0; try < TRIES; try++) {
        pid_t victim = start_ventricle();
        while (try % 2 == 0 && has_child(victim) == 0)
            assert_alive(victim);
        if (try % 2 != 0)
            wait_up_to(20000);
        end(victim);
    }
    pid_t victim = start_ventricle();
    await_run(victim, name);
    end(victim);
    assert_int_equal(count_entries(tmp), 1);
    run_once();
    assert_int_equal(count_entries(tmp), 0);
}

/* A path in TMPDIR like that of a run's directory. */
static void make_name(char path[PATH_SIZE], const char *run, const char *ending)
{
    char name[PATH_SIZE];
    assert_true(strlen(run) > strlen(ending));
    snprintf(name, sizeof name, "%.*s%s", (int)(strlen(run) - strlen(ending)), run, ending);
    make_path(path, tmp, name);
}

static void test_others(void **state)
{
    char run[PATH_SIZE] = "";
    char paths[5][PATH_SIZE];
    char file[PATH_SIZE];
    char precious[PATH_SIZE];
    (void)state;
    pid_t victim = start_ventricle();
    await_run(victim, run);
    make_path(precious, work, "precious");
    assert_int_equal(mkdir(precious, 0700), 0);
    make_path(file, precious, "owner");
    write_file(file, "", 0600);
    make_name(paths[0], run, "aaaaaa"); /* a link to a directory like a run's */
    assert_int_equal(symlink(precious, paths[0]), 0);
    make_name(paths[1], run, "bbbbbb"); /* a directory whose file is a link */
    assert_int_equal(mkdir(paths[1], 0700), 0);
    make_path(file, paths[1], "owner");
    assert_int_equal(symlink("../../precious/owner", file), 0);
    make_name(paths[2], run, "cccccc"); /* no owner file, but another */
    assert_int_equal(mkdir(paths[2], 0700), 0);
    make_path(file, paths[2], "notes");
    write_file(file, "", 0600);
    make_path(paths[3], tmp, "fathom-mesh-notes"); /* another name */
    assert_int_equal(mkdir(paths[3], 0700), 0);
    make_name(paths[4], run, "dddddd"); /* another user's */
    assert_int_equal(mkdir(paths[4], 0700), 0);
    size_t kept = chown(paths[4], 65534, (gid_t)-1) == 0 ? 5 : 4;

    run_once();
    make_path(file, tmp, run);
    assert_int_equal(access(file, F_OK), 0);
    assert_int_equal(signal_session(victim, 0), 2);
    end(victim);
    run_once();
    assert_int_not_equal(access(file, F_OK), 0);
    for (size_t p = 0; p < kept; p++)
        if (faccessat(AT_FDCWD, paths[p], F_OK, AT_SYMLINK_NOFOLLOW) != 0)
            fail_msg("%s is gone", paths[p]);
    assert_int_equal(count_entries(precious), 1);
    assert_int_equal(count_entries(paths[1]), 1);
    assert_int_equal(count_entries(paths[2]), 1);
}

/* Files that tetgen leaves go with its directory. What cannot be removed keeps the owner file with
 * it, so that a later run tries again. */
static void test_leftovers(void **state)
{
    char name[PATH_SIZE] = "";
    char leaving[PATH_SIZE];
    char left[PATH_SIZE];
    char path[PATH_SIZE];
    char command[PATH_SIZE + 16];
    (void)state;
    snprintf(command, sizeof command, "rm -rf '%s'/*", tmp);
    assert_int_equal(system(command), 0); /* NOLINT(bugprone-command-processor): our own path */
    make_path(leaving, work, "leaving");
    write_file(leaving, "#!/bin/sh\n: >\"${2%/*}/left\"\nexit 1\n", 0700);
    run_failing(leaving, "ended with status 1");
    assert_int_equal(count_entries(tmp), 0);
    write_file(leaving, "#!/bin/sh\nmkdir \"${2%/*}/left\"\nexit 1\n", 0700);
    run_failing(leaving, "ended with status 1");
    assert_int_equal(count_entries(tmp), 1);
    find_directory(name);
    make_path(left, tmp, name);
    make_path(path, left, "owner");
    assert_int_equal(access(path, F_OK), 0);
    make_path(path, left, "left");
    assert_int_equal(rmdir(path), 0);
    write_file(path, "", 0600);
    run_once();
    assert_int_equal(count_entries(tmp), 0);
}

static void wait_for_all(int signal_number)
{
    (void)signal_number;
    int saved = errno;
    while (waitpid(-1, NULL, WNOHANG) > 0)
        ;
    errno = saved;
}

/* How tetgen ended is known where SIGCHLD is ignored, as programs inherit it, and stays ignored;
 * and is no success where a handler has taken it away. */
static void test_status(void **state)
{
    (void)state;
    struct sigaction handled = {.sa_handler = wait_for_all};
    struct sigaction after;
    signal(SIGCHLD, SIG_IGN);
    run_once();
    sigaction(SIGCHLD, &handled, &after);
    assert_true(after.sa_handler == SIG_IGN);
    run_failing("false", "how false ended is not known");
    signal(SIGCHLD, SIG_DFL);
}

static void clean_up(int signal_number)
{
    mesh_temporaries_remove();
    signal(signal_number, SIG_DFL);
    raise(signal_number);
}

/* Another process that parts a mesh again and again; says on a pipe when it begins. */
static pid_t start_metis(const mesh_file_content_t *content, int begun)
{
    pid_t victim = start_victim();
    if (victim != 0)
        return victim;
    struct sigaction action = {.sa_handler = clean_up};
    sigfillset(&action.sa_mask);
    sigaction(SIGTERM, &action, NULL);
    sigaction(SIGINT, &action, NULL);
    signal(SIGABRT, SIG_DFL);
    if (write(begun, "", 1) != 1)
        _exit(REFUSED);
    mesh_error_t error;
    int32_t *order;
    while (mesh_order_find(content, MESH_ORDER_METIS, 8, 0, &order, &error))
        free(order);
    fprintf(stderr, "%s\n", error.text);
    _exit(REFUSED);
}

static void signal_metis(const mesh_file_content_t *content, int signal_number)
{
    size_t refused = 0;
    int begun[2];
    assert_int_equal(pipe2(begun, O_CLOEXEC), 0);
    for (size_t try = 0; try < TRIES; try++) {
        char byte;
        int status;
        pid_t victim = start_metis(content, begun[1]);
        assert_int_equal(read(begun[0], &byte, 1), 1);
        wait_up_to(30000);
        kill(victim, signal_number);
        assert_int_equal(waitpid(victim, &status, 0), victim);
        refused += !WIFSIGNALED(status) || WTERMSIG(status) != signal_number;
        assert_gone(victim);
    }
    close(begun[0]);
    close(begun[1]);
    if (refused > 0)
        fail_msg("%zu of %d runs did not end by signal %d", refused, TRIES, signal_number);
}

static void test_metis(void **state)
{
    (void)state;
    mesh_file_content_t content = {.mesh = sample_cube(10, 0.2, 7)};
    signal_metis(&content, SIGTERM);
    signal_metis(&content, SIGINT);
    signal_metis(&content, SIGABRT);
    mesh_file_content_free(&content);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_killed),    cmocka_unit_test(test_others),
        cmocka_unit_test(test_leftovers), cmocka_unit_test(test_status),
        cmocka_unit_test(test_metis),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
