/**
 * The state of the job that the launcher runs: shared by the files job*.c.
 *
 * A job goes through its phases in order; some may be skipped. Times are in seconds.
 */
#ifndef LAUNCHER_JOB_STATE_H
#define LAUNCHER_JOB_STATE_H

#include "ending.h"
#include "input.h"
#include "options.h"
#include "output.h"
#include "reaper.h"
#include "server.h"

#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>

/** From SIGTERM to SIGKILL when a thread has failed. */
#define JOB_FAILURE_GRACE 0.3

/** The same if a thread has a handler of SIGTERM: it gets a second. */
#define JOB_HANDLER_GRACE 1.2

/** Seconds that no turn of the launcher takes, nor a wait of it. */
#define JOB_LONGEST_TURN 1.0

typedef enum job_phase {
    JOB_RUNNING,
    /** A thread has failed late; the others may finish until the deadline. */
    JOB_FINISHING,
    /** The threads have been asked to end; they are killed at the deadline. */
    JOB_STOPPING,
    JOB_KILLED,
    /** All threads have ended; what they left behind may finish until the deadline. */
    JOB_DRAINING,
    /** Nothing runs any more; only output is left. */
    JOB_FLUSHING
} job_phase_t;

typedef struct job_thread {
    life_t life;
    /** The launcher has judged how it ended. */
    bool judged;
    /** The job's checks when the launcher noticed its end. */
    unsigned ended_at;
    /** When its connection closed without PMIx_Finalize, if it is lost; as if the launcher had
     * never stood still. */
    double lost_at;
    /** It has been stopped, to be ended. */
    bool is_held;
    source_t out;
    source_t err;
} job_thread_t;

typedef struct job {
    const options_t *options;
    char host[HOST_NAME_MAX + 1];
    server_t *server;
    /** Descriptor of the launcher's signals. */
    int signals;
    reaper_t reaper;
    job_phase_t phase;
    /** When the phase ends (job_now); negative: never. */
    double deadline;
    /** The program is linked with MPI; the launcher has said so. */
    bool uses_mpi;
    bool any_connected;
    /** The one line that says why the job ended has been printed, or is left to the program. */
    bool reported;
    int status;
    /** Threads started: the first of `threads`. */
    size_t started;
    /** How many of them have ended, and how many of those have been judged. */
    size_t ended;
    size_t judged;
    /** Checks, while the end of a thread was not judged, for what PMIx still had to say about it.
     */
    unsigned checks;
    double last_check;
    /** Signals to be passed on when all threads have started. */
    sigset_t postponed;
    /** The threads were asked to end (job_stop). */
    bool is_stopped;
    /** When a signal to the launcher had asked them to. */
    double interrupted;
    /** When the launcher last came from a wait for events. */
    double last_turn;
    /** When to check for other users' connections again. */
    double strangers_due;
    /** When to reap orphans that have ended; negative: when one more has. */
    double orphans_due;
    job_thread_t *threads;
    /** The threads that have ended, in the order in which that was noticed. */
    size_t *endings;
    input_t input;
    sink_t out;
    sink_t err;
    struct pollfd *polled;
    /** How often poll has failed without a success in between. */
    unsigned failed_polls;
} job_t;

/** Seconds on a clock that never goes back. */
double job_now(void);

/** Whether so much time has passed since the last wait for events that somebody must have stopped
 *  the launcher: its limits wait, and are postponed in the next turn. */
bool job_has_stood_still(const job_t *job);

/** Begins a phase that lasts at most `seconds`; negative: without a limit. */
void job_enter(job_t *job, job_phase_t phase, double seconds);

/** Puts a line of the launcher's own among those of the threads. */
void job_say(job_t *job, const char *format, ...) __attribute__((format(printf, 2, 3)));

/** True for the first caller only: it prints the one line that says why the job ended. */
bool job_claim_report(job_t *job);

/** Sends a signal to all process groups of the threads but that of `spared`; SIZE_MAX spares none.
 */
void job_signal(const job_t *job, int number, size_t spared);

/** Kills all threads. */
void job_kill(job_t *job);

/** Asks all threads to end, by signal `number`; `spared`, which has ended the job and ends by
 * itself, only if nothing but its program is there. Those that have not ended after `seconds` are
 * killed. Threads that do not catch the signal have stopped before the first of them ends, so that
 * none sees another's end; those that it would only kill end by SIGKILL. */
void job_stop(job_t *job, int number, double seconds, size_t spared);

#endif
