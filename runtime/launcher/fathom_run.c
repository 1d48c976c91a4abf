/*
 * fathom-run: starts a Fathom job on this machine.
 */
#include "bind.h"
#include "doctor.h"
#include "environment.h"
#include "job.h"
#include "options.h"
#include "server.h"

#include "boot/launch_env.h"
#include "support/cli.h"

#include <argp.h>
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

enum {
    OPTION_NODES = 0x100,
    OPTION_BIND,
    OPTION_TAG,
    OPTION_DOCTOR
};

enum {
    FILES_PER_THREAD = 3, /* two pipes of output, the PMIx connection */
    FILES_BESIDES = 64
};

static const char usage[] = "PROGRAM [ARGUMENT...]";

static const char documentation[] =
    "Runs THREADS copies of PROGRAM as the threads of one Fathom job on this machine."
    "\v"
    "Standard input goes to thread 0. What the threads print is passed on in whole lines.\n"
    "\n"
    "Exit status:\n"
    "  0        every thread ended with 0\n"
    "  N        the status of the first thread that failed, or that it aborted with\n"
    "  128+N    signal N killed a thread, or interrupted fathom-run\n"
    "  127      PROGRAM was not found\n"
    "  126      PROGRAM cannot be executed\n"
    "  2        the command line makes no sense; nothing was started\n"
    "  1        the job could not be started, or a thread left early with 0,\n"
    "           or below a shell that has gone on for ten seconds\n"
    "\n"
    "The death of a thread ends the job: one line says which thread and why. A\n"
    "program that gives up before it has joined the job is left to say so itself.\n"
    "When one fails that has left the job by pgas_finalize, the others have ten\n"
    "seconds. After a failure what is printed has half a second to be read by whoever\n"
    "reads it (a pager may not): the rest is lost; 2>FILE keeps the reasons.\n"
    "What the threads leave in the background is killed when all have ended, or a\n"
    "second later if it holds their output; after a job that ends well by itself a\n"
    "line tells how many there were.\n"
    "\n"
    "A signal that is ignored where fathom-run is started (by nohup; SIGINT, for\n"
    "what a script starts by &) is ignored by PROGRAM, too. Only SIGTERM ends the\n"
    "job even then.\n";

static const struct argp_option argp_options[] = {
    {"threads", 'n', "THREADS", 0, "Number of threads; required", 0},
    {"nodes", OPTION_NODES, "N", 0,
     "Make N emulated nodes (1 to THREADS) by setting PGAS_NODES: threads of different nodes share "
     "no memory and reach each other through the network, as if on N machines",
     0},
    {"bind", OPTION_BIND, "core|none", 0,
     "Bind each thread to a core of its own, or leave it to the kernel; default: core while there "
     "are enough cores",
     0},
    {"tag", OPTION_TAG, NULL, 0, "Put the thread's number in front of each line: \"[3] \"", 0},
    {"doctor", OPTION_DOCTOR, NULL, 0,
     "Start nothing; print what this machine offers, which limits will hurt, and what to do", 0},
    {"verbose", 'v', NULL, 0, "Say which process each thread is", 0},
    {0}};

static void parse_bind(options_t *options, const char *text)
{
    static const char *const choices[] = {"core", "none", NULL};
    static const bind_mode_t modes[] = {BIND_CORE, BIND_NONE};
    options->bind = modes[cli_parse_choice("--bind", text, choices)];
}

static error_t parse_option(int key, char *text, struct argp_state *state)
{
    options_t *options = state->input;
    switch (key) {
    case 'n':
        options->threads = cli_parse_count("-n", text, 1, INT32_MAX);
        return 0;
    case OPTION_NODES:
        options->nodes = cli_parse_count("--nodes", text, 1, INT32_MAX);
        return 0;
    case OPTION_BIND:
        parse_bind(options, text);
        return 0;
    case OPTION_TAG:
        options->tag = true;
        return 0;
    case OPTION_DOCTOR:
        options->doctor = true;
        return 0;
    case 'v':
        options->verbose = true;
        return 0;
    case ARGP_KEY_ARG:
        options->command = &state->argv[state->next - 1];
        state->next = state->argc; /* the rest is the program's */
        return 0;
    case ARGP_KEY_END:
        if (options->doctor)
            return 0;
        if (options->threads == 0)
            cli_fail(CLI_EXIT_USAGE, "-n: missing; expected the number of threads, as in -n 4");
        if (options->command == NULL)
            cli_fail(CLI_EXIT_USAGE,
                     "PROGRAM: missing; expected the program to run after the options");
        if (options->nodes > options->threads)
            cli_fail(CLI_EXIT_USAGE,
                     "--nodes: '%zu' is not a whole number from 1 to %zu, the number "
                     "of threads",
                     options->nodes, options->threads);
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

/* Raises the limit of open files as far as allowed; `original` is what it was. Ends the program
 * when that is too little for `threads` threads. */
static void raise_file_limit(size_t threads, struct rlimit *original)
{
    if (getrlimit(RLIMIT_NOFILE, original) != 0)
        cli_fail(EXIT_FAILURE, "the limit of open files (ulimit -n): %s", strerror(errno));
    struct rlimit raised = {.rlim_cur = original->rlim_max, .rlim_max = original->rlim_max};
    if (setrlimit(RLIMIT_NOFILE, &raised) != 0)
        raised = *original;
    size_t most =
        raised.rlim_cur > FILES_BESIDES ? (raised.rlim_cur - FILES_BESIDES) / FILES_PER_THREAD : 0;
    if (raised.rlim_cur != RLIM_INFINITY && threads > most)
        cli_fail(CLI_EXIT_USAGE,
                 "-n: '%zu' is more than the %zu threads the limit of open files "
                 "allows (ulimit -Hn: %zu)",
                 threads, most, (size_t)raised.rlim_cur);
}

/* Warns, once, if another launcher has started several processes of fathom-run. */
static void warn_of_launcher(void)
{
    pgasi_launch_t launch;
    if (pgasi_launch_find(&launch) && launch.rank == 0)
        fprintf(stderr,
                "fathom-run: one of %lu that a launcher has started (%s): each runs a job of its "
                "own; let that launcher start the program instead\n",
                launch.size, launch.variable);
}

int main(int argc, char **argv)
{
    cli_init("fathom-run");
    options_t options = {.bind = BIND_AUTO};
    const struct argp argp = {argp_options, parse_option, usage, documentation, NULL, NULL, NULL};
    argv[0] = program_invocation_short_name;
    cli_parse(&argp, ARGP_IN_ORDER, argc, argv, &options);
    if (options.doctor) {
        doctor_run();
        return EXIT_SUCCESS; /* or what cli_init makes of it, if the report cannot be written */
    }

    warn_of_launcher();
    struct rlimit files;
    raise_file_limit(options.threads, &files);
    /* UCX's backtraces would hide the one line that says how the job ended. */
    environment_set("UCX_HANDLE_ERRORS", "none", false);
    if (options.nodes > 0) {
        char text[24];
        snprintf(text, sizeof text, "%zu", options.nodes);
        environment_set("PGAS_NODES", text, true);
    }
    binding_t *binding;
    int status = bind_create(options.bind, options.threads, &binding);
    if (status != 0)
        return status;
    server_prepare_environment();
    status = job_run(&options, binding, &files);
    bind_free(binding);
    return status;
}
