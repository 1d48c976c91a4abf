/**
 * A job in which one thread fails as the arguments say; the failure tests watch how it ends.
 *
 * Usage: runtime_fail MODE THREAD [MARKER...]. The thread THREAD misbehaves; the others wait in a
 * barrier, unless the mode says otherwise. Every thread says "ready PID" when the job has started.
 *
 * Waiting, until they are killed: barrier, lock, compute (no thread misbehaves).
 *
 * Ends: segfault, abort, exit3, exit_reading, exit300, exit256, exit0, leave0, all_exit,
 * all_exit_ticking, fail_without_files; finish ends in good order.
 *
 * Synchronisation: mismatch, wait_alone, notify_twice, barrier_between, wait_other.
 *
 * Locks: unlock, relock, lock_null; of several threads lock_free_wanted.
 *
 * Heap: exhaust, double_free, garbage_free, far_free, interior_free.
 *
 * Copies: null, no_thread, blocks_too_large, beyond, beyond_async, before_async, null_async,
 * private_null, source_unmapped, source_hole, source_message, source_rows; in flight
 * waitsynci_inside, trysynci_inside, regions_nested, region_end_alone.
 *
 * Values: read_null, write_null, read_no_thread, write_no_thread.
 *
 * Atomics: atomic_bits, atomic_order, atomic_unaligned, atomic_load.
 *
 * Collective calls: collective_arguments, collective_other, collective_alone, collective_order,
 * collective_free, collective_notified, collective_plan, collective_end.
 *
 * The debug build's checks: fail_debug.c.
 */
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <unistd.h>

#include "fail.h"

int chosen;
char bytes[100];
pgas_array_t small;
pgas_array_t words;
static pgas_lock_t job_lock;

static void in_barrier(void)
{
    if (!is_chosen())
        pgas_barrier();
    sleep(60);
}

static void in_lock(void)
{
    pgas_lock(job_lock);
    sleep(60);
}

static void in_compute(void)
{
    for (volatile unsigned long turns = 0;;)
        turns = turns + 1;
}

static void segfault(void)
{
    raise(SIGSEGV);
}

static void exit3(void)
{
    pgas_exit(3);
}

static void *read_for_ever(void *stream)
{
    char line[8];
    (void)fgets(line, sizeof line, stream);
    return NULL;
}

/* Another thread holds a stream, on which nothing comes. */
static void exit_reading(void)
{
    int ends[2];
    pthread_t reader;
    FILE *stream = pipe(ends) == 0 ? fdopen(ends[0], "r") : NULL;
    if (stream == NULL || pthread_create(&reader, NULL, read_for_ever, stream) != 0)
        pgas_exit(1);
    /* Until it has the stream. */
    while (ftrylockfile(stream) == 0) {
        funlockfile(stream);
        usleep(1000);
    }
    printf("written\n");
    pgas_exit(3);
}

static void exit300(void)
{
    pgas_exit(300);
}

static void exit256(void)
{
    pgas_exit(256);
}

static void exit0(void)
{
    pgas_exit(0);
}

static void leave0(void)
{
    exit(0);
}

/* All threads at once, as for an error that every thread makes. */
static void all_exit(void)
{
    pgas_exit(5);
}

/* On another node, which thread 0 cannot be reached from any more. */
static void fail_without_files(void)
{
    const struct rlimit few = {200, 200};
    setrlimit(RLIMIT_NOFILE, &few);
    while (open("/dev/null", O_RDONLY) >= 0)
        ;
    pgas_fail(5, "the input is not there");
}

static void on_tick(int number)
{
    (void)number;
}

/* While a timer of the program interrupts system calls. */
static void all_exit_ticking(void)
{
    const struct itimerval each = {{.tv_usec = 1000}, {.tv_usec = 1000}};
    signal(SIGALRM, on_tick);
    setitimer(ITIMER_REAL, &each, NULL);
    all_exit();
}

static void mismatch(void)
{
    pgas_notify(is_chosen() ? 1 : 2);
    pgas_wait(is_chosen() ? 1 : 2);
}

static void wait_alone(void)
{
    pgas_wait(1);
}

static void notify_twice(void)
{
    pgas_notify(1);
    pgas_notify(1);
}

