#include "job.h"

#include "ending.h"
#include "guard.h"
#include "input.h"
#include "names.h"
#include "orphans.h"
#include "output.h"
#include "program.h"
#include "server.h"
#include "signals.h"
#include "spawn.h"
#include "strangers.h"

#include "boot/launch_env.h"

#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <time.h>
#include <unistd.h>

/* Times in seconds. */
static const double failure_grace = 0.3; // from SIGTERM to SIGKILL when a thread has failed
static const double interrupt_grace = 1.0; // from a forwarded signal to SIGKILL
static const double late_grace = 10.0; // for the others, when one failed after pgas_finalize
static const double kill_grace = 5.0; // for the kernel to end a killed process
static const double drain_grace = 1.0; // for what a thread started and left behind
static const double flush_grace = 0.5; // for a slow reader of our output, after a failure

/** The way of a job, in this order. */
enum phase {
    RUNNING,
    FINISHING, /* a thread has failed late; the others may finish until the deadline */
    STOPPING, /* asked to end; killed at the deadline */
    KILLED,
    DRAINING, /* all threads have ended; what they left behind may finish until the deadline */
    FLUSHING /* nothing runs any more; only output is left */
};

struct thread {
    struct life life;
    bool judged; /* how it ended has been looked at */
    struct source out;
    struct source err;
};

struct job {
    const struct options *options;
    char host[HOST_NAME_MAX + 1];
    struct server *server;
    int signals;
    struct guard guard;
    enum phase phase;
    double deadline; /* of this phase; infinite when negative */
    bool uses_mpi; /* the program is linked with MPI, which has been told */
    bool any_connected;
    bool reported; /* the one line has been printed, or is somebody else's */
    int status;
    size_t started; /* threads started, the first of `threads` */
    size_t ended;
    size_t judged; /* of them */
    unsigned looks; /* since a thread last ended, for what PMIx has to tell of it */
    double looked; /* when the last of them was */
    double strangers_due; /* when other users' connections are looked for again */
    struct thread *threads;
    struct input input;
    struct sink out;
    struct sink err;
    struct pollfd *polled;
};

enum {
    STRANGERS_MS = 500, /* how long another user's connection may go unnoticed */
    LOOK_AGAIN_MS = 250, /* how often a launcher in the background looks whether it still is */
    /* PMIx tells what a thread did last when it finds its connection closed. It never does if the
       thread has left the connection to a child. Counted in looks, since the clock goes on while
       the launcher stands still. */
    LAST_WORDS_MS = 20,
    LAST_WORDS_LOOKS = 50
};

/* The first entries of `polled`; then two for each thread. */
enum {
    AT_SIGNALS,
    AT_SERVER,
    AT_INPUT_READ,
    AT_INPUT_WRITE,
    AT_OUT,
    AT_ERR,
    AT_THREADS
};

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void enter(struct job *job, enum phase phase, double seconds)
{
    job->phase = phase;
    job->deadline = seconds < 0 ? -1 : now() + seconds;
}

/** Puts a line among those of the threads. */
__attribute__((format(printf, 2, 3))) static void say(struct job *job, const char *format, ...)
{
    char line[4096] = "fathom-run: ";
    size_t used = strlen(line);
    va_list args;
    va_start(args, format);
    vsnprintf(line + used, sizeof line - used, format, args);
    va_end(args);
    sink_add_line(&job->err, line);
}

/** Whether the job's one line is still to be printed; it is the caller's then. */
static bool claim_report(struct job *job)
{
    bool first = !job->reported;
    job->reported = true;
    return first;
}

/** Sends a signal to all that the threads have started. `spared` gets none; SIZE_MAX for nobody.
 *  Threads are not reaped before the end, so the group numbers are theirs. */
static void signal_all(const struct job *job, int number, size_t spared)
{
    for (size_t t = 0; t < job->started; t++) {
        if (t != spared)
            kill(-job->threads[t].life.pid, number);
    }
}

static void kill_all(struct job *job)
{
    signal_all(job, SIGSTOP, SIZE_MAX);
    signal_all(job, SIGKILL, SIZE_MAX);
    enter(job, KILLED, kill_grace);
}

