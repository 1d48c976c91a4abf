/**
 * The checksums of a dataset: CRC-32C (Castagnoli, reflected, as in iSCSI and ext4) of its pieces.
 *
 * A piece is a run of rows of up to MESHI_PIECE_NBYTES, one row at least; the last one may be
 * short. The checksum is that of the values' little-endian bytes, one after the other.
 */
#ifndef MESHES_SRC_CHECKSUM_H
#define MESHES_SRC_CHECKSUM_H

#include <stddef.h>
#include <stdint.h>

/** Bytes that a piece has at most, unless a row has more. */
#define MESHI_PIECE_NBYTES 65536

/** Rows of a piece, where a row has `row_nbytes`. */
size_t meshi_piece_rows(size_t row_nbytes);

/** The pieces of `rows` rows. */
size_t meshi_piece_count(size_t rows, size_t row_nbytes);

/**
 * Computes the checksums of all pieces.
 *
 * @param values    `rows` rows, the first of them the first of a piece.
 * @param size      bytes of a value, which stand in memory in this machine's order.
 * @param checksums receives meshi_piece_count(rows, row_nbytes) of them.
 */
void meshi_checksums(const void *values, size_t size, size_t rows, size_t row_nbytes,
                     uint32_t *checksums);

/** The checksum of bytes, by the processor's instruction if it has one; and the portable way, for
 *  tests to compare. */
uint32_t meshi_crc32c(const void *bytes, size_t nbytes);
uint32_t meshi_crc32c_portable(const void *bytes, size_t nbytes);

#endif
