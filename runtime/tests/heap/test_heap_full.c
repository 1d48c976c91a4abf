/**
 * A heap that is nearly full: its size is usable to the last byte, and every kind of allocation by
 * all threads at once is accounted for exactly.
 *
 * usage: runtime_heap_full HEAP_SIZE ROUNDS
 */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "check.h"
#include "job_random.h"
#include "piece.h"
#include "quiet.h"

enum {
    MOST_THREADS = 16,
    MOST_PIECES = 24,
    STEPS = 6,
    LATE_MICROSECONDS = 3000
};

/* One allocation takes all that the heap's size promises, and nothing else fits. `before` bytes are
 * in use. */
static void check_whole(kind_t kind, size_t before)
{
    piece_t whole = {.kind = kind, .nbytes = pgas_heap_size() - before, .fill = 0x5a};
    CHECK(allocate(kind, whole.nbytes, &whole.ptr) == PGAS_OK);
    CHECK(pgas_heap_used() == before + counted(whole.nbytes));
    CHECK(pgas_heap_used() == pgas_heap_size() + UNIT);
    visit_piece(&whole, stamp);
    pgas_ptr_t none;
    CHECK(!try_allocate(OWN, 1, &none));
    CHECK(!try_allocate(GLOBAL, 1, &none));
    if (kind == ALL)
        CHECK(!try_allocate(ALL, 1, &none));
    visit_piece(&whole, check_stamp);
    give_back(kind, whole.ptr);
}

/* An empty heap provides its full size, in one piece or after a small one. */
static void check_promise(void)
{
    pgas_ptr_t none;
    pgas_ptr_t small;
    CHECK(!try_allocate(ALL, pgas_heap_size() + 1, &none));
    for (kind_t kind = OWN; kind < KINDS; kind++)
        for (uint32_t thread = 0; thread < threads; thread++) {
            if (kind == ALL || thread == me) {
                CHECK(!try_allocate(kind, pgas_heap_size() + 1, &none));
                check_whole(kind, 0);
                CHECK(allocate(kind, 1, &small) == PGAS_OK);
                check_whole(kind, counted(1));
                give_back(kind, small);
            }
            check_nothing_used();
        }
}

/* Where nothing is freed, only the accounting limits an allocation. */
static void check_filling(uint64_t *random)
{
    enum {
        MOST = 4000
    };
    static pgas_ptr_t ptrs[MOST];
    size_t count = 0;
    size_t refusals = 0;
    while (count < MOST && refusals < 10) {
        size_t used = pgas_heap_used();
        size_t nbytes = 1 + random_size(random, pgas_heap_size() / 4);
        bool fits = used + counted(nbytes) <= pgas_heap_size() + UNIT;
        CHECK(try_allocate(OWN, nbytes, &ptrs[count]) == fits);
        count += fits;
        refusals += !fits;
    }
    while (count > 0)
        pgas_free(ptrs[--count]);
    check_nothing_used();
}

/* A thread allocates alone while the others are already in pgas_all_alloc: in each heap it takes
 * memory that they have seen as free, besides what the heap's own thread holds there. */
static void check_late_allocation(void)
{
    size_t half = pgas_heap_size() / 2;
    for (size_t late = 0; late < threads; late++) {
        pgas_ptr_t own = pgas_ptr_null();
        pgas_ptr_t global = pgas_ptr_null();
        pgas_ptr_t all;
        if (me != late)
            CHECK(pgas_alloc(half, &own) == PGAS_OK);
        pgas_barrier();
        if (me == late) {
            usleep(LATE_MICROSECONDS);
            CHECK(pgas_global_alloc(threads, half / 2, &global) == PGAS_OK);
        }
        bool fits = threads == 1;
        CHECK(try_allocate(ALL, half / 2 + UNIT, &all) == fits);
        size_t held = (me != late ? counted(half) : 0) + counted(half / 2);
        CHECK(pgas_heap_used() == held + (fits ? counted(half / 2 + UNIT) : 0));
        pgas_barrier();
        if (fits)
            pgas_all_free(all);
        pgas_free(own);
        pgas_free(global);
        check_nothing_used();
    }
}

/* What a thread frees before it enters pgas_all_alloc is available to that call. */
static void check_late_free(void)
{
    for (size_t late = 0; late < threads; late++)
        for (kind_t kind = OWN; kind < ALL; kind++) {
            pgas_ptr_t mine;
            pgas_ptr_t all;
            pgas_barrier();
            if (me == late) {
                usleep(LATE_MICROSECONDS);
                CHECK(allocate(kind, pgas_heap_size() / 2, &mine) == PGAS_OK);
                pgas_free(mine);
            }
            CHECK(pgas_all_alloc(threads, pgas_heap_size() / 4 * 3, &all) == PGAS_OK);
            pgas_all_free(all);
            check_nothing_used();
        }
}

/* Retries the allocation until others have freed enough. */
static pgas_ptr_t insist(kind_t kind, size_t nbytes)
{
    pgas_ptr_t ptr;
    int kept = quiet_begin();
    while (allocate(kind, nbytes, &ptr) != PGAS_OK)
        pgas_fence();
    quiet_end(kept);
    return ptr;
}