/** Asks everyone but `spared` to end with signal `number`, and kills who has not in `seconds`. All
 *  are stopped before the first one ends: a thread that saw a connection close while it was being
 *  made would print an assertion of UCX. */
static void stop_all(struct job *job, int number, double seconds, size_t spared)
{
    signal_all(job, SIGSTOP, SIZE_MAX);
    signal_all(job, number, spared);
    signal_all(job, SIGCONT, SIZE_MAX);
    enter(job, STOPPING, seconds);
}

static void judge(struct job *job, size_t t)
{
    struct thread *thread = &job->threads[t];
    char words[256];
    enum verdict verdict = ending_judge(&thread->life, job->any_connected, words, sizeof words);
    if (verdict == VERDICT_GOOD || job->phase >= STOPPING)
        return;
    source_drain(&thread->out);
    source_drain(&thread->err);
    if (job->status == 0)
        job->status = ending_status(&thread->life);
    if (job->status == 0)
        job->status = EXIT_FAILURE; // a status of 0 that came too early
    if (words[0] != '\0' && claim_report(job))
        say(job, "thread %zu (pid %ld on %s) %s", t, (long)thread->life.pid, job->host, words);
    if (verdict == VERDICT_BAD)
        stop_all(job, SIGTERM, failure_grace, SIZE_MAX);
    else if (job->phase == RUNNING)
        enter(job, FINISHING, late_grace);
}

static void on_abort(struct job *job, const struct server_event *event)
{
    if (job->phase >= STOPPING)
        return;
    job->status = event->status & 0xff;
    if (job->status == 0 && event->status != 0)
        job->status = EXIT_FAILURE;
    if (claim_report(job) && event->message != NULL)
        say(job, "thread %zu: %s", event->thread, event->message);
    stop_all(job, SIGTERM, failure_grace, event->thread);
}

static void on_connected(struct job *job, struct life *life)
{
    life->connected = true;
    life->finalized = false;
    life->lost = false;
    if (job->any_connected)
        return;
    job->any_connected = true;
    for (size_t t = 0; t < job->started; t++) {
        if (job->threads[t].life.ended)
            judge(job, t);
    }
}

static void on_event(struct job *job, const struct server_event *event)
{
    struct life *life = &job->threads[event->thread].life;
    if (event->kind == SERVER_CONNECTED)
        on_connected(job, life);
    else if (event->kind == SERVER_FINALIZED)
        life->finalized = true;
    else if (event->kind == SERVER_LOST)
        life->lost = !life->finalized;
    else
        on_abort(job, event);
}

static void take_server_events(struct job *job)
{
    struct server_event event;
    while (server_next(job->server, &event)) {
        if (event.thread < job->started)
            on_event(job, &event);
        server_event_done(&event);
    }
}

/** Whether PMIx has had the time to tell what the ended threads did last. */
static bool is_late(struct job *job)
{
    if (now() - job->looked >= 1e-3 * LAST_WORDS_MS) {
        job->looked = now();
        job->looks++;
    }
    return job->phase >= STOPPING || job->looks > LAST_WORDS_LOOKS;
}

/** Judges the threads that have ended, once it is clear how. Those that can have been the cause of
 *  others' ends come first. */
static void judge_endings(struct job *job)
{
    if (job->judged == job->ended)
        return;
    bool late = is_late(job);
    for (enum cause cause = CAUSE_KILLED; cause <= CAUSE_EXITED; cause++) {
        for (size_t t = 0; t < job->started; t++) {
            struct thread *thread = &job->threads[t];
            if (!thread->life.ended || thread->judged || ending_cause(&thread->life) != cause ||
                !(late || ending_is_clear(&thread->life)))
                continue;
            thread->judged = true;
            job->judged++;
            judge(job, t);
        }
    }
}

/** Finds the threads that have ended. One that was looked at may have ended before another that was
 *  found: until nobody else is. What the server knows is taken after that: it may have been told
 *  before they ended. */
