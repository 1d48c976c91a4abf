/**
 * A line gets to a reader that is late: a signal interrupts what waits for it, and a program may
 * have made its standard error one that does not block.
 */
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <fcntl.h>
#include <pthread.h>
#include <sys/time.h>
#include <unistd.h>

#include "base/log.h"

enum {
    LATE_US = 300000,
    TICK_US = 1000
};

static int ends[2];
static char last[256];

static void ignore(int number)
{
    (void)number;
}

static void tick_every(long microseconds)
{
    const struct itimerval every = {{0, microseconds}, {0, microseconds}};
    setitimer(ITIMER_REAL, &every, NULL);
}

/* Reads everything, late; keeps what has come last. */
static void *read_late(void *unused)
{
    char bytes[4096];
    ssize_t got;
    usleep(LATE_US);
    while ((got = read(ends[0], bytes, sizeof bytes)) > 0) {
        size_t kept = (size_t)got < sizeof last - 1 ? (size_t)got : sizeof last - 1;
        memcpy(last, bytes + (size_t)got - kept, kept);
        last[kept] = '\0';
    }
    return unused;
}

static void write_late(bool blocks)
{
    pthread_t reader;
    const char filling[512] = "";
    int standard_error = dup(STDERR_FILENO);
    assert_int_equal(pipe(ends), 0);
    assert_int_equal(fcntl(ends[1], F_SETFL, O_NONBLOCK), 0);
    while (write(ends[1], filling, sizeof filling) > 0)
        ;
    assert_int_equal(fcntl(ends[1], F_SETFL, blocks ? 0 : O_NONBLOCK), 0);
    assert_int_equal(dup2(ends[1], STDERR_FILENO), STDERR_FILENO);
    sigset_t ticks;
    sigemptyset(&ticks);
    sigaddset(&ticks, SIGALRM);
    pthread_sigmask(SIG_BLOCK, &ticks, NULL); /* the reader's */
    assert_int_equal(pthread_create(&reader, NULL, read_late, NULL), 0);
    pthread_sigmask(SIG_UNBLOCK, &ticks, NULL);
    sigaction(SIGALRM, &(struct sigaction){.sa_handler = ignore}, NULL);
    tick_every(TICK_US);
    pgasi_log("a line");
    tick_every(0);
    assert_int_equal(dup2(standard_error, STDERR_FILENO), STDERR_FILENO);
    close(standard_error);
    close(ends[1]);
    pthread_join(reader, NULL);
    close(ends[0]);
    assert_non_null(strstr(last, ": a line\n"));
}

static void interrupted(void **state)
{
    (void)state;
    write_late(true);
}

static void without_room(void **state)
{
    (void)state;
    write_late(false);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(interrupted),
        cmocka_unit_test(without_room),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
