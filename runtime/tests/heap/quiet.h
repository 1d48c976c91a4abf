/**
 * Catches the lines on standard error of a call that is expected to fail.
 */
#ifndef RUNTIME_TESTS_QUIET_H
#define RUNTIME_TESTS_QUIET_H

#include <sys/mman.h>
#include <unistd.h>

#include "check.h"

/** Catches standard error from here on. Returns what quiet_end needs. */
static inline int quiet_begin(void)
{
    int kept = dup(STDERR_FILENO);
    int file = memfd_create("stderr", 0);
    CHECK(kept >= 0 && file >= 0);
    CHECK(dup2(file, STDERR_FILENO) >= 0);
    close(file);
    return kept;
}

/** Ends it; returns how many lines were caught. */
static inline int quiet_end(int kept)
{
    char text[16384];
    ssize_t length = pread(STDERR_FILENO, text, sizeof text, 0);
    dup2(kept, STDERR_FILENO);
    close(kept);
    int lines = 0;
    for (ssize_t i = 0; i < length; i++)
        lines += text[i] == '\n';
    return lines;
}

/** Fails unless `statement` is true and writes that many lines. */
#define CHECK_LINES(lines, statement) \
    do { \
        int kept = quiet_begin(); \
        bool good = (statement); \
        int said = quiet_end(kept); \
        CHECK(good); \
        CHECK(said == (lines)); \
    } while (0)

#endif
