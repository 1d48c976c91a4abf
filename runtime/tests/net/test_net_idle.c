/**
 * Threads that wait in a barrier do not use the processors: thread 0 sleeps, and measures the
 * processor time of all processes of the job over that time, including their progress threads.
 *
 * Usage: runtime_net_idle [SECONDS]
 */
#include <stdio.h>
#include <time.h>
#include <unistd.h>

#include "check.h"
#include "pause.h"

enum {
    /* The goal is 2 % summed over the threads; a thread that spins or polls takes 100. */
    LIMIT_PERCENT = 10,
    /* Waiting begins with a spin. */
    SETTLE_US = 500000,
    MOST_THREADS = 64
};

static double cpu_seconds(pid_t process)
{
    clockid_t clock;
    struct timespec used;
    CHECK(clock_getcpuclockid(process, &clock) == 0);
    CHECK(clock_gettime(clock, &used) == 0);
    return (double)used.tv_sec + 1e-9 * (double)used.tv_nsec;
}

static double sum_of_cpu_seconds(const pid_t *processes)
{
    double sum = 0;
    for (int i = 0; i < pgas_threads(); i++)
        sum += cpu_seconds(processes[i]);
    return sum;
}

/* Between the two readings of the clocks no thread calls the runtime. */
static void watch(const pgas_array_t *numbers, double seconds)
{
    pid_t processes[MOST_THREADS] = {0};
    for (size_t i = 0; i < numbers->count; i++)
        processes[i] = (pid_t)PGAS_GET(int64_t, numbers, i);
    sleep_microseconds(SETTLE_US);
    double cpu = sum_of_cpu_seconds(processes);
    double begin = seconds_now();
    sleep_microseconds((unsigned long)(seconds * 1e6));
    double elapsed = seconds_now() - begin;
    cpu = sum_of_cpu_seconds(processes) - cpu;
    double percent = 100 * cpu / elapsed;
    printf("%d threads on %d nodes, waiting for %.1f s: %.4f s of processor time, %.2f %%\n",
           pgas_threads(), pgas_node_of(pgas_threads() - 1) + 1, elapsed, cpu, percent);
    CHECK(percent < LIMIT_PERCENT);
}

int main(int argc, char **argv)
{
    double seconds = argc > 1 ? strtod(argv[1], NULL) : 3;
    CHECK(pgas_init() == PGAS_OK);
    CHECK(pgas_threads() <= MOST_THREADS);
    pgas_array_t numbers; /* of the processes */
    CHECK(pgas_array_create((size_t)pgas_threads(), sizeof(int64_t), 1, &numbers) == PGAS_OK);
    PGAS_PUT(int64_t, &numbers, (size_t)pgas_mythread(), (int64_t)getpid());
    pgas_barrier();
    if (pgas_mythread() == 0)
        watch(&numbers, seconds);
    pgas_barrier();
    pgas_array_free(&numbers);
    pgas_finalize();
    return 0;
}
