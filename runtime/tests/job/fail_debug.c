/* Errors that only the debug build finds. */
#include "fail.h"

/* two of 8 bytes on every thread */

static void index_beyond(void)
{
    PGAS_PUT(int, &small, small.count, 1);
}

static void handle_nonsense(void)
{
    pgas_handle_t nonsense = {12345678};
    pgas_waitsync(nonsense);
}

static pgas_handle_t put_to_next(void)
{
    size_t threads = (size_t)pgas_threads();
    size_t next = threads + ((size_t)pgas_mythread() + 1) % threads;
    pgas_ptr_t ptr = pgas_array_at(&words, next);
    return pgas_memput_async(ptr, bytes, sizeof(uint64_t));
}

static void handle_twice(void)
{
    pgas_handle_t handle = put_to_next();
    pgas_waitsync(handle);
    pgas_trysync_all(&handle, 1);
}

static void handle_foreign(void)
{
    PGAS_PUT(uint64_t, &words, (size_t)pgas_mythread(), put_to_next().bits);
    pgas_barrier();
    size_t other = (size_t)((chosen + 1) % pgas_threads());
    pgas_handle_t handle = {PGAS_GET(uint64_t, &words, other)};
    if (is_chosen())
        pgas_trysync(handle);
}

static void handle_leak(void)
{
    for (int i = 0; i < 3; i++)
        put_to_next();
}

static pgas_ptr_t word_of_next(void)
{
    size_t threads = (size_t)pgas_threads();
    return pgas_array_at(&words, threads + ((size_t)pgas_mythread() + 1) % threads);
}

/* One handle from every header that has calls returning handles; none is ever synchronised. */
static void leaks(void)
{
    pgas_smemvec_t to[] = {{word_of_next(), 8}};
    pgas_pmemvec_t from[] = {{bytes, 8}};
    size_t next = (size_t)(pgas_mythread() + 1) % (size_t)pgas_threads();
    pgas_memput_vlist_async(1, to, 1, from);
    pgas_memput_2d_async(word_of_next(), 8, bytes, 8, 8, 1);
    pgas_reblock_put_async(&words, next, bytes, 1);
    pgas_put_val_async(word_of_next(), 1, 8);
    pgas_get_val_async(word_of_next(), 8);
}

static void implicit_leak(void)
{
    pgas_memput_asynci(word_of_next(), bytes, 8);
    pgas_waitsynci();
    for (int i = 0; i < 2; i++)
        pgas_memput_asynci(word_of_next(), bytes, 8);
    pgas_memput_2d_asynci(word_of_next(), 8, bytes, 8, 8, 1);
}

static void region_open(void)
{
    pgas_begin_accessregion();
    pgas_waitsync(pgas_end_accessregion());
    pgas_begin_accessregion();
    pgas_memput_asynci(word_of_next(), bytes, 8);
}

static void write_outside(void)
{
    pgas_ptr_t ptr = allocate();
    ptr.offset += 1 << 20;
    PGAS_WRITE(uint64_t, ptr, 1);
}

static void copy_outside(void)
{
    pgas_ptr_t ptr = allocate();
    ptr.offset += 992;
    pgas_memput(ptr, bytes, sizeof bytes);
}

static void list_outside(void)
{
    pgas_ptr_t to[] = {allocate(), allocate()};
    to[1].offset += 4096;
    pgas_memput_ilist(2, to, 8, 1, (const void *const[]){bytes}, 16);
}

static void rows_outside(void)
{
    pgas_memput_2d(allocate(), 4096, bytes, 8, 8, 4);
}

static void write_freed(void)
{
    pgas_ptr_t ptr = allocate();
    PGAS_WRITE(uint64_t, ptr, 1);
    pgas_free(ptr);
    PGAS_WRITE(uint64_t, ptr, 1);
}

/* Freed by another thread, after a barrier before which this thread has used it. */
static void read_freed(void)
{
    pgas_ptr_t ptr;
    if (pgas_all_alloc((size_t)pgas_threads(), 64, &ptr) != PGAS_OK)
        pgas_exit(1);
    pgas_ptr_t mine = pgas_ptr_add(ptr, pgas_mythread(), 64, 1);
    PGAS_WRITE(uint64_t, mine, 1);
    pgas_barrier();
    if (pgas_mythread() == (chosen + 1) % pgas_threads())
        pgas_free(ptr);
    pgas_barrier();
    if (is_chosen())
        bytes[0] = (char)PGAS_READ(uint64_t, mine);
}

