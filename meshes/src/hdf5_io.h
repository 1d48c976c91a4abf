/**
 * The few things this library does with HDF5, each with a message of its own.
 *
 * HDF5's printing of its error stack is switched off by the first of these calls. A dataset is
 * read only when it is a plain one: a hard link, stored contiguously inside the file, of the
 * expected number type and shape, and complete.
 */
#ifndef MESHES_SRC_HDF5_IO_H
#define MESHES_SRC_HDF5_IO_H

#include <hdf5.h>
#include <stdbool.h>
#include <stddef.h>

#include "meshes/error.h"

/** What the elements of a dataset are in the file; either byte order is read. */
typedef enum meshi_number {
    MESHI_REAL64, /**< IEEE double; in memory `double` */
    MESHI_INT32 /**< signed 32 bit; in memory `int32_t` */
} meshi_number_t;

/** Which rows of a dataset: `blocks` runs of `block` rows, the first at `first`, `stride` rows
 *  from the start of a run to the start of the next. */
typedef struct meshi_rows {
    size_t first;
    size_t stride;
    size_t block;
    size_t blocks;
} meshi_rows_t;

/** Opens for reading, without a lock, a file whose attributes say that it is a Fathom mesh file
 *  of the supported version. The caller closes it with H5Fclose. */
bool meshi_hdf5_open(const char *path, hid_t *file, mesh_error_t *error);

/** Whether the group or dataset is there. `name` is a group "/x" or a member "/x/y". */
bool meshi_hdf5_has(hid_t file, const char *name);

/** Opens a dataset of `rank` 1 or 2 and receives its extent. The caller closes it with H5Dclose.
 *  `path` is for messages. */
bool meshi_hdf5_open_dataset(hid_t file, const char *path, const char *name, meshi_number_t number,
                             int rank, size_t extent[2], hid_t *dataset, mesh_error_t *error);

/** Reads rows of an open dataset with `width` columns (0: it has one dimension) to `data`, back to
 *  back. The rows exist. */
bool meshi_hdf5_read(hid_t dataset, const char *path, const char *name, meshi_number_t number,
                     meshi_rows_t rows, size_t width, void *data, mesh_error_t *error);

/** Opens, reads and closes a dataset of exactly `rows` rows and `width` columns (0 as above). */
bool meshi_hdf5_read_all(hid_t file, const char *path, const char *name, meshi_number_t number,
                         size_t rows, size_t width, void *data, mesh_error_t *error);

/** Reads a scalar real attribute of a group; false when there is none or it is not finite. */
bool meshi_hdf5_read_real(hid_t file, const char *group, const char *name, double *value);

/** Reads a text attribute of the root; `text` receives at most size - 1 characters. False when
 *  there is none. */
bool meshi_hdf5_read_text(hid_t file, const char *name, char *text, size_t size);

/** Creates a file, replacing an existing one, with the attributes that meshi_hdf5_open asks
 *  for. */
bool meshi_hdf5_create(const char *path, hid_t *file, mesh_error_t *error);

/** Writes a dataset of `rows` rows and `width` columns (0 as above). */
bool meshi_hdf5_write(hid_t file, const char *path, const char *name, meshi_number_t number,
                      size_t rows, size_t width, const void *data, mesh_error_t *error);

/** Writes a scalar real attribute of a group, or a text attribute of the root. */
bool meshi_hdf5_write_real(hid_t file, const char *group, const char *name, double value);
bool meshi_hdf5_write_text(hid_t file, const char *name, const char *text);

#endif
