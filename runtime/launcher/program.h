/**
 * What the file of the program to be run says about it.
 */
#ifndef LAUNCHER_PROGRAM_H
#define LAUNCHER_PROGRAM_H

#include <stdbool.h>
#include <stddef.h>

/** True if the program `name`, found through PATH as exec finds it, is linked with an MPI library;
 *  `library` (of `size` bytes) receives that library's name. False for scripts, and for files that
 *  cannot be read. */
bool program_uses_mpi(const char *name, char *library, size_t size);

#endif
