/**
 * Preloaded into a job, this makes its connections late: what one of them carries comes in its
 * order, but up to MOST_LATE_US later, now and then eight times that, each time by chance. So
 * connections overtake each other, as they may in a network and hardly ever do over the loopback
 * device. Connections of the PMIx library, which sends by several calls, stay as they are.
 */
#include <dlfcn.h>
#include <errno.h>
#include <netinet/in.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum {
    MOST_LATE_US = 1000,
    MOST_WAITING = 1 << 18, /* bytes, as a socket's buffer holds */
    CONNECTIONS = 4096,
    TURN_NS = 100000,
    PATIENCE_MS = 10000
};

typedef struct piece {
    struct piece *next;
    uint64_t due_us;
    size_t sent;
    size_t nbytes;
    char bytes[];
} piece_t;

/* By descriptor. */
typedef struct connection {
    piece_t *first;
    piece_t **end;
    size_t waiting;
    uint64_t last_due_us;
    int error;
} connection_t;

static connection_t connections[CONNECTIONS];
static pthread_mutex_t guard = PTHREAD_MUTEX_INITIALIZER;
static int highest = -1;
static uint64_t state;

static void *next_of(const char *name)
{
    return dlsym(RTLD_NEXT, name);
}

static uint64_t now_us(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000 + (uint64_t)now.tv_nsec / 1000;
}

static uint64_t draw(uint64_t below)
{
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return (state >> 16) % below;
}

static void drop_first(connection_t *connection)
{
    piece_t *piece = connection->first;
    connection->first = piece->next;
    connection->waiting -= piece->nbytes;
    free(piece);
}

/* True if the socket has taken the piece, or has failed. */
static bool deliver(int fd, connection_t *connection, bool waits)
{
    ssize_t (*send_now)(int, const void *, size_t, int);
    *(void **)&send_now = next_of("send");
    piece_t *piece = connection->first;
    while (piece->sent < piece->nbytes && connection->error == 0) {
        ssize_t sent = send_now(fd, piece->bytes + piece->sent, piece->nbytes - piece->sent,
                                MSG_NOSIGNAL | MSG_DONTWAIT);
        if (sent >= 0)
            piece->sent += (size_t)sent;
        else if (errno == EAGAIN && !waits)
            return false;
        else if (errno != EAGAIN ||
                 poll(&(struct pollfd){.fd = fd, .events = POLLOUT}, 1, PATIENCE_MS) <= 0)
            connection->error = errno;
    }
    drop_first(connection);
    return true;
}

static void *deliver_all(void *unused)
{
    for (;;) {
        nanosleep(&(struct timespec){.tv_nsec = TURN_NS}, NULL);
        pthread_mutex_lock(&guard);
        uint64_t now = now_us();
        for (int fd = 0; fd <= highest; fd++)
            while (connections[fd].first != NULL && connections[fd].first->due_us <= now &&
                   deliver(fd, &connections[fd], false))
                ;
        pthread_mutex_unlock(&guard);
    }
    return unused;
}

static void start(void)
{
    sigset_t all;
    sigset_t before;
    pthread_t thread;
    state = now_us() * UINT64_C(0x9e3779b97f4a7c15) + (uint64_t)getpid();
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    if (pthread_create(&thread, NULL, deliver_all, NULL) != 0)
        abort();
    pthread_detach(thread);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
}

static uint64_t due_us(connection_t *connection)
{
    uint64_t late = draw(MOST_LATE_US) * (draw(24) == 0 ? 8 : draw(3));
    uint64_t due = now_us() + late / 2;
    if (due > connection->last_due_us)
        connection->last_due_us = due;
    return connection->last_due_us;
}

static ssize_t keep(int fd, const struct iovec *parts, size_t count)
{
    size_t nbytes = 0;
    for (size_t i = 0; i < count; i++)
        nbytes += parts[i].iov_len;
    connection_t *connection = &connections[fd];
    errno = connection->error;
    if (errno == 0 && connection->waiting > MOST_WAITING)
        errno = EAGAIN;
    piece_t *piece = errno == 0 ? malloc(sizeof *piece + nbytes) : NULL;
    if (piece == NULL)
        return -1;
    *piece = (piece_t){.due_us = due_us(connection), .nbytes = nbytes};
    for (size_t i = 0, at = 0; i < count; at += parts[i++].iov_len)
        memcpy(piece->bytes + at, parts[i].iov_base, parts[i].iov_len);
    if (connection->first == NULL)
        connection->end = &connection->first;
    *connection->end = piece;
    connection->end = &piece->next;
    connection->waiting += nbytes;
    return (ssize_t)nbytes;
}

static ssize_t send_late(int fd, const struct iovec *parts, size_t count)
{
    static bool has_started;
    pthread_mutex_lock(&guard);
    if (!has_started)
        start();
    has_started = true;
    if (fd > highest)
        highest = fd;
    ssize_t sent = keep(fd, parts, count);
    int error = errno;
    pthread_mutex_unlock(&guard);
    errno = error;
    return sent;
}

static bool may_be_late(int fd, const void *caller)
{
    int domain = 0;
    socklen_t length = sizeof domain;
    Dl_info library;
    return fd >= 0 && fd < CONNECTIONS && dladdr(caller, &library) != 0 &&
           strstr(library.dli_fname, "libpmix") == NULL &&
           getsockopt(fd, SOL_SOCKET, SO_DOMAIN, &domain, &length) == 0 &&
           (domain == AF_INET || domain == AF_INET6);
}

/* In the place of the C library's. */

#define EXPORTED __attribute__((visibility("default")))

EXPORTED ssize_t send(int fd, const void *buf, size_t n, int flags)
{
    ssize_t (*send_now)(int, const void *, size_t, int);
    struct iovec all = {.iov_len = n};
    memcpy(&all.iov_base, &buf, sizeof buf); /* which is const */
    if (may_be_late(fd, __builtin_return_address(0)))
        return send_late(fd, &all, 1);
    *(void **)&send_now = next_of("send");
    return send_now(fd, buf, n, flags);
}

/* By which the runtime calls sendmsg. */
EXPORTED long syscall(long sysno, ...)
{
    long (*call)(long, ...);
    long arguments[6];
    va_list list;
    va_start(list, sysno);
    for (int i = 0; i < 6; i++)
        arguments[i] = va_arg(list, long);
    va_end(list);
    if (sysno == SYS_sendmsg && may_be_late((int)arguments[0], __builtin_return_address(0))) {
        const struct msghdr *message;
        memcpy(&message, &arguments[1], sizeof arguments[1]);
        return send_late((int)arguments[0], message->msg_iov, message->msg_iovlen);
    }
    *(void **)&call = next_of("syscall");
    return call(sysno, arguments[0], arguments[1], arguments[2], arguments[3], arguments[4],
                arguments[5]);
}

static void empty(int fd)
{
    connection_t *connection = &connections[fd];
    while (connection->first != NULL)
        deliver(fd, connection, true);
    *connection = (connection_t){0};
}

EXPORTED int close(int fd)
{
    int (*close_now)(int);
    if (fd >= 0 && fd < CONNECTIONS) {
        pthread_mutex_lock(&guard);
        empty(fd);
        pthread_mutex_unlock(&guard);
    }
    *(void **)&close_now = next_of("close");
    return close_now(fd);
}

__attribute__((destructor)) static void deliver_the_rest(void)
{
    pthread_mutex_lock(&guard);
    for (int fd = 0; fd <= highest; fd++)
        empty(fd);
    pthread_mutex_unlock(&guard);
}
