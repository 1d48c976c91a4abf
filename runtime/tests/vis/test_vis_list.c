/**
 * Indexed copies, vlist and ilist: random lists in own, local, remote and private memory against a
 * model, what is counted, and the edge cases.
 */
#include "vis_rooms.h"

enum {
    STEPS = 250,
    MOST_REGIONS = 700,
    MOST_BYTES = 12000
};

typedef struct region {
    spot_t spot;
    size_t length;
} region_t;

typedef struct list {
    size_t count;
    size_t length; /* of all, for an ilist */
    region_t regions[MOST_REGIONS];
    pgas_pmemvec_t pvec[MOST_REGIONS];
    pgas_smemvec_t svec[MOST_REGIONS];
    void *addresses[MOST_REGIONS];
    pgas_ptr_t ptrs[MOST_REGIONS];
} list_t;

static list_t dst;
static list_t src;

static void shuffle(list_t *list, uint64_t *random)
{
    for (size_t i = list->count; i > 1; i--) {
        size_t k = random_below(random, i);
        region_t region = list->regions[i - 1];
        list->regions[i - 1] = list->regions[k];
        list->regions[k] = region;
    }
}

/* Finds places in one half of the rooms for regions of given lengths: disjoint, or anywhere; with
 * few owners or many, with gaps or without. */
static void place(list_t *list, kind_t kind, pgas_direction_t direction, size_t half, bool disjoint,
                  uint64_t *random)
{
    size_t ends[ROOMS_MOST_THREADS + 1];
    size_t most_gap = random_below(random, 3) * 24;
    bool one_owner = random_below(random, 3) == 0;
    int owner = rooms_owner(kind, direction, random);
    for (size_t i = 0; i <= ROOMS_MOST_THREADS; i++)
        ends[i] = half;
    for (size_t i = 0; i < list->count; i++) {
        if (!one_owner)
            owner = rooms_owner(kind, direction, random);
        region_t *region = &list->regions[i];
        size_t *end = &ends[owner == ROOMS_PRIVATE ? ROOMS_MOST_THREADS : owner];
        size_t offset = disjoint ? *end + random_below(random, most_gap + 1)
                                 : half + random_below(random, ROOMS_HALF - region->length + 1);
        region->spot = (spot_t){owner, offset};
        *end = offset + region->length;
        CHECK(offset + region->length <= half + ROOMS_HALF);
    }
    shuffle(list, random);
}

/* The arguments of the call. Empty entries have an address that must be ignored. */
static void write_list(list_t *list)
{
    static const pgas_ptr_t nowhere = {4711, 3, 0xdeadbeefcafe};
    for (size_t i = 0; i < list->count; i++) {
        region_t region = list->regions[i];
        bool is_empty = region.length == 0;
        bool is_private = region.spot.owner == ROOMS_PRIVATE;
        list->addresses[i] = is_empty || !is_private ? NULL : rooms_private + region.spot.offset;
        list->ptrs[i] = is_empty || is_private ? nowhere : rooms_ptr(region.spot);
        list->pvec[i] = (pgas_pmemvec_t){list->addresses[i], region.length};
        list->svec[i] = (pgas_smemvec_t){list->ptrs[i], region.length};
    }
}

static void model_list(const list_t *list, char *bytes, pgas_direction_t direction)
{
    for (size_t i = 0; i < list->count; i++) {
        region_t region = list->regions[i];
        if (region.length == 0)
            continue;
        char *at = rooms_model_of(region.spot);
        if (direction == PGAS_FROM)
            memcpy(bytes, at, region.length);
        else
            memcpy(at, bytes, region.length);
        bytes += region.length;
        rooms_note(region.spot, direction, region.length);
    }
}

static void model_copy(void)
{
    static char bytes[ROOMS_SIZE];
    model_list(&src, bytes, PGAS_FROM);
    model_list(&dst, bytes, PGAS_TO);
}

