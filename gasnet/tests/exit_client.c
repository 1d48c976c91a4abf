/*
 * Ends the job in one of many ways, for exit.sh.
 *
 * usage: exit_client HOW [NODE]
 *
 * NODE, the last by default, ends the job; what the others do depends on HOW.
 */
#include "client.h"

#include <gasnet_tools.h>

#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static volatile sig_atomic_t quits;
static gasnet_node_t ending;

enum {
    STATUS = 7,
    EXIT_HANDLER = 200,
    REQUEST_HANDLER,
    REPLY_HANDLER
};

/* What a client's handler of SIGQUIT does: cleans up, and leaves. */
static void on_quit(int number)
{
    static const char text[] = "caught SIGQUIT\n";
    (void)number;
    quits = quits + 1;
    if (quits == 1 && write(STDOUT_FILENO, text, sizeof text - 1) < 0)
        _exit(98);
    usleep(200000); /* far less than a second */
    static const char done[] = "cleaned up\n";
    if (write(STDOUT_FILENO, done, sizeof done - 1) < 0)
        _exit(98);
    gasnet_exit(5);
}

/* Another one notes it, and the program ends by itself. */
static void note_quit(int number)
{
    static const char text[] = "caught SIGQUIT\n";
    (void)number;
    if (write(STDOUT_FILENO, text, sizeof text - 1) < 0)
        _exit(98);
    quits = 1;
}

static void exit_in_handler(gasnet_token_t token, gasnet_handlerarg_t status)
{
    (void)token;
    gasnet_exit(status);
}

static void take_request(gasnet_token_t token, gasnet_handlerarg_t number)
{
    CHECK(gasnet_AMReplyShort1(token, REPLY_HANDLER, number) == GASNET_OK);
}

static void take_reply(gasnet_token_t token, gasnet_handlerarg_t number)
{
    (void)token;
    (void)number;
}

/* For ever, also while the other threads of the node end the job. Each thread has its own word. */
static void *communicate(void *unused)
{
    static _Atomic int started;
    gasnet_node_t to = (gasnet_mynode() + 1) % gasnet_nodes();
    uint64_t *word = (uint64_t *)segments[to].addr + started++;
    for (int i = 0;; i++) {
        gasnet_put_val(to, word, (gasnet_register_value_t)i, 8);
        CHECK(gasnet_AMRequestShort1(to, REQUEST_HANDLER, i) == GASNET_OK);
    }
    return unused;
}

static void *exit_in_thread(void *argument)
{
    gasnet_exit((int)(intptr_t)argument);
    return NULL;
}

static void exit_on_signal(int number)
{
    (void)number;
    gasnet_exit(STATUS); // NOLINT(bugprone-signal-handler): which is what is tested
}

static void *exit_late_in_thread(void *argument)
{
    usleep(200000);
    return exit_in_thread(argument);
}

/* In a thread that makes no calls of GASNet, as one may in SEQ. */
static void *leave_in_thread(void *argument)
{
    exit((int)(intptr_t)argument);
}

/* In a thread that has not called GASNet, and so has not attached; a sanitizer would end it in its
 * own way. */
__attribute__((no_sanitize("undefined"))) static void *crash_in_thread(void *unused)
{
    static volatile int *volatile nowhere;
    *nowhere = 1; // NOLINT(clang-analyzer-core.NullDereference): the crash that is wanted
    return unused;
}

static void *signal_in_thread(void *number)
{
    kill(getpid(), (int)(intptr_t)number);
    pause();
    return number;
}

static void run_in_thread(void *(*function)(void *), int argument)
{
    pthread_t thread;
    pthread_create(&thread, NULL, function, (void *)(intptr_t)argument);
    pthread_join(thread, NULL);
}

/* ThreadSanitizer delivers signals only in calls of the C library. */
static void compute_for_ever(void)
{
    for (volatile unsigned i = 0;; i++) {
#ifdef __SANITIZE_THREAD__
        usleep(1000);
#endif
    }
}

static void poll_for_ever(void)
{
    for (;;)
        gasnet_AMPoll();
}

static void wait_in_barrier(void)
{
    gasnet_barrier_notify(0, 0);
    gasnet_barrier_wait(0, 0);
}

