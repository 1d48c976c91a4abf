/**
 * The gate: over a connection that UCX makes, nothing passes until both ends have said the job's
 * words, in pieces of any size; who says something else gets nothing, and no hint how much of it
 * was right. And functions that a library imports are replaced for it alone, all or none.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <jansson.h>
#include <netinet/in.h>
#include <poll.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/log.h"
#include "net/ucx/gate.h"
#include "net/ucx/imports.h"
#include "random.h"

static const pgasi_secrets_t words = {
    .caller = "0123456789abcde",
    .called = "fedcba987654321",
};
static int lines;

/* In place of base/log.c. */
void pgasi_tell(const char *format, ...)
{
    (void)format;
    lines++;
}

typedef struct ends {
    int listener;
    int caller;
    int called;
    /* What callers of the listener say. */
    unsigned char word[16];
} ends_t;

static int listen_on(struct sockaddr_in *address)
{
    socklen_t length = sizeof *address;
    *address = (struct sockaddr_in){.sin_family = AF_INET};
    address->sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    assert_true(fd >= 0 && bind(fd, (struct sockaddr *)address, sizeof *address) == 0);
    assert_true(listen(fd, 8) == 0);
    assert_true(getsockname(fd, (struct sockaddr *)address, &length) == 0);
    return fd;
}

static void await_bytes(int fd)
{
    struct pollfd wanted = {.fd = fd, .events = POLLIN};
    assert_int_equal(poll(&wanted, 1, -1), 1);
}

static void must_wait(ssize_t result)
{
    assert_int_equal(result, -1);
    assert_int_equal(errno, EAGAIN);
}

/* Both ends behind the gate, or one that a stranger has: as callers, as those who are called. */
static ends_t connect_ends(bool caller_is_ours, bool called_is_ours)
{
    struct sockaddr_in address;
    struct sockaddr_storage from;
    socklen_t length = sizeof from;
    ends_t ends = {.listener = listen_on(&address)};
    ends.caller = caller_is_ours ? pgasi_ucx_gate_socket(AF_INET, SOCK_STREAM, 0)
                                 : socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    assert_true(ends.caller >= 0);
    pgasi_ucx_gate_word(&words, (struct sockaddr *)&address, ends.word);
    const struct sockaddr *to = (const struct sockaddr *)&address;
    assert_int_equal(caller_is_ours ? pgasi_ucx_gate_connect(ends.caller, to, sizeof address)
                                    : connect(ends.caller, to, sizeof address),
                     0);
    struct sockaddr *who = (struct sockaddr *)&from;
    ends.called = called_is_ours ? pgasi_ucx_gate_accept(ends.listener, who, &length)
                                 : accept(ends.listener, who, &length);
    assert_true(ends.called >= 0 && length == sizeof address);
    /* A program that this one starts has no connection of the job. */
    assert_int_equal(fcntl(ends.caller, F_GETFD), FD_CLOEXEC);
    assert_true(!called_is_ours || fcntl(ends.called, F_GETFD) == FD_CLOEXEC);
    assert_int_equal(fcntl(ends.caller, F_SETFL, O_NONBLOCK), 0);
    assert_int_equal(fcntl(ends.called, F_SETFL, O_NONBLOCK), 0);
    return ends;
}

static void close_ends(ends_t ends)
{
    close(ends.listener);
    close(ends.caller);
    close(ends.called);
}

static ssize_t recv_when_there(int fd, void *bytes, size_t nbytes)
{
    for (;;) {
        await_bytes(fd);
        ssize_t came = pgasi_ucx_gate_recv(fd, bytes, nbytes, 0);
        if (came >= 0 || errno != EAGAIN)
            return came;
    }
}

