#include "job.h"

#include "job_events.h"
#include "job_start.h"
#include "job_state.h"
#include "names.h"
#include "orphans.h"
#include "signals.h"
#include "strangers.h"
#include "support/cli.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <time.h>
#include <unistd.h>

/* Times in seconds. */
static const double interrupt_grace = 1.0; /* from a forwarded signal to SIGKILL */
static const double drain_grace = 1.0; /* for what a thread started and left behind */
static const double flush_grace = 0.5; /* for a slow reader of our output, after a failure */

enum {
    CONNECTIONS_MS = 500, /* how long another user's connection may go unnoticed */
    ORPHANS_MS = 100, /* how long an orphan that has ended keeps its process number */
    BACKGROUND_MS = 250 /* how often a launcher in the background checks whether it still is */
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

/* timeout(1) signals the launcher and then its group: twice within moments, which is no second
 * Ctrl-C. */
static const double echo_seconds = 0.1;

static void note_interrupt(job_t *job, int number)
{
    job->status = 128 + number;
    if (job_claim_report(job))
        job_say(job, "interrupted by signal %d (%s); the job is ended", number, strsignal(number));
}

static void on_ending_signal(job_t *job, int number)
{
    if (job->phase == JOB_FLUSHING) {
        job->status = job->status != 0 ? job->status : 128 + number;
        sink_break(&job->out, EINTR); /* the rest of the output is no longer wanted */
        sink_break(&job->err, EINTR);
    } else if (job->phase >= JOB_STOPPING) {
        if (job->status == 0) /* it has ended well, or at a thread's wish, but for what is left */
            note_interrupt(job, number);
        if (job_now() - job->interrupted > echo_seconds)
            job_kill(job);
    } else {
        note_interrupt(job, number);
        job_stop(job, number, interrupt_grace, SIZE_MAX); /* an echo waits meanwhile */
        job->interrupted = job_now();
    }
}

/* Threads start between the turns of the launcher, so that it hears of a signal and of a thread's
 * death before the last one has started. */
static bool is_starting(const job_t *job)
{
    return job->started < job->options->threads && job->phase < JOB_STOPPING;
}

/* What has come meanwhile is for all of them. */
static void pass_postponed(job_t *job)
{
    static const int numbers[] = {SIGUSR1, SIGUSR2, SIGWINCH};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        if (sigismember(&job->postponed, numbers[i]) == 1)
            job_signal(job, numbers[i], SIZE_MAX);
    sigemptyset(&job->postponed);
}

/* Time limits wait while the launcher stands still. */
static void postpone_limits(job_t *job, double seconds)
{
    if (job->deadline >= 0)
        job->deadline += seconds;
    for (size_t t = 0; t < job->started; t++)
        job->threads[t].lost_at += seconds;
}

/* Until somebody continues it. */
static void stand_still(job_t *job)
{
    double begin = job_now();
    raise(SIGSTOP);
    postpone_limits(job, job_now() - begin);
    job->last_turn = job_now();
}

/* However many end, their list is read at intervals. */
static void expect_orphans(job_t *job)
{
    if (job->orphans_due < 0)
        job->orphans_due = job_now() + ORPHANS_MS / 1000.0;
}

/* The numbers of these are freed at the end of the job: its process groups have them. */
static bool is_own(pid_t pid, const void *context)
{
    const job_t *job = context;
    for (size_t t = 0; t < job->started; t++)
        if (job->threads[t].life.pid == pid)
            return true;
    return pid == job->reaper.pid;
}

static void reap_orphans(job_t *job)
{
    if (job->orphans_due < 0 || job_now() < job->orphans_due)
        return;
    job->orphans_due = -1;
    if (orphans_reap(is_own, job))
        expect_orphans(job);
}

static void take_signals(job_t *job)
{
    struct signalfd_siginfo info;
    while (read(job->signals, &info, sizeof info) == sizeof info) {
        int number = (int)info.ssi_signo;
        if (number == SIGCHLD) {
            expect_orphans(job);
            continue;
        }
        if (signals_end_job(number)) {
            on_ending_signal(job, number);
            continue;
        }
        if (is_starting(job) && number != SIGTSTP && number != SIGCONT) {
            sigaddset(&job->postponed, number);
            continue;
        }
        job_signal(job, number, SIZE_MAX);
        if (number == SIGTSTP)
            stand_still(job);
    }
    job_take_endings(job);
}

static void want(struct pollfd *polled, bool wanted, int fd, short events)
{
    *polled = (struct pollfd){.fd = wanted ? fd : -1, .events = events};
}

/* Fills `polled`; returns its length. */
static size_t list_descriptors(job_t *job)
{
    struct pollfd *polled = job->polled;
    want(&polled[AT_SIGNALS], true, job->signals, POLLIN);
    want(&polled[AT_SERVER], true, server_fd(job->server), POLLIN);
    want(&polled[AT_INPUT_READ], input_wants_read(&job->input), STDIN_FILENO, POLLIN);
    want(&polled[AT_INPUT_WRITE], input_wants_write(&job->input), job->input.to, POLLOUT);
    want(&polled[AT_OUT], sink_pending(&job->out), job->out.fd, POLLOUT);
    want(&polled[AT_ERR], sink_pending(&job->err), job->err.fd, POLLOUT);
    for (size_t t = 0; t < job->started; t++) {
        job_thread_t *thread = &job->threads[t];
        struct pollfd *pair = &polled[AT_THREADS + 2 * t];
        want(&pair[0], sink_has_room(&job->out), thread->out.fd, POLLIN);
        want(&pair[1], sink_has_room(&job->err), thread->err.fd, POLLIN);
    }
    return AT_THREADS + 2 * job->started;
}

/* The shorter of two timeouts of poll, of which a negative one is endless. */
static int shorter(int one, int other)
{
    if (one < 0 || other < 0)
        return one < 0 ? other : one;
    return one < other ? one : other;
}

/* Milliseconds until `due`; endless if that is negative. */
static int milliseconds_until(double due)
{
    double left = due - job_now();
    if (due < 0)
        return -1;
    return left > 0 ? (int)(left * 1000) + 1 : 0;
}

static int timeout(const job_t *job)
{
    if (is_starting(job))
        return 0;
    int milliseconds = shorter(CONNECTIONS_MS, job_events_timeout(job));
    milliseconds = shorter(milliseconds, milliseconds_until(job->deadline));
    milliseconds = shorter(milliseconds, milliseconds_until(job->orphans_due));
    if (input_in_background(&job->input))
        milliseconds = shorter(milliseconds, BACKGROUND_MS);
    return milliseconds;
}

/* Signals, too, are known by poll alone: without it the reaper ends the threads. */
static void check_poll(job_t *job)
{
    enum {
        MOST = 100,
        PAUSE_NANOSECONDS = 10 * 1000 * 1000
    };
    if (errno == EINTR)
        return;
    if (++job->failed_polls == MOST)
        cli_fail(EXIT_FAILURE, "poll: %s; the job is ended", strerror(errno));
    nanosleep(&(struct timespec){.tv_nsec = PAUSE_NANOSECONDS}, NULL);
}

/* Waits until something happens or the deadline passes. */
static void wait_for_events(job_t *job)
{
    size_t count = list_descriptors(job);
    double begin = job_now();
    double between = begin - job->last_turn;
    if (poll(job->polled, count, timeout(job)) >= 0) {
        job->failed_polls = 0;
    } else {
        memset(job->polled, 0, count * sizeof *job->polled);
        check_poll(job);
    }
    job->last_turn = job_now();
    double waited = job->last_turn - begin;
    /* Somebody has stopped it, as batch systems do, here or between two waits. */
    if (waited > JOB_LONGEST_TURN)
        postpone_limits(job, waited);
    if (between > JOB_LONGEST_TURN)
        postpone_limits(job, between);
    if (job_now() >= job->strangers_due) {
        strangers_shut();
        job->strangers_due = job_now() + CONNECTIONS_MS / 1000.0;
    }
    reap_orphans(job);
}

/* Stops a job whose output cannot be written. It says nothing of a reader that has closed its end.
 */
static void check_reader(job_t *job)
{
    if (job->out.error == 0 || job->status != 0)
        return;
    bool quiet = job->out.error == EPIPE;
    job->status = quiet ? 128 + SIGPIPE : EXIT_FAILURE;
    if (job_claim_report(job) && !quiet)
        job_say(job, "standard output: %s; the job is ended", strerror(job->out.error));
    if (job->phase < JOB_STOPPING)
        job_stop(job, SIGTERM, JOB_FAILURE_GRACE, SIZE_MAX);
}

/* Stops a job whose input cannot be read: the program would take what has come for all of it. */
static void check_input(job_t *job)
{
    if (job->input.error == 0 || job->status != 0 || job->phase >= JOB_STOPPING)
        return;
    job->status = EXIT_FAILURE;
    if (job_claim_report(job))
        job_say(job, "standard input: %s; the job is ended", strerror(job->input.error));
    job_stop(job, SIGTERM, JOB_FAILURE_GRACE, SIZE_MAX);
}

static void move_data(job_t *job)
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
    check_input(job);
    check_reader(job);
}

