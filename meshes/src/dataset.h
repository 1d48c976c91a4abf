/**
 * A dataset of a mesh file: reading rows of it, each checked against the checksum of its piece.
 *
 * A dataset is read only when it is a plain one: a hard link, stored contiguously inside the file,
 * of the expected number type and shape, and complete. Its checksums (checksum.h) are in a dataset
 * of the same name below /checksums, such as /checksums/matrix/A. A file without the group
 * /checksums was written before there were any, and is read as it is.
 */
#ifndef MESHES_SRC_DATASET_H
#define MESHES_SRC_DATASET_H

#include <hdf5.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "element.h"
#include "meshes/error.h"

/** Which rows of a dataset: `blocks` runs of `block` rows, the first at `first`, `stride` rows
 *  from the start of a run to the start of the next. */
typedef struct meshi_rows {
    size_t first;
    size_t stride;
    size_t block;
    size_t blocks;
} meshi_rows_t;

/** An open dataset. */
typedef struct meshi_dataset {
    /** Path of the file, for messages. The caller that opened the dataset owns it and `name`. */
    const char *path;
    const char *name;
    hid_t id;
    meshi_number_t number;
    size_t rows;
    /** Elements of a row; 1 for a dataset of one dimension, too. */
    size_t width;
    /** One checksum per piece; NULL if the file has none. */
    uint32_t *checksums;
} meshi_dataset_t;

/** Opens a dataset of `rank` 1 or 2, named "/group/name", and reads its checksums. `path` is for
 *  messages; both strings are kept by reference. To be closed with meshi_dataset_close. */
bool meshi_dataset_open(hid_t file, const char *path, const char *name, meshi_number_t number,
                        int rank, meshi_dataset_t *dataset, mesh_error_t *error);

/** Closes it. Harmless on one that is all zero. */
void meshi_dataset_close(meshi_dataset_t *dataset);

/** Computes the checksums of a dataset that has none, by reading all of it: it is one with
 * checksums then. Does nothing to one that has some. */
bool meshi_dataset_add_checksums(meshi_dataset_t *dataset, mesh_error_t *error);

/** Adds the dataset's shape and its checksums, if it has any, to a digest, which begins with 0. */
uint64_t meshi_dataset_add_to_digest(const meshi_dataset_t *dataset, uint64_t digest);

/** Reads rows to `data`, back to back. The rows exist. All pieces that they are of are read, and
 *  compared with their checksums. */
bool meshi_dataset_read(const meshi_dataset_t *dataset, meshi_rows_t rows, void *data,
                        mesh_error_t *error);

/** Opens, reads and closes a dataset of exactly `rows` rows and `width` columns (0: it has one
 *  dimension). */
bool meshi_dataset_read_all(hid_t file, const char *path, const char *name, meshi_number_t number,
                            size_t rows, size_t width, void *data, mesh_error_t *error);

#endif
