/**
 * Pointer arithmetic, array pointers and affinity against a plain model of block-cyclic layout.
 */
#include "check.h"
#include "job_random.h"

#include "node/node.h"
#include "node/segment.h"

/* The place of element `index`, by formula (1) and one block at a time. */
typedef struct model {
    size_t thread;
    size_t phase;
    size_t local;
} model_t;

static model_t locate(size_t index, size_t block)
{
    size_t threads = (size_t)pgas_threads();
    return (model_t){
        .thread = index / block % threads,
        .phase = index % block,
        .local = index / block / threads * block + index % block,
    };
}

static void check_at(pgas_ptr_t ptr, pgas_ptr_t start, size_t index, size_t elem_size, size_t block)
{
    model_t model = locate(index, block);
    CHECK((size_t)pgas_threadof(ptr) == model.thread);
    CHECK(pgas_phaseof(ptr) == model.phase);
    CHECK(pgas_addrfield(ptr) == pgas_addrfield(start) + model.local * elem_size);
    CHECK(pgas_phaseof(pgas_resetphase(ptr)) == 0);
    CHECK(pgas_ptr_equal(ptr, pgas_resetphase(ptr)));
    pgas_ptr_t on = pgas_ptr_on(start, pgas_threadof(ptr));
    pgas_ptr_t there = pgas_ptr_shift(on, (ptrdiff_t)(model.local * elem_size));
    CHECK(pgas_ptr_equal(there, ptr) && pgas_phaseof(there) == 0);
    CHECK(pgas_ptr_equal(pgas_ptr_shift(there, -(ptrdiff_t)(model.local * elem_size)), on));
}

/* From anywhere to anywhere, one past the end included. */
static void check_walks(pgas_ptr_t start, size_t count, size_t elem_size, size_t block, int walks,
                        uint64_t *random)
{
    pgas_ptr_t here = start;
    size_t index = 0;
    for (int i = 0; i < walks; i++) {
        size_t next = i == 0 ? count : random_below(random, count + 1);
        ptrdiff_t distance = (ptrdiff_t)next - (ptrdiff_t)index;
        pgas_ptr_t there = pgas_ptr_add(here, distance, elem_size, block);
        check_at(there, start, next, elem_size, block);
        CHECK(pgas_ptr_diff(there, here, elem_size, block) == distance);
        CHECK(pgas_ptr_diff(here, there, elem_size, block) == -distance);
        CHECK(pgas_ptr_diff(there, start, elem_size, block) == (ptrdiff_t)next);
        CHECK(pgas_ptr_equal(here, there) == (distance == 0));
        here = there;
        index = next;
    }
}

static void check_array(size_t count, size_t elem_size, size_t block, uint64_t *random)
{
    pgas_array_t array;
    CHECK(pgas_array_create(count, elem_size, block, &array) == PGAS_OK);
    pgas_ptr_t start = pgas_array_at(&array, 0);
    CHECK(pgas_threadof(start) == 0 && pgas_phaseof(start) == 0);
    for (size_t i = 0; i <= count; i++) {
        check_at(pgas_array_at(&array, i), start, i, elem_size, array.block);
        CHECK((size_t)pgas_array_owner(&array, i) == locate(i, array.block).thread);
    }
    check_walks(start, count, elem_size, array.block, 50, random);
    pgas_array_free(&array);
}

static void check_arrays(uint64_t seed)
{
    uint64_t common = seed; /* the same draws on every thread: the calls are collective */
    uint64_t own = random_seed_of_thread(seed);
    static const size_t blocks[] = {1, 2, 3, 7, 8, 64, 1000, 5000};
    for (size_t b = 0; b < sizeof blocks / sizeof blocks[0]; b++)
        check_array(1 + random_below(&common, 3000), 1 + random_below(&common, 40), blocks[b],
                    &own);
    for (int i = 0; i < 20; i++)
        check_array(1 + random_below(&common, 3000), 1 + random_below(&common, 40),
                    1 + random_size(&common, 4000), &own);
    check_array(1000, 8, PGAS_BLOCK_EVEN, &own);
}

/* Arithmetic needs no memory: arrays far larger than any machine's. */
static void check_large(uint64_t *random)
{
    pgas_ptr_t start = {0, 0, 4096};
    for (int i = 0; i < 200; i++) {
        size_t elem_size = 1 + random_below(random, 64);
        size_t block = 1 + random_size(random, UINT32_MAX - 1);
        size_t count = 1 + random_size(random, (size_t)1 << 50);
        check_walks(start, count, elem_size, block, 100, random);
    }
}

