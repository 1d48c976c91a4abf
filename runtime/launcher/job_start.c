#include "job_start.h"

#include "environment.h"
#include "program.h"
#include "spawn.h"

#include "boot/launch_env.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int spawn_error(job_t *job, spawn_failure_t failure, size_t t)
{
    int reason = errno;
    if (failure == SPAWN_EXEC) {
        if (job_claim_report(job))
            job_say(job, "cannot run '%s': %s", job->options->command[0], strerror(reason));
        return reason == ENOENT ? 127 : 126;
    }
    static const char *const what[] = {[SPAWN_RESOURCES] = "",
                                       [SPAWN_INPUT] = "/dev/null or its pipes: ",
                                       [SPAWN_BIND] = "binding it (--bind none does not): "};
    if (job_claim_report(job))
        job_say(job, "cannot start thread %zu of %zu: %s%s", t, job->options->threads,
                what[failure], strerror(reason));
    return EXIT_FAILURE;
}

/* Tells the thread that is started next its number and the size of the job. */
static void set_thread_variable(const job_t *job, size_t t)
{
    char text[64];
    snprintf(text, sizeof text, "%zu:%zu%s", job->options->threads, t, job->uses_mpi ? ":mpi" : "");
    environment_set(PGASI_FATHOM_RUN, text, true);
}

/* An MPI program starts under any launcher, and finds each thread alone. */
void job_check_program(job_t *job)
{
    char library[128];
    const char *program = job->options->command[0];
    job->uses_mpi = job->options->threads > 1 && program_uses_mpi(program, library, sizeof library);
    if (job->uses_mpi)
        job_say(
            job,
            "'%s' is linked with MPI (%s), which fathom-run does not start: MPI_Init finds each "
            "thread alone; Open MPI's mpirun starts programs with Open MPI, and Fathom's too",
            program, library);
}

/* Starts thread `t`, the next one. Returns 0, or the exit status of the job on failure. */
static int start_thread(job_t *job, const binding_t *binding, const struct rlimit *files, size_t t)
{
    set_thread_variable(job, t);
    spawn_request_t request = {.command = job->options->command,
                               .env = server_env_create(job->server, t),
                               .wants_input = t == 0,
                               .files = *files};
    if (request.env == NULL)
        return EXIT_FAILURE;
    request.cpus = bind_set(binding, t, &request.cpus_nbytes);
    spawn_result_t result;
    spawn_failure_t failure = spawn_start(&request, &result);
    int status = failure == SPAWN_OK ? 0 : spawn_error(job, failure, t);
    server_env_free(request.env);
    if (status != 0)
        return status;

    reaper_watch(&job->reaper, result.pid);
    job_thread_t *thread = &job->threads[t];
    thread->life = (life_t){.pid = result.pid};
    char tag[24] = "";
    if (job->options->tag)
        snprintf(tag, sizeof tag, "[%zu] ", t);
    source_open(&thread->out, result.out, tag, &job->out);
    source_open(&thread->err, result.err, tag, &job->err);
    if (t == 0)
        input_open(&job->input, result.in);
    job->started++;
    if (job->options->verbose)
        job_say(job, "thread %zu is pid %ld on %s", t, (long)result.pid, job->host);
    return 0;
}

void job_start_next(job_t *job, const binding_t *binding, const struct rlimit *files)
{
    int status = start_thread(job, binding, files, job->started);
    if (status != 0) {
        if (job->status == 0) /* or another one has failed late before */
            job->status = status;
        job->reported = true;
        job_kill(job);
    }
}
