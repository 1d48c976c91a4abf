/**
 * The parser of settings: numbers, suffixes, texts and values that are refused.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/config.h"
#include "base/log.h"

/* Stands in for the log. */
static int logged;

void pgasi_log_alike(const char *format, ...)
{
    va_list args;
    va_start(args, format);
    logged++;
    vfprintf(stderr, format, args);
    va_end(args);
    fputc('\n', stderr);
}

/* What thread 0 would report. */
static char noted[256];

void pgasi_note(const char *format, ...)
{
    va_list args;
    va_start(args, format);
    vsnprintf(noted, sizeof noted, format, args);
    va_end(args);
}

static pgas_status_t load(const char *variable, const char *text)
{
    setenv(variable, text, 1);
    pgas_status_t status = pgasi_config_load();
    unsetenv(variable);
    return status;
}

static void test_bytes(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        size_t value;
    } good[] = {
        {"1", 1},
        {"65536", 65536},
        {"64K", (size_t)64 << 10},
        {"3M", (size_t)3 << 20},
        {"5G", (size_t)5 << 30},
        {"2T", (size_t)2 << 40},
        {"18446744073709551615", SIZE_MAX},
        {"16777215T", (size_t)16777215 << 40},
        {"0", 0},
    };
    for (size_t i = 0; i < sizeof good / sizeof good[0]; i++) {
        assert_int_equal(load("PGAS_HEAP_SIZE", good[i].text), PGAS_OK);
        assert_int_equal(pgasi_settings.heap_size, good[i].value);
    }
}

static void test_nonsense_bytes(void **state)
{
    (void)state;
    static const char *const bad[] = {
        "12Q",
        "-1",
        "1.5G",
        "K",
        "1KB",
        "1 K",
        "0x10",
        "12k",
        "ten",
        "16777216T",
        "18446744073709551616",
        "99999999999999999999999",
        "--",
        " -3",
    };
    pgasi_settings.heap_size = 4711;
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        assert_int_equal(load("PGAS_HEAP_SIZE", bad[i]), PGAS_ERR_ARGUMENT);
        assert_int_equal(pgasi_settings.heap_size, 4711);
    }
}

static void test_counts(void **state)
{
    (void)state;
    assert_int_equal(load("PGAS_NODES", "3"), PGAS_OK);
    assert_int_equal(pgasi_settings.nodes, 3);
    assert_int_equal(load("PGAS_NODES", "3K"), PGAS_ERR_ARGUMENT);
    assert_int_equal(load("PGAS_SPIN", "0"), PGAS_OK);
    assert_int_equal(pgasi_settings.spin, 0);
    assert_int_equal(load("PGAS_SPIN", "x"), PGAS_ERR_ARGUMENT);
    assert_int_equal(load("PGAS_THREADS_PER_NODE", "2x"), PGAS_ERR_ARGUMENT);
    /* A thousand times as many fit into 64 bits. */
    assert_int_equal(load("PGAS_PEER_TIMEOUT", "4294967295"), PGAS_OK);
    assert_int_equal(load("PGAS_PEER_TIMEOUT", "4294967296"), PGAS_ERR_ARGUMENT);
    assert_int_equal(load("PGAS_PEER_TIMEOUT", "18446744073709552"), PGAS_ERR_ARGUMENT);
    assert_int_equal(pgasi_settings.peer_timeout, UINT32_MAX);
}

static void test_switches(void **state)
{
    (void)state;
    static const char *const names[] = {"PGAS_GATE", "PGAS_HUGE_PAGES", "PGAS_CORE_SEGMENTS"};
    static const char *const bad[] = {"2", "-1", "1K", "on", "01x", "18446744073709551616"};
    static const size_t *const values[] = {&pgasi_settings.gate, &pgasi_settings.huge_pages,
                                           &pgasi_settings.core_segments};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        assert_int_equal(load(names[i], "0"), PGAS_OK);
        assert_int_equal(*values[i], 0);
        assert_int_equal(load(names[i], "1"), PGAS_OK);
        for (size_t j = 0; j < sizeof bad / sizeof bad[0]; j++)
            assert_int_equal(load(names[i], bad[j]), PGAS_ERR_ARGUMENT);
        assert_int_equal(*values[i], 1);
    }
}

static void test_texts(void **state)
{
    (void)state;
    setenv("PGAS_SEGMENT", "posix", 1);
    assert_int_equal(pgasi_config_load(), PGAS_OK);
    assert_string_equal(pgasi_settings.segment, "posix");
    static const char *const pieces[] = {"memfd, posix", "posix,", "pos", "ix", ",", ", auto"};
    for (size_t i = 0; i < sizeof pieces / sizeof pieces[0]; i++)
        assert_int_equal(load("PGAS_SEGMENT", pieces[i]), PGAS_ERR_ARGUMENT);
    assert_int_equal(load("PGAS_SEGMENT", "posix"), PGAS_OK);
}