static pgas_handle_t vlist(kind_t kind, form_t form)
{
    pgas_handle_t handle = PGAS_HANDLE_COMPLETE;
    bool is_async = form == FORM_ASYNC;
    bool is_blocking = form == FORM_BLOCKING;
    if (kind == KIND_CPY && is_blocking)
        pgas_memcpy_vlist(dst.count, dst.svec, src.count, src.svec);
    else if (kind == KIND_CPY && is_async)
        handle = pgas_memcpy_vlist_async(dst.count, dst.svec, src.count, src.svec);
    else if (kind == KIND_CPY)
        pgas_memcpy_vlist_asynci(dst.count, dst.svec, src.count, src.svec);
    else if (kind == KIND_PUT && is_blocking)
        pgas_memput_vlist(dst.count, dst.svec, src.count, src.pvec);
    else if (kind == KIND_PUT && is_async)
        handle = pgas_memput_vlist_async(dst.count, dst.svec, src.count, src.pvec);
    else if (kind == KIND_PUT)
        pgas_memput_vlist_asynci(dst.count, dst.svec, src.count, src.pvec);
    else if (is_blocking)
        pgas_memget_vlist(dst.count, dst.pvec, src.count, src.svec);
    else if (is_async)
        handle = pgas_memget_vlist_async(dst.count, dst.pvec, src.count, src.svec);
    else
        pgas_memget_vlist_asynci(dst.count, dst.pvec, src.count, src.svec);
    return handle;
}

static pgas_handle_t ilist(kind_t kind, form_t form)
{
    pgas_handle_t handle = PGAS_HANDLE_COMPLETE;
    const void *const *sources = (const void *const *)src.addresses;
    size_t d = dst.length;
    size_t s = src.length;
    bool is_async = form == FORM_ASYNC;
    bool is_blocking = form == FORM_BLOCKING;
    if (kind == KIND_CPY && is_blocking)
        pgas_memcpy_ilist(dst.count, dst.ptrs, d, src.count, src.ptrs, s);
    else if (kind == KIND_CPY && is_async)
        handle = pgas_memcpy_ilist_async(dst.count, dst.ptrs, d, src.count, src.ptrs, s);
    else if (kind == KIND_CPY)
        pgas_memcpy_ilist_asynci(dst.count, dst.ptrs, d, src.count, src.ptrs, s);
    else if (kind == KIND_PUT && is_blocking)
        pgas_memput_ilist(dst.count, dst.ptrs, d, src.count, sources, s);
    else if (kind == KIND_PUT && is_async)
        handle = pgas_memput_ilist_async(dst.count, dst.ptrs, d, src.count, sources, s);
    else if (kind == KIND_PUT)
        pgas_memput_ilist_asynci(dst.count, dst.ptrs, d, src.count, sources, s);
    else if (is_blocking)
        pgas_memget_ilist(dst.count, dst.addresses, d, src.count, src.ptrs, s);
    else if (is_async)
        handle = pgas_memget_ilist_async(dst.count, dst.addresses, d, src.count, src.ptrs, s);
    else
        pgas_memget_ilist_asynci(dst.count, dst.addresses, d, src.count, src.ptrs, s);
    return handle;
}

/* Cuts `total` bytes into random regions, some of them empty. */
static void cut(list_t *list, size_t total, uint64_t *random)
{
    static const size_t usual[] = {1, 4, 8, 16, 100};
    size_t most = random_below(random, 2) == 0 ? total : usual[random_below(random, 5)] + 1;
    list->count = 0;
    while (total > 0 && list->count < MOST_REGIONS - 2) {
        size_t length = random_below(random, most + 1);
        if (random_below(random, 4) == 0)
            length = usual[random_below(random, 5)];
        if (length > total)
            length = total;
        list->regions[list->count++].length = length;
        total -= length;
    }
    list->regions[list->count++].length = total;
    if (random_below(random, 2) == 0)
        list->regions[list->count++].length = 0;
}

static void even(list_t *list, size_t count, size_t length)
{
    list->count = count;
    list->length = length;
    for (size_t i = 0; i < count; i++)
        list->regions[i].length = length;
}

/* Two lists of regions of two sizes with the same total. */
static void make_ilists(uint64_t *random)
{
    static const size_t units[] = {1, 3, 4, 8, 16, 40};
    size_t unit = units[random_below(random, 6)];
    size_t dst_units = 1 + random_below(random, random_below(random, 2) == 0 ? 1 : 12);
    size_t src_units = 1 + random_below(random, random_below(random, 2) == 0 ? 1 : 12);
    size_t most = MOST_BYTES / (unit * dst_units * src_units);
    size_t times = 1 + random_below(random, most < 50 ? most + 1 : 50);
    even(&dst, src_units * times, dst_units * unit);
    even(&src, dst_units * times, src_units * unit);
    switch (random_below(random, 4)) {
    case 0: /* into one region */
        even(&dst, 1, dst.count * dst.length);
        break;
    case 1: /* out of one */
        even(&src, 1, src.count * src.length);
        break;
    default:
        break;
    }
}