static ssize_t send_by(int how, int fd, const void *bytes, size_t nbytes)
{
    struct iovec part = {.iov_base = (void *)bytes, .iov_len = nbytes};
    struct msghdr message = {.msg_iov = &part, .msg_iovlen = 1};
    return how == 0 ? pgasi_ucx_gate_send(fd, bytes, nbytes, MSG_NOSIGNAL)
                    : pgasi_ucx_gate_sendmsg(fd, &message, MSG_NOSIGNAL);
}

/* The first test: where UCX calls only some of the gate's functions, everything passes. */
static void test_not_built(void **state)
{
    (void)state;
    char byte = 'x';
    ends_t ends = connect_ends(true, false);
    assert_int_equal(pgasi_ucx_gate_send(ends.caller, &byte, 1, MSG_NOSIGNAL), 1);
    close_ends(ends);
    ends = connect_ends(false, true);
    assert_int_equal(send(ends.caller, "y", 1, MSG_NOSIGNAL), 1);
    assert_int_equal(recv_when_there(ends.called, &byte, 1), 1);
    assert_int_equal(byte, 'y');
    close_ends(ends);
}

/* UCX of this system is one of those known. */
static void test_build(void **state)
{
    (void)state;
    assert_true(pgasi_ucx_gate_build());
}

/* Nothing passes before the words are known. */
static void test_closed(void **state)
{
    (void)state;
    char byte = 'x';
    ends_t ends = connect_ends(true, false);
    must_wait(pgasi_ucx_gate_send(ends.caller, &byte, 1, MSG_NOSIGNAL));
    close_ends(ends);
    ends = connect_ends(false, true);
    assert_int_equal(send(ends.caller, ends.word, 16, MSG_NOSIGNAL), 16);
    await_bytes(ends.called);
    must_wait(pgasi_ucx_gate_recv(ends.called, &byte, 1, 0));
    pgasi_ucx_gate_open(&words);
    must_wait(pgasi_ucx_gate_recv(ends.called, &byte, 1, 0));
    await_bytes(ends.caller);
    assert_int_equal(recv(ends.caller, &byte, 1, 0), 1);
    assert_int_equal(byte, words.called[0]);
    close_ends(ends);
}

static void test_both(void **state)
{
    (void)state;
    for (int how = 0; how < 2; how++) {
        char bytes[8];
        ends_t ends = connect_ends(true, true);
        must_wait(pgasi_ucx_gate_recv(ends.called, bytes, sizeof bytes, 0));
        must_wait(send_by(how, ends.called, "no", 2));
        must_wait(pgasi_ucx_gate_recv(ends.caller, bytes, sizeof bytes, 0));
        assert_int_equal(send_by(how, ends.caller, "one", 3), 3);
        assert_int_equal(send_by(how, ends.caller, "two", 3), 3);
        assert_int_equal(recv_when_there(ends.called, bytes, 6), 6);
        assert_memory_equal(bytes, "onetwo", 6);
        assert_int_equal(send_by(how, ends.called, "three", 5), 5);
        assert_int_equal(recv_when_there(ends.caller, bytes, sizeof bytes), 5);
        assert_memory_equal(bytes, "three", 5);
        must_wait(pgasi_ucx_gate_recv(ends.called, bytes, sizeof bytes, 0));
        assert_int_equal(send_by(how, ends.caller, "four", 4), 4);
        assert_int_equal(recv_when_there(ends.called, bytes, sizeof bytes), 4);
        close(ends.caller);
        assert_int_equal(recv_when_there(ends.called, bytes, sizeof bytes), 0);
        close_ends((ends_t){.listener = ends.listener, .caller = -1, .called = ends.called});
    }
}

