/* Memory that is freed where the kernel's pages have 64 KiB: it takes a length for whole pages, and
 * what lies behind a large block on its last page stays as it is.
 *
 * - Small blocks, one behind a large one, which is freed, and a larger one comes.
 * - Arrays, which lie in all segments, behind a large one. */
#include <dlfcn.h>
#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <pgas/pgas.h>

#include "check.h"
#include "node/segment.h"

enum {
    PAGE = 65536,
    SMALL = 4096,
    LARGE = 8000000,
    MOST = 4000,
    ELEMENTS = 100
};

static int removals;

/* In place of the kernel's: its smaller pages would hide what is wrong. */
long sysconf(int name)
{
    static long (*usual)(int);
    if (name == _SC_PAGESIZE)
        return PAGE;
    if (usual == NULL)
        *(void **)&usual = dlsym(RTLD_NEXT, "sysconf");
    return usual(name);
}

int madvise(void *addr, size_t len, int advice)
{
    size_t whole = (len + PAGE - 1) / PAGE * PAGE;
    if ((uintptr_t)addr % PAGE != 0) {
        errno = EINVAL;
        return -1;
    }
    removals += advice == MADV_REMOVE;
    return (int)syscall(SYS_madvise, addr, whole, advice);
}

static void check_bytes(pgas_ptr_t ptr, size_t nbytes, int value)
{
    const unsigned char *bytes = pgas_local(ptr);
    for (size_t i = 0; i < nbytes; i++)
        CHECK(bytes[i] == value);
}

/* Small blocks go where there is room before the large one until that is full. */
static void test_blocks(void)
{
    static pgas_ptr_t small[MOST];
    pgas_ptr_t large;
    int count = 0;
    CHECK(pgas_alloc(LARGE, &large) == PGAS_OK);
    do {
        CHECK(count < MOST);
        CHECK(pgas_alloc(SMALL, &small[count]) == PGAS_OK);
        memset(pgas_local(small[count]), count % 251, SMALL);
    } while (small[count++].offset < large.offset);
    CHECK(small[count - 1].offset - large.offset < LARGE + PAGE);
    int before = removals;
    pgas_free(large);
    CHECK(removals > before);
    CHECK(pgas_alloc(LARGE + LARGE, &large) == PGAS_OK);
    memset(pgas_local(large), 0xee, LARGE + LARGE);
    for (int i = 0; i < count; i++) {
        check_bytes(small[i], SMALL, i % 251);
        pgas_free(small[i]);
    }
    pgas_free(large);
}

static void test_arrays(void)
{
    pgas_array_t large;
    pgas_array_t small;
    CHECK(pgas_array_create(LARGE / 8 * (size_t)pgas_threads(), 8, 0, &large) == PGAS_OK);
    CHECK(pgas_array_create(ELEMENTS * (size_t)pgas_threads(), 8, 0, &small) == PGAS_OK);
    memset(pgas_array_mine(&small), 7, ELEMENTS * sizeof(double));
    pgas_barrier();
    pgas_array_free(&large);
    CHECK(pgas_array_create(LARGE / 4 * (size_t)pgas_threads(), 8, 0, &large) == PGAS_OK);
    const unsigned char *bytes = pgas_array_mine(&small);
    for (size_t i = 0; i < ELEMENTS * sizeof(double); i++)
        CHECK(bytes[i] == 7);
    pgas_array_free(&large);
    pgas_array_free(&small);
}

int main(void)
{
    CHECK(pgas_init() == PGAS_OK);
    pgasi_node_memory.kept_most = 0; /* all pages of large blocks go back */
    test_blocks();
    test_arrays();
    pgas_finalize();
    return 0;
}