static size_t open_sources(const job_t *job)
{
    size_t count = 0;
    for (size_t t = 0; t < job->started; t++)
        count += (size_t)(job->threads[t].out.fd >= 0) + (size_t)(job->threads[t].err.fd >= 0);
    return count;
}

/* What a thread has put into the background may have joined the job since it was judged. Where the
 * job has been ended, that has been reported. */
static void judge_background(job_t *job)
{
    for (size_t t = 0; t < job->started; t++) {
        const life_t *life = &job->threads[t].life;
        if (job->status != 0 || !life->connected || life->finalized || !job_claim_report(job))
            continue;
        job->status = EXIT_FAILURE;
        job_say(job,
                "thread %zu (pid %ld on %s) has ended before a program that it has left in the "
                "background, and that is in the job; the job is ended",
                t, (long)life->pid, job->host);
    }
}

/* A program that has not got as far as to join the job looks like a command that was left behind:
 * neither is an error, and neither is ended in silence. What a thread that has ended the job finds
 * running is the job itself. */
static void tell_of_orphans(job_t *job, const orphans_killed_t *killed)
{
    if (killed->count == 0 || job->status != 0 || job->is_stopped)
        return;
    job_say(job,
            "%zu process%s that the threads had left in the background (%s) did not end: killed",
            killed->count, killed->count == 1 ? "" : "es", killed->first);
}