/* The words in pieces, with what follows them in the same piece or not. */
static void test_pieces(void **state)
{
    (void)state;
    uint64_t seed = random_seed();
    for (int round = 0; round < 50; round++) {
        unsigned char stream[20];
        static const unsigned char data[4] = {'d', 'a', 't', 'a'};
        unsigned char got[sizeof data] = {0};
        ends_t ends = connect_ends(false, true);
        memcpy(stream, ends.word, 16);
        memcpy(stream + 16, data, sizeof data);
        size_t sent = 0;
        size_t came = 0;
        while (came < sizeof got) {
            size_t piece = random_below(&seed, sizeof stream - sent + 1);
            if (piece > 0)
                sent += (size_t)send(ends.caller, stream + sent, piece, MSG_NOSIGNAL);
            ssize_t result = pgasi_ucx_gate_recv(ends.called, got + came, sizeof got - came, 0);
            assert_true(result > 0 || (result < 0 && errno == EAGAIN));
            assert_true(result < 0 || sent > 16);
            came += result > 0 ? (size_t)result : 0;
        }
        assert_memory_equal(got, data, sizeof data);
        await_bytes(ends.caller);
        assert_int_equal(recv(ends.caller, stream, sizeof stream, 0), 16);
        assert_memory_equal(stream, words.called, 16);
        close_ends(ends);
    }
}

/* Every word that is wrong in one byte, and the called one's in place of the caller's. */
static void test_strangers(void **state)
{
    (void)state;
    for (int wrong = 0; wrong <= 16; wrong++) {
        unsigned char word[16];
        char bytes[40];
        ends_t ends = connect_ends(false, true);
        memcpy(word, wrong < 16 ? ends.word : words.called, 16);
        if (wrong < 16)
            word[wrong] ^= 0x40;
        assert_int_equal(send(ends.caller, word, 15, MSG_NOSIGNAL), 15);
        await_bytes(ends.called);
        must_wait(pgasi_ucx_gate_recv(ends.called, bytes, sizeof bytes, 0));
        assert_int_equal(send(ends.caller, word + 15, 1, MSG_NOSIGNAL), 1);
        assert_int_equal(send(ends.caller, "data", 4, MSG_NOSIGNAL), 4);
        assert_int_equal(recv_when_there(ends.called, bytes, sizeof bytes), 0);
        assert_int_equal(pgasi_ucx_gate_recv(ends.called, bytes, sizeof bytes, 0), 0);
        assert_int_equal(pgasi_ucx_gate_send(ends.called, "no", 2, MSG_NOSIGNAL), -1);
        assert_int_equal(errno, EPIPE);
        must_wait(recv(ends.caller, bytes, sizeof bytes, 0));
        close_ends(ends);
    }
    assert_int_equal(lines, 1);
}

/* Who has the port of a thread that is no more. */
static void test_impostors(void **state)
{
    (void)state;
    for (int wrong = 0; wrong <= 16; wrong++) {
        unsigned char word[16];
        char bytes[40];
        ends_t ends = connect_ends(true, false);
        memcpy(word, wrong < 16 ? words.called : ends.word, 16);
        if (wrong < 16)
            word[wrong] ^= 0x40;
        assert_int_equal(pgasi_ucx_gate_send(ends.caller, "hello", 5, MSG_NOSIGNAL), 5);
        assert_int_equal(send(ends.called, word, 16, MSG_NOSIGNAL), 16);
        assert_int_equal(send(ends.called, "data", 4, MSG_NOSIGNAL), 4);
        assert_int_equal(recv_when_there(ends.caller, bytes, sizeof bytes), 0);
        assert_int_equal(pgasi_ucx_gate_send(ends.caller, "no", 2, MSG_NOSIGNAL), -1);
        close_ends(ends);
    }
}

/* Who has the port of a thread that is no more hears a word that opens no other door. */
static void test_thief(void **state)
{
    (void)state;
    unsigned char word[16];
    char bytes[8];
    ends_t stolen = connect_ends(true, false);
    assert_int_equal(pgasi_ucx_gate_send(stolen.caller, "hello", 5, MSG_NOSIGNAL), 5);
    await_bytes(stolen.called);
    assert_int_equal(recv(stolen.called, word, 16, 0), 16);
    ends_t ends = connect_ends(false, true);
    assert_int_equal(send(ends.caller, word, 16, MSG_NOSIGNAL), 16);
    assert_int_equal(send(ends.caller, "data", 4, MSG_NOSIGNAL), 4);
    assert_int_equal(recv_when_there(ends.called, bytes, sizeof bytes), 0);
    close_ends(ends);
    close_ends(stolen);
}

