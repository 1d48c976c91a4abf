/**
 * A program that makes one call of the runtime outside the job; the failure tests watch how it
 * ends.
 *
 * Usage: runtime_outside before|after|child|fail|exit|daemon|again CALL [MARKER...]. Without CALL
 * it lists the calls it knows, one per line. With several threads the last one makes the call; the
 * others call pgas_init or have finished. With child, a child process makes it while its parent is
 * in the job, which ends well, with the child's status; with fail, silently, and its parent ends
 * the job. With daemon the job is a child's, of which another thread calls pgas_init, and this one
 * attaches; it makes no call. With again a pgas_init that fails comes first.
 */
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <pgas/pgas.h>

/* All zero before pgas_init; left over from the job after pgas_finalize. */
static pgas_array_t array;
static pgas_ptr_t ptr;
static pgas_lock_t lock;
static pgas_plan_t *plan;
static uint64_t bytes[8];

static pgas_ptr_t somewhere(void)
{
    pgas_ptr_t made_up = {0, 0, 1 << 20};
    return pgas_ptr_is_null(ptr) ? made_up : ptr;
}

static pgas_lock_t some_lock(void)
{
    pgas_lock_t made_up = {somewhere()};
    return pgas_ptr_is_null(lock.state) ? made_up : lock;
}

static void call_init(void)
{
    (void)pgas_init();
}

static void call_array_create(void)
{
    (void)pgas_array_create(10, 8, 1, &array);
}

static void call_array_free(void)
{
    pgas_array_free(&array);
}

static void call_all_alloc(void)
{
    (void)pgas_all_alloc(1, 8, &ptr);
}

static void call_global_alloc(void)
{
    (void)pgas_global_alloc(1, 8, &ptr);
}

static void call_alloc(void)
{
    (void)pgas_alloc(8, &ptr);
}

static void call_free(void)
{
    pgas_free(somewhere());
}

static void call_all_free(void)
{
    pgas_all_free(somewhere());
}

static void call_heap_size(void)
{
    (void)pgas_heap_size();
}

static void call_heap_used(void)
{
    (void)pgas_heap_used();
}

static void call_signal_set(void)
{
    static pgas_signal_t signal;
    pgas_signal_set(&signal, 1);
}

static void call_memget(void)
{
    pgas_memget(bytes, somewhere(), 8);
}

static void call_memput(void)
{
    pgas_memput(somewhere(), bytes, 8);
}

static void call_memcpy(void)
{
    pgas_memcpy(somewhere(), somewhere(), 8);
}

static void call_memset(void)
{
    pgas_memset(somewhere(), 0, 8);
}

static void call_memput_async(void)
{
    (void)pgas_memput_async(somewhere(), bytes, 8);
}

static void call_memget_asynci(void)
{
    pgas_memget_asynci(bytes, somewhere(), 8);
}

static void call_memget_ilist(void)
{
    void *to[] = {bytes};
    pgas_ptr_t from[] = {somewhere()};
    pgas_memget_ilist(1, to, 8, 1, from, 8);
}

static void call_memput_2d(void)
{
    pgas_memput_2d(somewhere(), 16, bytes, 16, 8, 2);
}

static void call_reblock_get(void)
{
    array.count = 10; /* the struct belongs to the program */
    array.elem_size = 8;
    pgas_reblock_get(bytes, &array, 0, 2);
}

static void call_get_val(void)
{
    (void)pgas_get_val(somewhere(), 8);
}

static void call_put_val(void)
{
    pgas_put_val(somewhere(), 1, 8);
}

static void call_read(void)
{
    bytes[0] = PGAS_READ(uint64_t, somewhere());
}

static void call_write(void)
{
    PGAS_WRITE(uint64_t, somewhere(), 1);
}

static void call_get(void)
{
    array.count = 10;
    array.elem_size = 8;
    bytes[0] = PGAS_GET(uint64_t, &array, 0);
}

static void call_put(void)
{
    array.count = 10;
    array.elem_size = 8;
    PGAS_PUT(uint64_t, &array, 0, 1);
}

static void call_all_lock_alloc(void)
{
    (void)pgas_all_lock_alloc(&lock);
}

static void call_global_lock_alloc(void)
{
    (void)pgas_global_lock_alloc(&lock);
}

static void call_lock(void)
{
    pgas_lock(some_lock());
}

static void call_lock_attempt(void)
{
    (void)pgas_lock_attempt(some_lock());
}

static void call_unlock(void)
{
    pgas_unlock(some_lock());
}

static void call_lock_free(void)
{
    pgas_lock_free(some_lock());
}

static void call_barrier(void)
{
    pgas_barrier();
}

static void call_notify(void)
{
    pgas_notify(1);
}

static void call_wait(void)
{
    pgas_wait(1);
}

static void call_plan_create(void)
{
    size_t index = 0;
    (void)pgas_plan_create(&array, &index, 1, 0, NULL, &plan);
}

static void call_finalize(void)
{
    pgas_finalize();
}