static void get_freed(void)
{
    pgas_array_t array;
    if (pgas_array_create(100, 8, 1, &array) != PGAS_OK)
        pgas_exit(1);
    pgas_array_t copy = array;
    pgas_array_free(&array);
    pgas_barrier(); /* thread 0 has freed it by now */
    if (is_chosen())
        bytes[0] = (char)PGAS_GET(uint64_t, &copy, (size_t)chosen);
}

/* Freed by another thread, after this thread has used it. */
static void lock_freed(void)
{
    pgas_lock_t lock;
    if (pgas_all_lock_alloc(&lock) != PGAS_OK)
        pgas_exit(1);
    pgas_lock(lock);
    pgas_unlock(lock);
    pgas_barrier();
    if (pgas_mythread() == (chosen + 1) % pgas_threads())
        pgas_lock_free(lock);
    pgas_barrier();
    if (is_chosen())
        pgas_lock(lock);
}

static void mine_freed(void)
{
    pgas_array_t array = {0};
    bytes[0] = *(char *)pgas_array_mine(&array);
}

static void get_size(void)
{
    bytes[0] = (char)PGAS_GET(int64_t, &small, 0);
}

static void read_size(void)
{
    bytes[0] = (char)PGAS_READ(int64_t, pgas_array_at(&small, 0));
}

static void write_size(void)
{
    PGAS_WRITE(int64_t, pgas_array_at(&words, 0), 1);
    PGAS_WRITE(int64_t, pgas_array_at(&small, 3), 1);
}

static void atomic_unaligned_here(void)
{
    pgas_ptr_t at = pgas_array_at(&words, (size_t)pgas_mythread());
    at.offset += 2;
    PGAS_ATOMIC_FETCH_INC(int, at, PGAS_RELAXED);
}

static void atomic_release_load(void)
{
    PGAS_ATOMIC_LOAD(int, pgas_array_at(&words, (size_t)pgas_mythread()), PGAS_RELEASE);
}

/* Of the calling thread's own memory, by shared and by plain pointers. */
static void overlap_shared(void)
{
    pgas_ptr_t at = pgas_array_at(&words, (size_t)pgas_mythread());
    pgas_memcpy(at, at, 1);
}

static void overlap_get(void)
{
    pgas_ptr_t at = pgas_array_at(&words, (size_t)pgas_mythread());
    pgas_memget((char *)pgas_local(at) + 1, at, 2);
}

static void overlap_put(void)
{
    pgas_ptr_t at = pgas_array_at(&words, (size_t)pgas_mythread());
    pgas_memput_asynci(pgas_ptr_shift(at, 1), pgas_local(at), 2);
}

const fail_mode_t fail_debug_modes[] = {
    {"index", index_beyond, false},
    {"handle_nonsense", handle_nonsense, false},
    {"handle_twice", handle_twice, false},
    {"handle_foreign", handle_foreign, true},
    {"handle_leak", handle_leak, false},
    {"leaks", leaks, false},
    {"implicit_leak", implicit_leak, false},
    {"region_open", region_open, false},
    {"write_outside", write_outside, false},
    {"copy_outside", copy_outside, false},
    {"list_outside", list_outside, false},
    {"rows_outside", rows_outside, false},
    {"write_freed", write_freed, false},
    {"read_freed", read_freed, true},
    {"get_freed", get_freed, true},
    {"mine_freed", mine_freed, false},
    {"lock_freed", lock_freed, true},
    {"get_size", get_size, false},
    {"read_size", read_size, false},
    {"write_size", write_size, false},
    {"atomic_unaligned_here", atomic_unaligned_here, false},
    {"atomic_release_load", atomic_release_load, false},
    {"overlap_shared", overlap_shared, false},
    {"overlap_get", overlap_get, false},
    {"overlap_put", overlap_put, false},
    {NULL, NULL, false},
};
