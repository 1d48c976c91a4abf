/**
 * The shared heap: layouts, contents, accounting, exhaustion, and all threads at once.
 */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "check.h"
#include "job_random.h"
#include "quiet.h"

enum {
    HEAP_SIZE = 1 << 20,
    UNIT = 64
};

static bool all_zero(const char *bytes, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (bytes[i] != 0)
            return false;
    return true;
}

/* Collective. Runs between two barriers, so that no thread still frees or already allocates. */
static void check_nothing_used(void)
{
    pgas_barrier();
    CHECK(pgas_heap_used() == 0);
    pgas_barrier();
}

/* Runs first, on memory never used. */
static void check_fresh(void)
{
    pgas_ptr_t own;
    pgas_ptr_t shared;
    CHECK(pgas_alloc(100000, &own) == PGAS_OK);
    CHECK(all_zero(pgas_local(own), 100000));
    CHECK(pgas_all_alloc((size_t)pgas_threads(), 100000, &shared) == PGAS_OK);
    pgas_ptr_t mine = pgas_ptr_add(shared, pgas_mythread(), 100000, 1);
    CHECK(all_zero(pgas_local(mine), 100000));
    pgas_all_free(shared);
    pgas_free(own);
    check_nothing_used();
}

/* Segments are mapped on their own node, and nowhere else. */
static void check_mapped(pgas_ptr_t shared)
{
    for (int thread = 0; thread < pgas_threads(); thread++) {
        pgas_ptr_t there = pgas_ptr_add(shared, thread, 64, 1);
        CHECK(pgas_threadof(there) == thread);
        CHECK((pgas_local(there) != NULL) == (pgas_place_of(thread) != PGAS_REMOTE));
    }
}

static void check_all_alloc(void)
{
    size_t threads = (size_t)pgas_threads();
    for (size_t nblocks = 1; nblocks < 3 * threads + 2; nblocks++) {
        pgas_ptr_t ptr;
        CHECK(pgas_all_alloc(nblocks, 24, &ptr) == PGAS_OK);
        CHECK(ptr.thread == 0 && ptr.phase == 0 && ptr.offset % UNIT == 0);
        CHECK(pgas_heap_used() > 0);
        for (size_t b = (size_t)pgas_mythread(); b < nblocks; b += threads)
            pgas_memset(pgas_ptr_add(ptr, (ptrdiff_t)b, 24, 1), (int)b, 24);
        pgas_barrier();
        for (size_t b = 0; b < nblocks; b++) {
            char block[24];
            pgas_memget(block, pgas_ptr_add(ptr, (ptrdiff_t)b, 24, 1), sizeof block);
            for (size_t i = 0; i < sizeof block; i++)
                CHECK(block[i] == (char)b);
        }
        pgas_all_free(ptr);
        check_nothing_used();
    }
}

/* Thread k allocates, thread k + 1 writes, thread k + 2 frees. */
static void check_free_by_another(void)
{
    int threads = pgas_threads();
    pgas_array_t places;
    CHECK(pgas_array_create((size_t)threads, sizeof(pgas_ptr_t), 1, &places) == PGAS_OK);
    for (int global = 0; global < 2; global++) {
        pgas_ptr_t ptr;
        if (global == 1)
            CHECK(pgas_global_alloc((size_t)threads * 2, 512, &ptr) == PGAS_OK);
        else
            CHECK(pgas_alloc(1024, &ptr) == PGAS_OK);
        CHECK(ptr.offset % UNIT == 0 && ptr.phase == 0);
        CHECK(pgas_threadof(ptr) == (global == 1 ? 0 : pgas_mythread()));
        PGAS_PUT(pgas_ptr_t, &places, (size_t)pgas_mythread(), ptr);
        pgas_barrier();
        size_t next = (size_t)((pgas_mythread() + 1) % threads);
        pgas_memset(PGAS_GET(pgas_ptr_t, &places, next), 7, 1024);
        pgas_barrier();
        size_t third = (size_t)((pgas_mythread() + 2) % threads);
        pgas_free(PGAS_GET(pgas_ptr_t, &places, third));
        pgas_barrier();
    }
    pgas_array_free(&places);
    check_nothing_used();
}

/* The barrier is there, too, if nothing is allocated. */
static void check_barrier_of_nothing(void)
{
    pgas_ptr_t none;
    pgas_array_t said;
    CHECK(pgas_array_create((size_t)pgas_threads(), sizeof(int), 1, &said) == PGAS_OK);
    if (pgas_mythread() + 1 == pgas_threads())
        usleep(20000);
    PGAS_PUT(int, &said, (size_t)pgas_mythread(), 1);
    CHECK(pgas_all_alloc(0, 8, &none) == PGAS_OK);
    for (size_t t = 0; t < (size_t)pgas_threads(); t++)
        CHECK(PGAS_GET(int, &said, t) == 1);
    pgas_array_free(&said);
}

