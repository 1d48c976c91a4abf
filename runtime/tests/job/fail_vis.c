/**
 * Indexed and strided copies, and values, whose arguments are wrong; the failure tests watch how
 * the job ends.
 *
 * Usage: runtime_fail_vis MODE THREAD [MARKER...]. The thread THREAD makes the call that the mode
 * names; the others wait in a barrier. Errors that only the debug build finds are last in the
 * table.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <pgas/pgas.h>

static char bytes[1000];
static pgas_ptr_t memory;

static pgas_ptr_t at(size_t distance)
{
    pgas_ptr_t ptr = memory;
    ptr.offset += distance;
    return ptr;
}

static void vlist_totals(void)
{
    pgas_smemvec_t dst[] = {{memory, 10}, {at(10), 10}};
    pgas_pmemvec_t src[] = {{bytes, 19}};
    pgas_memput_vlist(2, dst, 1, src);
}

static void vlist_one_side(void)
{
    pgas_pmemvec_t dst[] = {{bytes, 1}};
    pgas_memget_vlist(1, dst, 0, NULL);
}

static void vlist_overflow(void)
{
    pgas_smemvec_t list[] = {{memory, SIZE_MAX}, {memory, 2}};
    pgas_memcpy_vlist(2, list, 2, list);
}

static void vlist_null(void)
{
    pgas_pmemvec_t dst[] = {{bytes, 4}, {NULL, 4}};
    pgas_smemvec_t src[] = {{memory, 8}};
    pgas_memget_vlist_asynci(2, dst, 1, src);
}

static void vlist_no_thread(void)
{
    pgas_smemvec_t list[] = {{memory, 8}, {{(uint32_t)pgas_threads(), 0, 4096}, 8}};
    pgas_pmemvec_t src[] = {{bytes, 16}};
    pgas_memput_vlist_async(2, list, 1, src);
}

static void vlist_beyond(void)
{
    pgas_smemvec_t dst[] = {{memory, 8}};
    pgas_smemvec_t src[] = {{{0, 0, UINT64_MAX - 3}, 8}};
    pgas_memcpy_vlist(1, dst, 1, src);
}

/* Longer than a heap, at a place whose distance to either end wraps. */
static size_t most_of_segment(void)
{
    return pgasi_job.span + PGASI_HEAP_BEGIN - 10;
}

static pgas_ptr_t wrapped(void)
{
    return (pgas_ptr_t){0, 0, ((uint64_t)1 << 63) + 100};
}

static void vlist_wrapped(void)
{
    pgas_pmemvec_t dst[] = {{bytes, most_of_segment()}};
    pgas_smemvec_t src[] = {{wrapped(), most_of_segment()}};
    pgas_memget_vlist(1, dst, 1, src);
}

static void ilist_wrapped(void)
{
    void *dst[] = {bytes, bytes};
    pgas_ptr_t src[] = {wrapped(), wrapped()};
    pgas_memget_ilist(2, dst, most_of_segment(), 2, src, most_of_segment());
}

/* As a length below 0 becomes. */
static void ilist_huge(void)
{
    pgas_ptr_t dst[] = {memory};
    const void *src[] = {bytes};
    pgas_memput_ilist(1, dst, (size_t)-8, 1, src, (size_t)-8);
}

static void ilist_totals(void)
{
    pgas_ptr_t dst[] = {memory, at(8)};
    const void *src[] = {bytes};
    pgas_memput_ilist(2, dst, 8, 1, src, 15);
}

static void ilist_one_side(void)
{
    pgas_ptr_t dst[] = {memory};
    pgas_memput_ilist(1, dst, 8, 0, NULL, 8);
}

static void ilist_no_length(void)
{
    pgas_ptr_t dst[] = {memory};
    pgas_memcpy_ilist(1, dst, 0, 1, dst, 0);
}

static void ilist_overflow(void)
{
    pgas_ptr_t dst[] = {memory};
    pgas_memcpy_ilist((size_t)1 << 32, dst, (size_t)1 << 32, 1, dst, 0);
}

static void ilist_null(void)
{
    pgas_ptr_t src[] = {memory, at(8), pgas_ptr_null()};
    void *dst[] = {bytes};
    pgas_memget_ilist_async(1, dst, 24, 3, src, 8);
}

