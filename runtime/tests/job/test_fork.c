/**
 * Child processes of the threads of a job: made while copies and collectives are in flight, they
 * end in every way there is, and the job goes on.
 *
 * Usage: test_fork [ROUNDS]
 */
#include <pgas/pgas.h>

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "check.h"

enum {
    ROUNDS = 10,
    COUNT = 40000,
    STATUS = 7
};

static uint64_t *source;
static uint64_t *result;
static pgas_handle_t put;
static pgas_handle_t sum;
/* From the thread before. */
static const uint64_t *arrived;

/* In a child process there is memory of threads that are not there: LeakSanitizer asks this. */
static int is_child;
PGAS_API int __lsan_is_turned_off(void); /* NOLINT(*-reserved-identifier,cert-*) */

int __lsan_is_turned_off(void) /* NOLINT(*-reserved-identifier,cert-*) */
{
    return is_child;
}

static void end_by_exit(void)
{
    exit(STATUS);
}

static void end_at_once(void)
{
    _exit(STATUS);
}

static void end_by_pgas_exit(void)
{
    pgas_exit(STATUS);
}

static void end_by_pgas_fail(void)
{
    pgas_fail(STATUS, "a child ends");
}

static void end_by_signal(void)
{
    abort();
}

static void end_by_call(void)
{
    pgas_barrier();
}

/* Those of what is in flight, and a fence, progress the network in a thread of the job. */
static void end_by_fence(void)
{
    pgas_fence();
}

static void end_by_stats(void)
{
    pgas_stats_t stats;
    pgas_stats_get(&stats);
}

/* Either may be complete. */
static void end_by_wait(void)
{
    pgas_waitsync(sum);
    pgas_waitsync(put);
    if (pgas_handle_is_complete(sum) && pgas_handle_is_complete(put))
        _exit(EXIT_FAILURE);
}

static void end_by_try(void)
{
    pgas_trysync(put);
    pgas_trysync(sum);
    if (pgas_handle_is_complete(sum) && pgas_handle_is_complete(put))
        _exit(EXIT_FAILURE);
}

static const struct {
    void (*act)(void);
    int status;
} ends[] = {
    {end_by_exit, STATUS},        {end_at_once, STATUS},       {end_by_pgas_exit, STATUS},
    {end_by_pgas_fail, STATUS},   {end_by_signal, -1},         {end_by_fence, EXIT_FAILURE},
    {end_by_stats, EXIT_FAILURE}, {end_by_wait, EXIT_FAILURE}, {end_by_try, EXIT_FAILURE},
    {end_by_call, EXIT_FAILURE},
};

enum {
    ENDS = sizeof ends / sizeof ends[0]
};

static pid_t start_child(size_t end)
{
    fflush(NULL);
    pid_t child = fork();
    if (child == 0) {
        is_child = 1;
        setrlimit(RLIMIT_CORE, &(struct rlimit){0, 0});
        if (ends[end].act != end_by_call && freopen("/dev/null", "w", stderr) == NULL)
            _exit(99);
        ends[end].act();
        _exit(98);
    }
    CHECK(child > 0);
    return child;
}

static void check_child(pid_t child, size_t end)
{
    int status;
    while (waitpid(child, &status, 0) < 0)
        CHECK(errno == EINTR);
    if (ends[end].status < 0)
        CHECK(WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT);
    else
        CHECK(WIFEXITED(status) && WEXITSTATUS(status) == ends[end].status);
}

/* The child processes are made while a put and a collective are in flight. */
static void test_round(size_t round, pgas_ptr_t next)
{
    const size_t me = (size_t)pgas_mythread();
    const size_t threads = (size_t)pgas_threads();
    const size_t before = (me + threads - 1) % threads;
    const size_t ways[2] = {(round + me) % ENDS, (round + me + 1) % ENDS};
    for (size_t i = 0; i < COUNT; i++)
        source[i] = round + i + me;
    put = pgas_memput_async(next, source, COUNT * sizeof *source);
    sum = pgas_allreduce_async(PGAS_TEAM_ALL, source, result, COUNT, PGAS_UINT64, PGAS_SUM);
    pid_t children[2] = {start_child(ways[0]), start_child(ways[1])};
    pgas_waitsync(sum);
    pgas_waitsync(put);
    for (size_t i = 0; i < COUNT; i++)
        CHECK(result[i] == (round + i) * threads + threads * (threads - 1) / 2);
    check_child(children[0], ways[0]);
    check_child(children[1], ways[1]);
    pgas_barrier();
    for (size_t i = 0; i < COUNT; i++)
        CHECK(arrived[i] == round + i + before);
    pgas_barrier();
}

int main(int argc, char **argv)
{
    CHECK(pgas_init() == PGAS_OK);
    const size_t rounds = argc > 1 ? strtoul(argv[1], NULL, 10) : ROUNDS;
    source = malloc(COUNT * sizeof *source);
    result = malloc(COUNT * sizeof *result);
    pgas_ptr_t *all = malloc((size_t)pgas_threads() * sizeof *all);
    pgas_ptr_t own;
    CHECK(source != NULL && result != NULL && all != NULL);
    CHECK(pgas_alloc(COUNT * sizeof *source, &own) == PGAS_OK);
    arrived = pgas_local(own);
    pgas_allgather(PGAS_TEAM_ALL, &own, all, sizeof own);
    for (size_t round = 0; round < rounds; round++)
        test_round(round, all[(pgas_mythread() + 1) % pgas_threads()]);
    pgas_free(own);
    free(all);
    free(source);
    free(result);
    pgas_finalize();
    return 0;
}
