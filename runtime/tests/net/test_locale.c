/**
 * A job of several nodes in a Turkish locale, in which i and I are different letters: UCX reads its
 * settings for every worker, those of attached threads and of collectives in flight included.
 *
 * Few machines have the locale: strcasecmp, by which UCX compares, is one that does as there,
 * unless the calling thread has put itself in another locale.
 */
#include <ctype.h>
#include <locale.h>
#include <pthread.h>
#include <stdatomic.h>
#include <strings.h>

#include <pgas/pgas.h>

#include "check.h"

static atomic_bool is_turkish;
static atomic_int compared;
static pgas_ptr_t words;

static int fold(char c)
{
    bool is_plain = uselocale((locale_t)0) != LC_GLOBAL_LOCALE;
    return c == 'I' && is_turkish && !is_plain ? 0xfd : tolower((unsigned char)c);
}

/* NOLINTNEXTLINE(readability-inconsistent-declaration-parameter-name) */
__attribute__((visibility("default"))) int strcasecmp(const char *left, const char *right)
{
    atomic_fetch_add(&compared, 1);
    while (*left != '\0' && fold(*left) == fold(*right)) {
        left++;
        right++;
    }
    return fold(*left) - fold(*right);
}

static uint64_t read_next(void)
{
    int next = (pgas_mythread() + 1) % pgas_threads();
    return PGAS_READ(uint64_t, pgas_ptr_on(words, next));
}

static void *work(void *unused)
{
    (void)unused;
    CHECK(pgas_attach_thread() == PGAS_OK);
    CHECK(read_next() == 7);
    pgas_detach_thread();
    return NULL;
}

int main(void)
{
    is_turkish = true;
    CHECK(pgas_init() == PGAS_OK);
    CHECK(pgas_all_alloc((size_t)pgas_threads(), sizeof(uint64_t), &words) == PGAS_OK);
    *(uint64_t *)pgas_local(pgas_ptr_on(words, pgas_mythread())) = 7;
    pgas_barrier();
    CHECK(read_next() == 7);
    CHECK(pgas_attach_thread() == PGAS_OK);
    pthread_t thread;
    CHECK(pthread_create(&thread, NULL, work, NULL) == 0);
    CHECK(pthread_join(thread, NULL) == 0);
    uint64_t mine = 1;
    uint64_t sum = 0;
    pgas_waitsync(pgas_allreduce_async(PGAS_TEAM_ALL, &mine, &sum, 1, PGAS_UINT64, PGAS_SUM));
    CHECK(sum == (uint64_t)pgas_threads());
    CHECK(compared > 0); /* else this tests nothing */
    pgas_detach_thread();
    pgas_all_free(words);
    pgas_finalize();
    return 0;
}