static void ilist_private_null(void)
{
    pgas_ptr_t dst[] = {memory};
    const void *src[] = {bytes, NULL};
    pgas_memput_ilist(1, dst, 16, 2, src, 8);
}

static void ilist_no_thread(void)
{
    pgas_ptr_t dst[] = {memory, at(8)};
    pgas_ptr_t src[] = {at(16), at(24)};
    src[1].thread = 1000000;
    pgas_memcpy_ilist_asynci(2, dst, 8, 2, src, 8);
}

/* All entries of the list are wrong, and belong to one thread. */
static void ilist_no_such_thread(void)
{
    void *dst[] = {bytes};
    pgas_ptr_t src[] = {{(uint32_t)pgas_threads(), 0, 4096}};
    pgas_memget_ilist(1, dst, 8, 1, src, 8);
}

static void ilist_beyond(void)
{
    pgas_ptr_t dst[] = {memory};
    pgas_ptr_t src[] = {at((uint64_t)1 << 50)};
    pgas_memcpy_ilist(1, dst, 8, 1, src, 8);
}

static void fstrided_totals(void)
{
    pgas_memget_fstrided(bytes, 8, 8, 2, memory, 5, 5, 3);
}

static void fstrided_overflow(void)
{
    pgas_memget_fstrided(bytes, (size_t)1 << 63, (size_t)1 << 63, 2, memory, 0, 0, 0);
}

static void fstrided_stride(void)
{
    pgas_memput_fstrided(memory, 8, 7, 2, bytes, 8, 8, 2);
}

static void fstrided_beyond(void)
{
    pgas_memput_fstrided(memory, 8, (size_t)1 << 50, 2, bytes, 8, 8, 2);
}

static void fstrided_far_beyond(void)
{
    pgas_memput_fstrided(memory, 1, (size_t)1 << 62, 5, bytes, 1, 1, 5);
}

static void strided_first(void)
{
    size_t count[] = {8, 2};
    size_t strides[] = {7};
    pgas_memget_strided(bytes, strides, memory, strides, count, 1);
}

static void strided_second(void)
{
    size_t count[] = {8, 3, 2};
    size_t dst[] = {8, 24};
    size_t src[] = {16, 47};
    pgas_memget_strided(bytes, dst, memory, src, count, 2);
}

static void strided_beyond(void)
{
    size_t count[] = {8, 2};
    size_t dst[] = {8};
    size_t src[] = {(size_t)1 << 60};
    pgas_memget_strided_async(bytes, dst, memory, src, count, 1);
}

/* Into what was allocated next. */
static void strided_across(void)
{
    size_t count = sizeof bytes + 200;
    pgas_memput_strided(memory, NULL, bytes, NULL, &count, 0);
}

static void strided_null(void)
{
    size_t count = 8;
    pgas_memput_strided(memory, NULL, NULL, NULL, &count, 0);
}

static void row_too_short(void)
{
    pgas_memcpy_2d(memory, 8, at(100), 9, 9, 2);
}

static void plane_too_short(void)
{
    pgas_memget_3d(bytes, 8, 24, memory, 8, 23, 8, 3, 2);
}

static void transposed_below(void)
{
    size_t count = 1000;
    ptrdiff_t dst = 8;
    ptrdiff_t src = -((ptrdiff_t)1 << 40);
    pgas_memget_transposed(bytes, &dst, memory, &src, 8, &count, 1);
}

static void transposed_repeat(void)
{
    size_t count = 2;
    ptrdiff_t dst = 0;
    ptrdiff_t src = 8;
    pgas_memget_transposed(bytes, &dst, memory, &src, 8, &count, 1);
}

static void transposed_empty(void)
{
    size_t count = 1;
    ptrdiff_t step = 8;
    pgas_memget_transposed(bytes, &step, memory, &step, 0, &count, 1);
}

static pgas_array_t small; /* 10 elements of 4 bytes */
static pgas_array_t wide; /* 10 elements of 8 bytes */

static void reblock_beyond(void)
{
    pgas_reblock_get(bytes, &small, 5, 6);
}

static void reblock_wrapped(void)
{
    pgas_reblock_get(bytes, &small, 5, SIZE_MAX);
}

static void vlist_no_list(void)
{
    pgas_pmemvec_t src = {bytes, 8};
    pgas_memput_vlist(1, NULL, 1, &src);
}