static void check_nothing(void)
{
    check_barrier_of_nothing();
    pgas_ptr_t ptr = {1, 2, 3};
    CHECK(pgas_alloc(0, &ptr) == PGAS_OK && pgas_ptr_is_null(ptr));
    CHECK(pgas_global_alloc(0, 8, &ptr) == PGAS_OK && pgas_ptr_is_null(ptr));
    CHECK(pgas_global_alloc(8, 0, &ptr) == PGAS_OK && pgas_ptr_is_null(ptr));
    CHECK(pgas_all_alloc(0, 8, &ptr) == PGAS_OK && pgas_ptr_is_null(ptr));
    CHECK(pgas_all_alloc(8, 0, &ptr) == PGAS_OK && pgas_ptr_is_null(ptr));
    pgas_free(ptr);
    pgas_all_free(ptr);
}

static bool refused(pgas_status_t status, pgas_status_t expected, pgas_ptr_t ptr)
{
    return status == expected && ptr.thread == 11 && ptr.phase == 12 && ptr.offset == 13;
}

static void check_refusals(void)
{
    size_t threads = (size_t)pgas_threads();
    int once = pgas_mythread() == 0 ? 1 : 0; /* collective calls: one line for all threads */
    pgas_ptr_t ptr = {11, 12, 13};
    CHECK_LINES(1, refused(pgas_alloc(HEAP_SIZE + 1, &ptr), PGAS_ERR_NO_MEMORY, ptr));
    CHECK_LINES(1, refused(pgas_alloc(SIZE_MAX, &ptr), PGAS_ERR_NO_MEMORY, ptr));
    CHECK_LINES(1, refused(pgas_alloc(SIZE_MAX - 100, &ptr), PGAS_ERR_NO_MEMORY, ptr));
    CHECK_LINES(1,
                refused(pgas_global_alloc(threads, HEAP_SIZE + 1, &ptr), PGAS_ERR_NO_MEMORY, ptr));
    CHECK_LINES(1, refused(pgas_global_alloc(SIZE_MAX / 2, 3, &ptr), PGAS_ERR_ARGUMENT, ptr));
    CHECK_LINES(once,
                refused(pgas_all_alloc(threads, HEAP_SIZE + 1, &ptr), PGAS_ERR_NO_MEMORY, ptr));
    CHECK_LINES(once, refused(pgas_all_alloc(SIZE_MAX / 2, 3, &ptr), PGAS_ERR_ARGUMENT, ptr));
    CHECK(pgas_heap_used() == 0);
    pgas_barrier();
}

/* Allocates until nothing is left, and again after everything is freed. */
static void check_exhaustion(void)
{
    enum {
        SIZE = 10000,
        MOST = HEAP_SIZE / SIZE
    };
    pgas_ptr_t ptrs[MOST + 1];
    size_t counts[2];
    for (int round = 0; round < 2; round++) {
        size_t count = 0;
        int kept = quiet_begin();
        while (count <= MOST && pgas_alloc(SIZE, &ptrs[count]) == PGAS_OK)
            count++;
        CHECK(quiet_end(kept) == 1);
        CHECK(count > MOST / 2 && count <= MOST);
        CHECK(pgas_heap_used() <= pgas_heap_size());
        counts[round] = count;
        while (count > 0)
            pgas_free(ptrs[--count]);
        CHECK(pgas_heap_used() == 0);
    }
    CHECK(counts[0] == counts[1]);
    pgas_barrier();
    /* What one heap holds is not available to the other. */
    pgas_ptr_t own = pgas_ptr_null();
    pgas_ptr_t shared = {11, 12, 13};
    if (pgas_mythread() == pgas_threads() - 1)
        CHECK(pgas_alloc(HEAP_SIZE / 2, &own) == PGAS_OK);
    pgas_barrier();
    CHECK_LINES(pgas_mythread() == 0,
                refused(pgas_all_alloc((size_t)pgas_threads(), HEAP_SIZE * 3 / 4, &shared),
                        PGAS_ERR_NO_MEMORY, shared));
    pgas_free(own);
    pgas_barrier();
    CHECK(pgas_all_alloc((size_t)pgas_threads(), HEAP_SIZE * 3 / 4, &shared) == PGAS_OK);
    pgas_all_free(shared);
    check_nothing_used();
}

