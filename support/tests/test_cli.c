/* What every program says to a command line that makes no sense: one line and status 2; and to a
 * standard output that cannot be written: one line and status 1. Each case is a process. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <fcntl.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "support/cli.h"

enum {
    ROOM = 4096
};

/* What a process said on standard error, and how it ended. */
static char said[ROOM];
static int status;

typedef void task_t(const void *context);

/* Runs a task in a process of its own, its standard output being `output`, or closed like its
 * standard input, and lets it end as if it returned from main. */
static void run(task_t *task, const void *context, const char *output)
{
    int ends[2];
    assert_int_equal(pipe(ends), 0);
    fflush(stdout);
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        int out = output != NULL ? open(output, O_WRONLY) : -1;
        dup2(ends[1], STDERR_FILENO);
        if (out >= 0) {
            dup2(out, STDOUT_FILENO);
        } else {
            close(STDIN_FILENO);
            close(STDOUT_FILENO);
        }
        cli_init("test");
        task(context);
        exit(EXIT_SUCCESS);
    }
    close(ends[1]);
    size_t length = 0;
    for (ssize_t got = 1; got > 0 && length<ROOM - 1; length += got> 0 ? (size_t)got : 0)
        got = read(ends[0], said + length, ROOM - 1 - length);
    said[length] = '\0';
    close(ends[0]);
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status));
    status = WEXITSTATUS(status);
}

static void expect(int expected, const char *text)
{
    const char *newline = strchr(said, '\n');
    if (status != expected)
        fail_msg("status %d, not %d: '%s'", status, expected, said);
    if (strstr(said, text) == NULL)
        fail_msg("'%s' does not say '%s'", said, text);
    if (expected != 0 && (newline == NULL || newline[1] != '\0'))
        fail_msg("not one line: '%s'", said);
}

/* NOLINTNEXTLINE(readability-non-const-parameter): the signature is argp's. */
static error_t parse_child(int key, char *arg, struct argp_state *state)
{
    (void)arg;
    (void)state;
    return key == 'm' ? 0 : ARGP_ERR_UNKNOWN;
}