static void take_endings(struct job *job)
{
    size_t first = job->ended;
    size_t before;
    do {
        before = job->ended;
        for (size_t t = 0; t < job->started; t++)
            job->ended += ending_look(&job->threads[t].life);
    } while (job->ended > before);
    if (job->ended == first)
        return;
    job->looks = 0;
    take_server_events(job);
}

static void on_ending_signal(struct job *job, int number)
{
    if (job->phase == FLUSHING) {
        job->status = job->status != 0 ? job->status : 128 + number;
        sink_break(&job->out, EINTR); // the rest of the output is no longer wanted
        sink_break(&job->err, EINTR);
    } else if (job->phase >= STOPPING) {
        kill_all(job);
    } else {
        job->status = 128 + number;
        if (claim_report(job))
            say(job, "interrupted by signal %d (%s); the job is ended", number, strsignal(number));
        stop_all(job, number, interrupt_grace, SIZE_MAX);
    }
}

static void take_signals(struct job *job)
{
    struct signalfd_siginfo info;
    while (read(job->signals, &info, sizeof info) == sizeof info) {
        int number = (int)info.ssi_signo;
        if (number == SIGCHLD)
            continue;
        if (signals_end_job(number)) {
            on_ending_signal(job, number);
            continue;
        }
        signal_all(job, number, SIZE_MAX);
        if (number == SIGTSTP)
            raise(SIGSTOP);
    }
    take_endings(job);
}

static void want(struct pollfd *polled, bool wanted, int fd, short events)
{
    *polled = (struct pollfd){.fd = wanted ? fd : -1, .events = events};
}

/** The shorter of two times for poll, where a negative one is endless. */
static int sooner(int milliseconds, int limit)
{
    return milliseconds < 0 || milliseconds > limit ? limit : milliseconds;
}

/** Waits until something happens or the deadline passes. */
static void wait_for_events(struct job *job)
{
    struct pollfd *polled = job->polled;
    want(&polled[AT_SIGNALS], true, job->signals, POLLIN);
    want(&polled[AT_SERVER], true, server_fd(job->server), POLLIN);
    want(&polled[AT_INPUT_READ], input_wants_read(&job->input), STDIN_FILENO, POLLIN);
    want(&polled[AT_INPUT_WRITE], input_wants_write(&job->input), job->input.to, POLLOUT);
    want(&polled[AT_OUT], sink_pending(&job->out), job->out.fd, POLLOUT);
    want(&polled[AT_ERR], sink_pending(&job->err), job->err.fd, POLLOUT);
    for (size_t t = 0; t < job->started; t++) {
        struct thread *thread = &job->threads[t];
        struct pollfd *pair = &polled[AT_THREADS + 2 * t];
        want(&pair[0], sink_has_room(&job->out), thread->out.fd, POLLIN);
        want(&pair[1], sink_has_room(&job->err), thread->err.fd, POLLIN);
    }
    size_t count = AT_THREADS + 2 * job->started;
    int milliseconds = -1;
    if (job->deadline >= 0) {
        double left = job->deadline - now();
        milliseconds = left > 0 ? (int)(left * 1000) + 1 : 0;
    }
    if (input_in_background(&job->input))
        milliseconds = sooner(milliseconds, LOOK_AGAIN_MS);
    if (job->judged < job->ended)
        milliseconds = sooner(milliseconds, LAST_WORDS_MS);
    milliseconds = sooner(milliseconds, STRANGERS_MS);
    if (poll(polled, count, milliseconds) < 0)
        memset(polled, 0, count * sizeof *polled);
    if (now() >= job->strangers_due) {
        strangers_shut();
        job->strangers_due = now() + STRANGERS_MS / 1000.0;
    }
}

/** Stops a job whose output cannot be written. A reader that has seen enough is no reason for a
 *  line. */
static void check_reader(struct job *job)
{
    if (job->out.error == 0 || job->status != 0)
        return;
    bool quiet = job->out.error == EPIPE;
    job->status = quiet ? 128 + SIGPIPE : EXIT_FAILURE;
    if (claim_report(job) && !quiet)
        say(job, "standard output: %s; the job is ended", strerror(job->out.error));
    if (job->phase < STOPPING)
        stop_all(job, SIGTERM, failure_grace, SIZE_MAX);
}