/* Ends what the threads have left running. After this only output remains. */
static void end_leftovers(job_t *job)
{
    judge_background(job);
    if (job->status == 0)
        orphans_let_end(is_own, job, server_mark(job->server));
    job_signal(job, SIGKILL, SIZE_MAX);
    reaper_end(&job->reaper);
    for (size_t t = 0; t < job->started; t++)
        ending_reap(&job->threads[t].life);
    orphans_killed_t killed = orphans_end(server_mark(job->server));
    tell_of_orphans(job, &killed);
    job_enter(job, JOB_FLUSHING, job->status == 0 ? -1 : flush_grace);
}

/* Reads the last output. Nobody in the job writes any more: an empty pipe is at its end, even if a
 * process outside the job still holds it open. */
static void finish_sources(job_t *job)
{
    for (size_t t = 0; t < job->started; t++) {
        source_t *pair[] = {&job->threads[t].out, &job->threads[t].err};
        for (int i = 0; i < 2; i++) {
            while (pair[i]->fd >= 0 && sink_has_room(pair[i]->sink)) {
                if (!source_read(pair[i]))
                    source_close(pair[i]);
            }
        }
    }
}

/* Where a shell has started the program, and has ended at the signal, the program is among them: it
 * has the rest of the time for its handler. */
static double grace_of_leftovers(const job_t *job)
{
    double left = job->deadline - job_now();
    if (job->phase < JOB_STOPPING)
        return drain_grace;
    return job->phase == JOB_STOPPING && left > 0 ? left : 0;
}