static void barrier_between(void)
{
    pgas_notify(1);
    pgas_barrier();
}

static void wait_other(void)
{
    pgas_notify(1);
    pgas_wait(2);
}

static void unlock(void)
{
    pgas_unlock(job_lock);
}

static void relock(void)
{
    pgas_lock(job_lock);
    pgas_lock(job_lock);
}

static void lock_null(void)
{
    pgas_lock_t none = {{0, 0, 0}};
    pgas_lock(none);
}

/* The others wait for the lock: its memory shows the first of them. */
static void lock_free_wanted(void)
{
    if (is_chosen())
        pgas_lock(job_lock);
    pgas_barrier();
    if (!is_chosen())
        pgas_lock(job_lock);
    uint32_t held = (uint32_t)chosen + 1;
    while (PGAS_READ(uint32_t, job_lock.state) == held)
        pgas_fence();
    pgas_lock_free(job_lock);
}

static void exhaust(void)
{
    pgas_array_t array;
    if (pgas_array_create((size_t)1 << 24, 8, PGAS_BLOCK_EVEN, &array) != PGAS_OK)
        pgas_exit(1);
}

static void double_free(void)
{
    pgas_ptr_t ptr = allocate();
    pgas_free(ptr);
    pgas_free(ptr);
}

static void garbage_free(void)
{
    pgas_ptr_t ptr = {0x5a5a5a5a, 0, 0x1234567890abcdefU};
    pgas_free(ptr);
}

static void far_free(void)
{
    pgas_ptr_t ptr = {(uint32_t)chosen, 0, 0x1234567890abcdc0U};
    pgas_free(ptr);
}

static void interior_free(void)
{
    pgas_ptr_t ptr = allocate();
    ptr.offset += 64;
    pgas_free(ptr);
}

static void null(void)
{
    pgas_memget(bytes, pgas_ptr_null(), sizeof bytes);
}

static void read_null(void)
{
    bytes[0] = (char)PGAS_READ(uint64_t, pgas_ptr_null());
}

static pgas_ptr_t word_of_last(void)
{
    return pgas_array_at(&words, (size_t)pgas_threads() - 1);
}

static void atomic_bits(void)
{
    pgas_atomic_async(PGAS_AND, PGAS_DOUBLE, word_of_last(), 0, 0, PGAS_RELAXED, NULL);
}

static void atomic_order(void)
{
    pgas_atomic_async(PGAS_STORE, PGAS_INT64, word_of_last(), 0, 0, PGAS_ACQUIRE, NULL);
}

static void atomic_unaligned(void)
{
    pgas_ptr_t at = word_of_last();
    at.offset += 4;
    pgas_atomic_async(PGAS_INC, PGAS_INT64, at, 0, 0, PGAS_RELAXED, NULL);
}

static void atomic_load(void)
{
    pgas_atomic_async(PGAS_LOAD, PGAS_INT64, word_of_last(), 0, 0, PGAS_RELAXED, NULL);
}

static void write_null(void)
{
    PGAS_WRITE(uint64_t, pgas_ptr_null(), 1);
}

static void read_no_thread(void)
{
    PGAS_READ(uint64_t, pgas_ptr_on(allocate(), -1));
}

static void write_no_thread(void)
{
    PGAS_WRITE(uint64_t, pgas_ptr_on(allocate(), -2), 1);
}

static void no_thread(void)
{
    pgas_ptr_t ptr = allocate();
    ptr.thread = (uint32_t)pgas_threads();
    pgas_memput(ptr, bytes, sizeof bytes);
}

/* More elements than a phase can tell. */
static void blocks_too_large(void)
{
    (void)pgas_ptr_add(pgas_array_at(&small, 0), 1, 1, (size_t)1 << 32);
}

static void beyond(void)
{
    pgas_memset(allocate(), 1, (size_t)1 << 50);
}

/* Of copies that are inline within a node: the last byte, what the runtime keeps before the heap,
 * and the page before that. */
static void beyond_async(void)
{
    pgas_ptr_t last = pgas_ptr_null();
    last.offset = pgasi_job.span + PGASI_HEAP_BEGIN - 1;
    pgas_waitsync(pgas_memput_async(last, bytes, 2));
}

