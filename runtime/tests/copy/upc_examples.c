#include "upc_examples.h"

#include <stdlib.h>

static double expected_value(size_t index)
{
    return 0.5 + (double)index;
}

/** shared [BLKSZ] double A[count], filled. */
pgas_array_t make_array(size_t count)
{
    pgas_array_t array;
    CHECK(pgas_array_create(count, sizeof(double), BLKSZ, &array) == PGAS_OK);
    upc_forall (size_t i = 0; i < count; i++, pgas_array_at(&array, i))
        PGAS_PUT(double, &array, i, expected_value(i));
    upc_barrier;
    return array;
}

static void check_values(const double *values, size_t first, size_t count)
{
    for (size_t i = 0; i < count; i++)
        CHECK(values[i] == expected_value(first + i));
}

/* Sections 2.3, 3.2 and 4.1: exchange with the nearest neighbours. */

enum handling {
    EXPLICIT,
    IMPLICIT,
    REGION
};

static void exchange(const pgas_array_t *a, enum handling handling)
{
    double leftdata[BLKSZ] = {0};
    double rightdata[BLKSZ] = {0};
    size_t nbytes = BLKSZ * sizeof(double);
    upc_handle_t leftfetch_handle = UPC_COMPLETE_HANDLE;
    upc_handle_t rightfetch_handle = UPC_COMPLETE_HANDLE;

    if (handling == REGION)
        upc_begin_accessregion();
    if (MYTHREAD > 0) {
        pgas_ptr_t left = pgas_array_at(a, BLKSZ * (my_thread() - 1));
        if (handling == EXPLICIT)
            leftfetch_handle = upc_memget_async(leftdata, left, nbytes);
        else
            upc_memget_asynci(leftdata, left, nbytes);
    }
    if (MYTHREAD < THREADS - 1) {
        pgas_ptr_t right = pgas_array_at(a, BLKSZ * (my_thread() + 1));
        if (handling == EXPLICIT)
            rightfetch_handle = upc_memget_async(rightdata, right, nbytes);
        else
            upc_memget_asynci(rightdata, right, nbytes);
    }
    if (handling == REGION)
        leftfetch_handle = upc_end_accessregion();
    if (handling == IMPLICIT)
        upc_waitsynci();
    upc_waitsync(leftfetch_handle);
    upc_waitsync(rightfetch_handle);

    if (MYTHREAD > 0)
        check_values(leftdata, BLKSZ * (my_thread() - 1), BLKSZ);
    if (MYTHREAD < THREADS - 1)
        check_values(rightdata, BLKSZ * (my_thread() + 1), BLKSZ);
}

/* Section 4.1: a region around unrelated copies. */
static void mix_in_region(const pgas_array_t *a)
{
    pgas_ptr_t room = upc_all_alloc(thread_count(), BLKSZ * sizeof(double));
    pgas_ptr_t own = pgas_ptr_add(room, MYTHREAD * (ptrdiff_t)BLKSZ, sizeof(double), BLKSZ);
    double put[BLKSZ];
    double got[3] = {0};
    double other[2] = {0};
    for (size_t i = 0; i < BLKSZ; i++)
        put[i] = expected_value(i);

    upc_begin_accessregion();
    upc_memput_asynci(own, put, sizeof put);
    for (size_t i = 0; i < 3; i++)
        upc_memget_asynci(&got[i], pgas_array_at(a, i * BLKSZ), sizeof(double));
    upc_handle_t h2 = upc_memget_async(&other[0], pgas_array_at(a, BLKSZ + 7), sizeof(double));
    upc_waitsync(h2);
    upc_handle_t handle = upc_end_accessregion();

    upc_memget_asynci(&other[1], pgas_array_at(a, 2 * BLKSZ + 7), sizeof(double));
    upc_waitsynci();
    check_values(&other[0], BLKSZ + 7, 1);
    check_values(&other[1], 2 * BLKSZ + 7, 1);
    upc_waitsync(handle);
    for (size_t i = 0; i < 3; i++)
        check_values(&got[i], i * BLKSZ, 1);
    upc_memget(put, own, sizeof put);
    check_values(put, 0, BLKSZ);
    upc_barrier;
    upc_all_free(room);
}

/* Section 5.2: some elements, a group and a block. With fewer than three threads the blocks are the
 * same, but have fewer owners. */
static void gather_regions(const pgas_array_t *a)
{
    upc_smemvec_t srclist[] = {
        {pgas_array_at(a, 14), sizeof(double)},
        {pgas_array_at(a, 20), sizeof(double)},
        {pgas_array_at(a, 100), 50 * sizeof(double)},
        {pgas_array_at(a, 2 * BLKSZ), BLKSZ * sizeof(double)},
    };
    double mybuf[52 + BLKSZ];
    upc_pmemvec_t dstlist[] = {{mybuf, sizeof mybuf}};
    upc_memget_vlist(1, dstlist, 4, srclist);
    check_values(mybuf, 14, 1);
    check_values(mybuf + 1, 20, 1);
    check_values(mybuf + 2, 100, 50);
    check_values(mybuf + 52, 200, BLKSZ);
}