/* A process that is no node ends like any other. */
static void fork_and_exit(void)
{
    fflush(NULL);
    pid_t child = fork();
    if (child == 0)
        exit(3);
    int status = 0;
    CHECK(waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 3);
}

/* Holds a stream for ever. */
static void *read_for_ever(void *unused)
{
    int ends[2];
    CHECK(pipe(ends) == 0);
    FILE *stream = fdopen(ends[0], "r");
    CHECK(stream != NULL && getc(stream) == EOF);
    return unused;
}

/* Opens and closes a stream. */
static int print_frames_from_file(int fd)
{
    FILE *stream = fopen("/dev/null", "w");
    CHECK(stream != NULL && fclose(stream) == 0);
    dprintf(fd, "frames\n");
    return 0;
}

gasnett_backtrace_type_t gasnett_backtrace_user = {"FILE", print_frames_from_file, 1};

/* Has more in streams than a pipe takes, whose reader takes its time. */
static void write_slowly(void)
{
    enum {
        NBYTES = 66 << 10
    };
    static char buffer[2 * NBYTES];
    char command[512];
    snprintf(command, sizeof command, "(sleep 2; cat) >%s; mv %s %s.whole", getenv("SINK"),
             getenv("SINK"), getenv("SINK"));
    FILE *stream = popen(command, "w");
    CHECK(stream != NULL && setvbuf(stream, buffer, _IOFBF, sizeof buffer) == 0);
    for (int i = 0; i < NBYTES; i++)
        CHECK(putc('x', stream) == 'x');
}

static void start_reading(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, read_for_ever, NULL);
    usleep(100000);
}

static int is(const char *how, const char *name)
{
    return strcmp(how, name) == 0;
}

static void end(const char *how)
{
    if (is(how, "crash"))
        raise(SIGSEGV);
    if (is(how, "abort"))
        abort();
    if (is(how, "fatal"))
        gasnett_fatalerror("a fatal error");
    if (is(how, "bus"))
        kill(getpid(), SIGBUS);
    if (is(how, "divide"))
        kill(getpid(), SIGFPE);
    if (is(how, "crash_thread"))
        run_in_thread(crash_in_thread, 0);
    if (is(how, "bus_thread"))
        run_in_thread(signal_in_thread, SIGBUS);
    if (is(how, "thread"))
        run_in_thread(exit_in_thread, STATUS);
    if (is(how, "other_thread"))
        run_in_thread(leave_in_thread, STATUS);
    if (is(how, "handler")) {
        gasnet_AMRequestShort1(gasnet_mynode(), EXIT_HANDLER, STATUS);
        poll_for_ever();
    }
    if (is(how, "exit"))
        exit(STATUS);
    static gasnet_hsl_t lock = GASNET_HSL_INITIALIZER;
    if (is(how, "locked") || is(how, "all_locked"))
        gasnet_hsl_lock(&lock);
    if (is(how, "held"))
        gasnet_hold_interrupts();
    if (is(how, "notified") || is(how, "all_notified"))
        gasnet_barrier_notify(0, 0);
    gasnet_exit(STATUS);
}