static void before_async(void)
{
    pgas_ptr_t before = pgas_ptr_null();
    before.offset = PGASI_HEAP_BEGIN - 1;
    pgas_waitsync(pgas_memput_async(before, bytes, 2));
}

static void null_async(void)
{
    pgas_ptr_t before = pgas_ptr_null();
    char byte;
    before.offset = PGASI_NULL_PAGE - 1;
    pgas_waitsync(pgas_memget_async(&byte, before, 1));
}

static void private_null(void)
{
    pgas_memput(allocate(), NULL, 8);
}

enum {
    LARGE = 1 << 20
};

static pgas_array_t large; /* LARGE bytes on every thread */

static pgas_ptr_t next_threads_part(const pgas_array_t *array)
{
    size_t next = (size_t)(pgas_mythread() + 1) % (size_t)pgas_threads();
    return pgas_array_at(array, next * array->block);
}

/* LARGE bytes of private memory, of which the `nbytes` bytes from `begin` on cannot be read; no
 * other mapping gets their address. */
static char *memory_with_hole(size_t begin, size_t nbytes)
{
    char *memory = mmap(NULL, LARGE, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory == MAP_FAILED || mprotect(memory + begin, nbytes, PROT_NONE) != 0)
        pgas_fail(1, "no memory");
    return memory;
}

static void source_unmapped(void)
{
    pgas_memput(next_threads_part(&large), memory_with_hole(0, LARGE), LARGE);
}

static void source_hole(void)
{
    char *memory = memory_with_hole(LARGE / 2, 4096);
    pgas_waitsync(pgas_memput_async(next_threads_part(&large), memory, LARGE));
}

static void source_rows(void)
{
    char *memory = memory_with_hole(LARGE / 2, LARGE / 2);
    size_t row = LARGE / 8;
    pgas_memput_2d(next_threads_part(&large), row, memory, row, row / 2, 8);
}

static pgas_am_t received;

static void on_received(pgas_am_token_t *token, const int32_t *args, unsigned nargs, void *payload,
                        size_t nbytes)
{
    (void)token, (void)args, (void)nargs, (void)payload, (void)nbytes;
}

static void source_message(void)
{
    pgas_ptr_t next = next_threads_part(&large);
    char *memory = memory_with_hole(LARGE / 2, 4096);
    pgas_am_request_long(pgas_threadof(next), received, NULL, 0, memory, LARGE, next);
}

static void waitsynci_inside(void)
{
    pgas_begin_accessregion();
    pgas_waitsynci();
}

static void trysynci_inside(void)
{
    pgas_begin_accessregion();
    pgas_trysynci();
}

static void regions_nested(void)
{
    pgas_begin_accessregion();
    pgas_begin_accessregion();
}

static void region_end_alone(void)
{
    pgas_begin_accessregion();
    pgas_waitsync(pgas_end_accessregion());
    pgas_waitsync(pgas_end_accessregion());
}

static void collective_arguments(void)
{
    pgas_array_t array;
    pgas_array_create(is_chosen() ? 20 : 10, 8, 1, &array);
}

static void collective_other(void)
{
    pgas_ptr_t ptr;
    if (is_chosen())
        pgas_barrier();
    else
        pgas_all_alloc(10, 8, &ptr);
}

/* The others have notified, and wait further on. */
static void collective_notified(void)
{
    pgas_ptr_t ptr;
    if (is_chosen()) {
        sleep(1);
        pgas_all_alloc(10, 8, &ptr);
    } else {
        pgas_notify(PGAS_ANONYMOUS);
        pgas_team_barrier(PGAS_TEAM_ALL);
    }
}

static void collective_alone(void)
{
    pgas_lock_t lock;
    pgas_all_lock_alloc(&lock);
}

static void collective_order(void)
{
    pgas_ptr_t ptr;
    pgas_array_t array;
    if (is_chosen())
        pgas_all_alloc(10, 8, &ptr);
    pgas_array_create(10, 4, 1, &array);
    if (!is_chosen())
        pgas_all_alloc(10, 8, &ptr);
}

static void collective_free(void)
{
    pgas_ptr_t ptr[2];
    pgas_all_alloc(10, 8, &ptr[0]);
    pgas_all_alloc(10, 8, &ptr[1]);
    pgas_all_free(ptr[is_chosen()]);
}

