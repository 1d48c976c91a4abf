/*
 * GASNet tools without a job: ticks, fences, atomics weak and strong, mutexes, conditions, locks of
 * readers and writers, data of threads, numbers and environment, checksum, zeros, backtrace.
 */
#include <gasnet_tools.h>

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#define CHECK(condition) \
    do { \
        if (!(condition)) { \
            fprintf(stderr, "%s:%d: CHECK(%s) failed\n", __FILE__, __LINE__, #condition); \
            exit(1); \
        } \
    } while (0)

#if GASNETT_SPEC_VERSION_MAJOR != 1 || GASNETT_PAGESIZE != (1 << GASNETT_PAGESHIFT)
#error "constants"
#endif

#if defined(HAVE_PTHREAD_H) != defined(GASNETT_THREAD_SAFE)
#error "clients take this name for leave to start threads"
#endif

enum {
    THREADS = 4,
    TIMES = 20000
};

GASNETT_IDENT(test_ident, "$TestIdent: here $");
GASNETT_THREADKEY_DEFINE(key);

GASNETT_INLINE(twice)
int twice(int x)
{
    return 2 * x;
}

GASNETT_NEVER_INLINE(thrice, static int thrice(int x))
{
    return 3 * x;
}

GASNETT_FORMAT_PRINTF(say, 1, 2, static void say(const char *format, ...))
{
    (void)format;
}

static int user_backtraces;

static int user_backtrace(int fd)
{
    (void)fd;
    user_backtraces++;
    return 0;
}

gasnett_backtrace_type_t gasnett_backtrace_user = {"USER", user_backtrace, 1};

/* ---- Atomics ---- */

#define CHECK_ATOMIC(name, type, init, max) \
    do { \
        name##_t a = init(5); \
        CHECK(name##_read(&a, 0) == 5); \
        name##_set(&a, (type)-1, GASNETT_ATOMIC_MB_POST); \
        CHECK(name##_read(&a, GASNETT_ATOMIC_ACQ) == (max)); \
        name##_increment(&a, GASNETT_ATOMIC_REL); \
        CHECK(name##_read(&a, 0) == 0); \
        name##_decrement(&a, 0); \
        CHECK(name##_read(&a, 0) == (max)); \
        CHECK(name##_add(&a, 3, GASNETT_ATOMIC_MB_PRE) == 2); \
        CHECK(name##_subtract(&a, 1, 0) == 1); \
        CHECK(name##_decrement_and_test(&a, GASNETT_ATOMIC_ACQ_IF_TRUE)); \
        CHECK(!name##_decrement_and_test(&a, GASNETT_ATOMIC_ACQ_IF_FALSE)); \
        CHECK(name##_swap(&a, 9, 0) == (max)); \
        CHECK(!name##_compare_and_swap(&a, 8, 7, 0)); \
        CHECK(name##_compare_and_swap(&a, 9, 7, GASNETT_ATOMIC_MB_PRE)); \
        CHECK(name##_read(&a, 0) == 7); \
    } while (0)

static void check_atomics(void)
{
    union {
        float real;
        uint32_t bits;
    } word = {.real = 1.5F};
    double real = 2.5;
    CHECK_ATOMIC(gasnett_atomic, uint32_t, gasnett_atomic_init, GASNETT_ATOMIC_MAX);
    CHECK_ATOMIC(gasnett_atomic32, uint32_t, gasnett_atomic32_init, UINT32_MAX);
    CHECK_ATOMIC(gasnett_atomic64, uint64_t, gasnett_atomic64_init, UINT64_MAX);
    CHECK_ATOMIC(gasnett_strongatomic, uint32_t, gasnett_strongatomic_init,
                 GASNETT_STRONGATOMIC_MAX);
    CHECK_ATOMIC(gasnett_strongatomic32, uint32_t, gasnett_strongatomic32_init, UINT32_MAX);
    CHECK_ATOMIC(gasnett_strongatomic64, uint64_t, gasnett_strongatomic64_init, UINT64_MAX);
    CHECK(sizeof(gasnett_atomic32_t) == 4 && sizeof(gasnett_atomic64_t) == 8);
    CHECK(gasnett_atomic_signed((gasnett_atomic_val_t)-3) == -3);
    CHECK(gasnett_atomic32_swap((gasnett_atomic32_t *)&word.real, 1, 0) != 0 && word.bits == 1);
    gasnett_atomic64_set((gasnett_atomic64_t *)&real, 0, 0);
    CHECK(real == 0);
    gasnett_local_wmb();
    gasnett_local_rmb();
    gasnett_local_mb();
    gasnett_local_membar();
    gasnett_weak_wmb();
    gasnett_weak_rmb();
    gasnett_weak_mb();
    gasnett_compiler_fence();
}

/* ---- Threads ---- */

static gasnett_strongatomic_t strong = gasnett_strongatomic_init(0);
static gasnett_atomic64_t weak = gasnett_atomic64_init(0);
static gasnett_mutex_t mutex = GASNETT_MUTEX_INITIALIZER;
static gasnett_cond_t condition = GASNETT_COND_INITIALIZER;
static gasnett_rwlock_t rwlock = GASNETT_RWLOCK_INITIALIZER;
static long counted;
static int arrived;

#ifdef GASNETT_THREAD_SAFE

static void *count(void *argument)
{
    gasnett_threadkey_set(key, argument);
    for (int i = 0; i < TIMES; i++) {
        gasnett_strongatomic_increment(&strong, 0);
        gasnett_atomic64_add(&weak, 2, 0);
        gasnett_mutex_lock(&mutex);
        counted++;
        gasnett_mutex_unlock(&mutex);
        if (i % 2 == 0)
            gasnett_rwlock_wrlock(&rwlock);
        else
            gasnett_rwlock_rdlock(&rwlock);
        gasnett_rwlock_unlock(&rwlock);
    }
    gasnett_mutex_lock(&mutex);
    if (++arrived == THREADS)
        gasnett_cond_broadcast(&condition);
    while (arrived < THREADS)
        gasnett_cond_wait(&condition, &mutex);
    gasnett_mutex_unlock(&mutex);
    CHECK(gasnett_threadkey_get(key) == argument);
    return NULL;
}

static void check_threads(void)
{
    pthread_t threads[THREADS];
    gasnett_mutex_t other;
    for (long i = 0; i < THREADS; i++)
        CHECK(pthread_create(&threads[i], NULL, count, (void *)i) == 0);
    for (int i = 0; i < THREADS; i++)
        CHECK(pthread_join(threads[i], NULL) == 0);
    CHECK(counted == (long)THREADS * TIMES);
    CHECK(gasnett_strongatomic_read(&strong, 0) == THREADS * TIMES);
    CHECK(gasnett_atomic64_read(&weak, 0) == 2 * THREADS * TIMES);
    gasnett_mutex_init(&other);
    CHECK(gasnett_mutex_trylock(&other) == 0);
    gasnett_mutex_assertlocked(&other);
    gasnett_mutex_unlock(&other);
    gasnett_mutex_assertunlocked(&other);
    gasnett_mutex_destroy(&other);
    CHECK(gasnett_rwlock_trywrlock(&rwlock) == 0);
    CHECK(gasnett_rwlock_tryrdlock(&rwlock) != 0);
    gasnett_rwlock_unlock(&rwlock);
}

/* A mistake ends the program. */
static void check_ended(void (*mistake)(void))
{
    int status;
    pid_t child = fork();
    if (child == 0) {
        if (freopen("/dev/null", "w", stderr) == NULL)
            _exit(1);
        mistake();
        _exit(0);
    }
    CHECK(waitpid(child, &status, 0) == child);
    CHECK(WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT);
}

static void lock_twice(void)
{
    gasnett_mutex_lock(&mutex);
    gasnett_mutex_lock(&mutex);
}

static void unlock_unlocked(void)
{
    gasnett_mutex_unlock(&mutex);
}

static void destroy_locked(void)
{
    gasnett_mutex_lock(&mutex);
    gasnett_mutex_destroy(&mutex);
}

static void write_twice(void)
{
    gasnett_rwlock_wrlock(&rwlock);
    gasnett_rwlock_wrlock(&rwlock);
}

static void read_while_writing(void)
{
    gasnett_rwlock_wrlock(&rwlock);
    gasnett_rwlock_rdlock(&rwlock);
}

static void unlock_nobodys(void)
{
    gasnett_rwlock_unlock(&rwlock);
}

static void *unlock_in_thread(void *unused)
{
    gasnett_rwlock_unlock(&rwlock);
    return unused;
}

static void unlock_anothers(void)
{
    pthread_t thread;
    gasnett_rwlock_wrlock(&rwlock);
    pthread_create(&thread, NULL, unlock_in_thread, NULL);
    pthread_join(thread, NULL);
}

static void destroy_read(void)
{
    gasnett_rwlock_rdlock(&rwlock);
    gasnett_rwlock_destroy(&rwlock);
}

static void assert_read(void)
{
    gasnett_rwlock_assertrdlocked(&rwlock);
}

static void assert_written(void)
{
    gasnett_rwlock_rdlock(&rwlock);
    gasnett_rwlock_assertwrlocked(&rwlock);
}

static void assert_locked(void)
{
    gasnett_rwlock_assertlocked(&rwlock);
}

static void assert_unlocked(void)
{
    gasnett_rwlock_wrlock(&rwlock);
    gasnett_rwlock_assertlocked(&rwlock);
    gasnett_rwlock_assertwrlocked(&rwlock);
    gasnett_rwlock_assertunlocked(&rwlock);
}

static void check_mistakes(void)
{
    check_ended(write_twice);
    check_ended(read_while_writing);
    check_ended(unlock_nobodys);
    check_ended(unlock_anothers);
    check_ended(destroy_read);
    check_ended(assert_read);
    check_ended(assert_written);
    check_ended(assert_locked);
    check_ended(assert_unlocked);
    check_ended(lock_twice);
    check_ended(unlock_unlocked);
    check_ended(destroy_locked);
}

#else

static void check_threads(void)
{
    gasnett_mutex_lock(&mutex);
    CHECK(gasnett_mutex_trylock(&mutex) == 0);
    gasnett_mutex_unlock(&mutex);
    gasnett_cond_signal(&condition);
    gasnett_rwlock_rdlock(&rwlock);
    gasnett_rwlock_unlock(&rwlock);
    gasnett_threadkey_init(key);
    gasnett_threadkey_set_noinit(key, &counted);
    CHECK(gasnett_threadkey_get_noinit(key) == &counted);
    (void)strong;
    (void)weak;
    (void)arrived;
}

static void check_mistakes(void)
{
}

#endif

/* ---- Numbers and the environment ---- */

static void check_numbers(void)
{
    char text[32];
    CHECK(gasnett_parse_int("42", 0) == 42);
    CHECK(gasnett_parse_int("-7", 0) == -7);
    CHECK(gasnett_parse_int("0x10", 0) == 16);
    CHECK(gasnett_parse_int("-0x10", 0) == -16);
    CHECK(gasnett_parse_int("9223372036854775807", 0) == INT64_MAX);
    CHECK(gasnett_parse_int("-8388608TB", 1) == INT64_MIN);
    CHECK(gasnett_parse_int(".5MB", 1) == 1 << 19);
    CHECK(gasnett_parse_int("3", 1024) == 3072);
    CHECK(gasnett_parse_int("3 MB", 1) == 3 << 20);
    CHECK(gasnett_parse_int("1.5KB", 1) == 1536);
    CHECK(gasnett_parse_int("2g", 1) == INT64_C(2) << 30);
    CHECK(gasnett_parse_int("17B", 1024) == 17);
    CHECK(gasnett_parse_int("9007199254740993", 1) == INT64_C(9007199254740993));
    for (int64_t i = 1; i < INT64_C(1) << 50; i = 3 * i + 1) {
        CHECK(gasnett_parse_int(gasnett_format_number(i, text, sizeof text, 0), 0) == i);
        CHECK(gasnett_parse_int(gasnett_format_number(i, text, sizeof text, 1), 7) == i);
    }
    CHECK(gasnett_parse_int(NULL, 0) == 0 && gasnett_parse_int(NULL, 1024) == 0);
    CHECK(gasnett_parse_int("", 0) == 0 && gasnett_parse_int(" \t", 1024) == 0);
    CHECK(strcmp(gasnett_format_number(4096, text, sizeof text, 1), "4 KB") == 0);
}

static void check_environment(void)
{
    gasnett_setenv("FATHOM_TEST", "yes");
    CHECK(strcmp(gasnett_getenv("FATHOM_TEST"), "yes") == 0);
    CHECK(gasnett_getenv_yesno_withdefault("FATHOM_TEST", 0) == 1);
    gasnett_setenv("FATHOM_TEST", "No");
    CHECK(gasnett_getenv_yesno_withdefault("FATHOM_TEST", 1) == 0);
    gasnett_unsetenv("FATHOM_TEST");
    CHECK(gasnett_getenv("FATHOM_TEST") == NULL);
    CHECK(gasnett_getenv_yesno_withdefault("FATHOM_TEST", 1) == 1);
    CHECK(gasnett_getenv_int_withdefault("FATHOM_TEST", 12, 0) == 12);
    CHECK(strcmp(gasnett_getenv_withdefault("FATHOM_TEST", "none"), "none") == 0);
    gasnett_setenv("FATHOM_TEST", "64K");
    CHECK(gasnett_getenv_int_withdefault("FATHOM_TEST", 12, 1) == 65536);
    gasnett_setenv("FATHOM_TEST", "3/8");
    CHECK(gasnett_getenv_dbl_withdefault("FATHOM_TEST", 1) == 0.375);
    gasnett_setenv("FATHOM_TEST", "-1e4");
    CHECK(gasnett_getenv_dbl_withdefault("FATHOM_TEST", 1) == -1e4);
    CHECK(!gasnett_verboseenv());
    gasnett_envint_display("FATHOM_TEST", 1, 0, 0);
    gasnett_envdbl_display("FATHOM_TEST", 1, 0);
}

/* ---- Data and the system ---- */

static void check_data(void)
{
    unsigned char bytes[999];
    unsigned char copy[999];
    size_t zeros = 0;
    for (size_t i = 0; i < sizeof bytes; i++) {
        bytes[i] = i % 5 == 0 ? 0 : (unsigned char)(i * 37 | 1);
        zeros += bytes[i] == 0;
    }
    for (size_t n = 0; n < 20; n++) {
        size_t expected = 0;
        for (size_t i = 0; i < n; i++)
            expected += bytes[3 + i] == 0;
        CHECK(gasnett_count0s(bytes + 3, n) == expected);
    }
    CHECK(gasnett_count0s(bytes, sizeof bytes) == zeros);
    CHECK(gasnett_count0s_copy(copy, bytes, sizeof bytes) == zeros);
    CHECK(memcmp(copy, bytes, sizeof bytes) == 0);
    CHECK(gasnett_checksum(bytes, 999) == gasnett_checksum(copy, 999));
    copy[500] ^= 4;
    CHECK(gasnett_checksum(bytes, 999) != gasnett_checksum(copy, 999));
    CHECK(gasnett_count0s_uint64_t(0) == 8 && gasnett_count0s_uint32_t(0) == 4);
    CHECK(gasnett_count0s_uint32_t(0x80000100) == 2);
    CHECK(gasnett_count0s_uint64_t(UINT64_C(0xff00ff0080010200)) == 3);
    CHECK(gasnett_count0s_uintptr_t((uintptr_t)-1) == 0);
    CHECK(gasnett_isLittleEndian() == 1);
    memset(copy, 0, sizeof copy);
    CHECK(GASNETT_FAST_UNALIGNED_MEMCPY(copy + 1, bytes, 998) == copy + 1);
    CHECK(copy[0] == 0 && memcmp(copy + 1, bytes, 998) == 0);
    GASNETT_FAST_ALIGNED_MEMCPY(copy, bytes, sizeof copy);
    CHECK(memcmp(copy, bytes, sizeof copy) == 0);
}

static void never_called(void)
{
    exit(1);
}

static void check_pages(void)
{
    const size_t size = 3 * (size_t)GASNETT_PAGESIZE + 1;
    unsigned char *pages = gasnett_mmap(size);
    CHECK(pages != MAP_FAILED && (uintptr_t)pages % GASNETT_PAGESIZE == 0);
    CHECK(gasnett_count0s(pages, size) == size);
    memset(pages, 1, size);
    CHECK(munmap(pages, size) == 0);
    CHECK(gasnett_mmap((uintptr_t)1 << 62) == MAP_FAILED);
    CHECK(GASNETT_STATS_INIT(never_called) == 0);
}

static volatile sig_atomic_t caught;

static void on_signal(int number)
{
    caught = number;
}

static void check_system(void)
{
    gasnett_tick_t before = gasnett_ticks_now();
    CHECK(gasnett_nsleep(2000000) == 0);
    gasnett_tick_t after = gasnett_ticks_now();
    CHECK(after - before >= 2000000 && GASNETT_TICK_MIN < after && after < GASNETT_TICK_MAX);
    CHECK(gasnett_ticks_to_ns(after - before) / 1000 == gasnett_ticks_to_us(after - before));
    CHECK(gasnett_tick_granularityus() > 0 && gasnett_tick_overheadus() > 0);
    CHECK(gasnett_cpu_count() > 0 && gasnett_getPhysMemSz(1) > 0);
    CHECK(strlen(gasnett_gethostname()) > 0 && strlen(GASNETT_SYSTEM_TUPLE) > 0);
    CHECK(gasnett_reghandler(SIGUSR1, on_signal) == SIG_DFL);
    raise(SIGUSR1);
    CHECK(caught == SIGUSR1 && gasnett_reghandler(SIGUSR1, SIG_IGN) == on_signal);
    CHECK(gasnett_maximize_rlimits());
    gasnett_set_affinity(0);
    gasnett_sched_yield();
    gasnett_spinloop_hint();
    gasnett_flush_streams();
    char *here = gasnett_current_loc;
    CHECK(strstr(here, "check_system") != NULL && strstr(here, "test_tools.c") != NULL);
    free(here);
    CHECK(twice(thrice(1)) == 6 && GASNETT_PREDICT_TRUE(1));
    say("%d", 1);
    if_pf(gasnett_performance_warning_str() == NULL) exit(1);
}

/* Holds a stream for ever. */
static void *read_for_ever(void *unused)
{
    static int ends[2];
    CHECK(pipe(ends) == 0);
    FILE *stream = fdopen(ends[0], "r");
    CHECK(stream != NULL && getc(stream) == EOF);
    return unused;
}

static void open_and_fork(void)
{
    FILE *stream = fopen("/dev/null", "w");
    CHECK(stream != NULL && fclose(stream) == 0);
    pid_t child = fork();
    if (child == 0)
        _exit(0);
    CHECK(waitpid(child, NULL, 0) == child);
}

/* Streams can be opened and closed, and processes forked, when a thread holds another one. At the
 * end of the program, whose streams this closes. */
static void check_held_streams(void)
{
    pthread_t thread;
    CHECK(pthread_create(&thread, NULL, read_for_ever, NULL) == 0);
    usleep(50000);
    gasnett_flush_streams();
    open_and_fork();
    gasnett_close_streams();
    open_and_fork();
}

static void check_backtrace(char *name)
{
    int fd = open("/dev/null", O_WRONLY);
    gasnett_backtrace_init(name);
    CHECK(gasnett_print_backtrace(fd) == 0 && user_backtraces == 1);
    gasnett_setenv("GASNET_BACKTRACE_TYPE", "EXECINFO");
    CHECK(gasnett_print_backtrace(fd) == 0 && user_backtraces == 1);
    CHECK(gasnett_print_backtrace_ifenabled(fd) != 0);
    close(fd);
}

static volatile int frozen;

static void set_to_zero(int number)
{
    (void)number;
    frozen = 0;
}

static void let_continue(int number)
{
    (void)number;
    raise(SIGCONT);
}

/* Until the flag is 0, or SIGCONT comes. */
static void check_freeze(void)
{
    void (*const ways[])(int) = {set_to_zero, let_continue};
    for (size_t i = 0; i < sizeof ways / sizeof ways[0]; i++) {
        gasnett_reghandler(SIGALRM, ways[i]);
        alarm(1);
        gasnett_freezeForDebuggerNow(&frozen, "frozen");
        CHECK(frozen == 0);
    }
    gasnett_reghandler(SIGALRM, SIG_DFL);
    CHECK(gasnet_frozen == 0);
}

static void check_values(void)
{
    int evaluated = 0;
    GASNETT_TRACE_PRINTF("%d", evaluated++);
    GASNETT_TRACE_PRINTF_FORCE("%d", evaluated++);
    CHECK(evaluated == 2);
}

int main(int argc, char **argv)
{
    (void)argc;
    check_freeze();
    check_values();
    check_atomics();
    check_threads();
    check_mistakes();
    check_numbers();
    check_environment();
    check_data();
    check_pages();
    check_system();
    check_backtrace(argv[0]);
    CHECK(test_ident[0] == '$');
    check_held_streams();
    return 0;
}