/* Section 5.3: some elements. */
static void gather_elements(const pgas_array_t *a)
{
    pgas_ptr_t srclist[] = {
        pgas_array_at(a, 14),  pgas_array_at(a, 15),  pgas_array_at(a, 16),
        pgas_array_at(a, 100), pgas_array_at(a, 110),
    };
    double mybuf[5];
    void *dstlist[] = {&mybuf};
    upc_memget_ilist(1, dstlist, 5 * sizeof(double), 5, srclist, sizeof(double));
    check_values(mybuf, 14, 3);
    check_values(mybuf + 3, 100, 1);
    check_values(mybuf + 4, 110, 1);
}

/* Section 6.2: a block of 2 x 3 x 4 from A[5][6][7] to B[8][9][10]. The proposal's call has source
 * and destination swapped; its prototype wins. */
static void put_box(pgas_ptr_t b)
{
    static double A[11][12][13];
    static double B[14][15][16];
    for (size_t i = 0; i < sizeof A / sizeof(double); i++)
        ((double *)A)[i] = expected_value(i);
    size_t count[] = {4 * sizeof(double), 3, 2};
    size_t srcstrides[] = {13 * sizeof(double), sizeof(double) * 12 * 13};
    size_t dststrides[] = {16 * sizeof(double), sizeof(double) * 15 * 16};
    pgas_ptr_t dstaddr = pgas_ptr_add(b, (8 * 15 + 9) * 16 + 10, sizeof(double), 0);

    for (int thread = 0; thread < THREADS; thread++) {
        if (thread == MYTHREAD) {
            upc_memset(b, 0, sizeof B);
            upc_memput_strided(dstaddr, dststrides, &A[5][6][7], srcstrides, count, 2);
            upc_memget(B, b, sizeof B);
            for (int i = 0; i < 14; i++)
                for (int j = 0; j < 15; j++)
                    for (int k = 0; k < 16; k++) {
                        bool put = i >= 8 && i < 10 && j >= 9 && j < 12 && k >= 10 && k < 14;
                        CHECK(B[i][j][k] == (put ? A[i - 3][j - 3][k - 3] : 0));
                    }
        }
        upc_barrier;
    }
}

/* Appendix, 1: all of an array, by owner. */
static void gather_by_thread(const pgas_array_t *a)
{
    size_t NUMELEM = a->count;
    double *localA = calloc(NUMELEM, sizeof(double));
    upc_smemvec_t *myvec = calloc(thread_count(), sizeof *myvec);
    CHECK(localA != NULL && myvec != NULL);
    upc_pmemvec_t dst = {localA, NUMELEM * sizeof(double)};
    for (size_t i = 0; i < thread_count(); i++) {
        myvec[i].addr = pgas_array_at(a, BLKSZ * i);
        myvec[i].len = upc_affinitysize(NUMELEM * sizeof(double), BLKSZ * sizeof(double), i);
    }
    upc_memget_vlist(1, &dst, thread_count(), myvec);

    size_t at = 0;
    for (size_t thread = 0; thread < thread_count(); thread++)
        for (size_t i = 0; i < NUMELEM; i++)
            if (i / BLKSZ % thread_count() == thread)
                CHECK(localA[at++] == expected_value(i));
    CHECK(at == NUMELEM);
    free(myvec);
    free(localA);
}

/* Appendix, 1: all of an array, block by block. */
static void gather_by_block(const pgas_array_t *a)
{
    size_t NUMELEM = a->count;
    double *localA = calloc(NUMELEM, sizeof(double));
    upc_smemvec_t *myvec = calloc(NUMELEM / BLKSZ + 1, sizeof *myvec);
    CHECK(localA != NULL && myvec != NULL);
    upc_pmemvec_t dst = {localA, NUMELEM * sizeof(double)};
    pgas_ptr_t p = pgas_array_at(a, 0);
    size_t i = 0;
    for (; i < NUMELEM / BLKSZ; i++) {
        myvec[i].addr = p;
        myvec[i].len = BLKSZ * sizeof(double);
        p = pgas_ptr_add(p, BLKSZ, sizeof(double), BLKSZ);
    }
    ptrdiff_t left = pgas_ptr_diff(pgas_array_at(a, NUMELEM), p, sizeof(double), BLKSZ);
    CHECK(left == (ptrdiff_t)(NUMELEM % BLKSZ));
    if (left > 0) {
        myvec[i].addr = p;
        myvec[i].len = (size_t)left * sizeof(double);
        i++;
    }
    upc_memget_vlist(1, &dst, i, myvec);
    check_values(localA, 0, NUMELEM);
    free(myvec);
    free(localA);
}

void test_examples(void)
{
    size_t threads = thread_count();
    pgas_array_t a = make_array(BLKSZ * (threads < 3 ? 3 : threads));
    exchange(&a, EXPLICIT);
    exchange(&a, IMPLICIT);
    exchange(&a, REGION);
    mix_in_region(&a);
    gather_regions(&a);
    gather_elements(&a);
    pgas_array_free(&a);

    pgas_ptr_t b =
        upc_all_alloc(1, sizeof(double) * 14 * 15 * 16); // shared [] double B[14][15][16]
    CHECK(!pgas_ptr_is_null(b) && upc_threadof(b) == 0);
    put_box(b);
    upc_all_free(b);

    size_t counts[] = {1, BLKSZ, 2 * BLKSZ * threads, (2 * threads + 1) * BLKSZ + 37};
    for (size_t i = 0; i < sizeof counts / sizeof counts[0]; i++) {
        pgas_array_t array = make_array(counts[i]);
        gather_by_thread(&array);
        gather_by_block(&array);
        pgas_array_free(&array);
    }
}
