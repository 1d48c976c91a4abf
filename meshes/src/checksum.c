#include "checksum.h"

#include <pthread.h>
#include <stdbool.h>
#include <string.h>

#if defined __x86_64__
#include <nmmintrin.h>
#endif

enum {
    LANES = 4, /* pieces at once: an instruction's result is there after three of its turns */
    WORD = 8
};

/* x^32 + x^28 + x^27 + x^26 + x^25 + x^23 + x^22 + x^20 + x^19 + x^18 + x^14 + x^13 + x^11 + x^10 +
 * x^9 + x^8 + x^6 + 1, the lowest bit the highest power. */
static const uint32_t polynomial = 0x82f63b78U;

/* table[s][byte]: what a byte adds if s more bytes follow it in a word of eight. */
static uint32_t table[WORD][256];
static pthread_once_t table_once = PTHREAD_ONCE_INIT;

static void fill_table(void)
{
    for (uint32_t byte = 0; byte < 256; byte++) {
        uint32_t crc = byte;
        for (int bit = 0; bit < 8; bit++)
            crc = (crc >> 1) ^ ((crc & 1U) != 0 ? polynomial : 0);
        table[0][byte] = crc;
    }
    for (size_t s = 1; s < WORD; s++)
        for (size_t byte = 0; byte < 256; byte++)
            table[s][byte] = (table[s - 1][byte] >> 8) ^ table[0][table[s - 1][byte] & 255U];
}

/* `order` is added to the place of each byte: 0, or the size of a value less 1 to go through each
 * value from its last byte to its first. */
static uint32_t add_bytes(uint32_t crc, const unsigned char *bytes, size_t nbytes, size_t order)
{
    for (size_t b = 0; b < nbytes; b++)
        crc = (crc >> 8) ^ table[0][(crc ^ bytes[b ^ order]) & 255U];
    return crc;
}

static uint32_t add_word(uint32_t crc, const unsigned char *bytes)
{
    uint32_t low = crc ^ ((uint32_t)bytes[0] | (uint32_t)bytes[1] << 8 | (uint32_t)bytes[2] << 16 |
                          (uint32_t)bytes[3] << 24);
    return table[7][low & 255U] ^ table[6][(low >> 8) & 255U] ^ table[5][(low >> 16) & 255U] ^
           table[4][low >> 24] ^ table[3][bytes[4]] ^ table[2][bytes[5]] ^ table[1][bytes[6]] ^
           table[0][bytes[7]];
}

uint32_t meshi_crc32c_portable(const void *bytes, size_t nbytes)
{
    const unsigned char *at = bytes;
    uint32_t crc = UINT32_MAX;
    pthread_once(&table_once, fill_table);
    for (; nbytes >= WORD; nbytes -= WORD, at += WORD)
        crc = add_word(crc, at);
    return ~add_bytes(crc, at, nbytes, 0);
}

#if defined __x86_64__
#define WITH_INSTRUCTION __attribute__((target("sse4.2")))

static bool has_instruction(void)
{
    return __builtin_cpu_supports("sse4.2") != 0;
}

WITH_INSTRUCTION static uint32_t add_quickly(uint32_t crc, const unsigned char *bytes)
{
    uint64_t word;
    memcpy(&word, bytes, sizeof word);
    return (uint32_t)_mm_crc32_u64(crc, word);
}
#else
#define WITH_INSTRUCTION

static bool has_instruction(void)
{
    return false;
}

static uint32_t add_quickly(uint32_t crc, const unsigned char *bytes)
{
    return add_word(crc, bytes);
}
#endif

WITH_INSTRUCTION static uint32_t crc_quickly(const unsigned char *bytes, size_t nbytes)
{
    uint32_t crc = UINT32_MAX;
    size_t words = nbytes / WORD * WORD;
    for (size_t at = 0; at < words; at += WORD)
        crc = add_quickly(crc, bytes + at);
    return ~add_bytes(crc, bytes + words, nbytes - words, 0);
}

/* Consecutive pieces, each of `nbytes`. */
WITH_INSTRUCTION static void crc_lanes(const unsigned char *bytes, size_t nbytes,
                                       uint32_t checksums[LANES])
{
    uint32_t crc[LANES];
    size_t words = nbytes / WORD * WORD;
    for (size_t lane = 0; lane < LANES; lane++)
        crc[lane] = UINT32_MAX;
    for (size_t at = 0; at < words; at += WORD)
        for (size_t lane = 0; lane < LANES; lane++)
            crc[lane] = add_quickly(crc[lane], bytes + lane * nbytes + at);
    for (size_t lane = 0; lane < LANES; lane++)
        checksums[lane] = ~add_bytes(crc[lane], bytes + lane * nbytes + words, nbytes - words, 0);
}

uint32_t meshi_crc32c(const void *bytes, size_t nbytes)
{
    pthread_once(&table_once, fill_table);
    return has_instruction() ? crc_quickly(bytes, nbytes) : meshi_crc32c_portable(bytes, nbytes);
}

/* The checksum of values whose highest byte is first in memory. */
static uint32_t crc_turned(const void *bytes, size_t nbytes, size_t size)
{
    return ~add_bytes(UINT32_MAX, bytes, nbytes, size - 1);
}

size_t meshi_piece_rows(size_t row_nbytes)
{
    return row_nbytes < MESHI_PIECE_NBYTES ? MESHI_PIECE_NBYTES / row_nbytes : 1;
}

size_t meshi_piece_count(size_t rows, size_t row_nbytes)
{
    size_t piece = meshi_piece_rows(row_nbytes);
    return rows / piece + (rows % piece > 0);
}

void meshi_checksums(const void *values, size_t size, size_t rows, size_t row_nbytes,
                     uint32_t *checksums)
{
    const bool is_turned = __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__;
    const unsigned char *at = values;
    size_t left = rows * row_nbytes;
    size_t piece = meshi_piece_rows(row_nbytes) * row_nbytes;
    size_t lanes = LANES * piece;
    pthread_once(&table_once, fill_table);
    for (; !is_turned && has_instruction() && left >= lanes; left -= lanes, at += lanes) {
        crc_lanes(at, piece, checksums);
        checksums += LANES;
    }
    while (left > 0) {
        size_t nbytes = left < piece ? left : piece;
        *checksums++ = is_turned ? crc_turned(at, nbytes, size) : meshi_crc32c(at, nbytes);
        at += nbytes;
        left -= nbytes;
    }
}
