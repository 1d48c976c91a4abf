/**
 * SipHash-2-4 with a result of 128 bits: what only who has the key can compute.
 */
#ifndef PGASI_BASE_SIPHASH_H
#define PGASI_BASE_SIPHASH_H

#include <stddef.h>

#define PGASI_SIPHASH_BYTES 16

/** Sets `result` to the hash of `nbytes` bytes by `key`, which has as many bytes as the result.
 *  Source: Aumasson and Bernstein, SipHash: a fast short-input PRF (2012), and the authors' variant
 *  for 128 bits. */
void pgasi_siphash(const unsigned char *key, const unsigned char *bytes, size_t nbytes,
                   unsigned char *result);

#endif
