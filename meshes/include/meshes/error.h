/**
 * How the functions of this library report what went wrong.
 *
 * Nothing here prints. A function that can fail returns true on success; on failure it returns
 * false, leaves its outputs as they were, and fills the mesh_error_t the caller passed with one
 * line, without a final newline, fit to be shown as it is: what failed, where (file and line, or
 * file and dataset) and, where one exists, the option that changes it.
 */
#ifndef MESHES_ERROR_H
#define MESHES_ERROR_H

/** One line of text; always terminated. Written only on failure. The caller owns it. Has room for
 *  the longest path and what is wrong with it. */
typedef struct mesh_error {
    char text[4608];
} mesh_error_t;

#endif
