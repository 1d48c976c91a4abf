#include "base/siphash.h"

#include <stdint.h>

static uint64_t rotate(uint64_t x, unsigned bits)
{
    return x << bits | x >> (64 - bits);
}

static uint64_t little_endian(const unsigned char *bytes, size_t nbytes)
{
    uint64_t word = 0;
    for (size_t i = 0; i < nbytes; i++)
        word |= (uint64_t)bytes[i] << (8 * i);
    return word;
}

static void stir(uint64_t v[4], unsigned rounds)
{
    for (unsigned i = 0; i < rounds; i++) {
        v[0] += v[1];
        v[2] += v[3];
        v[1] = rotate(v[1], 13) ^ v[0];
        v[3] = rotate(v[3], 16) ^ v[2];
        v[0] = rotate(v[0], 32);
        v[2] += v[1];
        v[0] += v[3];
        v[1] = rotate(v[1], 17) ^ v[2];
        v[3] = rotate(v[3], 21) ^ v[0];
        v[2] = rotate(v[2], 32);
    }
}

static void absorb(uint64_t v[4], uint64_t word)
{
    v[3] ^= word;
    stir(v, 2);
    v[0] ^= word;
}

static void squeeze(uint64_t v[4], unsigned char *result)
{
    stir(v, 4);
    uint64_t half = v[0] ^ v[1] ^ v[2] ^ v[3];
    for (size_t i = 0; i < 8; i++)
        result[i] = (unsigned char)(half >> (8 * i));
}

void pgasi_siphash(const unsigned char *key, const unsigned char *bytes, size_t nbytes,
                   unsigned char *result)
{
    uint64_t k[2] = {little_endian(key, 8), little_endian(key + 8, 8)};
    uint64_t v[4] = {k[0] ^ UINT64_C(0x736f6d6570736575),
                     k[1] ^ UINT64_C(0x646f72616e646f6d) ^ 0xee,
                     k[0] ^ UINT64_C(0x6c7967656e657261), k[1] ^ UINT64_C(0x7465646279746573)};
    size_t whole = nbytes / 8 * 8;
    for (size_t at = 0; at < whole; at += 8)
        absorb(v, little_endian(bytes + at, 8));
    absorb(v, little_endian(bytes + whole, nbytes - whole) | (uint64_t)nbytes << 56);
    v[2] ^= 0xee;
    squeeze(v, result);
    v[1] ^= 0xdd;
    squeeze(v, result + 8);
}