static void collective_plan(void)
{
    pgas_plan_t *plan;
    pgas_plan_create(&small, NULL, 0, is_chosen() ? PGAS_PLAN_SCATTER : 0, NULL, &plan);
}

static void collective_end(void)
{
    pgas_finalize();
}

static void nothing(void)
{
}

static const fail_mode_t modes[] = {
    {"barrier", in_barrier, true},
    {"lock", in_lock, true},
    {"compute", in_compute, true},
    {"segfault", segfault, false},
    {"abort", abort, false},
    {"exit3", exit3, false},
    {"exit_reading", exit_reading, false},
    {"exit300", exit300, false},
    {"exit256", exit256, false},
    {"exit0", exit0, false},
    {"leave0", leave0, false},
    {"all_exit", all_exit, true},
    {"fail_without_files", fail_without_files, false},
    {"all_exit_ticking", all_exit_ticking, true},
    {"mismatch", mismatch, true},
    {"wait_alone", wait_alone, false},
    {"notify_twice", notify_twice, false},
    {"barrier_between", barrier_between, false},
    {"wait_other", wait_other, false},
    {"unlock", unlock, false},
    {"relock", relock, false},
    {"lock_null", lock_null, false},
    {"lock_free_wanted", lock_free_wanted, true},
    {"exhaust", exhaust, true},
    {"double_free", double_free, false},
    {"garbage_free", garbage_free, false},
    {"far_free", far_free, false},
    {"interior_free", interior_free, false},
    {"null", null, false},
    {"read_null", read_null, false},
    {"write_null", write_null, false},
    {"read_no_thread", read_no_thread, false},
    {"write_no_thread", write_no_thread, false},
    {"atomic_bits", atomic_bits, false},
    {"atomic_order", atomic_order, false},
    {"atomic_unaligned", atomic_unaligned, false},
    {"atomic_load", atomic_load, false},
    {"collective_arguments", collective_arguments, true},
    {"collective_other", collective_other, true},
    {"collective_notified", collective_notified, true},
    {"collective_alone", collective_alone, false},
    {"collective_order", collective_order, true},
    {"collective_free", collective_free, true},
    {"collective_plan", collective_plan, true},
    {"collective_end", collective_end, false},
    {"no_thread", no_thread, false},
    {"blocks_too_large", blocks_too_large, false},
    {"beyond", beyond, false},
    {"beyond_async", beyond_async, false},
    {"before_async", before_async, false},
    {"null_async", null_async, false},
    {"private_null", private_null, false},
    {"source_unmapped", source_unmapped, false},
    {"source_hole", source_hole, false},
    {"source_message", source_message, false},
    {"source_rows", source_rows, false},
    {"waitsynci_inside", waitsynci_inside, false},
    {"trysynci_inside", trysynci_inside, false},
    {"regions_nested", regions_nested, false},
    {"region_end_alone", region_end_alone, false},
    {"finish", nothing, false},
    {NULL, NULL, false},
};

static void misbehave(const fail_mode_t *known, const char *mode)
{
    for (; known->name != NULL; known++)
        if (strcmp(mode, known->name) == 0 && (known->by_all || is_chosen()))
            known->act();
}

int main(int argc, char **argv)
{
    const char *mode = argc > 1 ? argv[1] : "finish";
    chosen = argc > 2 ? (int)strtol(argv[2], NULL, 10) : 0;
    received = pgas_am_register("received", on_received, PGAS_AM_ANYWHERE);
    if (pgas_init() != PGAS_OK)
        return EXIT_FAILURE;
    if (pgas_all_lock_alloc(&job_lock) != PGAS_OK ||
        pgas_array_create(10, sizeof(int), 1, &small) != PGAS_OK ||
        pgas_array_create((size_t)pgas_threads() * LARGE, 1, LARGE, &large) != PGAS_OK ||
        pgas_array_create(2 * (size_t)pgas_threads(), sizeof(uint64_t), 1, &words) != PGAS_OK)
        pgas_exit(1);
    printf("ready %d\n", (int)getpid());
    misbehave(modes, mode);
    misbehave(fail_debug_modes, mode);
    pgas_barrier();
    pgas_finalize();
    return 0;
}
