/**
 * What to remove when a program is stopped in the middle.
 *
 * The writers of this library create temporary files, mesh_ventricle_make also a temporary
 * directory and a child process, and mesh_order_find a child process for METIS. They remove them on
 * every way out but one: a signal that ends the process. A program that wants them removed then too
 * calls mesh_temporaries_remove from its signal handler; where the program has several threads of
 * execution, in the one that calls the library.
 *
 * No handler sees SIGKILL: then the kernel ends the child, and the next call of mesh_ventricle_make
 * by the same user on the same host removes the directory. A file beside an output file stays.
 */
#ifndef MESHES_TEMPORARY_H
#define MESHES_TEMPORARY_H

#ifdef __cplusplus
extern "C" {
#endif

/** Kills the child process, if there is one, with its process group, and removes all temporary
 *  files and directories of this process. Async-signal-safe. Ends no other process; the caller is
 *  expected to end its own right after. */
void mesh_temporaries_remove(void);

#ifdef __cplusplus
}
#endif
#endif