static void copy_random(bool is_vlist, uint64_t *random)
{
    kind_t kind = (kind_t)random_below(random, KINDS);
    form_t form = (form_t)random_below(random, FORMS);
    size_t half = random_below(random, 2) * ROOMS_HALF;
    if (is_vlist) {
        size_t total = random_size(random, MOST_BYTES);
        cut(&dst, total, random);
        cut(&src, total, random);
    } else {
        make_ilists(random);
    }
    place(&dst, kind, PGAS_TO, half, true, random);
    place(&src, kind, PGAS_FROM, ROOMS_HALF - half, random_below(random, 2) == 0, random);
    write_list(&dst);
    write_list(&src);
    model_copy();
    if (form == FORM_REGION)
        pgas_begin_accessregion();
    pgas_handle_t handle = is_vlist ? vlist(kind, form) : ilist(kind, form);
    if (form == FORM_REGION)
        handle = pgas_end_accessregion();
    rooms_synchronise(form, handle, random);
    rooms_check();
    rooms_check_counts();
}

/* 1: both counts 0, whatever the other arguments. */
static void test_no_entries(void)
{
    pgas_memcpy_vlist(0, NULL, 0, NULL);
    pgas_memput_vlist(0, NULL, 0, NULL);
    pgas_memget_vlist(0, NULL, 0, NULL);
    pgas_memcpy_ilist(0, NULL, 7, 0, NULL, 3);
    pgas_memput_ilist(0, NULL, 0, 0, NULL, SIZE_MAX);
    pgas_memget_ilist(0, NULL, 8, 0, NULL, 0);
    CHECK(pgas_handle_is_complete(pgas_memget_vlist_async(0, NULL, 0, NULL)));
    CHECK(pgas_handle_is_complete(pgas_memput_ilist_async(0, NULL, 1, 0, NULL, 2)));
    pgas_memput_vlist_asynci(0, NULL, 0, NULL);
    CHECK(pgas_trysynci());
}

/* 2: only entries of length 0, with invalid addresses. */
static void test_empty_entries(void)
{
    static const pgas_smemvec_t nowhere[] = {{{77777, 0, 0}, 0}, {{77777, 0, 1}, 0}};
    static const pgas_pmemvec_t null[] = {{NULL, 0}, {(void *)1, 0}};
    pgas_memcpy_vlist(2, nowhere, 1, nowhere);
    pgas_memput_vlist(2, nowhere, 2, null);
    pgas_memget_vlist(1, null, 2, nowhere);
}

/* 3: no bytes on both sides, but entries on one only. */
static void test_one_count_zero(void)
{
    static const pgas_smemvec_t nowhere[] = {{{77777, 0, 0}, 0}};
    static const pgas_pmemvec_t null[] = {{NULL, 0}};
    pgas_memput_vlist(0, NULL, 1, null);
    pgas_memget_vlist(0, NULL, 1, nowhere);
    pgas_memcpy_vlist(1, nowhere, 0, NULL);
    pgas_memput_ilist(5, NULL, 0, 0, NULL, 8);
    pgas_memget_ilist(0, NULL, 8, 3, NULL, 0);
}

/* 4: none of these is counted. */
static void test_nothing_counted(void)
{
    rooms_check_counts();
}

/* 5: the document's example: elements, a group of elements and a block into one buffer. */
static void test_example(void)
{
    enum {
        BLOCK = 100
    };
    pgas_array_t a;
    size_t threads = (size_t)pgas_threads();
    CHECK(pgas_array_create(BLOCK * threads, sizeof(double), BLOCK, &a) == PGAS_OK);
    PGAS_FORALL (i, 0, a.count, pgas_array_at(&a, i))
        PGAS_PUT(double, &a, i, (double)i);
    pgas_barrier();
    size_t last = (threads - 1) * BLOCK;
    pgas_smemvec_t list[] = {
        {pgas_array_at(&a, 14), sizeof(double)},
        {pgas_array_at(&a, 20), sizeof(double)},
        {pgas_array_at(&a, last + 50), 50 * sizeof(double)},
        {pgas_array_at(&a, last), BLOCK * sizeof(double)},
    };
    double buffer[52 + BLOCK];
    pgas_pmemvec_t into = {buffer, sizeof buffer};
    pgas_stats_reset();
    pgas_memget_vlist(1, &into, 4, list);
    CHECK(buffer[0] == 14.0 && buffer[1] == 20.0);
    for (size_t i = 0; i < 50; i++)
        CHECK(buffer[2 + i] == (double)(last + 50 + i));
    for (size_t i = 0; i < BLOCK; i++)
        CHECK(buffer[52 + i] == (double)(last + i));
    pgas_traffic_t from = pgas_stats_with((int)threads - 1, PGAS_CONDENSED, PGAS_FROM);
    CHECK(from.operations == 1 && from.bytes == (threads == 1 ? 152 : 150) * sizeof(double));
    pgas_array_free(&a);
}

