/**
 * UPC's names: the examples of "Proposal for Extending the UPC Memory Copy Library Functions" as a
 * ported program has them, and every name at least once.
 *
 * With the argument `exit`, only upc_global_exit(3) by the last thread.
 */
#include "upc_examples.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* Copies in each form. Data goes from private memory to the next thread, from there to the previous
 * one and back to private memory, where it must arrive in order. */

enum {
    ROOM = 1024,
    DATA = 240
};

enum form {
    BLOCKING,
    ASYNC,
    ASYNCI,
    FORMS
};

typedef struct rooms {
    pgas_ptr_t next;
    pgas_ptr_t previous;
} rooms_t;

static pgas_ptr_t forward(pgas_ptr_t ptr, size_t nbytes)
{
    return pgas_ptr_add(ptr, (ptrdiff_t)nbytes, 1, 0);
}

/** Does one copy in form `form` and waits for it. */
#define IN_FORM(form, copy, ...) \
    do { \
        if ((form) == ASYNC) \
            upc_waitsync(copy##_async(__VA_ARGS__)); \
        else if ((form) == ASYNCI) \
            copy##_asynci(__VA_ARGS__); \
        else \
            copy(__VA_ARGS__); \
        upc_waitsynci(); \
    } while (0)

static void contiguous(rooms_t rooms, int form, const char *in, char *out)
{
    IN_FORM(form, upc_memset, rooms.next, 7, DATA + 1);
    IN_FORM(form, upc_memget, out, rooms.next, DATA + 1);
    CHECK(out[0] == 7 && out[DATA] == 7);
    IN_FORM(form, upc_memput, rooms.next, in, DATA);
    IN_FORM(form, upc_memcpy, rooms.previous, rooms.next, DATA + 1);
    IN_FORM(form, upc_memget, out, rooms.previous, DATA + 1);
    CHECK(out[DATA] == 7);
}

static void vlist(rooms_t rooms, int form, const char *in, char *out)
{
    char source[DATA];
    memcpy(source, in, DATA);
    upc_pmemvec_t from[] = {{source, 100}, {NULL, 0}, {source + 100, 140}};
    upc_smemvec_t there[] = {{forward(rooms.next, 500), 17}, {forward(rooms.next, 3), 223}};
    upc_smemvec_t back[] = {{forward(rooms.previous, 9), DATA}};
    upc_pmemvec_t to[] = {{out, 239}, {out + 239, 1}};
    IN_FORM(form, upc_memput_vlist, 2, there, 3, from);
    IN_FORM(form, upc_memcpy_vlist, 1, back, 2, there);
    IN_FORM(form, upc_memget_vlist, 2, to, 1, back);
}

static void ilist(rooms_t rooms, int form, const char *in, char *out)
{
    const void *from[] = {in, in + 120};
    pgas_ptr_t there[] = {forward(rooms.next, 400), rooms.next, forward(rooms.next, 80)};
    pgas_ptr_t back[] = {rooms.previous};
    void *to[] = {out, out + 60, out + 120, out + 180};
    IN_FORM(form, upc_memput_ilist, 3, there, 80, 2, from, 120);
    IN_FORM(form, upc_memcpy_ilist, 1, back, DATA, 3, there, 80);
    IN_FORM(form, upc_memget_ilist, 4, to, 60, 1, back, DATA);
}

static void fstrided(rooms_t rooms, int form, const char *in, char *out)
{
    IN_FORM(form, upc_memput_fstrided, rooms.next, 10, 40, 24, in, DATA, DATA, 1);
    IN_FORM(form, upc_memcpy_fstrided, rooms.previous, 20, 21, 12, rooms.next, 10, 40, 24);
    IN_FORM(form, upc_memget_fstrided, out, DATA, DATA, 1, rooms.previous, 20, 21, 12);
}

static void strided(rooms_t rooms, int form, const char *in, char *out)
{
    size_t count[] = {10, 6, 4};
    size_t dense[] = {10, 60};
    size_t loose[] = {13, 100};
    size_t looser[] = {20, 200};
    IN_FORM(form, upc_memput_strided, rooms.next, loose, in, dense, count, 2);
    IN_FORM(form, upc_memcpy_strided, rooms.previous, looser, rooms.next, loose, count, 2);
    IN_FORM(form, upc_memget_strided, out, dense, rooms.previous, looser, count, 2);
}

static void test_copies(void)
{
    static void (*const copies[])(rooms_t, int, const char *, char *) = {contiguous, vlist, ilist,
                                                                         fstrided, strided};
    size_t next = (my_thread() + 1) % thread_count();
    size_t previous = (my_thread() + thread_count() - 1) % thread_count();
    pgas_ptr_t first = upc_all_alloc(thread_count(), ROOM);
    pgas_ptr_t second = upc_all_alloc(thread_count(), ROOM);
    rooms_t rooms = {
        upc_resetphase(pgas_ptr_add(first, (ptrdiff_t)(next * ROOM), 1, ROOM)),
        upc_resetphase(pgas_ptr_add(second, (ptrdiff_t)(previous * ROOM), 1, ROOM)),
    };
    CHECK(upc_threadof(rooms.next) == next && upc_threadof(rooms.previous) == previous);
    char in[DATA];
    for (size_t i = 0; i < sizeof in / sizeof in[0]; i++)
        in[i] = (char)(i * 37 + 11 + my_thread());
    for (size_t i = 0; i < sizeof copies / sizeof copies[0]; i++)
        for (int form = 0; form < FORMS; form++) {
            char out[ROOM] = {0};
            upc_memset(rooms.next, 0, ROOM);
            upc_memset(rooms.previous, 0, ROOM);
            copies[i](rooms, form, in, out);
            CHECK(memcmp(in, out, DATA) == 0);
        }
    upc_barrier;
    upc_all_free(first);
    upc_all_free(second);
}

static void test_handles(void)
{
    enum {
        COUNT = 50
    };
    pgas_ptr_t room = upc_all_alloc(thread_count(), COUNT * sizeof(int));
    size_t next = (my_thread() + 1) % thread_count();
    pgas_ptr_t there = pgas_ptr_add(room, (ptrdiff_t)(next * COUNT), sizeof(int), COUNT);
    int values[COUNT];
    upc_handle_t handles[COUNT + 1];

    CHECK(UPC_MAX_ASYNC_INFLIGHT >= 65535 && UPC_MAX_BLOCK_SIZE >= 65535);
    CHECK(upc_trysync(UPC_COMPLETE_HANDLE) && upc_trysynci());
    CHECK(upc_trysync_all(NULL, 0) && upc_trysync_some(NULL, 0));
    for (int round = 0; round < 5; round++) {
        for (int i = 0; i < COUNT; i++) {
            values[i] = 1000 * round + 10 * i + MYTHREAD;
            handles[i] = upc_memput_async(pgas_ptr_add(there, i, sizeof(int), COUNT), &values[i],
                                          sizeof(int));
        }
        handles[COUNT] = UPC_COMPLETE_HANDLE;
        if (round == 0)
            upc_waitsync_all(handles, COUNT + 1);
        else if (round == 1)
            while (!upc_trysync_all(handles, COUNT + 1))
                ;
        else if (round == 4)
            for (int i = COUNT; i >= 0; i--) {
                while (!upc_trysync(handles[i]))
                    ;
                handles[i] = UPC_COMPLETE_HANDLE;
            }
        for (int open = COUNT; open > 0;) {
            if (round == 2)
                upc_waitsync_some(handles, COUNT + 1);
            else
                while (!upc_trysync_some(handles, COUNT + 1))
                    ;
            int now = 0;
            for (int i = 0; i <= COUNT; i++)
                now += !pgas_handle_is_complete(handles[i]);
            CHECK(now == 0 || now < open);
            open = now;
        }
        int got[COUNT];
        upc_memget_asynci(got, there, sizeof got);
        while (!upc_trysynci())
            ;
        CHECK(memcmp(got, values, sizeof got) == 0);
    }
    upc_barrier;
    upc_all_free(room);
}

/* UPC 1.3's names of copies in flight, each once: got[i] is what lies at place i of the next
 * thread. */
static void test_nb(void)
{
    enum {
        PLACES = 6
    };
    int got[PLACES] = {0};
    const int put[2] = {100 + MYTHREAD, 200 + MYTHREAD};
    pgas_ptr_t room = upc_all_alloc(thread_count(), PLACES * sizeof(int));
    size_t next = (my_thread() + 1) % thread_count();
    pgas_ptr_t at[PLACES];
    for (int i = 0; i < PLACES; i++)
        at[i] = pgas_ptr_add(room, (ptrdiff_t)(next * PLACES) + i, sizeof(int), PLACES);

    upc_sync(upc_memput_nb(at[0], &put[0], sizeof(int)));
    upc_memput_nbi(at[1], &put[1], sizeof(int));
    upc_synci();
    upc_handle_t handle = upc_memcpy_nb(at[2], at[0], sizeof(int));
    upc_memcpy_nbi(at[3], at[1], sizeof(int));
    while (!upc_sync_attempt(handle))
        ;
    while (!upc_synci_attempt())
        ;
    handle = upc_memset_nb(at[4], 1, sizeof(int));
    upc_memset_nbi(at[5], 2, sizeof(int));
    upc_sync(handle);
    upc_synci();
    handle = upc_memget_nb(&got[0], at[0], 4 * sizeof(int));
    upc_memget_nbi(&got[4], at[4], 2 * sizeof(int));
    upc_sync(handle);
    upc_synci();
    for (int i = 0; i < 4; i++)
        CHECK(got[i] == put[i % 2]);
    CHECK(got[4] == 0x01010101 && got[5] == 0x02020202);
    upc_all_free(room);
}

static void test_ticks(void)
{
    upc_tick_t begin = upc_ticks_now();
    upc_tick_t end = upc_ticks_now();
    CHECK(UPC_TICK_MIN < begin && begin <= end && end < UPC_TICK_MAX);
    CHECK(upc_ticks_to_ns(end - begin) < UINT64_C(1000000000000));
}

static void test_castable(void)
{
    pgas_ptr_t all = upc_all_alloc(thread_count(), 8);
    CHECK(UPC_CASTABLE_ALL == (UPC_CASTABLE_ALL_ALLOC | UPC_CASTABLE_GLOBAL_ALLOC |
                               UPC_CASTABLE_ALLOC | UPC_CASTABLE_STATIC));
    for (size_t thread = 0; thread < thread_count(); thread++) {
        upc_thread_info_t info = upc_thread_info(thread);
        bool is_castable = upc_cast(pgas_ptr_on(all, (int)thread)) != NULL;
        CHECK(info.guaranteedCastable == (is_castable ? UPC_CASTABLE_ALL : 0));
        CHECK(info.probablyCastable == info.guaranteedCastable);
    }
    CHECK(upc_thread_info(my_thread()).guaranteedCastable == UPC_CASTABLE_ALL);
    CHECK(upc_thread_info(thread_count()).probablyCastable == 0);
    CHECK(upc_thread_info(SIZE_MAX).guaranteedCastable == 0);
    upc_all_free(all);
}

static void test_memory(void)
{
    pgas_ptr_t own = upc_alloc(64);
    CHECK(upc_threadof(own) == my_thread() && upc_phaseof(own) == 0);
    char *plain = upc_cast(own);
    CHECK(plain != NULL && upc_cast(pgas_ptr_null()) == NULL);
    /* UPC's `if (p)`, and of a null pointer. */
    CHECK(!pgas_ptr_is_null(own) && pgas_ptr_is_null(pgas_ptr_null()));
    plain[63] = 'x';
    CHECK(PGAS_READ(char, forward(own, 63)) == 'x');
    CHECK(upc_addrfield(forward(own, 63)) - upc_addrfield(own) == 63);
    upc_free(own);
    test_castable();

    pgas_ptr_t all = upc_global_alloc(thread_count() * 2, 4 * sizeof(int));
    pgas_ptr_t last = pgas_ptr_add(all, (ptrdiff_t)thread_count() * 8 - 1, sizeof(int), 4);
    CHECK(upc_threadof(last) == thread_count() - 1 && upc_phaseof(last) == 3);
    CHECK(upc_phaseof(upc_resetphase(last)) == 0);
    PGAS_WRITE(int, last, MYTHREAD);
    CHECK(PGAS_READ(int, last) == MYTHREAD);
    upc_free(all);

    size_t sum = 0;
    for (size_t thread = 0; thread < thread_count(); thread++)
        sum += upc_affinitysize(1003, 10, thread);
    CHECK(sum == 1003 && upc_affinitysize(1003, 0, 0) == 1003);

    /* Allocations of 0 bytes, and of too many: null. */
    CHECK(pgas_ptr_is_null(upc_alloc(0)) && pgas_ptr_is_null(upc_alloc(SIZE_MAX / 2)));
    CHECK(pgas_ptr_is_null(upc_all_alloc(0, 8)) && pgas_ptr_is_null(upc_all_alloc(SIZE_MAX, 8)));
    CHECK(pgas_ptr_is_null(upc_global_alloc(SIZE_MAX, 8)));
    upc_free(pgas_ptr_null());
}

static void test_loops(void)
{
    int turns = 0;
    upc_forall (int i = 0; i < 4 * THREADS; i++, i)
        turns += i % THREADS == MYTHREAD ? 1 : 1000;
    CHECK(turns == 4);
    turns = 0;
    upc_forall (int i = -3 * THREADS; i < 0; i++, i)
        turns++;
    CHECK(turns == 3);
    turns = 0;
    upc_forall (unsigned i = 0; i < 10; i++, MYTHREAD)
        turns++;
    CHECK(turns == 10);
    pgas_array_t a = make_array(BLKSZ * thread_count());
    turns = 0;
    upc_forall (size_t i = 0; i < a.count; i += 10, pgas_array_at(&a, i)) {
        CHECK(i / BLKSZ == my_thread());
        if (i % 20 == 0)
            continue;
        turns++;
    }
    CHECK(turns == (int)BLKSZ / 20);
    pgas_array_free(&a);
}

static void test_synchronisation(void)
{
    enum {
        TURNS = 100
    };
    pgas_ptr_t counter = upc_all_alloc(1, sizeof(int));
    PGAS_WRITE(int, counter, 0);
    upc_barrier;
    upc_lock_t lock = upc_all_lock_alloc();
    CHECK(!pgas_ptr_is_null(lock.state));
    for (int i = 0; i < TURNS; i++) {
        if (i % 2 == 0)
            upc_lock(lock);
        else
            while (!upc_lock_attempt(lock))
                ;
        PGAS_WRITE(int, counter, PGAS_READ(int, counter) + 1);
        upc_fence;
        upc_unlock(lock);
    }
    upc_barrier_id(3);
    CHECK(PGAS_READ(int, counter) == TURNS * THREADS);
    upc_notify;
    upc_wait;
    if (MYTHREAD == 0)
        PGAS_WRITE(int, counter, -1);
    upc_notify_id(4);
    upc_wait_id(4);
    CHECK(PGAS_READ(int, counter) == -1);

    upc_lock_t own = upc_global_lock_alloc();
    CHECK(upc_threadof(own.state) == my_thread());
    CHECK(upc_lock_attempt(own) != 0);
    upc_unlock(own);
    upc_lock_free(own);
    upc_lock_t none = {pgas_ptr_null()};
    upc_lock_free(none);
    upc_all_lock_free(lock);
    upc_all_free(counter);
}

int main(int argc, char **argv)
{
    CHECK(pgas_init() == PGAS_OK);
    CHECK(MYTHREAD >= 0 && MYTHREAD < THREADS);
    if (argc == 2 && strcmp(argv[1], "exit") == 0) {
        if (MYTHREAD == THREADS - 1)
            upc_global_exit(3);
        upc_barrier; // for ever
        return 1;
    }
    test_examples();
    test_copies();
    test_handles();
    test_nb();
    test_ticks();
    test_memory();
    test_loops();
    test_synchronisation();
    pgas_finalize();
    return 0;
}
