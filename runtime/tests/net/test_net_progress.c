/**
 * Others can read from and write to a thread that computes and calls nothing.
 *
 * Usage: runtime_net_progress [SECONDS]
 */
#include <stdio.h>

#include "check.h"
#include "job_random.h"
#include "pause.h"

enum {
    TIMES = 100000,
    /* Progress may be slow where many threads share a core, so the test waits for it; without
     * progress, the first access waits to the end. */
    LEAST = 30,
    MOST_CPU_SECONDS = 20
};

/* In thread 0, which computes. */
typedef struct board {
    uint64_t computing;
    uint64_t written[64]; /* per thread */
} board_t;

static pgas_ptr_t board;
static double reads_ms[TIMES];
static double writes_ms[TIMES];

static pgas_ptr_t field(size_t offset)
{
    pgas_ptr_t ptr = board;
    ptr.offset += offset;
    return ptr;
}

static bool is_everybody_served(const volatile board_t *shared)
{
    for (int thread = 1; thread < pgas_threads(); thread++)
        if (shared->written[thread] <= LEAST)
            return false;
    return true;
}

static void compute(double seconds)
{
    volatile board_t *shared = pgas_local(board);
    shared->computing = 1;
    pgas_barrier();
    volatile double sum = 0;
    double end = seconds_now() + seconds;
    while (seconds_now() < end ||
           (!is_everybody_served(shared) && own_cpu_seconds() < MOST_CPU_SECONDS))
        for (int i = 1; i < 1000; i++)
            sum = sum + 1.0 / i;
    shared->computing = 0;
    pgas_fence();
}

/* One round: writes, reads what it wrote, and then checks whether the other thread still computes.
 * An access that was served by a thread that had ended its work does not count. */
static bool access_board(uint64_t turn, double *write_ms, double *read_ms)
{
    pgas_ptr_t mine = field(offsetof(board_t, written) + 8 * (size_t)pgas_mythread());
    double begin = seconds_now();
    PGAS_WRITE(uint64_t, mine, turn);
    double between = seconds_now();
    uint64_t back = PGAS_READ(uint64_t, mine);
    *read_ms = (seconds_now() - between) * 1e3;
    *write_ms = (between - begin) * 1e3;
    CHECK(back == turn);
    return PGAS_READ(uint64_t, field(offsetof(board_t, computing))) == 1;
}

static void visit(uint64_t *random)
{
    pgas_barrier();
    size_t served = 0;
    while (served < TIMES && access_board(served + 1, &writes_ms[served], &reads_ms[served])) {
        served++;
        sleep_microseconds(random_below(random, 2000));
    }
    printf("thread %d: %zu times served", pgas_mythread(), served);
    if (served > 0) {
        double read = median_of(reads_ms, served);
        double write = median_of(writes_ms, served);
        printf("; read: median %.3f, worst %.3f ms; write: %.3f, %.3f ms", read,
               reads_ms[served - 1], write, writes_ms[served - 1]);
    }
    printf("\n");
    CHECK(served >= LEAST);
}

int main(int argc, char **argv)
{
    double seconds = argc > 1 ? strtod(argv[1], NULL) : 3;
    CHECK(pgas_init() == PGAS_OK);
    CHECK(pgas_threads() <= 64);
    uint64_t random = random_seed_of_thread(random_seed_of_job());
    CHECK(pgas_all_alloc(1, sizeof(board_t), &board) == PGAS_OK);
    if (pgas_mythread() == 0)
        compute(seconds);
    else
        visit(&random);
    pgas_all_free(board);
    pgas_finalize();
    return 0;
}