static void ilist_no_list(void)
{
    void *dst[] = {bytes};
    pgas_memget_ilist(1, dst, 16, 2, NULL, 8);
}

static void strided_no_count(void)
{
    pgas_memput_strided(memory, NULL, bytes, NULL, NULL, 0);
}

static void strided_no_strides(void)
{
    size_t count[] = {8, 2};
    size_t stride = 8;
    pgas_memget_strided(bytes, &stride, memory, NULL, count, 1);
}

static void transposed_no_count(void)
{
    ptrdiff_t step = 8;
    pgas_memput_transposed(memory, &step, bytes, &step, 8, NULL, 1);
}

static void transposed_no_strides(void)
{
    size_t count = 2;
    ptrdiff_t step = 8;
    pgas_memget_transposed(bytes, NULL, memory, &step, 8, &count, 1);
}

static void stats_thread(void)
{
    (void)pgas_stats_with(pgas_threads(), PGAS_INDIVIDUAL, PGAS_FROM);
}

static void stats_mode(void)
{
    (void)pgas_stats_with(0, (pgas_mode_t)99, PGAS_FROM);
}

static void reblock_sizes(void)
{
    pgas_reblock(&small, 0, &wide, 0, 1);
}

static void reblock_null(void)
{
    pgas_reblock_put(&small, 0, NULL, 1);
}

static void reblock_no_array(void)
{
    pgas_reblock(NULL, 0, &wide, 0, 1);
}

/* The first entry decides how the whole list goes. */
static void ilist(uint64_t wrong)
{
    const uint32_t own = (uint32_t)pgas_mythread();
    pgas_ptr_t src[] = {pgas_ptr_on(memory, pgas_mythread()), {own, 0, wrong}};
    void *dst[] = {bytes};
    pgas_memget_ilist(1, dst, 16, 2, src, 8);
}

static void ilist_apart(uint64_t wrong)
{
    const uint32_t own = (uint32_t)pgas_mythread();
    pgas_ptr_t src[] = {{own, 0, wrong}, pgas_ptr_on(memory, pgas_mythread())};
    void *dst[] = {bytes, bytes + 100};
    pgas_memget_ilist(2, dst, 8, 2, src, 8);
}

static void vlist(uint64_t wrong)
{
    pgas_smemvec_t src[] = {{{(uint32_t)pgas_mythread(), 0, wrong}, 8}};
    pgas_pmemvec_t dst[] = {{bytes, 8}};
    pgas_memget_vlist(1, dst, 1, src);
}

static void ilist_null_page(void)
{
    ilist(8);
}

static void ilist_null_page_apart(void)
{
    ilist_apart(8);
}

static void vlist_null_page(void)
{
    vlist(8);
}

/* Of what the runtime keeps there, the last bytes. */
static void ilist_before_heap(void)
{
    ilist(PGASI_HEAP_BEGIN - 1);
}

static void ilist_before_heap_apart(void)
{
    ilist_apart(PGASI_HEAP_BEGIN - 1);
}

static void vlist_before_heap(void)
{
    vlist(PGASI_HEAP_BEGIN - 1);
}

static pgas_plan_t *plan; /* of the small array */

static void plan_sum_size(void)
{
    pgas_plan_scatter(plan, &small, NULL, pgas_add_double);
}

static void plan_none(void)
{
    pgas_plan_begin(NULL, &small, bytes);
}

static void plan_no_array(void)
{
    pgas_plan_scatter_begin(plan, NULL, bytes, NULL);
}

static void plan_no_length(void)
{
    (void)pgas_plan_length(NULL);
}

static void plan_no_option(void)
{
    pgas_plan_t *none;
    (void)pgas_plan_create(&small, NULL, 0, 8, NULL, &none);
}

static void value_size(void)
{
    pgas_get_val(memory, 9);
}

static void value_empty(void)
{
    pgas_put_val(memory, 1, 0);
}

static void value_null(void)
{
    pgas_put_val_async(pgas_ptr_null(), 1, 8);
}

static void value_nowhere(void)
{
    pgas_valget_t nonsense = {.bits = 12345678, .pending = 1};
    pgas_wait_val(nonsense);
}

static void overlap_dst(void)
{
    pgas_ptr_t dst[] = {memory, at(7)};
    const void *src[] = {bytes};
    pgas_memput_ilist(2, dst, 8, 1, src, 16);
}

