#include "net/ucx/gate.h"

#include <errno.h>
#include <fcntl.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <ucs/debug/log_def.h>

#include "base/clock.h"
#include "base/log.h"
#include "base/siphash.h"
#include "net/ucx/imports.h"

enum {
    WORD = PGASI_SIPHASH_BYTES,
    /* More descriptors than a process may have on most systems. */
    DOORS = 1 << 20
};

/* What is still to come before bytes pass. */
typedef enum door_state {
    OPEN = 0,
    /* Nothing of the own word has been heard by the other end, which we call. */
    CALLING,
    /* The other end has called. */
    CALLED,
    /* It has said something else. */
    REFUSED
} door_state_t;

typedef struct door {
    _Atomic unsigned char state;
    /* Bytes of the own word that have been sent, and of the other's that have come. */
    unsigned char said;
    unsigned char heard;
    unsigned char word[WORD];
    /* Of the socket: UCX closes it without telling. */
    _Atomic ino_t inode;
    /* When it was first seen that what is on its way has been sent again, and no acknowledgement
     * has come since; 0: it is not so. */
    _Atomic uint64_t silent_since;
} door_t;

/* Pages of it are used as descriptors are. */
static door_t doors[DOORS];
static pgasi_secrets_t words;
static atomic_bool is_open;
static atomic_int highest; /* of all descriptors that have had a door */
/* UCX calls all of the functions below: where it calls some, bytes pass. */
static bool is_built;

static ssize_t fail(int error)
{
    errno = error;
    return -1;
}

/* Another thread may have had the number before. It has stored the state after it used the rest. */
static void shut(door_t *door, door_state_t state)
{
    (void)atomic_load(&door->state);
    door->said = 0;
    door->heard = 0;
    atomic_store(&door->state, (unsigned char)(is_built ? state : OPEN));
}

/* A new one. */
static void hang(int fd, door_state_t state)
{
    struct stat status;
    int before = highest;
    shut(&doors[fd], state);
    doors[fd].inode = fstat(fd, &status) == 0 ? status.st_ino : 0;
    doors[fd].silent_since = 0;
    while (before < fd && !atomic_compare_exchange_weak(&highest, &before, fd))
        ;
}

/* NULL if bytes pass. UCX closes sockets without telling, but whatever it sends by later it has
 * made by socket() or accept(). */
static door_t *shut_door(int fd)
{
    if (fd < 0 || fd >= DOORS || atomic_load(&doors[fd].state) == OPEN)
        return NULL;
    return &doors[fd];
}

static void refuse(door_t *door)
{
    static atomic_flag told = ATOMIC_FLAG_INIT;
    atomic_store(&door->state, REFUSED);
    if (!atomic_flag_test_and_set(&told))
        pgasi_tell("network: a connection has been refused: it does not come from this job "
                   "(docs/clusters.md, Security)");
}

/* Compares all of it, whatever differs. */
static bool is_word(const unsigned char *word, const unsigned char *expected)
{
    unsigned differences = 0;
    for (size_t i = 0; i < WORD; i++)
        differences |= (unsigned)(word[i] ^ expected[i]);
    return differences == 0;
}

void pgasi_ucx_gate_word(const pgasi_secrets_t *secrets, const struct sockaddr *called,
                         unsigned char *word)
{
    unsigned char input[1 + sizeof(struct in6_addr) + sizeof(in_port_t)] = {0};
    input[0] = (unsigned char)called->sa_family;
    if (called->sa_family == AF_INET) {
        const struct sockaddr_in *in = (const struct sockaddr_in *)(const void *)called;
        memcpy(input + 1, &in->sin_addr, sizeof in->sin_addr);
        memcpy(input + sizeof input - sizeof in->sin_port, &in->sin_port, sizeof in->sin_port);
    } else {
        const struct sockaddr_in6 *in = (const struct sockaddr_in6 *)(const void *)called;
        memcpy(input + 1, &in->sin6_addr, sizeof in->sin6_addr);
        memcpy(input + sizeof input - sizeof in->sin6_port, &in->sin6_port, sizeof in->sin6_port);
    }
    pgasi_siphash(secrets->caller, input, sizeof input, word);
}

typedef int (*get_address_t)(int fd, struct sockaddr *address, socklen_t *length);

