/**
 * A UPC program after its move to Fathom, by UPC's names; docs/from-upc.md shows it beside the
 * original. Each thread smooths its block of a ring of numbers, whose sum stays what it was.
 *
 *   fathom-run -n 4 neighbours
 */
#include <pgas/pgas.h>
#include <pgas/upc_names.h>

#include <stdio.h>

#define BLKSZ 100
#define STEPS 20

static pgas_array_t A;
static pgas_ptr_t total;

int main(void)
{
    if (pgas_init() != PGAS_OK)
        return 1;
    size_t n = (size_t)BLKSZ * (size_t)THREADS;
    if (pgas_array_create(n, sizeof(double), BLKSZ, &A) != PGAS_OK)
        pgas_exit(1);
    total = upc_all_alloc(1, sizeof(double));
    upc_lock_t lock = upc_all_lock_alloc();
    if (pgas_ptr_is_null(total) || pgas_ptr_is_null(lock.state))
        pgas_exit(1);

    upc_forall (size_t i = 0; i < n; i++, pgas_array_at(&A, i))
        PGAS_PUT(double, &A, i, i == 0 ? 1048576 : 0);
    if (MYTHREAD == 0)
        PGAS_WRITE(double, total, 0);
    upc_barrier;

    size_t first = (size_t)MYTHREAD * BLKSZ;
    double *mine = pgas_array_mine(&A);
    for (int step = 0; step < STEPS; step++) {
        double old[BLKSZ + 2];
        upc_handle_t left =
            upc_memget_async(&old[0], pgas_array_at(&A, (first + n - 1) % n), sizeof(double));
        upc_handle_t right = upc_memget_async(
            &old[BLKSZ + 1], pgas_array_at(&A, (first + BLKSZ) % n), sizeof(double));
        for (int i = 0; i < BLKSZ; i++)
            old[i + 1] = mine[i];
        upc_waitsync(left);
        upc_waitsync(right);
        upc_barrier;
        for (int i = 0; i < BLKSZ; i++)
            mine[i] = (old[i] + 2 * old[i + 1] + old[i + 2]) / 4;
        upc_barrier;
    }

    double sum = 0;
    for (int i = 0; i < BLKSZ; i++)
        sum += mine[i];
    upc_lock(lock);
    PGAS_WRITE(double, total, PGAS_READ(double, total) + sum);
    upc_unlock(lock);
    upc_barrier;
    if (MYTHREAD == 0)
        printf("sum %.6f\n", PGAS_READ(double, total));

    upc_all_lock_free(lock);
    upc_all_free(total);
    pgas_array_free(&A);
    pgas_finalize();
    return 0;
}