/* The thread that frees what another has allocated. */
static size_t neighbour_of(size_t thread)
{
    return thread + 1 < threads ? thread + 1 : 0;
}

/* Memory is given to others only after its pages have gone back to the system: otherwise their
 * return would discard the new contents. */
static void check_reuse(void)
{
    enum {
        TURNS = 6
    };
    pgas_array_t hands;
    CHECK(pgas_array_create(threads, sizeof(piece_t), 1, &hands) == PGAS_OK);
    for (int turn = 0; turn < TURNS; turn++) {
        kind_t kind = turn % 2 == 0 ? OWN : GLOBAL;
        bool is_maker = kind == OWN || me == 0;
        piece_t piece = {.kind = kind, .nbytes = pgas_heap_size() / 4 * 3, .fill = turn};
        if (is_maker) {
            piece.ptr = insist(kind, piece.nbytes);
            for (uint32_t thread = 0; thread < threads; thread++)
                if (kind == GLOBAL || thread == me)
                    pgas_memset((pgas_ptr_t){thread, 0, piece.ptr.offset}, turn, piece.nbytes);
            PGAS_PUT(piece_t, &hands, neighbour_of(me), piece);
        }
        pgas_barrier();
        if (kind == OWN || me == neighbour_of(0))
            pgas_free(PGAS_GET(piece_t, &hands, me).ptr);
        if (is_maker) {
            piece.ptr = insist(kind, piece.nbytes);
            visit_piece(&piece, stamp);
        }
        pgas_barrier();
        if (is_maker) {
            visit_piece(&piece, check_stamp);
            pgas_free(piece.ptr);
        }
        pgas_barrier();
    }
    pgas_array_free(&hands);
    check_nothing_used();
}

/* Allocates shared blocks of one size until there are no more; then keeps one in every few of
 * them. */
static size_t fill_thinly(pgas_ptr_t *ptrs, size_t nbytes, size_t distance)
{
    size_t count = 0;
    size_t kept = 0;
    while (try_allocate(GLOBAL, nbytes, &ptrs[count]))
        count++;
    for (size_t i = 0; i < count; i++)
        if (i % distance == 0)
            ptrs[kept++] = ptrs[i];
        else
            pgas_free(ptrs[i]);
    return kept;
}

/* The accounting grants an allocation that does not fit between other blocks: it fails too, and is
 * undone. */
static void check_fragmented(void)
{
    enum {
        PIECES = 512,
        DISTANCE = 8,
        REPEATS = 100
    };
    static pgas_ptr_t ptrs[2 * PIECES];
    size_t size = pgas_heap_size();
    size_t kept = 0;
    if (size < (size_t)4 << 20)
        return; /* blocks too small to be aligned separately */
    if (me == 0) {
        kept = fill_thinly(ptrs, size / PIECES, DISTANCE);
        kept += fill_thinly(ptrs + kept, size / PIECES * DISTANCE, 2);
    }
    pgas_barrier();
    size_t used = pgas_heap_used();
    pgas_ptr_t none;
    for (int i = 0; i < REPEATS; i++) {
        CHECK(!try_allocate(ALL, size - used, &none));
        CHECK(pgas_heap_used() == used);
    }
    pgas_barrier();
    CHECK(me != 0 || !try_allocate(GLOBAL, size - used, &none));
    pgas_barrier();
    CHECK(pgas_heap_used() == used);
    pgas_barrier();
    while (kept > 0)
        pgas_free(ptrs[--kept]);
    check_nothing_used();
}

/* What a thread holds, and what all threads hold together. */
typedef struct holdings {
    piece_t pieces[MOST_PIECES];
    size_t count;
    piece_t shared[MOST_PIECES];
    size_t shared_count;
    int fills;
} holdings_t;

/* A size; often most of what seems to be free. */
static size_t draw_size(uint64_t *random)
{
    size_t size = pgas_heap_size();
    size_t used = pgas_heap_used();
    size_t free = used < size ? size - used : 0;
    size_t nbytes = random_below(random, 3) == 0 ? random_size(random, size / 2)
                                                 : random_below(random, free + 1);
    return nbytes + 1;
}

static void add_piece(piece_t *pieces, size_t *count, const piece_t *piece)
{
    visit_piece(piece, stamp);
    pieces[(*count)++] = *piece;
}

static piece_t remove_piece(piece_t *pieces, size_t *count, size_t at)
{
    piece_t piece = pieces[at];
    visit_piece(&piece, check_stamp);
    pieces[at] = pieces[--*count];
    return piece;
}

static void act_alone(holdings_t *held, uint64_t *random)
{
    if (held->count == MOST_PIECES || (held->count > 0 && random_below(random, 2) == 0)) {
        pgas_free(remove_piece(held->pieces, &held->count, random_below(random, held->count)).ptr);
        return;
    }
    piece_t piece = {.kind = random_below(random, 2) == 0 ? OWN : GLOBAL,
                     .nbytes = draw_size(random),
                     .fill = 1 + (held->fills++ & 0x7f)};
    if (try_allocate(piece.kind, piece.nbytes, &piece.ptr))
        add_piece(held->pieces, &held->count, &piece);
}