/* 6: many copies in flight at once, synchronised in reverse order; a barrier completes none of
 * them. */
static void test_many_in_flight(void)
{
    enum {
        COPIES = 500,
        ELEMENTS = 8
    };
    static uint64_t values[COPIES][ELEMENTS];
    static uint64_t back[COPIES][ELEMENTS];
    static pgas_handle_t handles[COPIES];
    static pgas_ptr_t to[COPIES][ELEMENTS];
    int other = (pgas_mythread() + 1) % pgas_threads();
    for (size_t i = 0; i < COPIES; i++) {
        const void *from = values[i];
        for (size_t k = 0; k < ELEMENTS; k++) {
            values[i][k] = i * 1000 + k + (uint64_t)pgas_mythread() * 1000000;
            to[i][k] = rooms_ptr((spot_t){other, (i + k * COPIES) * sizeof(uint64_t)});
        }
        handles[i] = pgas_memput_ilist_async(ELEMENTS, to[i], 8, 1, &from, sizeof values[i]);
    }
    pgas_barrier();
    for (size_t i = COPIES; i-- > 0;)
        pgas_waitsync(handles[i]);
    for (size_t i = 0; i < COPIES; i++) {
        void *into = back[i];
        pgas_memget_ilist_asynci(1, &into, sizeof back[i], ELEMENTS, to[i], 8);
    }
    pgas_waitsynci();
    CHECK(memcmp(values, back, sizeof values) == 0);
    for (size_t i = 0; i < COPIES; i++)
        for (size_t k = 0; k < ELEMENTS; k++)
            memcpy(rooms_model_of((spot_t){other, (i + k * COPIES) * sizeof(uint64_t)}),
                   &values[i][k], sizeof(uint64_t));
}

/* 7: more bytes than any buffer on the way holds, from one other thread to another, in regions that
 * are divided differently on the two sides. */
static void test_large(void)
{
    enum {
        HALF = 700000,
        MINE = 2 * HALF
    };
    pgas_ptr_t all;
    size_t threads = (size_t)pgas_threads();
    char *bytes = malloc(HALF);
    char *back = malloc(HALF);
    CHECK(bytes != NULL && back != NULL);
    CHECK(pgas_all_alloc(threads, threads * MINE, &all) == PGAS_OK);
    for (size_t i = 0; i < HALF; i++)
        bytes[i] = (char)(i * 2654435761U >> 24);
    pgas_ptr_t from = all;
    pgas_ptr_t to = all;
    from.thread = (uint32_t)((size_t)pgas_mythread() + 1) % (uint32_t)threads;
    to.thread = (uint32_t)((size_t)pgas_mythread() + 2) % (uint32_t)threads;
    from.offset += (uint64_t)pgas_mythread() * MINE;
    to.offset += (uint64_t)pgas_mythread() * MINE + HALF;
    pgas_memput(from, bytes, HALF);
    pgas_smemvec_t sources[] = {{from, 300001}, {from, HALF - 300001}};
    pgas_smemvec_t destinations[] = {{to, 11}, {to, 399989}, {to, HALF - 400000}};
    sources[1].addr.offset += 300001;
    destinations[1].addr.offset += 11;
    destinations[2].addr.offset += 400000;
    pgas_waitsync(pgas_memcpy_vlist_async(3, destinations, 2, sources));
    pgas_memget(back, to, HALF);
    CHECK(memcmp(bytes, back, HALF) == 0);
    pgas_all_free(all);
    free(bytes);
    free(back);
}

int main(void)
{
    CHECK(pgas_init() == PGAS_OK);
    uint64_t random = random_seed_of_thread(random_seed_of_job());
    rooms_create(&random);
    pgas_stats_reset();
    test_no_entries();
    test_empty_entries();
    test_one_count_zero();
    test_nothing_counted();
    for (int step = 0; step < STEPS; step++)
        copy_random(step % 2 == 0, &random);
    test_many_in_flight();
    rooms_check();
    test_example();
    test_large();
    rooms_destroy();
    pgas_finalize();
    return 0;
}
