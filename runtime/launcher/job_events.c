#include "job_events.h"

#include <signal.h>
#include <stdint.h>
#include <stdlib.h>

static const double late_grace = 10.0; /* for the others, when one failed after pgas_finalize */
static const double lost_grace = 10.0; /* for what has started a program that has ended early */

/* PMIx reports what a thread did last when it finds the connection closed. It never does so if the
 * thread has left the connection to a child. Counted in checks from the end of the thread, since
 * the clock goes on while the launcher is stopped; a turn that was late, on a busy machine, counts
 * as some. */
enum {
    LAST_WORDS_MS = 20,
    LAST_WORDS_CHECKS = 50,
    CHECKS_AT_ONCE = 5
};

static void judge(job_t *job, size_t t)
{
    job_thread_t *thread = &job->threads[t];
    char words[256];
    verdict_t verdict = ending_judge(&thread->life, job->any_connected, words, sizeof words);
    if (verdict == VERDICT_GOOD || job->phase >= JOB_STOPPING)
        return;
    source_drain(&thread->out);
    source_drain(&thread->err);
    if (job->status == 0)
        job->status = ending_status(&thread->life);
    if (job->status == 0)
        job->status = EXIT_FAILURE; /* a status of 0 that came too early */
    if (words[0] != '\0' && job_claim_report(job))
        job_say(job, "thread %zu (pid %ld on %s) %s", t, (long)thread->life.pid, job->host, words);
    if (verdict == VERDICT_BAD)
        job_stop(job, SIGTERM, JOB_FAILURE_GRACE, SIZE_MAX);
    else if (job->phase == JOB_RUNNING)
        job_enter(job, JOB_FINISHING, late_grace);
}

static void judge_first_time(job_t *job, size_t t)
{
    job->threads[t].judged = true;
    job->judged++;
    judge(job, t);
}

/* Whether a thread that has ended may be judged now. */
typedef bool is_due_t(const job_t *job, const job_thread_t *thread);

/* A thread whose end may have caused those of others is judged first: by cause, then in the order
 * of ending. One that is not due yet is passed over, or holds back those behind it. */
static void judge_in_order(job_t *job, is_due_t *is_due, bool holds_back)
{
    for (cause_t cause = CAUSE_KILLED; cause < CAUSES; cause++) {
        for (size_t k = 0; k < job->ended; k++) {
            size_t t = job->endings[k];
            const job_thread_t *thread = &job->threads[t];
            if (thread->judged || ending_cause(&thread->life) != cause)
                continue;
            if (is_due(job, thread))
                judge_first_time(job, t);
            else if (holds_back)
                return;
        }
    }
}

/* A thread that has ended, by a signal or without PMIx_Finalize, is not a victim of one that calls
 * PMIx_Abort, which returns only when all threads have been stopped. */
static bool is_early(const job_t *job, const job_thread_t *thread)
{
    (void)job;
    return thread->life.by_signal || thread->life.lost;
}

static void on_abort(job_t *job, const server_event_t *event)
{
    judge_in_order(job, is_early, false);
    if (job->phase >= JOB_STOPPING)
        return;
    if (job->status == 0)
        job->status = event->status & 0xff;
    if (job->status == 0 && event->status != 0)
        job->status = EXIT_FAILURE;
    if (job_claim_report(job) && event->message != NULL)
        job_say(job, "thread %zu: %s", event->thread, event->message);
    job_stop(job, SIGTERM, JOB_FAILURE_GRACE, event->thread);
}

static void on_connected(job_t *job, life_t *life)
{
    life->connected = true;
    life->finalized = false;
    life->lost = false;
    if (job->any_connected)
        return;
    /* Those that are not judged yet may have more events in the queue. */
    job->any_connected = true;
    for (size_t t = 0; t < job->started; t++) {
        if (job->threads[t].judged)
            judge(job, t);
    }
}

static void on_lost(job_thread_t *thread)
{
    thread->life.lost = !thread->life.finalized;
    thread->lost_at = job_now();
}

static void on_event(job_t *job, const server_event_t *event)
{
    life_t *life = &job->threads[event->thread].life;
    if (event->kind == SERVER_CONNECTED)
        on_connected(job, life);
    else if (event->kind == SERVER_FINALIZED)
        life->finalized = true;
    else if (event->kind == SERVER_LOST)
        on_lost(&job->threads[event->thread]);
    else
        on_abort(job, event);
}

void job_take_server_events(job_t *job)
{
    server_event_t event;
    while (server_next(job->server, &event)) {
        if (event.thread < job->started)
            on_event(job, &event);
        server_event_done(&event);
    }
}

static void count_check(job_t *job)
{
    double checks = (job_now() - job->last_check) / (1e-3 * LAST_WORDS_MS);
    if (checks < 1)
        return;
    job->last_check = job_now();
    job->checks += checks < CHECKS_AT_ONCE ? (unsigned)checks : CHECKS_AT_ONCE;
}

/* True if nothing that is yet to come changes what the end of the thread means, or if there was
 * enough time for it. */
static bool can_judge(const job_t *job, const job_thread_t *thread)
{
    bool is_last = thread->life.by_signal && job->ended == job->started;
    return is_last || job->phase >= JOB_STOPPING || ending_is_clear(&thread->life) ||
           job->checks - thread->ended_at > LAST_WORDS_CHECKS;
}

static void judge_ended(job_t *job)
{
    if (job->judged == job->ended)
        return;
    count_check(job);
    judge_in_order(job, can_judge, true);
}

static void check_ending(job_t *job, size_t t)
{
    if (!ending_check(&job->threads[t].life))
        return;
    job->threads[t].ended_at = job->checks;
    job->endings[job->ended++] = t;
}

static bool is_somebody_there(const job_t *job)
{
    for (size_t t = 0; t < job->started; t++) {
        const life_t *life = &job->threads[t].life;
        if (life->connected && !life->finalized && !life->lost && !life->ended)
            return true;
    }
    return false;
}

/* A shell that goes on behind its program does not end, and the others wait for the program. */
static void check_lost(job_t *job)
{
    if (!is_somebody_there(job) || job_has_stood_still(job))
        return;
    for (size_t t = 0; t < job->started && job->phase < JOB_STOPPING; t++) {
        const job_thread_t *thread = &job->threads[t];
        if (!thread->life.lost || job_now() < thread->lost_at + lost_grace)
            continue;
        check_ending(job, t);
        if (thread->life.ended)
            continue;
        if (job->status == 0)
            job->status = EXIT_FAILURE;
        if (job_claim_report(job))
            job_say(job,
                    "thread %zu (pid %ld on %s) goes on though its program has ended before "
                    "pgas_finalize; the job is ended",
                    t, (long)thread->life.pid, job->host);
        job_stop(job, SIGTERM, JOB_FAILURE_GRACE, SIZE_MAX);
    }
}

/* A thread that was checked early in a pass may have ended before one that the pass found later, so
 * passes go on until one finds nothing. The server's events come last, so that they include all
 * that PMIx reported before a thread ended. */
void job_take_endings(job_t *job)
{
    size_t first = job->ended;
    size_t before;
    do {
        before = job->ended;
        for (size_t t = 0; t < job->started; t++)
            check_ending(job, t);
    } while (job->ended > before);
    if (job->ended == first)
        return;
    job_take_server_events(job);
}

void job_judge_endings(job_t *job)
{
    judge_ended(job);
    check_lost(job);
}

int job_events_timeout(const job_t *job)
{
    return job->judged < job->ended ? LAST_WORDS_MS : -1;
}