/* All threads do the same at their own pace; one of them frees. */
static void act_together(holdings_t *held, uint64_t *common)
{
    size_t choice = random_below(common, 3);
    size_t freeing = random_below(common, threads);
    uint64_t number = random_next(common);
    if (held->shared_count > 0 && (choice == 0 || held->shared_count == MOST_PIECES)) {
        piece_t piece =
            remove_piece(held->shared, &held->shared_count, number % held->shared_count);
        pgas_barrier();
        if (me == freeing)
            pgas_free(piece.ptr);
    } else {
        piece_t piece = {.kind = ALL,
                         .nbytes = 1 + random_size(&number, pgas_heap_size() / 2),
                         .fill = (int)(number % 255 + 1)};
        if (try_allocate(ALL, piece.nbytes, &piece.ptr))
            add_piece(held->shared, &held->shared_count, &piece);
    }
}

/* Tells each thread what this one holds in that thread's heap, and all threads where the shared
 * pieces are.
 */
static void publish(const holdings_t *held, const pgas_array_t *table)
{
    uint64_t row[MOST_THREADS + 1] = {0};
    for (size_t i = 0; i < held->count; i++) {
        const piece_t *piece = &held->pieces[i];
        for (uint32_t thread = 0; thread < threads; thread++)
            if (piece->kind == GLOBAL || piece->ptr.thread == thread)
                row[thread] += counted(piece->nbytes);
    }
    for (size_t i = 0; i < held->shared_count; i++)
        row[threads] = row[threads] * 31 + held->shared[i].ptr.offset;
    pgas_memput(pgas_array_at(table, me * (threads + 1)), row, (threads + 1) * sizeof *row);
}

static void check_account(const holdings_t *held, const pgas_array_t *table, size_t before)
{
    publish(held, table);
    pgas_barrier();
    size_t expected = before;
    uint64_t places = PGAS_GET(uint64_t, table, threads);
    for (size_t thread = 0; thread < threads; thread++) {
        expected += PGAS_GET(uint64_t, table, thread * (threads + 1) + me);
        CHECK(PGAS_GET(uint64_t, table, thread * (threads + 1) + threads) == places);
    }
    for (size_t i = 0; i < held->shared_count; i++)
        expected += counted(held->shared[i].nbytes);
    if (pgas_heap_used() != expected)
        pgas_fail(1, "thread %zu: %zu bytes in use, but %zu are held", me, pgas_heap_used(),
                  expected);
    pgas_barrier();
}

/* Each thread hands a piece to another, which frees it. */
static void hand_on(holdings_t *held, const pgas_array_t *hands)
{
    piece_t piece = {.nbytes = 0};
    if (held->count > 0)
        piece = remove_piece(held->pieces, &held->count, 0);
    PGAS_PUT(piece_t, hands, neighbour_of(me), piece);
    pgas_barrier();
    piece = PGAS_GET(piece_t, hands, me);
    if (piece.nbytes > 0)
        held->pieces[held->count++] = piece;
    pgas_barrier();
}

static void check_all_at_once(uint64_t common, int rounds)
{
    static holdings_t held;
    uint64_t own = random_seed_of_thread(common);
    pgas_array_t table;
    pgas_array_t hands;
    CHECK(pgas_array_create(threads * (threads + 1), sizeof(uint64_t), threads + 1, &table) ==
          PGAS_OK);
    CHECK(pgas_array_create(threads, sizeof(piece_t), 1, &hands) == PGAS_OK);
    size_t before = pgas_heap_used();
    pgas_barrier();
    for (int round = 0; round < rounds; round++) {
        for (int step = 0; step < STEPS; step++) {
            for (size_t left = random_below(&own, 4); left > 0; left--)
                act_alone(&held, &own);
            act_together(&held, &common);
        }
        check_account(&held, &table, before);
        hand_on(&held, &hands);
    }
    while (held.count > 0)
        pgas_free(remove_piece(held.pieces, &held.count, 0).ptr);
    while (held.shared_count > 0)
        pgas_all_free(remove_piece(held.shared, &held.shared_count, 0).ptr);
    pgas_array_free(&table);
    pgas_array_free(&hands);
    check_nothing_used();
}

int main(int argc, char **argv)
{
    CHECK(argc == 3);
    setenv("PGAS_HEAP_SIZE", argv[1], 1);
    CHECK(pgas_init() == PGAS_OK);
    threads = (size_t)pgas_threads();
    me = (size_t)pgas_mythread();
    CHECK(threads <= MOST_THREADS);
    uint64_t seed = random_seed_of_job();
    check_nothing_used();
    uint64_t own = random_seed_of_thread(seed);
    check_late_allocation();
    check_late_free();
    check_promise();
    check_filling(&own);
    check_fragmented();
    check_reuse();
    check_all_at_once(seed, atoi(argv[2]));
    check_promise();
    pgas_finalize();
    return 0;
}
