/*
 * A thread that computes and polls now and then is served in between, too, also after it has polled
 * all the time for a while: the progress thread comes back.
 */
#include <stdio.h>

#include "check.h"
#include "pause.h"

enum {
    ROUNDS = 3,
    /* Longer than between two looks of a progress thread that stays away. */
    POLLS_ALL_THE_TIME = 200000,
    LEAST = 20,
    MOST_CPU_SECONDS = 20
};

static const double gaps_us[ROUNDS] = {100, 300, 700};

/* In thread 0. */
typedef struct board {
    uint64_t written; /* counts up */
    uint64_t is_over;
} board_t;

static volatile double sum;

static void compute(double seconds)
{
    double end = seconds_now() + seconds;
    while (seconds_now() < end)
        for (int i = 1; i < 100; i++)
            sum = sum + 1.0 / i;
}

/* Polls every so often until something has been written between two polls often enough; a progress
 * thread that nobody lets have a core may take its time. Returns how often. */
static int poll_every(volatile board_t *board, double gap)
{
    int served = 0;
    double most = own_cpu_seconds() + MOST_CPU_SECONDS;
    while (served < LEAST && own_cpu_seconds() < most) {
        pgas_poll();
        uint64_t after = board->written;
        compute(gap);
        served += board->written != after;
    }
    return served;
}

static void be_served(volatile board_t *board)
{
    for (int round = 0; round < ROUNDS; round++) {
        for (int i = 0; i < POLLS_ALL_THE_TIME; i++)
            pgas_poll();
        int served = poll_every(board, gaps_us[round] * 1e-6);
        printf("polls every %.0f us: served %d times in between\n", gaps_us[round], served);
        CHECK(served >= LEAST);
    }
    board->is_over = 1;
}

int main(void)
{
    CHECK(pgas_init() == PGAS_OK);
    pgas_ptr_t board;
    CHECK(pgas_all_alloc(1, sizeof(board_t), &board) == PGAS_OK);
    pgas_ptr_t is_over = board;
    is_over.offset += offsetof(board_t, is_over);
    if (pgas_mythread() == 0)
        *(board_t *)pgas_local(board) = (board_t){0};
    pgas_barrier();
    if (pgas_mythread() == 0)
        be_served(pgas_local(board));
    else if (pgas_mythread() == pgas_threads() - 1)
        for (uint64_t i = 1; PGAS_READ(uint64_t, is_over) == 0; i++)
            PGAS_WRITE(uint64_t, board, i);
    pgas_all_free(board);
    pgas_finalize();
    return 0;
}