static void move_data(struct job *job)
{
    const struct pollfd *polled = job->polled;
    for (size_t t = 0; t < job->started; t++) {
        const struct pollfd *pair = &polled[AT_THREADS + 2 * t];
        if (pair[0].revents != 0)
            source_read(&job->threads[t].out);
        if (pair[1].revents != 0)
            source_read(&job->threads[t].err);
    }
    if (polled[AT_INPUT_READ].revents != 0)
        input_read(&job->input);
    else if (polled[AT_INPUT_WRITE].revents != 0)
        input_write(&job->input);
    if (polled[AT_ERR].revents != 0)
        sink_write(&job->err);
    if (polled[AT_OUT].revents != 0)
        sink_write(&job->out);
    check_reader(job);
}

static size_t open_sources(const struct job *job)
{
    size_t count = 0;
    for (size_t t = 0; t < job->started; t++)
        count += (size_t)(job->threads[t].out.fd >= 0) + (size_t)(job->threads[t].err.fd >= 0);
    return count;
}

/** Ends what the threads have left running; only output remains after this. */
static void end_leftovers(struct job *job)
{
    signal_all(job, SIGKILL, SIZE_MAX);
    guard_end(&job->guard);
    for (size_t t = 0; t < job->started; t++) {
        const struct life *life = &job->threads[t].life;
        if (job->status != 0 && life->ended)
            names_remove(life->pid);
        ending_reap(life);
    }
    orphans_end();
    enter(job, FLUSHING, job->status == 0 ? -1 : flush_grace);
}

/** Takes over the last output. Nobody writes any more: an empty pipe is at its end, even when
 *  somebody outside the job still holds it open. */
static void finish_sources(struct job *job)
{
    for (size_t t = 0; t < job->started; t++) {
        struct source *pair[] = {&job->threads[t].out, &job->threads[t].err};
        for (int i = 0; i < 2; i++) {
            while (pair[i]->fd >= 0 && sink_has_room(pair[i]->sink)) {
                if (!source_read(pair[i]))
                    source_close(pair[i]);
            }
        }
    }
}

/** Moves the job on by what has happened and by the time. Returns whether it is over. */
static bool advance(struct job *job)
{
    bool overdue = job->deadline >= 0 && now() >= job->deadline;
    bool all_ended = job->judged == job->started || (job->phase == KILLED && overdue);
    if (job->phase < DRAINING && all_ended)
        enter(job, DRAINING, job->phase < STOPPING ? drain_grace : 0);
    else if (job->phase == FINISHING && overdue)
        stop_all(job, SIGTERM, failure_grace, SIZE_MAX);
    else if (job->phase == STOPPING && overdue)
        kill_all(job);
    if (job->phase == DRAINING && (open_sources(job) == 0 || now() >= job->deadline))
        end_leftovers(job);
    if (job->phase != FLUSHING)
        return false;
    finish_sources(job);
    sink_write(&job->out);
    check_reader(job);
    sink_write(&job->err);
    bool empty = !sink_pending(&job->err) && !sink_pending(&job->out) && open_sources(job) == 0;
    return empty || (job->deadline >= 0 && now() >= job->deadline);
}

static void serve(struct job *job)
{
    take_endings(job);
    judge_endings(job);
    while (!advance(job)) {
        wait_for_events(job);
        if (job->polled[AT_SERVER].revents != 0)
            take_server_events(job);
        if (job->polled[AT_SIGNALS].revents != 0)
            take_signals(job);
        judge_endings(job);
        move_data(job);
    }
}

static int spawn_error(struct job *job, enum spawn_failure failure, size_t t)
{
    int reason = errno;
    if (failure == SPAWN_EXEC) {
        say(job, "cannot run '%s': %s", job->options->command[0], strerror(reason));
        return reason == ENOENT ? 127 : 126;
    }
    say(job, "cannot start thread %zu of %zu: %s", t, job->options->threads, strerror(reason));
    return EXIT_FAILURE;
}

