/* Indexed and strided copies: within a node against a hand-written loop, between nodes against one
 * transfer per element. */
#include <pgas/pgas.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "measure.h"
#include "vis_measure.h"

static const bench_vis_shape_t *shape;
static const size_t *offsets;
static pgas_ptr_t target;
static char *near_target;
static char *buffer;
static pgas_ptr_t *ptrs;
static pgas_smemvec_t *regions;

static void prepare(const bench_vis_shape_t *of, const size_t *places)
{
    shape = of;
    offsets = places;
    ptrs = realloc(ptrs, of->count * sizeof *ptrs);
    regions = realloc(regions, of->count * sizeof *regions);
    if (ptrs == NULL || regions == NULL)
        pgas_exit(1);
    for (size_t i = 0; i < of->count; i++) {
        ptrs[i] = pgas_ptr_shift(target, (ptrdiff_t)offsets[i]);
        regions[i] = (pgas_smemvec_t){ptrs[i], of->chunk};
    }
}

/* Keeps the compiler from moving one pass into another. */
static void end_pass(void)
{
    __asm__ volatile("" : : "r"(buffer), "r"(near_target) : "memory");
}

static void copy_strided(bool is_get, size_t times)
{
    for (size_t t = 0; t < times; t++)
        if (is_get)
            pgas_memget_fstrided(buffer, shape->chunk, shape->chunk, shape->count, target,
                                 shape->chunk, shape->stride, shape->count);
        else
            pgas_memput_fstrided(target, shape->chunk, shape->stride, shape->count, buffer,
                                 shape->chunk, shape->chunk, shape->count);
}

static void copy_ilist(bool is_get, size_t times)
{
    size_t nbytes = shape->chunk * shape->count;
    void *to = buffer;
    const void *from = buffer;
    for (size_t t = 0; t < times; t++)
        if (is_get)
            pgas_memget_ilist(1, &to, nbytes, shape->count, ptrs, shape->chunk);
        else
            pgas_memput_ilist(shape->count, ptrs, shape->chunk, 1, &from, nbytes);
}

static void copy_vlist(bool is_get, size_t times)
{
    pgas_pmemvec_t all = {buffer, shape->chunk * shape->count};
    for (size_t t = 0; t < times; t++)
        if (is_get)
            pgas_memget_vlist(1, &all, shape->count, regions);
        else
            pgas_memput_vlist(shape->count, regions, 1, &all);
}

static void copy_vlist_by_hand(bool is_get, size_t times)
{
    for (size_t t = 0; t < times; t++) {
        char *at = buffer;
        for (size_t i = 0; i < shape->count; i++) {
            void *near = pgas_local(regions[i].addr);
            memcpy(is_get ? at : near, is_get ? near : at, regions[i].len);
            at += regions[i].len;
        }
        end_pass();
    }
}

static void copy_elements(bool is_get, size_t times)
{
    for (size_t t = 0; t < times; t++)
        for (size_t i = 0; i < shape->count; i++)
            if (is_get)
                pgas_memget(buffer + i * shape->chunk, ptrs[i], shape->chunk);
            else
                pgas_memput(ptrs[i], buffer + i * shape->chunk, shape->chunk);
}

/* Loops as one would write them for chunks of a known size. */
static inline __attribute__((always_inline)) void hand_strided(bool is_get, size_t chunk)
{
    char *near = near_target;
    size_t stride = shape->stride;
    size_t count = shape->count;
    if (is_get)
        for (size_t i = 0; i < count; i++)
            memcpy(buffer + i * chunk, near + i * stride, chunk);
    else
        for (size_t i = 0; i < count; i++)
            memcpy(near + i * stride, buffer + i * chunk, chunk);
}

static inline __attribute__((always_inline)) void hand_indexed(bool is_get, size_t chunk)
{
    size_t count = shape->count;
    if (is_get)
        for (size_t i = 0; i < count; i++)
            memcpy(buffer + i * chunk, pgas_local(ptrs[i]), chunk);
    else
        for (size_t i = 0; i < count; i++)
            memcpy(pgas_local(ptrs[i]), buffer + i * chunk, chunk);
}

static inline __attribute__((always_inline)) void hand(bool is_get, size_t chunk)
{
    if (shape->indexed)
        hand_indexed(is_get, chunk);
    else
        hand_strided(is_get, chunk);
}

static void copy_by_hand(bool is_get, size_t times)
{
    for (size_t t = 0; t < times; t++) {
        switch (shape->chunk) {
        case 4:
            hand(is_get, 4);
            break;
        case 8:
            hand(is_get, 8);
            break;
        case 16:
            hand(is_get, 16);
            break;
        case 64:
            hand(is_get, 64);
            break;
        default:
            hand(is_get, shape->chunk);
        }
        end_pass();
    }
}

static void fill(pgas_ptr_t shared)
{
    uint64_t *words = pgas_local(shared);
    for (size_t i = 0; i < BENCH_VIS_MEMORY / sizeof *words; i++)
        words[i] = i;
}

int main(int argc, char **argv)
{
    static const bench_vis_way_t near_ways[] = {
        {"strided", copy_strided, SIZE_MAX, true, false},
        {"ilist", copy_ilist, SIZE_MAX, false, true},
        {"vlist", copy_vlist, SIZE_MAX, false, true},
        {"by_hand", copy_by_hand, SIZE_MAX, true, true},
        {"vlist_by_hand", copy_vlist_by_hand, SIZE_MAX, false, true},
    };
    static const bench_vis_way_t far_ways[] = {
        {"strided", copy_strided, SIZE_MAX, true, false},
        {"ilist", copy_ilist, SIZE_MAX, false, true},
        {"vlist", copy_vlist, SIZE_MAX, false, true},
        {"elements", copy_elements, 1000, true, true},
    };
    size_t repetitions = bench_argument(argc, argv, 1, 11);
    if (pgas_init() != PGAS_OK)
        return 1;
    pgas_ptr_t shared;
    size_t threads = (size_t)pgas_threads();
    if (pgas_all_alloc(threads, BENCH_VIS_MEMORY, &shared) != PGAS_OK)
        pgas_exit(1);
    target = pgas_ptr_on(shared, (int)threads - 1);
    if (pgas_mythread() == pgas_threads() - 1)
        fill(target);
    pgas_barrier();
    if (pgas_mythread() == 0) {
        near_target = pgas_local(target);
        bench_vis_t vis = {
            .ways = near_target != NULL ? near_ways : far_ways,
            .count = near_target != NULL ? sizeof near_ways / sizeof near_ways[0]
                                         : sizeof far_ways / sizeof far_ways[0],
            .buffer = buffer = bench_allocate(BENCH_VIS_MEMORY, 0),
            .prepare = prepare,
            .near = near_target != NULL,
        };
        bench_vis_run(&vis, repetitions);
        free(buffer);
        free(ptrs);
        free(regions);
    }
    pgas_barrier();
    pgas_all_free(shared);
    pgas_finalize();
    return 0;
}
