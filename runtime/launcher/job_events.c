#include "job_events.h"

#include <signal.h>
#include <stdint.h>
#include <stdlib.h>

static const double late_grace = 10.0; /* for the others, when one failed after pgas_finalize */

/* PMIx reports what a thread did last when it finds the connection closed. It never does so if the
 * thread has left the connection to a child. Counted in checks, since the clock goes on while the
 * launcher is stopped. */
enum {
    LAST_WORDS_MS = 20,
    LAST_WORDS_CHECKS = 50
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

static void on_abort(job_t *job, const server_event_t *event)
{
    if (job->phase >= JOB_STOPPING)
        return;
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
    job->any_connected = true;
    for (size_t t = 0; t < job->started; t++) {
        if (job->threads[t].life.ended)
            judge(job, t);
    }
}

static void on_event(job_t *job, const server_event_t *event)
{
    life_t *life = &job->threads[event->thread].life;
    if (event->kind == SERVER_CONNECTED)
        on_connected(job, life);
    else if (event->kind == SERVER_FINALIZED)
        life->finalized = true;
    else if (event->kind == SERVER_LOST)
        life->lost = !life->finalized;
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

/* True if PMIx has had the time to report what the ended threads did last. */
static bool is_late(job_t *job)
{
    if (job_now() - job->last_check >= 1e-3 * LAST_WORDS_MS) {
        job->last_check = job_now();
        job->checks++;
    }
    return job->phase >= JOB_STOPPING || job->checks > LAST_WORDS_CHECKS;
}

/* A thread whose end may have caused those of others is judged first. */
void job_judge_endings(job_t *job)
{
    if (job->judged == job->ended)
        return;
    bool is_overdue = is_late(job);
    for (cause_t cause = CAUSE_KILLED; cause <= CAUSE_EXITED; cause++) {
        for (size_t t = 0; t < job->started; t++) {
            job_thread_t *thread = &job->threads[t];
            if (!thread->life.ended || thread->judged || ending_cause(&thread->life) != cause ||
                !(is_overdue || ending_is_clear(&thread->life)))
                continue;
            thread->judged = true;
            job->judged++;
            judge(job, t);
        }
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
            job->ended += ending_check(&job->threads[t].life);
    } while (job->ended > before);
    if (job->ended == first)
        return;
    job->checks = 0;
    job_take_server_events(job);
}

int job_events_timeout(const job_t *job)
{
    return job->judged < job->ended ? LAST_WORDS_MS : -1;
}
