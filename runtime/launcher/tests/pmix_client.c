/*
 * A thread of a job that speaks raw PMIx: connects, exchanges a value with every other thread,
 * and then behaves as its arguments say.
 *
 * Usage: pmix_client MODE [THREAD [NUMBER]] [MARKER...]. The modes below concern the thread given
 * (default 0); the other threads sleep where the mode ends the job, and finish otherwise.
 *
 *   hello              finishes
 *   brief              only meets the others in a fence
 *   quick              meets nobody
 *   sleep              connects and sleeps
 *   told               says "ready PID", and finishes when it is sent SIGUSR1
 *   abort T STATUS     calls PMIx_Abort(STATUS) without a message
 *   witness T STATUS   the same a little later; all tell if they see another's end
 *   message T STATUS   calls PMIx_Abort(STATUS) with one
 *   leave T STATUS     exits with STATUS without PMIx_Finalize
 *   absent T           exits with 0 without PMIx_Init
 *   late T STATUS      exits with STATUS after PMIx_Finalize, the others a little later
 *   filtered T STATUS  the same as abort, behind output to a filter of another thread of control
 *   caught T STATUS    calls PMIx_Abort(STATUS) a little later; the others catch SIGTERM
 *   crash T            dies of SIGSEGV
 *   oddly PROGRAM...   becomes another program, outside the job, with an entry of the environment
 *                      that is no variable
 *
 * Of those that catch it, other threads of control than the main one say so.
 */
#include <pmix.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum {
    SLEEP_SECONDS = 60,
    WITNESSED = 64 /* threads at most */
};

static pmix_proc_t self;