/** Tells the thread that is started next what it is a part of. */
static void set_thread_variable(const struct job *job, size_t t)
{
    char text[64];
    snprintf(text, sizeof text, "%zu:%zu%s", job->options->threads, t, job->uses_mpi ? ":mpi" : "");
    setenv(PGASI_FATHOM_RUN, text, 1);
}

/** MPI programs start under any launcher, and find themselves alone. */
static void tell_of_mpi(struct job *job)
{
    char library[128];
    const char *program = job->options->command[0];
    job->uses_mpi = job->options->threads > 1 && program_uses_mpi(program, library, sizeof library);
    if (job->uses_mpi)
        say(job,
            "'%s' is linked with MPI (%s), which fathom-run does not start: MPI_Init finds each "
            "thread alone; mpirun starts programs with MPI, and Fathom's too",
            program, library);
}

/** Starts thread `t`, the next. Returns 0, or the status of the job that failed. */
static int start_thread(struct job *job, const struct binding *binding, const struct rlimit *files,
                        size_t t)
{
    set_thread_variable(job, t);
    struct spawn_request request = {.command = job->options->command,
                                    .env = server_env_create(job->server, t),
                                    .wants_input = t == 0,
                                    .files = *files};
    if (request.env == NULL)
        return EXIT_FAILURE;
    request.cpus = bind_set(binding, t, &request.cpus_nbytes);
    struct spawn_result result;
    enum spawn_failure failure = spawn_start(&request, &result);
    int status = failure == SPAWN_OK ? 0 : spawn_error(job, failure, t);
    server_env_free(request.env);
    if (status != 0)
        return status;

    guard_watch(&job->guard, result.pid);
    struct thread *thread = &job->threads[t];
    thread->life = (struct life){.pid = result.pid};
    char tag[24] = "";
    if (job->options->tag)
        snprintf(tag, sizeof tag, "[%zu] ", t);
    source_open(&thread->out, result.out, tag, &job->out);
    source_open(&thread->err, result.err, tag, &job->err);
    if (t == 0)
        input_open(&job->input, result.in);
    job->started++;
    if (job->options->verbose)
        say(job, "thread %zu is pid %ld on %s", t, (long)result.pid, job->host);
    return 0;
}

/** Starts all threads; after a failure the job is on its way to its end. */
static void start_threads(struct job *job, const struct binding *binding,
                          const struct rlimit *files)
{
    for (size_t t = 0; t < job->options->threads; t++) {
        int status = start_thread(job, binding, files, t);
        if (status != 0) {
            job->status = status;
            job->reported = true;
            kill_all(job);
            return;
        }
    }
}

int job_run(const struct options *options, const struct binding *binding,
            const struct rlimit *files)
{
    struct job job = {.options = options, .deadline = -1, .status = EXIT_FAILURE};
    bool leaves = false; // without closing the server
    gethostname(job.host, sizeof job.host - 1);
    input_open(&job.input, -1);
    sink_open(&job.out, STDOUT_FILENO);
    sink_open(&job.err, STDERR_FILENO);
    job.threads = calloc(options->threads, sizeof *job.threads);
    job.polled = calloc(AT_THREADS + 2 * options->threads, sizeof *job.polled);
    if (job.threads == NULL || job.polled == NULL) {
        perror("fathom-run: tables of threads");
        goto free_tables;
    }
    job.signals = signals_open();
    if (job.signals < 0)
        goto free_tables;
    if (!guard_start(&job.guard))
        goto close_signals;
    job.server = server_open(options->threads, job.host);
    if (job.server == NULL)
        goto end_guard;

    orphans_adopt();
    job.status = 0;
    tell_of_mpi(&job);
    start_threads(&job, binding, files);
    serve(&job);

    leaves = job.status != 0 || !server_close(job.server);
end_guard:
    guard_end(&job.guard);
close_signals:
    close(job.signals);
free_tables:
    input_close(&job.input);
    sink_close(&job.out);
    sink_close(&job.err);
    free(job.polled);
    free(job.threads);
    if (leaves) {
        fflush(NULL);
        _exit(job.status);
    }
    return job.status;
}
