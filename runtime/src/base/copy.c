#include <string.h>

#include <pgas/detail.h>

enum {
    VECTORS = 8,
    PART = 262144
};

typedef long long vector_t __attribute__((vector_size(16)));

/* The loads of a step come before its stores: a load behind a store to the same place in another
 * page waits for that. */
void pgasi_copy_by_loads(void *dst, const void *src, size_t nbytes)
{
    enum {
        STEP = VECTORS * sizeof(vector_t)
    };
    char *to = dst;
    const char *from = src;
    for (; nbytes >= STEP; nbytes -= STEP, to += STEP, from += STEP) {
        vector_t vectors[VECTORS];
        for (size_t i = 0; i < VECTORS; i++)
            memcpy(&vectors[i], from + i * sizeof(vector_t), sizeof(vector_t));
        for (size_t i = 0; i < VECTORS; i++)
            memcpy(to + i * sizeof(vector_t), &vectors[i], sizeof(vector_t));
    }
    memcpy(to, from, nbytes);
}

/* At a distance at which short copies crawl, long ones do not, and parts would. */
void pgasi_copy_in_parts(void *dst, const void *src, size_t nbytes)
{
    size_t part = pgasi_copy_crawls(dst, src, PART) ? nbytes : PART;
    for (size_t done = 0; done < nbytes; done += part) {
        size_t left = nbytes - done;
        memcpy((char *)dst + done, (const char *)src + done, left < part ? left : part);
    }
}
