/**
 * What the command line of fathom-run asks for.
 */
#ifndef LAUNCHER_OPTIONS_H
#define LAUNCHER_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>

/** Which processors a thread may run on. */
enum bind_mode {
    BIND_AUTO, /**< one core each while there are enough cores, else wherever the kernel likes */
    BIND_CORE, /**< one core each; refused when there are more threads than cores */
    BIND_NONE /**< wherever the kernel likes */
};

/** What to do: one job, or none. The strings belong to main's argv. */
struct options {
    bool doctor; /**< only look at the machine; the rest is as it may be */
    size_t threads; /**< at least 1; 0 until -n was seen */
    size_t nodes; /**< 1 to `threads`; 0 when not given */
    enum bind_mode bind; /**< how threads are bound to cores */
    bool tag; /**< put "[THREAD] " in front of every line of output */
    bool verbose; /**< say on standard error what is started, and where */
    char **command; /**< the program and its arguments, ends with NULL */
};

#endif
