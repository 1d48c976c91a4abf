/*
 * What GASNET_DEBUG adds: locks that know whether they are initialised, and memory that knows its
 * ends. Each mistake is made in a child process, which must abort with a line.
 */
#include "client.h"

#include <gasnet_tools.h>

#include <signal.h>
#include <string.h>
#include <sys/wait.h>

#ifndef GASNET_DEBUG
#error "this test is compiled with GASNET_DEBUG"
#endif

static gasnet_hsl_t lock = GASNET_HSL_INITIALIZER;
static gasnet_hsl_t zeros;
static char *memory;

static void init_twice(void)
{
    gasnet_hsl_init(&lock);
}

static void destroy_twice(void)
{
    gasnet_hsl_destroy(&lock);
    gasnet_hsl_destroy(&lock);
}

static void lock_uninitialised(void)
{
    gasnet_hsl_lock(&zeros);
}

static void free_twice(void)
{
    gasnett_debug_free(memory);
    gasnett_debug_free(memory);
}

static void write_behind(void)
{
    memory[10] = 1;
    gasnett_debug_memcheck_all();
}

static void write_before(void)
{
    memory[-1] = 1;
    gasnett_debug_free(memory);
}

/* The child's standard error must begin as `line` says. */
static void expect(void (*mistake)(void), const char *line)
{
    char text[1024] = {0};
    int ends[2];
    int status;
    CHECK(pipe(ends) == 0);
    pid_t child = fork();
    CHECK(child >= 0);
    if (child == 0) {
        dup2(ends[1], STDERR_FILENO);
        mistake();
        _exit(0);
    }
    close(ends[1]);
    size_t length = 0;
    for (ssize_t n; (n = read(ends[0], text + length, sizeof text - 1 - length)) > 0;)
        length += (size_t)n;
    close(ends[0]);
    CHECK(waitpid(child, &status, 0) == child);
    if (!WIFSIGNALED(status) || WTERMSIG(status) != SIGABRT || strstr(text, line) == NULL) {
        fprintf(stderr, "status %d, no '%s' in:\n%s", status, line, text);
        _exit(99);
    }
}

static void check_memory(void)
{
    gasnett_heapstats_t stats;
    CHECK(gasnett_debug_malloc(0) == NULL);
    char *zeroed = gasnett_debug_calloc(3, 7);
    for (int i = 0; i < 21; i++)
        CHECK(zeroed[i] == 0);
    memory = gasnett_debug_strdup("0123456789abcdef");
    memory = gasnett_debug_realloc(memory, 10);
    CHECK(memcmp(memory, "0123456789", 10) == 0 && (uintptr_t)memory % 16 == 0);
    char *part = gasnett_debug_strndup("0123", 2);
    CHECK(strcmp(part, "01") == 0);
    gasnett_debug_memcheck(part);
    gasnett_debug_memcheck_one();
    gasnett_debug_memcheck_all();
    gasnett_debug_free(part);
    gasnett_debug_free(zeroed);
    gasnett_debug_free(NULL);
    CHECK(gasnett_getheapstats(&stats) == 0);
    CHECK(stats.live_objects == 1 && stats.live_bytes == 10);
    CHECK(stats.allocated_objects == 4 && stats.freed_objects == 3);
    CHECK(stats.live_objects_max == 3 && stats.allocated_bytes == stats.freed_bytes + 10);
}

int main(int argc, char **argv)
{
    start(&argc, &argv, GASNET_PAGESIZE);
    check_memory();
    expect(init_twice, "gasnet_hsl_init: the lock is initialised already");
    expect(destroy_twice, "gasnet_hsl_destroy: the lock is not initialised");
    expect(lock_uninitialised, "gasnet_hsl_lock: the lock is not initialised");
    expect(free_twice, "has been freed");
    expect(write_behind, "written beyond its end");
    expect(write_before, "written before its start");
    gasnet_hsl_init(&zeros);
    gasnet_hsl_lock(&zeros);
    CHECK(gasnet_hsl_trylock(&lock) == GASNET_OK);
    gasnet_hsl_unlock(&lock);
    gasnet_hsl_unlock(&zeros);
    gasnet_hsl_destroy(&zeros);
    gasnet_exit(0);
}
