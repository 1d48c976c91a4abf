/**
 * A program of messages after its move to Fathom; docs/from-mpi.md shows it beside the original.
 * Each thread smooths its part of a ring of numbers, whose sum stays what it was. It computes the
 * inner points while the values at the edges travel.
 *
 *   fathom-run -n 4 halo
 */
#include <pgas/pgas.h>

#include <stdio.h>
#include <string.h>

#define POINTS 100
#define STEPS 20

enum {
    LEFT,
    RIGHT
};

/* What the two neighbours put on each thread. */
typedef struct halo {
    pgas_signal_t come[2];
    /* By side, and by step: a neighbour may be a step ahead, and then fills the other one. */
    double value[2][2];
} halo_t;

/* The same place as `at` in the memory of a neighbour. */
static pgas_ptr_t on(int neighbour, const void *at)
{
    return pgas_ptr_on(pgas_ptr_of(at), neighbour);
}

static void send(const halo_t *mine, double edge, int to, int side, int step)
{
    pgas_put_signal(on(to, &mine->value[side][step % 2]), &edge, sizeof edge,
                    on(to, &mine->come[side]), PGAS_SIGNAL_SET, (uint64_t)step + 1);
}

static double receive(const halo_t *mine, int side, int step)
{
    pgas_signal_wait(&mine->come[side], PGAS_GE, (uint64_t)step + 1);
    return mine->value[side][step % 2];
}

int main(void)
{
    if (pgas_init() != PGAS_OK)
        return 1;
    pgas_ptr_t halos;
    if (pgas_all_alloc((size_t)pgas_threads(), sizeof(halo_t), &halos) != PGAS_OK)
        pgas_exit(1);
    int me = pgas_mythread();
    int left = (me + pgas_threads() - 1) % pgas_threads();
    int right = (me + 1) % pgas_threads();
    halo_t *mine = pgas_local(pgas_ptr_on(halos, me));
    pgas_signal_set(&mine->come[LEFT], 0);
    pgas_signal_set(&mine->come[RIGHT], 0);
    pgas_barrier();

    double u[POINTS + 2] = {0};
    double next[POINTS + 2];
    if (me == 0)
        u[1] = 1048576;
    for (int step = 0; step < STEPS; step++) {
        send(mine, u[1], left, RIGHT, step);
        send(mine, u[POINTS], right, LEFT, step);
        for (int i = 2; i < POINTS; i++)
            next[i] = (u[i - 1] + 2 * u[i] + u[i + 1]) / 4;
        u[0] = receive(mine, LEFT, step);
        u[POINTS + 1] = receive(mine, RIGHT, step);
        next[1] = (u[0] + 2 * u[1] + u[2]) / 4;
        next[POINTS] = (u[POINTS - 1] + 2 * u[POINTS] + u[POINTS + 1]) / 4;
        memcpy(&u[1], &next[1], POINTS * sizeof(double));
    }

    double sum = 0;
    for (int i = 1; i <= POINTS; i++)
        sum += u[i];
    sum = pgas_allreduce_double(PGAS_TEAM_ALL, sum, PGAS_SUM);
    if (me == 0)
        printf("sum %.6f\n", sum);
    pgas_all_free(halos);
    pgas_finalize();
    return 0;
}
