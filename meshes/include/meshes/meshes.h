/**
 * The whole library: meshes of tetrahedra, sparse matrices on them, and the files they live in.
 *
 * Needs HDF5, METIS and zlib, and the program `tetgen` for mesh_ventricle_make. It knows nothing of
 * the runtime. See meshes/README.md for the file format and the numerical scheme.
 */
#ifndef MESHES_MESHES_H
#define MESHES_MESHES_H

#include "meshes/diffusion.h"
#include "meshes/error.h"
#include "meshes/geometry.h"
#include "meshes/matrix.h"
#include "meshes/matrix_file.h"
#include "meshes/matrix_market.h"
#include "meshes/mesh_file.h"
#include "meshes/order.h"
#include "meshes/progress.h"
#include "meshes/temporary.h"
#include "meshes/tetgen_file.h"
#include "meshes/text_file.h"
#include "meshes/vector_file.h"
#include "meshes/ventricle.h"
#include "meshes/xdmf.h"

#endif