/* False, as from a connection that is no more, if the address is not known. */
static bool callers_word(int fd, get_address_t get, unsigned char *word)
{
    struct sockaddr_storage called = {0};
    socklen_t length = sizeof called;
    if (get(fd, (struct sockaddr *)&called, &length) != 0) {
        errno = ECONNRESET;
        return false;
    }
    pgasi_ucx_gate_word(&words, (const struct sockaddr *)&called, word);
    return true;
}

/* Says the rest of the own word: 1, or -1 as send. */
static ssize_t say(int fd, door_t *door, const unsigned char *word)
{
    while (door->said < WORD) {
        ssize_t sent = send(fd, word + door->said, (size_t)(WORD - door->said), MSG_NOSIGNAL);
        if (sent < 0)
            return -1;
        door->said = (unsigned char)(door->said + sent);
    }
    return 1;
}

/* Hears the rest of the other's word: 1, or as recv if that has not come, or is another one. */
static ssize_t hear(int fd, door_t *door, const unsigned char *expected)
{
    while (door->heard < WORD) {
        ssize_t came = recv(fd, door->word + door->heard, (size_t)(WORD - door->heard), 0);
        if (came <= 0)
            return came;
        door->heard = (unsigned char)(door->heard + came);
    }
    if (is_word(door->word, expected))
        return 1;
    refuse(door);
    return 0;
}

static ssize_t hear_and_answer(int fd, door_t *door)
{
    door_state_t state = atomic_load(&door->state);
    if (state == REFUSED)
        return 0;
    if (!atomic_load(&is_open))
        return fail(EAGAIN);
    unsigned char own[WORD];
    if (state == CALLED && !callers_word(fd, getsockname, own))
        return -1;
    ssize_t passed = hear(fd, door, state == CALLED ? own : words.called);
    if (passed == 1 && state == CALLED)
        passed = say(fd, door, words.called);
    if (passed == 1)
        atomic_store(&door->state, OPEN);
    return passed;
}

static ssize_t call(int fd, door_t *door)
{
    door_state_t state = atomic_load(&door->state);
    if (state == REFUSED)
        return fail(EPIPE);
    if (state == CALLED || !atomic_load(&is_open))
        return fail(EAGAIN);
    unsigned char word[WORD];
    if (door->said == WORD)
        return 1;
    return callers_word(fd, getpeername, word) ? say(fd, door, word) : -1;
}

/* 1 if bytes pass. What has been done to the door is seen by who has the number later: shut(). */
static ssize_t pass(int fd, ssize_t (*how)(int fd, door_t *door))
{
    door_t *door = shut_door(fd);
    if (door == NULL)
        return 1;
    ssize_t passed = how(fd, door);
    atomic_store(&door->state, atomic_load(&door->state));
    return passed;
}

/* A program may close its standard error in the job: lines of the runtime would go to the peer of a
 * connection that gets its number. */