int main(int argc, char **argv)
{
    gasnet_handlerentry_t table[] = {{EXIT_HANDLER, (void (*)())exit_in_handler},
                                     {REQUEST_HANDLER, (void (*)())take_request},
                                     {REPLY_HANDLER, (void (*)())take_reply}};
    CHECK(gasnet_init(&argc, &argv) == GASNET_OK);
    CHECK(argc >= 2);
    const char *how = argv[1];
    ending = argc > 2 ? (gasnet_node_t)atoi(argv[2]) : gasnet_nodes() - 1;
    signal(SIGQUIT, is(how, "no_handler") ? SIG_DFL : on_quit);
    printf("node %u begins, without the end of a line", gasnet_mynode());
    if (is(how, "before_attach"))
        gasnet_exit(gasnet_mynode() == ending ? STATUS : 0);
    CHECK(gasnet_attach(table, 3, GASNET_PAGESIZE, 0) == GASNET_OK);
    segments = malloc(gasnet_nodes() * sizeof *segments);
    CHECK(gasnet_getSegmentInfo(segments, (int)gasnet_nodes()) == GASNET_OK);
    wait_in_barrier();
    if (is(how, "communicating")) {
        pthread_t thread;
        pthread_create(&thread, NULL, communicate, NULL);
        for (int i = 0; i < 20; i++)
            wait_in_barrier();
        gasnet_exit(0);
    }
    if (is(how, "starting")) { /* threads make their first call while the process ends */
        pthread_t thread;
        for (int i = 0; i < 8; i++)
            pthread_create(&thread, NULL, communicate, NULL);
        gasnet_exit(0);
    }
    if (is(how, "requests")) {
        for (int i = 0; i < 1000; i++)
            CHECK(gasnet_AMRequestShort1((gasnet_mynode() + 1) % gasnet_nodes(), REQUEST_HANDLER,
                                         i) == GASNET_OK);
        gasnet_exit(0);
    }
    if (is(how, "forked")) {
        fork_and_exit();
        wait_in_barrier();
        gasnet_exit(0);
    }
    if (is(how, "others")) { /* one thread exits, the other goes on in barriers and messages */
        pthread_t thread;
        pthread_create(&thread, NULL, gasnet_mynode() == ending ? exit_in_thread : communicate,
                       (void *)(intptr_t)STATUS);
        for (;;)
            wait_in_barrier();
    }
    if (is(how, "together"))
        gasnet_exit(STATUS);
    if (is(how, "alarm")) { /* whose handler exits, in a wait for what never comes */
        signal(SIGALRM, exit_on_signal);
        ualarm(100000, 0);
        GASNET_BLOCKUNTIL(segments == NULL);
    }
    if (is(how, "allocating")) { /* the same in malloc, most times */
        signal(SIGALRM, exit_on_signal);
        ualarm(100000, 0);
        for (void *volatile piece;; free(piece))
            piece = malloc(100000);
    }
    if (is(how, "waiting")) { /* for a barrier that node 0 does not come to */
        pthread_t thread;
        pthread_create(&thread, NULL, exit_late_in_thread, (void *)(intptr_t)STATUS);
        for (;;)
            if (gasnet_mynode() == 0)
                pause();
            else
                wait_in_barrier();
    }
    if (is(how, "good"))
        gasnet_exit(0);
    if (is(how, "multiple")) /* of what a system keeps of a status */
        gasnet_exit(gasnet_mynode() == 0 ? 256 : 512);
    if (is(how, "reading") || is(how, "reading_good") || is(how, "reading_fatal"))
        start_reading();
    if (is(how, "slow"))
        write_slowly();
    if (is(how, "reading_good") || is(how, "slow"))
        gasnet_exit(0);
    if (is(how, "reading_fatal") && gasnet_mynode() == ending)
        gasnett_fatalerror("a fatal error beside a reader");
    if (is(how, "told") && gasnet_mynode() != ending) {
        signal(SIGQUIT, note_quit);
        while (quits == 0)
            gasnet_AMPoll();
        printf("cleaned up");
        return 0;
    }
    if (is(how, "deaf")) {
        signal(SIGQUIT, note_quit);
        fflush(NULL);
        for (;;)
            pause();
    }
    if (is(how, "folder_lost")) { /* where the statistics were to go */
        const char *folder = getenv("FOLDER");
        CHECK(folder != NULL && (gasnet_mynode() != 0 || rmdir(folder) == 0));
        gasnet_exit(0);
    }
    if (is(how, "codes"))
        gasnet_exit((int)gasnet_mynode() + 1);
    if (is(how, "return"))
        return STATUS;
    if (is(how, "return_good"))
        return 0;
    if (is(how, "return_beside")) { /* while another thread exits, and waits for node 0 */
        pthread_t thread;
        pthread_create(&thread, NULL, gasnet_mynode() == 0 ? exit_late_in_thread : exit_in_thread,
                       (void *)(intptr_t)STATUS);
        usleep(gasnet_mynode() == 0 ? 400000 : 50000);
        return 0;
    }
    if (gasnet_mynode() == ending || is(how, "all_locked") || is(how, "all_notified"))
        end(how);
    if (is(how, "computing"))
        compute_for_ever();
    if (is(how, "polling"))
        poll_for_ever();
    wait_in_barrier();
    poll_for_ever();
}
