/**
 * What the command line of fathom-run asks for.
 */
#ifndef LAUNCHER_OPTIONS_H
#define LAUNCHER_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>

/** Which processors a thread may run on. */
typedef enum bind_mode {
    /** One core each if there are enough cores, else no binding. */
    BIND_AUTO,
    /** One core each; refused when there are more threads than cores. */
    BIND_CORE,
    /** No binding: the kernel chooses. */
    BIND_NONE
} bind_mode_t;

/** What to do. The strings belong to main's argv. */
typedef struct options {
    /** Only report on the machine; the other members do not matter. */
    bool doctor;
    /** At least 1; 0 until -n has been parsed. */
    size_t threads;
    /** 1 to `threads`; 0 when not given. */
    size_t nodes;
    /** How threads are bound to cores. */
    bind_mode_t bind;
    /** Put "[THREAD] " in front of every line of output. */
    bool tag;
    /** Print on standard error which process each thread is. */
    bool verbose;
    /** The program and its arguments; ends with NULL. */
    char **command;
} options_t;

#endif
