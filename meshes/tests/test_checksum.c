/* Checksums are CRC-32C, by whatever way they are computed, of pieces that cover all rows. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "checksum.h"
#include "sample.h"

/* By the definition, bit by bit. */
static uint32_t divide(const unsigned char *bytes, size_t nbytes)
{
    uint32_t crc = UINT32_MAX;
    for (size_t bit = 0; bit < 8 * nbytes; bit++) {
        uint32_t next = (crc ^ (uint32_t)(bytes[bit / 8] >> (bit % 8))) & 1U;
        crc = (crc >> 1) ^ (next != 0 ? 0x82f63b78U : 0U);
    }
    return ~crc;
}

static void test_known(void **state)
{
    static const unsigned char zeros[32];
    (void)state;
    assert_int_equal(meshi_crc32c("123456789", 9), 0xe3069283U);
    assert_int_equal(meshi_crc32c_portable("123456789", 9), 0xe3069283U);
    assert_int_equal(meshi_crc32c(zeros, 32), 0x8a9136aaU); /* RFC 3720, B.4 */
    assert_int_equal(meshi_crc32c("", 0), 0);
}

static void test_all_ways(void **state)
{
    unsigned char bytes[200];
    uint64_t seed = sample_seed();
    (void)state;
    for (size_t length = 0; length <= 100; length++) {
        for (size_t b = 0; b < sizeof bytes; b++)
            bytes[b] = (unsigned char)(256.0 * sample_random(&seed));
        size_t start = length % 9;
        uint32_t expected = divide(bytes + start, length);
        assert_int_equal(meshi_crc32c(bytes + start, length), expected);
        assert_int_equal(meshi_crc32c_portable(bytes + start, length), expected);
    }
}

/* Pieces of whole rows, one row at least, the last one short; many at once or few. */
static void test_pieces(void **state)
{
    static const size_t widths[] = {1, 3, 16, 1000, 20000};
    uint64_t seed = sample_seed();
    (void)state;
    for (size_t w = 0; w < sizeof widths / sizeof widths[0]; w++) {
        size_t row_nbytes = widths[w] * sizeof(int32_t);
        size_t piece = meshi_piece_rows(row_nbytes);
        assert_true(piece == 1 || piece * row_nbytes <= MESHI_PIECE_NBYTES);
        assert_true((piece + 1) * row_nbytes > MESHI_PIECE_NBYTES);
        for (size_t pieces = 1; pieces < 10; pieces += 4)
            for (size_t less = 0; less < 2 && less < piece; less++) {
                size_t rows = pieces * piece - less;
                uint32_t found[10] = {0};
                unsigned char *bytes = malloc(rows * row_nbytes);
                assert_non_null(bytes);
                for (size_t b = 0; b < rows * row_nbytes; b++)
                    bytes[b] = (unsigned char)(256.0 * sample_random(&seed));
                assert_int_equal(meshi_piece_count(rows, row_nbytes), pieces);
                meshi_checksums(bytes, sizeof(int32_t), rows, row_nbytes, found);
                for (size_t p = 0; p < pieces; p++) {
                    size_t left = rows - p * piece;
                    size_t nbytes = (left < piece ? left : piece) * row_nbytes;
                    assert_int_equal(found[p],
                                     meshi_crc32c_portable(bytes + p * piece * row_nbytes, nbytes));
                }
                assert_int_equal(found[pieces], 0);
                free(bytes);
            }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_known),
        cmocka_unit_test(test_all_ways),
        cmocka_unit_test(test_pieces),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
