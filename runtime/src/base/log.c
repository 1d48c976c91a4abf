#include "base/log.h"

#include <errno.h>
#include <poll.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <pgas/detail.h>

#include "base/clock.h"

/* Several threads may find it at first, and write the same bytes. */
const char *pgasi_log_host(void)
{
    static char name[256];
    static atomic_bool is_known;
    if (!atomic_load_explicit(&is_known, memory_order_acquire)) {
        if (gethostname(name, sizeof name - 1) != 0)
            return "unknown host";
        atomic_store_explicit(&is_known, true, memory_order_release);
    }
    return name;
}

/* False of an error that is none of time, or when it is over. */
static bool await_room(uint64_t end)
{
    enum {
        LOOK_MS = 100
    };
    struct pollfd error = {.fd = STDERR_FILENO, .events = POLLOUT};
    if (errno != EAGAIN || pgasi_milliseconds() >= end)
        return false;
    poll(&error, 1, LOOK_MS);
    return true;
}

/* A reader may be late, or a signal come: only what cannot be written is given up. In one piece
 * wherever the kernel writes it so. */
static void write_all(const char *bytes, size_t nbytes)
{
    uint64_t end = pgasi_milliseconds() + (uint64_t)PGASI_LOG_PATIENCE_S * 1000;
    while (nbytes > 0) {
        ssize_t written = write(STDERR_FILENO, bytes, nbytes);
        if (written > 0) {
            bytes += written;
            nbytes -= (size_t)written;
        } else if (written == 0 || (errno != EINTR && !await_room(end))) {
            return; /* there is nobody to tell */
        }
    }
}

/* One line, whatever a file is called, and nothing that a terminal obeys. */
static void write_whole(char *line, size_t length)
{
    while (length > 0 && line[length - 1] == '\n')
        length--;
    for (size_t i = 0; i < length; i++)
        if ((unsigned char)line[i] < ' ' || line[i] == 0x7f)
            line[i] = '?';
    line[length] = '\n';
    int kept = errno;
    write_all(line, length + 1);
    errno = kept;
}

/* The length of the whole; what has no room is cut. */
static size_t append(char *line, size_t size, size_t used, const char *format, va_list args)
    __attribute__((format(printf, 4, 0)));

static size_t append(char *line, size_t size, size_t used, const char *format, va_list args)
{
    int length = vsnprintf(line + used, size - used, format, args);
    return used + (length >= 0 ? (size_t)length : strnlen(line + used, size - used - 1));
}

static size_t smaller(size_t one, size_t other)
{
    return one < other ? one : other;
}

/* An argument may be another one when it is read again. A long line has memory of its own: not from
 * malloc, whose lock a handler that ends the job, or a child, may have interrupted. */
void pgasi_log_line(const char *head, const char *format, va_list args)
{
    char line[1024];
    va_list again;
    va_copy(again, args);
    size_t used = (size_t)snprintf(line, sizeof line, "%s", head);
    size_t length = append(line, sizeof line, used, format, args);
    char *longer = MAP_FAILED;
    if (length >= sizeof line)
        longer = mmap(NULL, length + 1, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (longer != MAP_FAILED) {
        memcpy(longer, line, used);
        write_whole(longer, smaller(append(longer, length + 1, used, format, again), length));
        munmap(longer, length + 1);
    } else {
        write_whole(line, smaller(length, sizeof line - 1));
    }
    va_end(again);
}

static void write_line(const char *format, va_list args) __attribute__((format(printf, 1, 0)));

static void write_line(const char *format, va_list args)
{
    char head[320]; /* the longest name of a host */
    snprintf(head, sizeof head, "fathom: thread %u on %s: ", pgasi_job.thread, pgasi_log_host());
    pgasi_log_line(head, format, args);
}

enum {
    /* Enough for thread 0 to write a line, if it has one. */
    HEAD_START_MS = 1000,
    /* Enough for it to write a line and to end the job on a busy machine. */
    ENDING_MS = 10000
};

static atomic_bool failed;
static bool left_to_thread_0;

void pgasi_log_told(void)
{
    failed = true;
}

bool pgasi_log_has_failed(void)
{
    if (left_to_thread_0)
        pgasi_pause(HEAD_START_MS);
    return failed;
}

void pgasi_log(const char *format, ...)
{
    pgasi_log_told();
    va_list args;
    va_start(args, format);
    write_line(format, args);
    va_end(args);
}

static bool holding;
static char held[5120]; /* the longest path, and what is wrong with it */

void pgasi_log_hold(void)
{
    holding = true;
}

void pgasi_log_release(bool is_for_thread_0)
{
    holding = false;
    if (held[0] != '\0') {
        if (is_for_thread_0)
            pgasi_pause(ENDING_MS);
        pgasi_log("%s", held);
    }
    held[0] = '\0';
}

void pgasi_log_alike(const char *format, ...)
{
    pgasi_log_told();
    va_list args;
    va_start(args, format);
    if (holding) {
        if (held[0] == '\0')
            vsnprintf(held, sizeof held, format, args);
    } else {
        if (pgasi_job.thread != 0)
            pgasi_pause(HEAD_START_MS);
        write_line(format, args);
    }
    va_end(args);
}

void pgasi_log_once(const char *format, ...)
{
    pgasi_log_told();
    left_to_thread_0 = pgasi_job.thread != 0;
    if (left_to_thread_0)
        return;
    va_list args;
    va_start(args, format);
    write_line(format, args);
    va_end(args);
}

void pgasi_tell(const char *format, ...)
{
    va_list args;
    va_start(args, format);
    write_line(format, args);
    va_end(args);
}

void pgasi_note(const char *format, ...)
{
    if (pgasi_job.thread != 0)
        return;
    va_list args;
    va_start(args, format);
    write_line(format, args);
    va_end(args);
}
