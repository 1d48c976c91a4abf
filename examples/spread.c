/**
 * A drop spreads around a ring: each step replaces a cell by a mean of itself and its two
 * neighbours. The ring is a block-cyclic array; the program tells how the size of its blocks
 * decides how many cells a thread reads from others.
 *
 *   fathom-run -n 4 spread CELLS BLOCK
 *   fathom-run -n 4 spread 1000 1        neighbours belong to other threads
 *   fathom-run -n 4 spread 1000 250      only the ends of a block need others
 */
#include <pgas/pgas.h>

#include <stdio.h>
#include <stdlib.h>

enum {
    STEPS = 100
};

/* A drop in the middle. The loop runs over the own blocks alone; PGAS_FORALL with PGAS_PUT would be
 * shorter, test every cell on every thread and access it by its global address. */
static void fill(const pgas_array_t *ring)
{
    PGAS_FORBLOCKS (b, ring) {
        double *mine = b.first;
        for (size_t i = b.begin; i < b.end; i++)
            mine[i - b.begin] = i == ring->count / 2 ? 1.0 : 0.0;
    }
}

static void step(const pgas_array_t *from, const pgas_array_t *to)
{
    size_t n = from->count;
    PGAS_FORBLOCKS (b, to) { /* each thread its own blocks, which are plain memory */
        double *mine = b.first;
        for (size_t i = b.begin; i < b.end; i++) {
            double left = PGAS_GET(double, from, (i + n - 1) % n);
            double here = PGAS_GET(double, from, i);
            double right = PGAS_GET(double, from, (i + 1) % n);
            mine[i - b.begin] = (left + 2 * here + right) / 4;
        }
    }
    pgas_barrier();
}

/** Cells that the calling thread has read from other threads. */
static unsigned long long cells_read_from_others(void)
{
    unsigned long long count = 0;
    for (int thread = 0; thread < pgas_threads(); thread++)
        if (thread != pgas_mythread())
            count += pgas_stats_with(thread, PGAS_INDIVIDUAL, PGAS_FROM).operations;
    return count;
}

int main(int argc, char **argv)
{
    if (pgas_init() != PGAS_OK)
        return 1;
    size_t cells = argc == 3 ? strtoul(argv[1], NULL, 10) : 0;
    size_t block = argc == 3 ? strtoul(argv[2], NULL, 10) : 0;
    pgas_array_t ring[2];
    if (cells == 0 || block == 0) {
        fprintf(stderr, "usage: spread CELLS BLOCK\n");
        pgas_exit(2);
    }
    for (int k = 0; k < 2; k++)
        if (pgas_array_create(cells, sizeof(double), block, &ring[k]) != PGAS_OK)
            pgas_exit(1);

    fill(&ring[0]);
    pgas_barrier();
    for (int k = 0; k < STEPS; k++)
        step(&ring[k % 2], &ring[(k + 1) % 2]);
    printf("thread %d read %llu cells from others\n", pgas_mythread(), cells_read_from_others());

    if (pgas_mythread() == 0) {
        double sum = 0;
        for (size_t i = 0; i < cells; i++)
            sum += PGAS_GET(double, &ring[STEPS % 2], i);
        printf("sum %.6f after %d steps\n", sum, STEPS);
    }
    for (int k = 0; k < 2; k++)
        pgas_array_free(&ring[k]);
    pgas_finalize();
    return 0;
}