#define CHECK(condition) \
    do { \
        if (!(condition)) { \
            fprintf(stderr, "%s:%d: thread %u: %s\n", __FILE__, __LINE__, self.rank, #condition); \
            exit(99); \
        } \
    } while (0)

static uint32_t job_number(const char *key)
{
    pmix_proc_t job;
    PMIX_LOAD_PROCID(&job, self.nspace, PMIX_RANK_WILDCARD);
    pmix_value_t *value = NULL;
    CHECK(PMIx_Get(&job, key, NULL, 0, &value) == PMIX_SUCCESS);
    CHECK(value->type == PMIX_UINT32);
    uint32_t number = value->data.uint32;
    PMIX_VALUE_RELEASE(value);
    return number;
}

static uint16_t own_number(const char *key)
{
    pmix_value_t *value = NULL;
    CHECK(PMIx_Get(&self, key, NULL, 0, &value) == PMIX_SUCCESS);
    CHECK(value->type == PMIX_UINT16);
    uint16_t number = value->data.uint16;
    PMIX_VALUE_RELEASE(value);
    return number;
}

static void check_job(uint32_t threads)
{
    CHECK(job_number(PMIX_UNIV_SIZE) == threads);
    CHECK(job_number(PMIX_LOCAL_SIZE) == threads);
    CHECK(job_number(PMIX_NUM_NODES) == 1);
    CHECK(own_number(PMIX_LOCAL_RANK) == self.rank);
    CHECK(own_number(PMIX_NODE_RANK) == self.rank);

    pmix_proc_t *peers = NULL;
    size_t count = 0;
    char host[256] = "";
    gethostname(host, sizeof host - 1);
    CHECK(PMIx_Resolve_peers(host, self.nspace, &peers, &count) == PMIX_SUCCESS);
    CHECK(count == threads);
    PMIX_PROC_FREE(peers, count);
}

/* Every thread gives a value of its own and looks at everyone's. */
static void exchange(uint32_t threads)
{
    char text[64];
    snprintf(text, sizeof text, "value of %u", self.rank);
    pmix_value_t value;
    PMIX_VALUE_LOAD(&value, text, PMIX_STRING);
    CHECK(PMIx_Put(PMIX_GLOBAL, "test.value", &value) == PMIX_SUCCESS);
    PMIX_VALUE_DESTRUCT(&value);
    CHECK(PMIx_Commit() == PMIX_SUCCESS);

    bool collect = true;
    pmix_info_t info;
    PMIX_INFO_LOAD(&info, PMIX_COLLECT_DATA, &collect, PMIX_BOOL);
    CHECK(PMIx_Fence(NULL, 0, &info, 1) == PMIX_SUCCESS);
    PMIX_INFO_DESTRUCT(&info);
    for (uint32_t t = 0; t < threads; t++) {
        pmix_proc_t peer;
        PMIX_LOAD_PROCID(&peer, self.nspace, t);
        pmix_value_t *got = NULL;
        CHECK(PMIx_Get(&peer, "test.value", NULL, 0, &got) == PMIX_SUCCESS);
        snprintf(text, sizeof text, "value of %u", t);
        CHECK(got->type == PMIX_STRING && strcmp(got->data.string, text) == 0);
        PMIX_VALUE_RELEASE(got);
    }
}

static void finish(void)
{
    CHECK(PMIx_Finalize(NULL, 0) == PMIX_SUCCESS);
}

/* Before PMIx makes threads, which would take the signal and die of it. */
static void block_signal(sigset_t *told)
{
    sigemptyset(told);
    sigaddset(told, SIGUSR1);
    sigprocmask(SIG_BLOCK, told, NULL);
}

static void await_signal(const sigset_t *told)
{
    int number;
    printf("ready %ld\n", (long)getpid());
    fflush(stdout);
    CHECK(sigwait(told, &number) == 0);
}

static struct pollfd ends[WITNESSED];
static nfds_t ends_count;

/* Every thread is a child of the launcher. */
static void find_others(void)
{
    char path[64];
    snprintf(path, sizeof path, "/proc/%ld/task/%ld/children", (long)getppid(), (long)getppid());
    FILE *children = fopen(path, "r");
    CHECK(children != NULL);
    long pid;
    while (ends_count < WITNESSED && fscanf(children, "%ld", &pid) == 1) {
        ends[ends_count] = (struct pollfd){.events = POLLIN};
        ends[ends_count].fd = (int)syscall(SYS_pidfd_open, (pid_t)pid, 0);
        CHECK(ends[ends_count++].fd >= 0);
    }
    fclose(children);
}

/* The launcher ends them all: none lives to see another's end. */
static void witness(void)
{
    CHECK(poll(ends, ends_count, SLEEP_SECONDS * 1000) == 0);
}

/* Not even a thread of control that takes no signals, as the runtime's own. */
static void *witness_aside(void *unused)
{
    sigset_t all;
    sigfillset(&all);
    CHECK(pthread_sigmask(SIG_BLOCK, &all, NULL) == 0);
    witness();
    return unused;
}

static void start_witness(void)
{
    pthread_t aside;
    find_others();
    CHECK(pthread_create(&aside, NULL, witness_aside, NULL) == 0);
}

static _Thread_local bool is_main;

static void on_term(int number)
{
    static const char words[] = "caught by a helper\n";
    (void)number;
    if (!is_main && write(STDERR_FILENO, words, sizeof words - 1) < 0)
        _exit(98);
    _exit(0);
}

static FILE *filter;
static pthread_barrier_t is_started;

static void *start_filter(void *unused)
{
    filter = popen("sleep 0.2; cat", "w");
    pthread_barrier_wait(&is_started);
    sleep(SLEEP_SECONDS);
    return unused;
}

static void write_to_filter(void)
{
    pthread_t aside;
    pthread_barrier_init(&is_started, NULL, 2);
    CHECK(pthread_create(&aside, NULL, start_filter, NULL) == 0);
    pthread_barrier_wait(&is_started);
    CHECK(filter != NULL && fputs("result\n", filter) >= 0 && fflush(filter) == 0);
}

static void misbehave(const char *mode, int number)
{
    bool witnesses = strcmp(mode, "witness") == 0;
    bool waits = witnesses || strcmp(mode, "caught") == 0;
    if (witnesses)
        start_witness();
    if (waits) {
        CHECK(PMIx_Fence(NULL, 0, NULL, 0) == PMIX_SUCCESS);
        usleep(100000);
    }
    bool is_filtered = strcmp(mode, "filtered") == 0;
    if (is_filtered)
        write_to_filter();
    if (strcmp(mode, "abort") == 0 || is_filtered || waits)
        PMIx_Abort(number, NULL, NULL, 0);
    else if (strcmp(mode, "message") == 0)
        PMIx_Abort(number, "found the sea too wide", NULL, 0);
    if (strcmp(mode, "sleep") != 0 && strcmp(mode, "crash") != 0)
        _exit(number);
    if (strcmp(mode, "crash") == 0) {
        signal(SIGSEGV, SIG_DFL); /* a sanitizer's handler would exit instead */
        raise(SIGSEGV);
    }
    sleep(SLEEP_SECONDS);
}

static int become_odd(char **command)
{
    char odd[] = "PMIX_ODD";
    char *variables[] = {odd, getenv("PATH") - strlen("PATH="), NULL};
    execve(command[0], command, variables);
    return 1;
}

/* The parent of a vfork cannot stop before the child has become another program. */
static int become_unstoppable(void)
{
    printf("ready %ld\n", (long)getpid());
    fflush(stdout);
    /* NOLINTBEGIN(clang-analyzer-security.insecureAPI.vfork,clang-analyzer-unix.Vfork): that */
    if (vfork() == 0)
        for (;;)
            pause();
    /* NOLINTEND(clang-analyzer-security.insecureAPI.vfork,clang-analyzer-unix.Vfork) */
    return 1;
}

int main(int argc, char **argv)
{
    is_main = true;
    const char *mode = argc > 1 ? argv[1] : "hello";
    if (strcmp(mode, "oddly") == 0)
        return become_odd(argv + 2);
    if (strcmp(mode, "unstoppable") == 0)
        return become_unstoppable();
    uint32_t chosen = argc > 2 ? (uint32_t)strtoul(argv[2], NULL, 10) : 0;
    int number = argc > 3 ? (int)strtol(argv[3], NULL, 10) : 0;
    const char *rank = getenv("PMIX_RANK");
    if (strcmp(mode, "absent") == 0 && rank != NULL && strtoul(rank, NULL, 10) == chosen)
        return 0;
    sigset_t told;
    block_signal(&told);
    CHECK(PMIx_Init(&self, NULL, 0) == PMIX_SUCCESS);
    uint32_t threads = job_number(PMIX_JOB_SIZE);
    if (strcmp(mode, "brief") == 0) {
        CHECK(PMIx_Fence(NULL, 0, NULL, 0) == PMIX_SUCCESS);
        finish();
        return 0;
    }
    if (strcmp(mode, "caught") == 0)
        signal(SIGTERM, on_term);
    if (strcmp(mode, "absent") != 0 && strcmp(mode, "quick") != 0)
        exchange(threads);
    if (strcmp(mode, "hello") == 0) {
        check_job(threads);
        printf("thread %u of %u\n", self.rank, threads);
    } else if (strcmp(mode, "told") == 0) {
        await_signal(&told);
    } else if (strcmp(mode, "late") == 0) {
        finish();
        if (self.rank == chosen)
            return number;
        usleep(300000);
        printf("thread %u finished\n", self.rank);
        return 0;
    } else if (strcmp(mode, "quick") != 0) {
        if (self.rank == chosen)
            misbehave(mode, number);
        if (strcmp(mode, "witness") == 0) {
            start_witness();
            CHECK(PMIx_Fence(NULL, 0, NULL, 0) == PMIX_SUCCESS);
            /* The first to be told to stop, and seldom the one with a processor. */
            for (time_t end = time(NULL) + SLEEP_SECONDS; time(NULL) < end;)
                CHECK(poll(ends, ends_count, 0) == 0);
        }
        if (strcmp(mode, "caught") == 0)
            CHECK(PMIx_Fence(NULL, 0, NULL, 0) == PMIX_SUCCESS);
        sleep(SLEEP_SECONDS);
    }
    finish();
    return 0;
}