/* All threads at once ask for more than there is: a failed allocation must not stay counted. */
static void check_competition(void)
{
    int kept = quiet_begin();
    int refusals = 0;
    for (int turn = 0; turn < 50; turn++) {
        pgas_ptr_t ptr = {11, 12, 13};
        pgas_status_t status = pgas_global_alloc((size_t)pgas_threads(), HEAP_SIZE * 2 / 5, &ptr);
        if (status == PGAS_OK)
            pgas_free(ptr);
        else
            refusals += refused(status, PGAS_ERR_NO_MEMORY, ptr);
    }
    CHECK(quiet_end(kept) == refusals);
    check_nothing_used();
    pgas_ptr_t whole;
    CHECK(pgas_all_alloc((size_t)pgas_threads(), HEAP_SIZE, &whole) == PGAS_OK);
    CHECK(pgas_heap_used() == pgas_heap_size() + UNIT);
    check_mapped(whole);
    pgas_all_free(whole);
    check_nothing_used();
}

typedef struct piece {
    pgas_ptr_t ptr;
    size_t nbytes;
    int fill;
} piece_t;

static void release(piece_t *piece)
{
    static char bytes[4096];
    pgas_memget(bytes, piece->ptr, piece->nbytes);
    for (size_t i = 0; i < piece->nbytes; i++)
        CHECK(bytes[i] == (char)piece->fill);
    pgas_free(piece->ptr);
}

/* No two allocations of any threads overlap, or a byte would change. */
static void check_all_at_once(uint64_t random)
{
    enum {
        MOST = 60,
        STEPS = 3000
    };
    piece_t pieces[MOST];
    size_t count = 0;
    for (int step = 0; step < STEPS; step++) {
        if (count == MOST || (count > 0 && random_below(&random, 2) == 0)) {
            size_t victim = random_below(&random, count);
            release(&pieces[victim]);
            pieces[victim] = pieces[--count];
            continue;
        }
        piece_t piece = {.nbytes = 1 + random_below(&random, 4096), .fill = pgas_mythread() + step};
        if (random_below(&random, 3) == 0)
            CHECK(pgas_global_alloc(1, piece.nbytes, &piece.ptr) == PGAS_OK);
        else
            CHECK(pgas_alloc(piece.nbytes, &piece.ptr) == PGAS_OK);
        CHECK(piece.ptr.offset % UNIT == 0);
        pgas_memset(piece.ptr, piece.fill, piece.nbytes);
        pieces[count++] = piece;
    }
    while (count > 0)
        release(&pieces[--count]);
    check_nothing_used();
}

/* Memory goes from thread to thread by signals alone, and what comes next lies in the same place
 * and is larger: the debug build knows the smaller one. */
static void check_handed_over(void)
{
    typedef struct box {
        pgas_ptr_t what;
        pgas_signal_t signal;
    } box_t;
    enum {
        TIMES = 4
    };
    int me = pgas_mythread();
    int reader = pgas_threads() - 1;
    pgas_ptr_t boxes;
    char bytes[UNIT << TIMES];
    CHECK(pgas_all_alloc((size_t)pgas_threads(), sizeof(box_t), &boxes) == PGAS_OK);
    pgas_ptr_t to = pgas_ptr_add(boxes, me == 0 ? reader : 0, sizeof(box_t), 1);
    pgas_ptr_t signal = pgas_ptr_shift(to, offsetof(box_t, signal));
    box_t *mine = pgas_local(pgas_ptr_add(boxes, me, sizeof(box_t), 1));
    mine->signal.value = 0;
    pgas_barrier();
    for (int i = 0; i < TIMES && reader > 0; i++) {
        size_t nbytes = (size_t)UNIT << i;
        if (me == 0) {
            pgas_ptr_t piece;
            CHECK(pgas_alloc(nbytes, &piece) == PGAS_OK);
            pgas_put_signal(to, &piece, sizeof piece, signal, PGAS_SIGNAL_ADD, 1);
            pgas_signal_wait(&mine->signal, PGAS_GT, (uint64_t)i);
            pgas_free(piece);
        } else if (me == reader) {
            pgas_signal_wait(&mine->signal, PGAS_GT, (uint64_t)i);
            pgas_memget(bytes, mine->what, nbytes);
            pgas_put_signal(to, NULL, 0, signal, PGAS_SIGNAL_ADD, 1);
        }
    }
    pgas_all_free(boxes);
    check_nothing_used();
}

int main(void)
{
    setenv("PGAS_HEAP_SIZE", "1M", 1);
    CHECK(pgas_init() == PGAS_OK);
    CHECK(pgas_heap_size() == HEAP_SIZE);
    check_nothing_used();
    check_fresh();
    uint64_t seed = random_seed_of_job();
    check_nothing_used();
    check_all_alloc();
    check_free_by_another();
    check_nothing();
    check_refusals();
    check_exhaustion();
    check_competition();
    check_all_at_once(random_seed_of_thread(seed));
    check_handed_over();
    pgas_finalize();
    return 0;
}
