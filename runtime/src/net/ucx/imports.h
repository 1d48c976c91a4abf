/**
 * Functions that a shared library calls in other libraries, replaced for that library alone.
 */
#ifndef PGASI_NET_UCX_IMPORTS_H
#define PGASI_NET_UCX_IMPORTS_H

#include <stdbool.h>
#include <stddef.h>

typedef struct pgasi_import {
    /** Its name, and what is called in its place. */
    const char *name;
    void (*function)(void);
} pgasi_import_t;

/**
 * From now on the library in which `inside` lies, any function of it, calls `functions` in place of
 * those with their names; calls that other libraries and the program make stay as they are. False,
 * and nothing is changed unless the system refuses to make memory writable on the way, so that some
 * are called in place of others and must do what those do, if it does
 * not import all of them, if it is part of the program itself, or if the processor's format is not
 * known here. No other thread may be inside the library. What `functions` lie in must stay loaded.
 */
bool pgasi_imports_replace(void (*inside)(void), const pgasi_import_t *functions, size_t count);

/** True if that library imports `name`, or if that cannot be told. */
bool pgasi_imports_has(void (*inside)(void), const char *name);

#endif