/* A program may change its environment, and the memory behind it, once the settings are loaded. */
static void test_texts_are_kept(void **state)
{
    (void)state;
    char text[] = "PGAS_STATS=first.json";
    assert_int_equal(putenv(text), 0);
    assert_int_equal(pgasi_config_load(), PGAS_OK);
    memset(text + sizeof "PGAS_STATS", 'x', 5);
    assert_string_equal(pgasi_settings.stats, "first.json");
    assert_int_equal(unsetenv("PGAS_STATS"), 0);
    assert_string_equal(pgasi_settings.stats, "first.json");
}

static void test_empty_is_not_set(void **state)
{
    (void)state;
    assert_int_equal(load("PGAS_HEAP_SIZE", "77"), PGAS_OK);
    assert_int_equal(load("PGAS_HEAP_SIZE", ""), PGAS_OK);
    assert_int_equal(pgasi_settings.heap_size, 77);
}

static const char *note_of(const char *variable)
{
    noted[0] = '\0';
    assert_int_equal(load(variable, "1"), PGAS_OK);
    return noted;
}

static void test_unknown(void **state)
{
    (void)state;
    static const struct {
        const char *given;
        const char *meant;
    } unknown[] = {
        {"PGAS_HEAPSIZE", "PGAS_HEAP_SIZE"},
        {"PGAS_HEAP_SIZES", "PGAS_HEAP_SIZE"},
        {"PGAS_THREAD_PER_NODE", "PGAS_THREADS_PER_NODE"},
        {"PGAS_WATCH", "PGAS_WATCHDOG"},
        {"PGAS_HUGEPAGES", "PGAS_HUGE_PAGES"},
        {"PGAS_STAT", "PGAS_STATS"},
        {"PGAS_NODE", "PGAS_NODES"},
    };
    for (size_t i = 0; i < sizeof unknown / sizeof unknown[0]; i++) {
        const char *note = note_of(unknown[i].given);
        assert_ptr_equal(strstr(note, unknown[i].given), note);
        assert_non_null(strstr(note, unknown[i].meant));
    }
    assert_string_not_equal(note_of("PGAS_"), "");
    char longest[300] = "PGAS_";
    memset(longest + 5, 'x', sizeof longest - 6);
    assert_string_not_equal(note_of(longest), "");
    static const char *const known[] = {"PGAS_SPIN", "PGAS_TEST_SEED", "PGASX", "XPGAS_NODES"};
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++)
        assert_string_equal(note_of(known[i]), "");
}

/* All of them, for the doctor. */
static void test_all_values(void **state)
{
    (void)state;
    static const char *const wrong[][2] = {{"PGAS_HEAP_SIZE", "12Q"}, {"PGAS_SPIN", "x"},
                                           {"PGAS_GATE", "2"},        {"PGAS_SEGMENT", "foo"},
                                           {"PGAS_SLEEP", "long"},    {"PGAS_STATS", "maybe"}};
    static const int count = sizeof wrong / sizeof wrong[0];
    for (int i = 0; i < count; i++)
        setenv(wrong[i][0], wrong[i][1], 1);
    logged = 0;
    assert_int_equal(pgasi_config_load(), PGAS_ERR_ARGUMENT);
    assert_int_equal(logged, count);
    for (int i = 0; i < count; i++)
        unsetenv(wrong[i][0]);
}

static void test_stats(void **state)
{
    (void)state;
    static const char *const good[] = {"0", "1", "a.json", "/tmp/a.json", ".json"};
    for (size_t i = 0; i < sizeof good / sizeof good[0]; i++) {
        assert_int_equal(load("PGAS_STATS", good[i]), PGAS_OK);
        assert_int_equal(pgasi_stats_is_file(), i >= 2);
    }
    assert_int_equal(load("PGAS_STATS", "jso"), PGAS_ERR_ARGUMENT);
    assert_int_equal(load("PGAS_STATS", "json"), PGAS_ERR_ARGUMENT);
    assert_int_equal(load("PGAS_STATS", "0"), PGAS_OK);
}

static void test_watchdog(void **state)
{
    (void)state;
    assert_int_equal(pgasi_settings.watchdog, 60);
    assert_int_equal(load("PGAS_WATCHDOG", "0"), PGAS_OK);
    assert_int_equal(pgasi_settings.watchdog, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_watchdog), /* before it is set */
        cmocka_unit_test(test_bytes),
        cmocka_unit_test(test_nonsense_bytes),
        cmocka_unit_test(test_counts),
        cmocka_unit_test(test_switches),
        cmocka_unit_test(test_texts),
        cmocka_unit_test(test_texts_are_kept),
        cmocka_unit_test(test_empty_is_not_set),
        cmocka_unit_test(test_unknown),
        cmocka_unit_test(test_stats),
        cmocka_unit_test(test_all_values), /* leaves texts that make no sense */
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
