/**
 * Writing an XDMF description of a mesh file, for ParaView and VisIt.
 */
#ifndef MESHES_XDMF_H
#define MESHES_XDMF_H

#include <stdbool.h>

#include "meshes/error.h"

#ifdef __cplusplus
extern "C" {
#endif

/**
 * Writes XML that points at the mesh of a Fathom mesh file: its points and cells and, as cell
 * fields, the volume and the number the cell had in its original file. No number is copied. The
 * mesh file is named relative to the XDMF file when both are in the same directory, else by its
 * absolute path. Written under a temporary name and renamed.
 *
 * @param mesh_path the mesh file; it must hold a mesh.
 * @param xdmf_path the file to write.
 */
bool mesh_xdmf_write(const char *mesh_path, const char *xdmf_path, mesh_error_t *error);

#ifdef __cplusplus
}
#endif
#endif
