/**
 * What the program to be run is, as far as its file tells.
 */
#ifndef LAUNCHER_PROGRAM_H
#define LAUNCHER_PROGRAM_H

#include <stdbool.h>
#include <stddef.h>

/** Whether `name`, found through PATH as it will be when it is run, is a program that is linked
 *  with an MPI library; `library` (of `size` bytes) gets that library's name. False for scripts,
 *  and for what cannot be read. */
bool program_uses_mpi(const char *name, char *library, size_t size);

#endif
