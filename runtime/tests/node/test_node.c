/**
 * The map of nodes: hosts and emulated nodes in any order, from the address records of a few
 * threads.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/config.h"
#include "base/log.h"
#include "node/address_record.h"
#include "node/node.h"

#include <pgas/detail.h>

enum {
    MOST = 64
};

pgasi_job_t pgasi_job;
pgasi_settings_t pgasi_settings;

/* Stand in for the log. */
void pgasi_log(const char *format, ...)
{
    (void)format;
}

void pgasi_log_alike(const char *format, ...)
{
    (void)format;
}

/* A job: each thread's host, and what the hosts' lowest threads have published. */
static uint32_t host_of[MOST];
static uint32_t lists[MOST][MOST];
static uint32_t counts[MOST];
static unsigned char published[MOST][sizeof(pgasi_address_record_t) + MOST * sizeof(uint32_t)];
static size_t sizes[MOST];
static unsigned lookups;
/* Each host's machine, one letter per host; '-': not known. */
static const char *machines = "ABC";
static uint32_t publisher;

static pgas_status_t publish(const char *key, const void *value, size_t nbytes)
{
    (void)key;
    memcpy(published[publisher], value, nbytes);
    sizes[publisher] = nbytes;
    return PGAS_OK;
}

static pgas_status_t lookup(uint32_t thread, const char *key, void *value, size_t size,
                            size_t *nbytes)
{
    (void)key;
    assert_true(sizes[thread] <= size);
    memcpy(value, published[thread], sizes[thread]);
    *nbytes = sizes[thread];
    lookups++;
    return PGAS_OK;
}

static const pgasi_boot_t boot = {.publish = publish, .lookup = lookup};

static pgasi_boot_job_t job_of(uint32_t thread)
{
    return (pgasi_boot_job_t){
        .thread = thread,
        .threads = pgasi_job.threads,
        .host_peers = lists[host_of[thread]],
        .host_count = counts[host_of[thread]],
    };
}

static void machine_of(uint32_t host, char machine[PGASI_MACHINE_LENGTH])
{
    memset(machine, 0, PGASI_MACHINE_LENGTH);
    if (machines[host] != '-')
        memset(machine, machines[host], PGASI_MACHINE_LENGTH);
}

/* `hosts` is one letter per thread. Host 'a' proposes a heap of 1000 bytes, 'b' of 999 ... */
static void make_job(const char *hosts)
{
    pgasi_job.threads = (uint32_t)strlen(hosts);
    memset(counts, 0, sizeof counts);
    for (uint32_t thread = 0; thread < pgasi_job.threads; thread++) {
        uint32_t host = (uint32_t)(hosts[thread] - 'a');
        host_of[thread] = host;
        lists[host][counts[host]++] = thread;
    }
    for (publisher = 0; publisher < pgasi_job.threads; publisher++) {
        pgasi_boot_job_t job = job_of(publisher);
        pgasi_address_record_t card;
        memset(&card, 0, sizeof card);
        card.host_count = job.host_count;
        card.heap_size = 1000 - host_of[publisher];
        machine_of(host_of[publisher], card.machine);
        assert_int_equal(pgasi_address_record_publish(&boot, &job, &card), PGAS_OK);
    }
}

/* All threads must get the same map, `expected`: one digit per thread. */
static void check_map(const char *hosts, const char *expected, unsigned count, uint64_t heap_size)
{
    make_job(hosts);
    for (uint32_t me = 0; me < pgasi_job.threads; me++) {
        pgasi_boot_job_t job = job_of(me);
        uint32_t node_of[MOST];
        uint64_t size = 0;
        assert_int_equal(pgasi_node_join(&job), PGAS_OK);
        assert_int_equal(pgasi_node_several(&job), count > 1);
        lookups = 0;
        char machine[PGASI_MACHINE_LENGTH];
        machine_of(host_of[me], machine);
        assert_int_equal(pgasi_node_map(&boot, &job, machine, node_of, &size), PGAS_OK);
        assert_int_equal(size, heap_size);
        assert_true(lookups <= 3);
        assert_int_equal(pgasi_nodes.count, count);
        assert_int_equal(pgasi_nodes.mine, expected[me] - '0');
        uint32_t place = 0;
        for (uint32_t thread = 0; thread < pgasi_job.threads; thread++) {
            uint32_t node = (uint32_t)(expected[thread] - '0');
            assert_int_equal(node_of[thread], node);
            assert_true(pgasi_nodes.leaders[node] <= thread);
            assert_int_equal(expected[pgasi_nodes.leaders[node]], expected[thread]);
            if (thread == me)
                assert_int_equal(pgasi_nodes.place, place);
            if (node == pgasi_nodes.mine)
                assert_int_equal(pgasi_nodes.threads[place++], thread);
        }
        assert_int_equal(pgasi_nodes.threads_count, place);
        assert_int_equal(pgasi_nodes.sizes[pgasi_nodes.mine], place);
        uint32_t neighbours = 0;
        for (uint32_t thread = 0; thread < pgasi_job.threads; thread++)
            if (host_of[thread] == host_of[me] ||
                (machines[host_of[me]] != '-' &&
                 machines[host_of[thread]] == machines[host_of[me]]))
                neighbours++;
        assert_int_equal(pgasi_nodes.machine_threads, neighbours);
        assert_int_equal(pgasi_node_is_leader(), pgasi_nodes.leaders[pgasi_nodes.mine] == me);
        pgasi_node_forget();
    }
}

static void test_hosts(void **state)
{
    (void)state;
    check_map("a", "0", 1, 1000);
    check_map("aaaa", "0000", 1, 1000);
    check_map("aabb", "0011", 2, 999);
    check_map("abab", "0101", 2, 999);
    check_map("bbacc", "00122", 3, 998);
    check_map("cabacbac", "01210210", 3, 998);
}

static void test_machines(void **state)
{
    (void)state;
    static const char *const of_hosts[] = {"AAA", "ABA", "AAB", "--A", "A-A", "---"};
    for (size_t i = 0; i < sizeof of_hosts / sizeof *of_hosts; i++) {
        machines = of_hosts[i];
        check_map("aaaa", "0000", 1, 1000);
        check_map("abab", "0101", 2, 999);
        check_map("cabacbac", "01210210", 3, 998);
    }
    machines = "ABC";
}

static void test_emulated_nodes(void **state)
{
    (void)state;
    pgasi_settings.nodes = 3;
    check_map("aaaaa", "00112", 3, 1000);
    check_map("aaa", "012", 3, 1000);
    check_map("aaaaab", "001123", 4, 999);
    check_map("ababab", "012345", 6, 999);
    pgasi_settings.nodes = 0;
}

static void test_threads_per_node(void **state)
{
    (void)state;
    pgasi_settings.threads_per_node = 2;
    check_map("aaaaa", "00112", 3, 1000);
    check_map("abababab", "01012323", 4, 999);
    check_map("aaabbb", "001223", 4, 999);
    pgasi_settings.threads_per_node = 9;
    check_map("aabb", "0011", 2, 999);
    pgasi_settings.threads_per_node = 0;
}

static void test_too_many_nodes(void **state)
{
    (void)state;
    make_job("aaaa");
    pgasi_boot_job_t job = job_of(1);
    pgasi_settings.nodes = 5;
    assert_int_equal(pgasi_node_join(&job), PGAS_ERR_ARGUMENT);
    pgasi_settings.nodes = 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_hosts),          cmocka_unit_test(test_machines),
        cmocka_unit_test(test_emulated_nodes), cmocka_unit_test(test_threads_per_node),
        cmocka_unit_test(test_too_many_nodes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
