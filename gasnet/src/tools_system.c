#include <gasnet.h>
#include <gasnet_tools.h>

#include <errno.h>
#include <execinfo.h>
#include <limits.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdio_ext.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/sysinfo.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#include <pgas/detail.h>

/* ---- Time ---- */

gasnett_tick_t gasnett_ticks_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (gasnett_tick_t)now.tv_sec * 1000000000 + (gasnett_tick_t)now.tv_nsec;
}

enum {
    SAMPLES = 1000
};

double gasnett_tick_granularityus(void)
{
    gasnett_tick_t least = GASNETT_TICK_MAX;
    for (int i = 0; i < SAMPLES; i++) {
        gasnett_tick_t start = gasnett_ticks_now();
        gasnett_tick_t next;
        while ((next = gasnett_ticks_now()) == start)
            continue;
        if (next - start < least)
            least = next - start;
    }
    return (double)least / 1000;
}

double gasnett_tick_overheadus(void)
{
    gasnett_tick_t start = gasnett_ticks_now();
    for (int i = 0; i < SAMPLES; i++)
        gasnett_ticks_now();
    return (double)(gasnett_ticks_now() - start) / 1000 / (SAMPLES + 1);
}

uint64_t gasnett_gettimeofday_us(void)
{
    struct timeval now;
    gettimeofday(&now, NULL);
    return (uint64_t)now.tv_sec * 1000000 + (uint64_t)now.tv_usec;
}

int gasnett_nsleep(uint64_t nanoseconds)
{
    struct timespec left = {.tv_sec = (time_t)(nanoseconds / 1000000000),
                            .tv_nsec = (long)(nanoseconds % 1000000000)};
    while (nanosleep(&left, &left) != 0 && errno == EINTR)
        continue;
    return 0;
}

/* ---- Errors ---- */

enum {
    MOST_FRAMES = 128
};

static int print_frames(int fd)
{
    void *frames[MOST_FRAMES];
    backtrace_symbols_fd(frames, backtrace(frames, MOST_FRAMES), fd);
    return 0;
}

/* True if GASNET_BACKTRACE_TYPE, a list, allows the mechanism. */
static bool is_wanted(const char *name)
{
    const char *types = gasnet_getenv("GASNET_BACKTRACE_TYPE");
    size_t length = strlen(name);
    for (const char *at = types; at != NULL; at = strchr(at, ',')) {
        at += *at == ',';
        if (strncmp(at, name, length) == 0 && (at[length] == '\0' || at[length] == ','))
            return true;
    }
    return types == NULL;
}

int gasnett_print_backtrace(int fd)
{
    if (&gasnett_backtrace_user != NULL && gasnett_backtrace_user.fnp != NULL &&
        is_wanted(gasnett_backtrace_user.name) && gasnett_backtrace_user.fnp(fd) == 0)
        return 0;
    return print_frames(fd);
}

static int print_if_enabled(int fd)
{
    const char *text = gasnet_getenv("GASNET_BACKTRACE");
    bool is_enabled = text != NULL && strchr("1yY", text[0]) != NULL && text[0] != '\0';
    return is_enabled ? gasnett_print_backtrace(fd) : 1;
}

int (*gasnett_print_backtrace_ifenabled)(int fd) = print_if_enabled;

/* The first backtrace loads a library: not in a crash. */
void gasnett_backtrace_init(const char *exename)
{
    void *frame;
    (void)exename;
    (void)backtrace(&frame, 1);
}

static volatile sig_atomic_t continued;

static void on_continue(int number)
{
    (void)number;
    continued = 1;
}

void gasnett_freezeForDebuggerNow(volatile int *flag, const char *flagsymname)
{
    *flag = 1;
    continued = 0;
    gasnett_sighandlerfn_t before = gasnett_reghandler(SIGCONT, on_continue);
    dprintf(
        STDERR_FILENO,
        "Process %ld on %s stands still for a debugger, until %s is set to 0 or SIGCONT comes\n",
        (long)getpid(), gasnett_gethostname(), flagsymname);
    while (*flag != 0 && continued == 0)
        gasnett_nsleep(100000000);
    *flag = 0;
    gasnett_reghandler(SIGCONT, before);
}

volatile int gasnet_frozen;

void gasnett_freezeForDebuggerErr(void)
{
    const char *text = gasnet_getenv("GASNET_FREEZE_ON_ERROR");
    if (text != NULL && text[0] != '\0' && strchr("1yY", text[0]) != NULL)
        gasnett_freezeForDebuggerNow(&gasnet_frozen, "gasnet_frozen");
}

/* Takes it from another thread for up to a second: that may keep it for ever. */
static bool lock_stream(FILE *stream)
{
    enum {
        PATIENCE_MS = 1000
    };
    for (int naps = 0; ftrylockfile(stream) != 0; naps++) {
        if (naps == PATIENCE_MS)
            return false;
        usleep(1000);
    }
    return true;
}