/* Not only TCP proper: MPTCP, as mptcpize makes of every socket, is behind the gate. */
static void test_other_protocols(void **state)
{
    (void)state;
    enum {
        MPTCP = 262
    };
    struct sockaddr_in address = {.sin_family = AF_INET};
    socklen_t length = sizeof address;
    char bytes[8];
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    int listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, MPTCP);
    if (listener < 0)
        skip();
    int caller = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, MPTCP);
    assert_true(bind(listener, (struct sockaddr *)&address, sizeof address) == 0);
    assert_true(listen(listener, 8) == 0);
    assert_true(getsockname(listener, (struct sockaddr *)&address, &length) == 0);
    assert_true(connect(caller, (struct sockaddr *)&address, sizeof address) == 0);
    int called = pgasi_ucx_gate_accept(listener, (struct sockaddr *)&address, &length);
    assert_true(called >= 0 && fcntl(called, F_SETFL, O_NONBLOCK) == 0);
    assert_int_equal(send(caller, "sixteen bytes...data", 20, MSG_NOSIGNAL), 20);
    assert_int_equal(recv_when_there(called, bytes, sizeof bytes), 0);
    close(listener);
    close(caller);
    close(called);
}

/* A number that had a door, and is a socket that UCX has made since. */
static void test_numbers_again(void **state)
{
    (void)state;
    char bytes[4];
    ends_t ends = connect_ends(false, true);
    int pair[2];
    assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair), 0);
    close(ends.called);
    assert_int_equal(pgasi_ucx_gate_socket(AF_UNIX, SOCK_STREAM, 0), ends.called);
    assert_int_equal(dup2(pair[0], ends.called), ends.called);
    assert_int_equal(pgasi_ucx_gate_send(ends.called, "out", 3, MSG_NOSIGNAL), 3);
    assert_int_equal(send(pair[1], "in", 2, MSG_NOSIGNAL), 2);
    assert_int_equal(pgasi_ucx_gate_recv(ends.called, bytes, sizeof bytes, 0), 2);
    close(pair[0]);
    close(pair[1]);
    close_ends(ends);
}

static FILE *no_file(const char *name, const char *mode)
{
    (void)name;
    (void)mode;
    errno = ENOENT;
    return NULL;
}

static void test_imports(void **state)
{
    (void)state;
    json_error_t error;
    void (*inside)(void) = (void (*)(void))json_load_file;
    const pgasi_import_t none[] = {{"fopen", (void (*)(void))no_file},
                                   {"no_such_function", (void (*)(void))no_file}};
    assert_false(pgasi_imports_replace(inside, none, 2));
    assert_false(pgasi_imports_replace((void (*)(void))test_imports, none, 1));
    json_t *kernel = json_load_file("/proc/sys/kernel/pid_max", JSON_DECODE_ANY, &error);
    assert_non_null(kernel);
    json_decref(kernel);
    assert_true(pgasi_imports_replace(inside, none, 1));
    assert_null(json_load_file("/proc/sys/kernel/pid_max", JSON_DECODE_ANY, &error));
    FILE *file = fopen("/proc/sys/kernel/pid_max", "re");
    assert_non_null(file);
    fclose(file);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_not_built), cmocka_unit_test(test_build),
        cmocka_unit_test(test_closed),    cmocka_unit_test(test_both),
        cmocka_unit_test(test_pieces),    cmocka_unit_test(test_strangers),
        cmocka_unit_test(test_impostors), cmocka_unit_test(test_numbers_again),
        cmocka_unit_test(test_thief),     cmocka_unit_test(test_other_protocols),
        cmocka_unit_test(test_imports),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