/* NOLINTNEXTLINE(readability-non-const-parameter): the signature is argp's. */
static error_t parse(int key, char *arg, struct argp_state *state)
{
    (void)arg;
    (void)state;
    switch (key) {
    case 'b':
    case 'c':
    case 'j':
    case 'l':
    case ARGP_KEY_ARG:
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static void parse_words(const void *context)
{
    static const struct argp_option child_options[] = {{"machine", 'm', "FILE", 0, "", 0}, {0}};
    static const struct argp child = {child_options, parse_child, NULL, NULL, NULL, NULL, NULL};
    static const struct argp_child children[] = {{&child, 0, NULL, 0}, {0}};
    static const struct argp_option options[] = {
        {"blocksize", 'b', "ROWS", 0, "", 0},
        {"blocks", 'l', "COUNT", 0, "", 0},
        {"check", 'c', NULL, 0, "", 0},
        {"json", 'j', "FILE", OPTION_ARG_OPTIONAL, "", 0},
        {0},
    };
    static const struct argp argp = {
        .options = options, .parser = parse, .args_doc = "MATRIX", .children = children};
    char text[256];
    char *words[16] = {(char *)"test"};
    int count = 1;
    snprintf(text, sizeof text, "%s", (const char *)context);
    for (char *word = strtok(text, " "); word != NULL; word = strtok(NULL, " "))
        words[count++] = word;
    cli_parse(&argp, 0, count, words, NULL);
}

static void test_options(void **state)
{
    static const char *const cases[][2] = {
        {"--blocksiz0 3", "'--blocksiz0' is not an option; see 'test --help'"},
        {"a.h5 --frob=3 b", "'--frob' is not an option"},
        {"a.h5 --blocksize", "'--blocksize' lacks its value"},
        {"--machine", "'--machine' lacks its value"},
        {"--blo 3", "'--blo' may be '--blocksize' or '--blocks'"},
        {"--blocksi", "'--blocksize' lacks its value"},
        {"--check=3", "'--check' takes no value"},
        {"-x", "'-x' is not an option"},
        {"-cx a.h5", "'-x' is not an option"},
        {"-xc a.h5", "'-x' is not an option"},
        {"--check -xc a.h5", "'-x' is not an option"},
        {"a.h5 -cb", "'-b' lacks its value"},
        {"a.h5 -b", "'-b' lacks its value"},
    };
    static const char *const good[] = {"a.h5",          "--blocksize 3 a.h5",
                                       "--blocksize=3", "--blocks 3",
                                       "--chec",        "-cb3 a.h5",
                                       "-j a.h5",       "-jx",
                                       "--json",        "--json=x a.h5",
                                       "-m file -c",    "--machine=x",
                                       "-- --frob",     "-"};
    (void)state;
    for (size_t c = 0; c < sizeof cases / sizeof cases[0]; c++) {
        run(parse_words, cases[c][0], "/dev/null");
        expect(CLI_EXIT_USAGE, cases[c][1]);
    }
    for (size_t g = 0; g < sizeof good / sizeof good[0]; g++) {
        run(parse_words, good[g], "/dev/null");
        expect(0, "");
        assert_string_equal(said, "");
    }
}

static void parse_list(const void *context)
{
    size_t values[4];
    size_t count = cli_parse_list("--sizes", context, 1, 100, values, 4);
    for (size_t v = 0; v < count; v++)
        fprintf(stderr, "%zu;", values[v]);
}

static void parse_count(const void *context)
{
    fprintf(stderr, "%zu", cli_parse_count("--count", context, 1, 100));
}

static void parse_real(const void *context)
{
    fprintf(stderr, "%g", cli_parse_real("--real", context, -10.0, 10.0));
}

static void parse_pair(const void *context)
{
    size_t pair[2];
    cli_parse_pair("--size", context, 1, 100, &pair[0], &pair[1]);
    fprintf(stderr, "%zu;%zu", pair[0], pair[1]);
}

static void test_numbers(void **state)
{
    static const struct {
        task_t *task;
        const char *text;
        int status;
        const char *says;
    } cases[] = {
        {parse_list, "7", 0, "7;"},
        {parse_list, "1,2,100", 0, "1;2;100;"},
        {parse_list, "1,,2", 2, "--sizes: '' in '1,,2' is not a whole number from 1 to 100"},
        {parse_list, "1,2,", 2, "--sizes: '' in '1,2,'"},
        {parse_list, ",1", 2, "--sizes: '' in ',1'"},
        {parse_list, "", 2, "--sizes: '' in ''"},
        {parse_list, "1, 2", 2, "--sizes: ' 2' in '1, 2'"},
        {parse_list, "1,200", 2, "--sizes: '200' in '1,200'"},
        {parse_list, "1,2,3,4,5", 2, "--sizes: '1,2,3,4,5' has more than 4 numbers"},
        {parse_count, "12", 0, "12"},
        {parse_count, "012", 0, "12"},
        {parse_count, "", 2, "--count: '' is not a whole number from 1 to 100"},
        {parse_count, " 12", 2, "' 12' is not"},
        {parse_count, "+12", 2, "'+12' is not"},
        {parse_count, "-12", 2, "'-12' is not"},
        {parse_count, "1e1", 2, "'1e1' is not"},
        {parse_count, "18446744073709551617", 2, "'18446744073709551617' is not"},
        {parse_real, "-1.5e0", 0, "-1.5"},
        {parse_real, "0x1p1", 2, "--real: '0x1p1' is not a number from -10 to 10"},
        {parse_real, "nan", 2, "'nan' is not"},
        {parse_real, "inf", 2, "'inf' is not"},
        {parse_real, " 1", 2, "' 1' is not"},
        {parse_real, "1 ", 2, "'1 ' is not"},
        {parse_real, "11", 2, "'11' is not"},
        {parse_real, "", 2, "'' is not"},
        {parse_pair, "3x4", 0, "3;4"},
        {parse_pair, "3", 2, "--size: '3' is not two whole numbers like 300x400"},
        {parse_pair, "x4", 2, "--size: '' is not a whole number"},
        {parse_pair, "3x", 2, "--size: '' is not a whole number"},
        {parse_pair, "3x4x5", 2, "--size: '4x5' is not a whole number"},
        {parse_pair, "3x0", 2, "--size: '0' is not a whole number"},
    };
    (void)state;
    for (size_t c = 0; c < sizeof cases / sizeof cases[0]; c++) {
        run(cases[c].task, cases[c].text, "/dev/null");
        expect(cases[c].status, cases[c].says);
    }
}

static void check_files(const void *context)
{
    cli_check_files(context, 3);
}

static void test_files(void **state)
{
    char directory[] = "/tmp/test-cli-XXXXXX";
    char there[64];
    char linked[64];
    char new_name[64];
    char longer_name[64];
    (void)state;
    assert_non_null(mkdtemp(directory));
    snprintf(there, sizeof there, "%s/there", directory);
    snprintf(linked, sizeof linked, "%s/linked", directory);
    snprintf(new_name, sizeof new_name, "%s/new", directory);
    snprintf(longer_name, sizeof longer_name, "%s/../%s/new", directory, strrchr(directory, '/'));
    fclose(fopen(there, "w"));
    assert_int_equal(symlink(there, linked), 0);
    const struct {
        cli_file_t files[3];
        const char *says; /* NULL: nothing */
    } cases[] = {
        {{{"--json", "x", 1}, {"--y", "x", 1}, {"A", NULL, 0}}, "--json and --y: 'x' is one and"},
        {{{"--json", "x", 1}, {"A", NULL, 0}, {"--y", "./x", 1}}, "--json and --y: './x'"},
        {{{"--json", "-", 1}, {"--y", "-", 1}, {"A", NULL, 0}}, "--json and --y: '-'"},
        {{{"A", there, 0}, {"B", "y", 0}, {"--y", linked, 1}}, "A and --y: "},
        {{{"A", "x", 0}, {"--x", new_name, 1}, {"--y", longer_name, 1}}, "--x and --y: "},
        {{{"A", "x", 0}, {"B", "x", 0}, {"--y", "y", 1}}, NULL},
        {{{"--json", "-", 1}, {"B", "./-", 1}, {"--y", "y", 1}}, NULL},
        {{{"--json", "/dev/null", 1}, {"B", "/tmp/../dev/null", 1}, {"--y", "y", 1}}, NULL},
        {{{"--json", "a/x", 1}, {"B", "b/x", 1}, {"--y", "x", 1}}, NULL},
    };
    for (size_t c = 0; c < sizeof cases / sizeof cases[0]; c++) {
        run(check_files, cases[c].files, "/dev/null");
        expect(cases[c].says != NULL ? CLI_EXIT_USAGE : 0,
               cases[c].says != NULL ? cases[c].says : "");
    }
    unlink(linked);
    unlink(there);
    rmdir(directory);
}

static void print(const void *context)
{
    fputs(context, stdout);
}

static void print_and_fail(const void *context)
{
    fputs(context, stdout);
    cli_fail(3, "another reason");
}

static void print_much(const void *context)
{
    (void)context;
    for (size_t line = 0; line < 100000; line++)
        puts("more than a buffer holds");
}

/* Nothing is held back whose writing, at the end, could fail once more. */
static void print_at_once(const void *context)
{
    print_much(context);
    fflush(stdout);
}

static void test_output(void **state)
{
    (void)state;
    run(print, "some text\n", "/dev/null");
    expect(0, "");
    if (access("/dev/full", W_OK) != 0)
        skip();
    run(print, "some text\n", "/dev/full");
    expect(EXIT_FAILURE, "standard output cannot be written: No space left on device");
    run(print_at_once, "", "/dev/full");
    expect(EXIT_FAILURE, "standard output cannot be written: No space left on device");
    run(print_much, "", "/dev/full");
    expect(EXIT_FAILURE, "standard output cannot be written: No space left on device");
    run(print, "", "/dev/full");
    expect(0, "");
    run(print_and_fail, "some text\n", "/dev/full");
    expect(3, "another reason");
    run(print, "some text\n", NULL);
    expect(EXIT_FAILURE, "standard output cannot be written: Bad file descriptor");
    run(print, "", NULL);
    expect(0, "");
    run(parse_words, "--help", "/dev/full");
    expect(EXIT_FAILURE, "standard output cannot be written");
    run(parse_words, "--version", "/dev/full");
    expect(EXIT_FAILURE, "standard output cannot be written");
}

static void open_file(const void *context)
{
    fprintf(stderr, "%d", open(context, O_RDONLY));
}

/* No file takes the place of one of the first three descriptors. */
static void test_closed(void **state)
{
    (void)state;
    run(open_file, "/dev/null", NULL);
    expect(0, "");
    if (strtol(said, NULL, 10) <= STDERR_FILENO)
        fail_msg("a file is open as descriptor %s", said);
}

static void print_too_much(const void *context)
{
    const struct rlimit limit = {1000, 1000};
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
    print_much(context);
}

static void test_file_size(void **state)
{
    char path[] = "/tmp/test-cli-XXXXXX";
    int file = mkstemp(path);
    (void)state;
    assert_true(file >= 0);
    close(file);
    run(print_too_much, NULL, path);
    unlink(path);
    expect(EXIT_FAILURE, "standard output cannot be written: File too large");
}

/* The sanitizers' allocators end the process by themselves. */
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
static void make_json(const void *context)
{
    json_malloc_t allocate;
    json_free_t release;
    (void)context;
    json_get_alloc_funcs(&allocate, &release);
    release(allocate(PTRDIFF_MAX));
}
#endif

/* Without memory for a part of it there is no JSON. */
static void test_json(void **state)
{
    (void)state;
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
    run(make_json, NULL, "/dev/null");
    expect(EXIT_FAILURE, "not enough memory for");
#endif
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_options), cmocka_unit_test(test_numbers),
        cmocka_unit_test(test_files),   cmocka_unit_test(test_output),
        cmocka_unit_test(test_closed),  cmocka_unit_test(test_file_size),
        cmocka_unit_test(test_json),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