static void check_indefinite(uint64_t *random)
{
    pgas_ptr_t start = {(uint32_t)pgas_threads() - 1, 0, 1 << 20};
    for (int i = 0; i < 1000; i++) {
        size_t elem_size = 1 + random_below(random, 64);
        ptrdiff_t count = (ptrdiff_t)random_size(random, (size_t)1 << 40);
        pgas_ptr_t there = pgas_ptr_add(start, count, elem_size, 0);
        CHECK(there.thread == start.thread && there.phase == 0);
        CHECK(there.offset == start.offset + (uint64_t)count * elem_size);
        CHECK(pgas_ptr_diff(there, start, elem_size, 0) == count);
        CHECK(pgas_ptr_diff(start, there, elem_size, 0) == -count);
        CHECK(pgas_ptr_equal(pgas_ptr_add(there, -count, elem_size, 0), start));
    }
}

/* One byte after the other. */
static size_t affinity_by_counting(size_t total, size_t nbytes, size_t thread)
{
    size_t sum = 0;
    for (size_t byte = 0; byte < total; byte++)
        sum += (nbytes == 0 ? 0 : locate(byte, nbytes).thread) == thread;
    return sum;
}

static void check_affinity(uint64_t *random)
{
    for (int i = 0; i < 300; i++) {
        size_t total = random_below(random, 500);
        size_t nbytes = i % 10 == 0 ? 0 : random_size(random, 600);
        size_t sum = 0;
        for (int thread = 0; thread < pgas_threads(); thread++) {
            size_t size = pgas_affinitysize(total, nbytes, thread);
            CHECK(size == affinity_by_counting(total, nbytes, (size_t)thread));
            sum += size;
        }
        CHECK(sum == total);
    }
}

/* A plain address names the same byte as the pointer that it came from. */
static void check_local(void)
{
    pgas_array_t array;
    CHECK(pgas_array_create(1000, sizeof(int), 7, &array) == PGAS_OK);
    for (size_t i = 0; i < array.count; i++) {
        if (pgas_array_owner(&array, i) == pgas_mythread())
            *(int *)pgas_local(pgas_array_at(&array, i)) = (int)i * 3;
    }
    pgas_barrier();
    for (size_t i = 0; i < array.count; i++) {
        pgas_ptr_t at = pgas_array_at(&array, i);
        CHECK(PGAS_READ(int, at) == (int)i * 3);
        const int *plain = pgas_local(at);
        CHECK(plain == NULL || *plain == (int)i * 3);
        CHECK(plain != NULL || pgas_place_of(pgas_threadof(at)) == PGAS_REMOTE);
        pgas_ptr_t back = pgas_ptr_of(plain);
        CHECK(pgas_ptr_equal(back, plain != NULL ? at : pgas_ptr_null()));
        CHECK(pgas_phaseof(back) == 0);
    }
    pgas_array_free(&array);
}

/* Addresses that are in nobody's heap, around the segments too. */
static void check_no_pointer(void)
{
    static int here;
    const char *segments = pgasi_node_memory.segments;
    uint64_t stride = pgasi_node_memory.stride;
    CHECK(pgas_ptr_is_null(pgas_ptr_of(NULL)));
    CHECK(pgas_ptr_is_null(pgas_ptr_of(&here)));
    CHECK(pgas_ptr_is_null(pgas_ptr_of(segments - 1)));
    CHECK(pgas_ptr_is_null(pgas_ptr_of(segments + PGASI_HEAP_BEGIN - 1)));
    CHECK(pgas_addrfield(pgas_ptr_of(segments + PGASI_HEAP_BEGIN)) == PGASI_HEAP_BEGIN);
    const char *end = segments + pgasi_nodes.threads_count * stride;
    CHECK(pgas_addrfield(pgas_ptr_of(end - 1)) == stride - 1);
    CHECK(pgas_ptr_is_null(pgas_ptr_of(end)));
}

int main(void)
{
    CHECK(pgas_init() == PGAS_OK);
    uint64_t seed = random_seed_of_job();
    uint64_t own = random_seed_of_thread(seed);
    check_arrays(seed);
    check_large(&own);
    check_indefinite(&own);
    check_affinity(&own);
    check_local();
    check_no_pointer();
    pgas_finalize();
    return 0;
}