static const struct {
    const char *name;
    void (*act)(void);
} calls[] = {
    {"pgas_init", call_init},
    {"pgas_array_create", call_array_create},
    {"pgas_array_free", call_array_free},
    {"pgas_all_alloc", call_all_alloc},
    {"pgas_global_alloc", call_global_alloc},
    {"pgas_alloc", call_alloc},
    {"pgas_free", call_free},
    {"pgas_all_free", call_all_free},
    {"pgas_heap_size", call_heap_size},
    {"pgas_heap_used", call_heap_used},
    {"pgas_signal_set", call_signal_set},
    {"pgas_memget", call_memget},
    {"pgas_memput", call_memput},
    {"pgas_memcpy", call_memcpy},
    {"pgas_memset", call_memset},
    {"pgas_memput_async", call_memput_async},
    {"pgas_memget_asynci", call_memget_asynci},
    {"pgas_memget_ilist", call_memget_ilist},
    {"pgas_memput_2d", call_memput_2d},
    {"pgas_reblock_get", call_reblock_get},
    {"pgas_get_val", call_get_val},
    {"pgas_put_val", call_put_val},
    {"PGAS_READ", call_read},
    {"PGAS_WRITE", call_write},
    {"PGAS_GET", call_get},
    {"PGAS_PUT", call_put},
    {"pgas_all_lock_alloc", call_all_lock_alloc},
    {"pgas_global_lock_alloc", call_global_lock_alloc},
    {"pgas_lock", call_lock},
    {"pgas_lock_attempt", call_lock_attempt},
    {"pgas_unlock", call_unlock},
    {"pgas_lock_free", call_lock_free},
    {"pgas_barrier", call_barrier},
    {"pgas_notify", call_notify},
    {"pgas_wait", call_wait},
    {"pgas_plan_create", call_plan_create},
    {"pgas_finalize", call_finalize},
};

enum {
    CALLS = sizeof calls / sizeof calls[0]
};

static void make(const char *name)
{
    for (size_t i = 0; i < CALLS; i++)
        if (strcmp(calls[i].name, name) == 0)
            calls[i].act();
}

/* The launcher's number: the thread has none before pgas_init. */
static bool is_last(void)
{
    const char *rank = getenv("PMIX_RANK");
    const char *last = getenv("LAST_THREAD");
    return rank == NULL || last == NULL || strcmp(rank, last) == 0;
}

static int make_in_child(const char *name, bool silently)
{
    int status = 0;
    pid_t child = fork();
    if (child == 0) {
        if (silently && freopen("/dev/null", "w", stderr) == NULL)
            _exit(2);
        make(name);
        _exit(0);
    }
    if (child < 0 || waitpid(child, &status, 0) != child || !WIFEXITED(status))
        pgas_exit(2);
    return WEXITSTATUS(status);
}

static sem_t has_begun;
static sem_t may_end;

static void *live(void *unused)
{
    (void)unused;
    if (pgas_init() != PGAS_OK || pgas_attach_thread() != PGAS_OK)
        _exit(2);
    sem_post(&has_begun);
    sem_wait(&may_end);
    pgas_finalize();
    return NULL;
}

static int become_daemon(void)
{
    int status = 0;
    pid_t child = fork();
    if (child != 0)
        return child > 0 && waitpid(child, &status, 0) == child && WIFEXITED(status)
                   ? WEXITSTATUS(status)
                   : 2;
    pthread_t other;
    if (sem_init(&has_begun, 0, 0) != 0 || sem_init(&may_end, 0, 0) != 0 ||
        pthread_create(&other, NULL, live, NULL) != 0)
        _exit(2);
    sem_wait(&has_begun);
    if (pgas_attach_thread() != PGAS_OK)
        _exit(3);
    pgas_poll();
    pgas_detach_thread();
    sem_post(&may_end);
    pthread_join(other, NULL);
    _exit(0);
}

static void list_calls(void)
{
    for (size_t i = 0; i < CALLS; i++)
        printf("%s\n", calls[i].name);
}

int main(int argc, char **argv)
{
    if (argc < 3) {
        list_calls();
        return 0;
    }
    if (strcmp(argv[1], "daemon") == 0)
        return become_daemon();
    if (strcmp(argv[1], "again") == 0) {
        setenv("PGAS_WATCHDOG", "soon", 1);
        if (pgas_init() != PGAS_ERR_ARGUMENT)
            return 2;
        unsetenv("PGAS_WATCHDOG");
    }
    bool before = strcmp(argv[1], "before") == 0;
    if (before && is_last())
        make(argv[2]);
    if (pgas_init() != PGAS_OK)
        return 1;
    if (pgas_array_create(10, 8, 1, &array) != PGAS_OK || pgas_alloc(64, &ptr) != PGAS_OK ||
        pgas_global_lock_alloc(&lock) != PGAS_OK)
        pgas_exit(1);
    int status = 0;
    bool fails = strcmp(argv[1], "fail") == 0;
    bool in_child = fails || strcmp(argv[1], "child") == 0;
    if (in_child && is_last())
        status = make_in_child(argv[2], fails);
    if (fails && is_last())
        pgas_fail(status + 2, "behind a child process");
    pgas_finalize();
    if (in_child)
        return status;
    if (strcmp(argv[1], "exit") == 0 && is_last())
        pgas_exit(3);
    if (!before && is_last())
        make(argv[2]);
    return 0;
}