static int above_standard_files(int fd)
{
    if (fd < 0 || fd > STDERR_FILENO)
        return fd;
    int above = fcntl(fd, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
    int error = errno;
    close(fd);
    errno = error;
    return above;
}

int pgasi_ucx_gate_socket(int domain, int type, int protocol)
{
    int fd = above_standard_files(socket(domain, type | SOCK_CLOEXEC, protocol));
    if (fd >= 0 && fd < DOORS)
        hang(fd, OPEN);
    return fd;
}

int pgasi_ucx_gate_accept(int fd, struct sockaddr *address, socklen_t *length)
{
    for (;;) {
        socklen_t room = *length;
        int connection = above_standard_files(accept4(fd, address, &room, SOCK_CLOEXEC));
        if (connection < DOORS) {
            if (connection >= 0)
                hang(connection, CALLED);
            *length = room;
            return connection;
        }
        close(connection);
    }
}

int pgasi_ucx_gate_connect(int fd, const struct sockaddr *address, socklen_t length)
{
    int result = connect(fd, address, length);
    if ((result < 0 && errno != EINPROGRESS) ||
        (address->sa_family != AF_INET && address->sa_family != AF_INET6))
        return result;
    if (fd >= DOORS)
        return (int)fail(EMFILE);
    int error = errno;
    shut(&doors[fd], CALLING);
    errno = error;
    return result;
}

ssize_t pgasi_ucx_gate_recv(int fd, void *bytes, size_t nbytes, int flags)
{
    ssize_t passed = pass(fd, hear_and_answer);
    return passed == 1 ? recv(fd, bytes, nbytes, flags) : passed;
}

ssize_t pgasi_ucx_gate_send(int fd, const void *bytes, size_t nbytes, int flags)
{
    ssize_t passed = pass(fd, call);
    return passed == 1 ? send(fd, bytes, nbytes, flags) : passed;
}

/* By the bare system call: AddressSanitizer looks at the bytes behind sendmsg, when whoever reads
 * them may have them, and who has lent them may have freed them. */
ssize_t pgasi_ucx_gate_sendmsg(int fd, const struct msghdr *message, int flags)
{
    ssize_t passed = pass(fd, call);
    return passed == 1 ? syscall(SYS_sendmsg, fd, message, flags) : passed;
}

/* True if something is on its way by the connection, and has been sent again: else it is too early
 * to ask. `last_ack` receives how long ago the last acknowledgement came, in milliseconds. */
static bool is_sent_again(int fd, uint64_t *last_ack)
{
    struct stat status;
    struct tcp_info info;
    socklen_t length = sizeof info;
    if (doors[fd].inode == 0 || atomic_load(&doors[fd].state) != OPEN || fstat(fd, &status) != 0 ||
        !S_ISSOCK(status.st_mode) || status.st_ino != doors[fd].inode ||
        getsockopt(fd, IPPROTO_TCP, TCP_INFO, &info, &length) != 0)
        return false;
    *last_ack = info.tcpi_last_ack_recv;
    return info.tcpi_state == TCP_ESTABLISHED && info.tcpi_unacked > 0 && info.tcpi_retransmits > 0;
}

/* Counted from a look at it: before, perhaps nothing was on its way. */
static bool is_cut(int fd, uint64_t now, uint64_t milliseconds, bool is_new)
{
    door_t *door = &doors[fd];
    uint64_t last_ack;
    if (!is_sent_again(fd, &last_ack)) {
        door->silent_since = 0;
        return false;
    }
    uint64_t since = door->silent_since;
    if (is_new || since == 0 || now - since > last_ack) {
        door->silent_since = now;
        return false;
    }
    return now - since > milliseconds;
}

bool pgasi_ucx_gate_is_cut(uint64_t milliseconds, char *address, size_t size)
{
    static uint64_t last_look;
    struct sockaddr_storage other;
    socklen_t length = sizeof other;
    uint64_t now = pgasi_milliseconds();
    /* The process, or the machine, may have stood still. */
    bool is_new = now - last_look > milliseconds / 2;
    int cut = -1;
    last_look = now;
    for (int fd = 0; fd <= highest; fd++)
        if (is_cut(fd, now, milliseconds, is_new))
            cut = fd;
    if (cut < 0)
        return false;
    snprintf(address, size, "another host");
    if (getpeername(cut, (struct sockaddr *)&other, &length) == 0)
        getnameinfo((struct sockaddr *)&other, length, address, (socklen_t)size, NULL, 0,
                    NI_NUMERICHOST);
    return true;
}

bool pgasi_ucx_gate_build(void)
{
    static const pgasi_import_t functions[] = {
        {"accept", (void (*)(void))pgasi_ucx_gate_accept},
        {"connect", (void (*)(void))pgasi_ucx_gate_connect},
        {"recv", (void (*)(void))pgasi_ucx_gate_recv},
        {"send", (void (*)(void))pgasi_ucx_gate_send},
        {"socket", (void (*)(void))pgasi_ucx_gate_socket},
        {"sendmsg", (void (*)(void))pgasi_ucx_gate_sendmsg},
    };
    /* By which bytes could come, too. */
    static const char *const others[] = {"accept4",  "readv",   "recvfrom",
                                         "recvmmsg", "recvmsg", "splice"};
    void (*libucs)(void) = (void (*)(void))ucs_log_push_handler;
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++)
        if (pgasi_imports_has(libucs, others[i]))
            return false;
    is_built = pgasi_imports_replace(libucs, functions, sizeof functions / sizeof functions[0]);
    return is_built;
}

void pgasi_ucx_gate_open(const pgasi_secrets_t *secrets)
{
    words = *secrets;
    atomic_store(&is_open, true);
}