static void overlap_src(void)
{
    pgas_smemvec_t dst[] = {{at(4), 8}};
    pgas_smemvec_t src[] = {{at(100), 3}, {memory, 5}};
    pgas_memcpy_vlist(1, dst, 2, src);
}

static const struct {
    const char *name;
    void (*act)(void);
} modes[] = {
    {"vlist_totals", vlist_totals},
    {"vlist_one_side", vlist_one_side},
    {"vlist_overflow", vlist_overflow},
    {"vlist_null", vlist_null},
    {"vlist_no_thread", vlist_no_thread},
    {"vlist_beyond", vlist_beyond},
    {"vlist_wrapped", vlist_wrapped},
    {"ilist_wrapped", ilist_wrapped},
    {"ilist_huge", ilist_huge},
    {"ilist_totals", ilist_totals},
    {"ilist_one_side", ilist_one_side},
    {"ilist_no_length", ilist_no_length},
    {"ilist_overflow", ilist_overflow},
    {"ilist_null", ilist_null},
    {"ilist_private_null", ilist_private_null},
    {"ilist_no_thread", ilist_no_thread},
    {"ilist_no_such_thread", ilist_no_such_thread},
    {"ilist_beyond", ilist_beyond},
    {"fstrided_totals", fstrided_totals},
    {"fstrided_overflow", fstrided_overflow},
    {"fstrided_stride", fstrided_stride},
    {"fstrided_beyond", fstrided_beyond},
    {"fstrided_far_beyond", fstrided_far_beyond},
    {"strided_first", strided_first},
    {"strided_second", strided_second},
    {"strided_beyond", strided_beyond},
    {"strided_null", strided_null},
    {"row_too_short", row_too_short},
    {"plane_too_short", plane_too_short},
    {"transposed_below", transposed_below},
    {"transposed_repeat", transposed_repeat},
    {"transposed_empty", transposed_empty},
    {"reblock_beyond", reblock_beyond},
    {"reblock_wrapped", reblock_wrapped},
    {"vlist_no_list", vlist_no_list},
    {"ilist_no_list", ilist_no_list},
    {"strided_no_count", strided_no_count},
    {"strided_no_strides", strided_no_strides},
    {"transposed_no_count", transposed_no_count},
    {"transposed_no_strides", transposed_no_strides},
    {"stats_thread", stats_thread},
    {"stats_mode", stats_mode},
    {"plan_none", plan_none},
    {"plan_no_array", plan_no_array},
    {"plan_no_length", plan_no_length},
    {"plan_no_option", plan_no_option},
    {"reblock_sizes", reblock_sizes},
    {"reblock_null", reblock_null},
    {"reblock_no_array", reblock_no_array},
    {"ilist_null_page", ilist_null_page},
    {"ilist_null_page_apart", ilist_null_page_apart},
    {"vlist_null_page", vlist_null_page},
    {"ilist_before_heap", ilist_before_heap},
    {"ilist_before_heap_apart", ilist_before_heap_apart},
    {"vlist_before_heap", vlist_before_heap},
    {"plan_sum_size", plan_sum_size},
    {"value_size", value_size},
    {"value_empty", value_empty},
    {"value_null", value_null},
    {"value_nowhere", value_nowhere},
    {"overlap_dst", overlap_dst},
    {"overlap_src", overlap_src},
    {"strided_across", strided_across},
};

int main(int argc, char **argv)
{
    const char *mode = argc > 1 ? argv[1] : "";
    int chosen = argc > 2 ? (int)strtol(argv[2], NULL, 10) : 0;
    if (pgas_init() != PGAS_OK)
        return EXIT_FAILURE;
    if (pgas_all_alloc((size_t)pgas_threads(), sizeof bytes, &memory) != PGAS_OK ||
        pgas_array_create(10, 4, 1, &small) != PGAS_OK ||
        pgas_array_create(10, 8, 1, &wide) != PGAS_OK ||
        pgas_plan_create(&small, NULL, 0, PGAS_PLAN_SCATTER, NULL, &plan) != PGAS_OK)
        pgas_exit(1);
    printf("ready %d\n", (int)getpid());
    for (size_t i = 0; i < sizeof modes / sizeof modes[0]; i++)
        if (strcmp(mode, modes[i].name) == 0 && pgas_mythread() == chosen)
            modes[i].act();
    pgas_barrier();
    pgas_finalize();
    return 0;
}
