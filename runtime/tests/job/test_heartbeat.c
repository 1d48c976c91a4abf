/**
 * The heartbeat monitor in a process that seldom runs: a peer that is silent is found all the same,
 * and one that is not is never taken for it. Everything around the monitor stands in this file.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka.h needs some of the above. */
#include <cmocka.h>

#include <pgas/detail.h>

#include "base/config.h"
#include "base/log.h"
#include "job/heartbeat.h"
#include "net/net.h"
#include "node/node.h"
#include "pause.h"

pgasi_settings_t pgasi_settings = {.peer_timeout = 1, .progress = "run"};
pgasi_nodes_t pgasi_nodes;

static uint32_t leaders[] = {0, 1};
static pgasi_net_handler_t *receive;
static void (*check)(void);
static jmp_buf out;

void pgasi_fatal(const char *call, const char *format, ...)
{
    (void)call;
    (void)format;
    longjmp(out, 1);
}

const char *pgasi_log_host(void)
{
    return "here";
}

bool pgasi_node_is_leader(void)
{
    return true;
}

void pgasi_net_send(uint32_t thread, pgasi_net_service_t service, const void *message,
                    size_t nbytes)
{
    (void)thread;
    (void)service;
    (void)message;
    (void)nbytes;
}

void pgasi_net_serve(pgasi_net_service_t service, pgasi_net_handler_t *handler)
{
    (void)service;
    receive = handler;
}

void pgasi_net_every_interval(void (*tick)(void))
{
    check = tick;
}

bool pgasi_net_is_cut(uint64_t milliseconds, char *address, size_t size)
{
    (void)milliseconds;
    if (size > 0)
        *address = '\0';
    return false;
}

static int start(void **state)
{
    (void)state;
    pgasi_nodes.count = 2;
    pgasi_nodes.leaders = leaders;
    pgasi_heartbeat_start();
    return 0;
}

/* Each of its turns is later than a peer's sign would be. */
static void silent(void **state)
{
    (void)state;
    if (setjmp(out) != 0)
        return;
    for (int i = 0; i < 100; i++) {
        sleep_microseconds(300000);
        check();
    }
    fail_msg("a silent peer is never found");
}

/* One turn that is much later, and signs that come before its next one, or first thing then. */
static void stopped(void **state)
{
    (void)state;
    if (setjmp(out) != 0)
        fail_msg("a peer is taken for silent");
    for (int i = 0; i < 2; i++) {
        sleep_microseconds(1600000);
        check();
        receive(1, "there", 5, NULL);
        sleep_microseconds(1600000);
        receive(1, "there", 5, NULL);
        check();
    }
}

/* The last that it did before was to receive a sign, behind its last turn. */
static void stopped_behind_a_sign(void **state)
{
    (void)state;
    if (setjmp(out) != 0)
        fail_msg("a peer is taken for silent");
    check();
    sleep_microseconds(20000);
    receive(1, "there", 5, NULL);
    sleep_microseconds(1600000);
    check();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(silent, start),
        cmocka_unit_test_setup(stopped_behind_a_sign, start),
        cmocka_unit_test_setup(stopped, start),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
