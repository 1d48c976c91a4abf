/**
 * CHECK: an assertion for tests of many threads.
 *
 * It never compiles out, prints thread, file, line and the expression, and ends the job.
 */
#ifndef RUNTIME_TESTS_CHECK_H
#define RUNTIME_TESTS_CHECK_H

#include <pgas/pgas.h>

#define CHECK(condition) \
    do { \
        if (!(condition)) \
            check_failed(__FILE__, __LINE__, #condition); \
    } while (0)

PGAS_NORETURN static inline void check_failed(const char *file, int line, const char *expression)
{
    pgas_fail(1, "thread %d: %s:%d: CHECK(%s) failed", pgas_mythread(), file, line, expression);
}

#endif
