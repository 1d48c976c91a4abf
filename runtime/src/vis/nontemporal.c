#include "vis/nontemporal.h"

#include <stdint.h>
#include <string.h>
#include <unistd.h>

#ifdef __SSE2__
#include <emmintrin.h>
#endif

enum {
    LINE = 64,
    SMALLEST_CHUNK = 512,
    /* Where the system does not report the size of its caches. */
    USUAL_CACHE = 32 << 20
};

bool pgasi_stream_pays(size_t nbytes, size_t chunk)
{
#ifdef __SSE2__
    static _Atomic size_t cache;
    if (chunk < SMALLEST_CHUNK)
        return false;
    if (cache == 0) {
        long size = sysconf(_SC_LEVEL3_CACHE_SIZE);
        cache = size > 0 ? (size_t)size : USUAL_CACHE;
    }
    return nbytes >= cache;
#else
    (void)nbytes;
    (void)chunk;
    return false;
#endif
}

void pgasi_stream(char *dst, const char *src, size_t nbytes)
{
#ifdef __SSE2__
    size_t head = (LINE - (uintptr_t)dst % LINE) % LINE;
    if (head > nbytes)
        head = nbytes;
    memcpy(dst, src, head);
    dst += head;
    src += head;
    nbytes -= head;
    for (; nbytes >= LINE; nbytes -= LINE, dst += LINE, src += LINE) {
        __m128i a = _mm_loadu_si128((const __m128i *)(const void *)src);
        __m128i b = _mm_loadu_si128((const __m128i *)(const void *)(src + 16));
        __m128i c = _mm_loadu_si128((const __m128i *)(const void *)(src + 32));
        __m128i d = _mm_loadu_si128((const __m128i *)(const void *)(src + 48));
        _mm_stream_si128((__m128i *)(void *)dst, a);
        _mm_stream_si128((__m128i *)(void *)(dst + 16), b);
        _mm_stream_si128((__m128i *)(void *)(dst + 32), c);
        _mm_stream_si128((__m128i *)(void *)(dst + 48), d);
    }
#endif
    memcpy(dst, src, nbytes);
}

void pgasi_stream_finish(void)
{
#ifdef __SSE2__
    _mm_sfence();
#endif
}