/* One that another thread keeps stays as it is. */
static void flush_stream(FILE *stream)
{
    if (!lock_stream(stream))
        return;
    fflush(stream);
    funlockfile(stream);
}

/* Without waiting for a reader: a pipe that takes anything takes a page. */
static void flush_if_read(FILE *stream)
{
    struct pollfd file = {.fd = fileno(stream), .events = POLLOUT};
    if (__fpending(stream) <= PIPE_BUF && poll(&file, 1, 0) == 1 && (file.revents & POLLOUT) != 0)
        flush_stream(stream);
}

void gasnett_fatalerror(const char *msg, ...)
{
    char text[1024];
    va_list args;
    va_start(args, msg);
    /* clang-tidy 14 mistakes the list in a file that is compiled several times.
     * NOLINTNEXTLINE(clang-analyzer-valist.Uninitialized) */
    vsnprintf(text, sizeof text, msg, args);
    va_end(args);
    dprintf(STDERR_FILENO, "*** FATAL ERROR: %s\n", text);
    flush_if_read(stdout);
    flush_if_read(stderr);
    gasnett_freezeForDebuggerErr();
    gasnett_print_backtrace_ifenabled(STDERR_FILENO);
    pgasi_flush_streams(); /* which may be the end of streams and forks */
    abort();
}

void gasnett_killmyprocess(int exitcode)
{
    _exit(exitcode);
}

char *gasneti_location(const char *function, const char *file, int line)
{
    char *text = NULL;
    if (asprintf(&text, "%s() at %s:%d", function, file, line) < 0)
        return NULL;
    return text;
}

/* ---- The system ---- */

static char host[256];

static void find_host(void)
{
    if (gethostname(host, sizeof host - 1) != 0)
        strcpy(host, "unknown");
}

const char *gasnett_gethostname(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, find_host);
    return host;
}

const char *gasneti_gethostname(void)
{
    return gasnett_gethostname();
}

int gasnett_cpu_count(void)
{
    long count = sysconf(_SC_NPROCESSORS_ONLN);
    return count > 0 ? (int)count : 0;
}

uint64_t gasnett_getPhysMemSz(int failureIsFatal)
{
    struct sysinfo info;
    if (sysinfo(&info) == 0)
        return (uint64_t)info.totalram * info.mem_unit;
    if (failureIsFatal)
        gasnett_fatalerror("the size of the memory is unknown: %s", strerror(errno));
    return 0;
}

void gasnett_set_affinity(int rank)
{
    int count = gasnett_cpu_count();
    cpu_set_t set;
    if (count == 0)
        return;
    CPU_ZERO(&set);
    CPU_SET((size_t)(rank % count + count) % (size_t)count, &set);
    sched_setaffinity(0, sizeof set, &set);
}

/* To flush all at once keeps all streams from being opened and closed while one of them is kept, as
 * a thread that reads keeps its own. */
void gasnett_flush_streams(void)
{
    flush_stream(stdout);
    flush_stream(stderr);
}

static void close_stream(FILE *stream)
{
    if (!lock_stream(stream))
        return;
    funlockfile(stream);
    fclose(stream);
}

void gasnett_close_streams(void)
{
    close_stream(stdin);
    close_stream(stdout);
    close_stream(stderr);
}

gasnett_sighandlerfn_t gasnett_reghandler(int sigtocatch, gasnett_sighandlerfn_t fp)
{
    gasnett_sighandlerfn_t before = signal(sigtocatch, fp);
    if (before == SIG_ERR)
        gasnett_fatalerror("a handler of signal %d: %s", sigtocatch, strerror(errno));
    return before;
}

int gasnett_maximize_rlimit(int res, const char *lim_desc)
{
    char name[64];
    struct rlimit limit;
    snprintf(name, sizeof name, "GASNET_MAXIMIZE_%s", lim_desc);
    if (!gasnett_getenv_yesno_withdefault(name, 1))
        return 1;
    if (getrlimit((__rlimit_resource_t)res, &limit) != 0)
        return 0;
    limit.rlim_cur = limit.rlim_max;
    return setrlimit((__rlimit_resource_t)res, &limit) == 0;
}

int gasnett_maximize_rlimits(void)
{
    static const struct {
        int resource;
        const char *name;
    } limits[] = {{RLIMIT_CPU, "RLIMIT_CPU"},
                  {RLIMIT_DATA, "RLIMIT_DATA"},
                  {RLIMIT_STACK, "RLIMIT_STACK"},
                  {RLIMIT_RSS, "RLIMIT_RSS"},
                  {RLIMIT_AS, "RLIMIT_AS"}};
    int succeeded = 1;
    for (size_t i = 0; i < sizeof limits / sizeof *limits; i++)
        succeeded &= gasnett_maximize_rlimit(limits[i].resource, limits[i].name);
    return succeeded;
}

const char *gasnett_performance_warning_str(void)
{
#ifdef PGAS_DEBUG
    return "        debugging\n";
#else
    return "";
#endif
}
