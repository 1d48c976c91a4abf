/**
 * The few things this library does with HDF5 files, each with a message of its own; datasets are
 * read by dataset.h. HDF5's printing of its error stack is switched off by the first of these
 * calls.
 */
#ifndef MESHES_SRC_HDF5_IO_H
#define MESHES_SRC_HDF5_IO_H

#include <hdf5.h>
#include <stdbool.h>
#include <stddef.h>

#include "element.h"
#include "meshes/error.h"

/** The group of the checksums (checksum.h): /checksums/matrix/A has those of /matrix/A. */
#define MESHI_CHECKSUMS "/checksums"

/** Starts HDF5 where that has not been done, before the file is begun. False if there is not enough
 *  memory for it. */
bool meshi_hdf5_start(const char *path, mesh_error_t *error);

/** Opens for reading, without a lock, a file whose attributes say that it is a Fathom mesh file
 *  of the supported version. The caller closes it with H5Fclose. */
bool meshi_hdf5_open(const char *path, hid_t *file, mesh_error_t *error);

/** Opens for reading, without a lock, any HDF5 file. */
bool meshi_hdf5_open_any(const char *path, hid_t *file, mesh_error_t *error);

/** Whether the group or dataset is there. `name` begins with a slash. Fails if a link on the way is
 *  no hard one, or if HDF5 fails: what is optional must not look absent then. */
bool meshi_hdf5_find(hid_t file, const char *path, const char *name, bool *is_there,
                     mesh_error_t *error);

/** Reads a scalar attribute of a group, a real or whole number of a standard type; false when there
 *  is none or it is not finite. */
bool meshi_hdf5_read_real(hid_t file, const char *group, const char *name, double *value);

/** Reads a text attribute of the root; `text` receives at most size - 1 characters. False when
 *  there is none. */
bool meshi_hdf5_read_text(hid_t file, const char *name, char *text, size_t size);

/** Creates a file, replacing an existing one, with the attributes "format" and "version", those of
 *  a mesh file being "fathom-mesh" and MESH_FILE_VERSION. HDF5's own records have checksums in it.
 */
bool meshi_hdf5_create(const char *path, const char *format, int version, hid_t *file,
                       mesh_error_t *error);

/** Writes a dataset of `rows` rows and `width` columns (0: it has one dimension), and its
 *  checksums. */
bool meshi_hdf5_write(hid_t file, const char *path, const char *name, meshi_number_t number,
                      size_t rows, size_t width, const void *data, mesh_error_t *error);

/** Writes a scalar real attribute of a group, or a whole number or text as one of the root. */
bool meshi_hdf5_write_real(hid_t file, const char *group, const char *name, double value);
bool meshi_hdf5_write_whole(hid_t file, const char *name, int64_t value);
bool meshi_hdf5_write_text(hid_t file, const char *name, const char *text);

/** Closes a file that meshi_hdf5_create has made, which writes what is left. False, with `error`
 * set, if that fails; `written` false: something has failed before, and `error` stays. */
bool meshi_hdf5_close(hid_t file, const char *path, bool written, mesh_error_t *error);

#endif