/* Where writing may block, it waits for poll. */
static void flush(sink_t *sink)
{
    if (!sink->may_block)
        sink_write(sink);
}

static bool is_overdue(const job_t *job)
{
    return job->deadline >= 0 && job_now() >= job->deadline && !job_has_stood_still(job);
}

/* Enters the next phase if events or the time call for it. True if the job is over. */
static bool advance(job_t *job)
{
    bool overdue = is_overdue(job);
    bool all_ended =
        (job->judged == job->started && !is_starting(job)) || (job->phase == JOB_KILLED && overdue);
    if (job->phase < JOB_DRAINING && all_ended)
        job_enter(job, JOB_DRAINING, grace_of_leftovers(job));
    else if (job->phase == JOB_FINISHING && overdue)
        job_stop(job, SIGTERM, JOB_FAILURE_GRACE, SIZE_MAX);
    else if (job->phase == JOB_STOPPING && overdue)
        job_kill(job);
    if (job->phase == JOB_DRAINING && (open_sources(job) == 0 || is_overdue(job)))
        end_leftovers(job);
    if (job->phase != JOB_FLUSHING)
        return false;
    finish_sources(job);
    flush(&job->out);
    check_reader(job);
    flush(&job->err);
    bool empty = !sink_pending(&job->err) && !sink_pending(&job->out) && open_sources(job) == 0;
    return empty || is_overdue(job);
}

static void serve(job_t *job, const binding_t *binding, const struct rlimit *files)
{
    job->last_turn = job_now();
    while (!advance(job)) {
        wait_for_events(job);
        if (job->polled[AT_SERVER].revents != 0)
            job_take_server_events(job);
        if (job->polled[AT_SIGNALS].revents != 0)
            take_signals(job);
        job_judge_endings(job);
        move_data(job);
        if (is_starting(job)) {
            job_start_next(job, binding, files);
            if (!is_starting(job))
                pass_postponed(job);
        }
    }
}

int job_run(const options_t *options, const binding_t *binding, const struct rlimit *files)
{
    job_t job = {.options = options, .deadline = -1, .orphans_due = -1, .status = EXIT_FAILURE};
    bool leaves_server_open = false;
    gethostname(job.host, sizeof job.host - 1);
    input_open(&job.input, -1);
    sink_open(&job.out, STDOUT_FILENO);
    sink_open(&job.err, STDERR_FILENO);
    job.threads = calloc(options->threads, sizeof *job.threads);
    job.endings = calloc(options->threads, sizeof *job.endings);
    job.polled = calloc(AT_THREADS + 2 * options->threads, sizeof *job.polled);
    if (job.threads == NULL || job.endings == NULL || job.polled == NULL) {
        perror("fathom-run: tables of threads");
        goto free_tables;
    }
    job.signals = signals_open();
    if (job.signals < 0)
        goto free_tables;
    orphans_adopt();
    if (!reaper_start(&job.reaper))
        goto close_signals;
    job.server = server_open(options->threads, job.host);
    if (job.server == NULL)
        goto end_reaper;

    names_remove_abandoned();
    names_gather_ucx();
    job.status = 0;
    job_check_program(&job);
    serve(&job, binding, files);

    names_remove(getpid());
    leaves_server_open = job.status != 0 || !server_close(job.server);
end_reaper:
    reaper_end(&job.reaper);
close_signals:
    close(job.signals);
free_tables:
    input_close(&job.input);
    sink_close(&job.out);
    sink_close(&job.err);
    free(job.polled);
    free(job.endings);
    free(job.threads);
    if (leaves_server_open) {
        fflush(NULL);
        _exit(job.status);
    }
    return job.status;
}
