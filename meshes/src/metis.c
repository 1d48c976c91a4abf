/* METIS replaces the process's handlers of SIGTERM and SIGABRT while it works and takes either for
 * an error of its own, so it works in a child process. */
#include <errno.h>
#include <fcntl.h>
#include <metis.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "child.h"
#include "fail.h"
#include "graph.h"
#include "parts.h"

_Static_assert(sizeof(idx_t) == sizeof(int32_t), "METIS built with 32-bit indices");

enum {
    SEED = 1
};

typedef struct job {
    const meshi_graph_t *graph;
    size_t parts; /* 0: nested dissection */
    const size_t *sizes; /* of the parts */
} job_t;

/* What the child leaves in memory that it shares with its parent. */
typedef struct answer {
    int32_t status; /* METIS's; 0 as long as there is none */
    idx_t numbers[]; /* one per vertex: its part, or the vertex that comes at this place */
} answer_t;

static void set_options(idx_t options[METIS_NOPTIONS])
{
    METIS_SetDefaultOptions(options);
    options[METIS_OPTION_SEED] = SEED;
    options[METIS_OPTION_NUMBERING] = 0;
}

/* Of METIS's objectives, the volume is what the parts need from each other. */
static int part_graph(const job_t *job, idx_t *part)
{
    idx_t options[METIS_NOPTIONS];
    const meshi_graph_t *graph = job->graph;
    idx_t vertices = (idx_t)graph->vertices;
    idx_t constraints = 1;
    idx_t wanted = (idx_t)job->parts;
    idx_t volume;
    real_t *shares = malloc(job->parts * sizeof *shares);
    if (shares == NULL)
        return METIS_ERROR_MEMORY;
    for (size_t p = 0; p < job->parts; p++)
        shares[p] = (real_t)((double)job->sizes[p] / (double)graph->vertices);
    set_options(options);
    options[METIS_OPTION_OBJTYPE] = METIS_OBJTYPE_VOL;
    int status = METIS_PartGraphKway(&vertices, &constraints, graph->start, graph->adjacent, NULL,
                                     NULL, NULL, &wanted, shares, NULL, options, &volume, part);
    free(shares);
    return status;
}

static int dissect_graph(const job_t *job, idx_t *order)
{
    idx_t options[METIS_NOPTIONS];
    idx_t vertices = (idx_t)job->graph->vertices;
    idx_t *inverse = malloc(job->graph->vertices * sizeof *inverse);
    if (inverse == NULL)
        return METIS_ERROR_MEMORY;
    set_options(options);
    int status = METIS_NodeND(&vertices, job->graph->start, job->graph->adjacent, NULL, options,
                              order, inverse);
    free(inverse);
    return status;
}

/* Signals stay blocked: a signal to the process group is meant for the parent, which kills this
 * process. METIS raises SIGABRT when memory runs out; nobody wants what it prints. */
static _Noreturn void become_metis(const job_t *job, answer_t *answer)
{
    sigset_t own;
    int null = open("/dev/null", O_WRONLY | O_CLOEXEC);
    if (null >= 0) {
        dup2(null, STDOUT_FILENO);
        dup2(null, STDERR_FILENO);
    }
    sigemptyset(&own);
    sigaddset(&own, SIGABRT);
    sigprocmask(SIG_UNBLOCK, &own, NULL);
    answer->status =
        job->parts > 0 ? part_graph(job, answer->numbers) : dissect_graph(job, answer->numbers);
    _exit(EXIT_SUCCESS);
}

static bool check_answer(const answer_t *answer, int status, mesh_error_t *error)
{
    if (WIFSIGNALED(status))
        return meshi_fail(error, "METIS was killed by signal %d (out of memory?)",
                          WTERMSIG(status));
    if (answer->status == METIS_ERROR_MEMORY)
        return meshi_fail(error, "METIS ran out of memory");
    return answer->status == METIS_OK ||
           meshi_fail(error, "METIS failed with code %d", answer->status);
}

static bool run_metis(const job_t *job, int32_t *numbers, mesh_error_t *error)
{
    size_t nbytes = sizeof(answer_t) + job->graph->vertices * sizeof(idx_t);
    answer_t *answer =
        mmap(NULL, nbytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (answer == MAP_FAILED)
        return meshi_fail_memory(error, "what METIS finds", nbytes);
    pid_t child = meshi_child_fork(0);
    if (child == 0)
        become_metis(job, answer);
    bool done = child > 0 ? check_answer(answer, meshi_child_wait(child, NULL, NULL), error)
                          : meshi_fail(error, "no process for METIS: %s", strerror(errno));
    if (done)
        memcpy(numbers, answer->numbers, job->graph->vertices * sizeof *numbers);
    munmap(answer, nbytes);
    return done;
}

bool meshi_metis_part(const meshi_graph_t *graph, size_t parts, const size_t *sizes, int32_t *part,
                      mesh_error_t *error)
{
    job_t job = {graph, parts, sizes};
    if (parts > 1)
        return run_metis(&job, part, error) && meshi_parts_fit(graph, parts, sizes, part, error);
    memset(part, 0, graph->vertices * sizeof *part);
    return true;
}

bool meshi_metis_dissect(const meshi_graph_t *graph, int32_t *order, mesh_error_t *error)
{
    job_t job = {.graph = graph};
    return run_metis(&job, order, error);
}
