/**
 * Block-cyclic shared arrays.
 *
 * An array of `count` elements in blocks of `block` elements: element i belongs to thread
 * (i / block) mod pgas_threads() (formula (1) of the paper Fathom grew from), and a thread's blocks
 * are contiguous in its segment. The block size is chosen at run time.
 *
 * Value access by macros, for any C type without qualifiers whose size is the array's element size:
 *
 *   double v = PGAS_GET(double, &x, i);      read element i, whoever owns it
 *   PGAS_PUT(double, &x, i, v);              write it
 *
 * Indexes are 0-based and below `count`. The debug build checks them, the size of the C type, and
 * that the array has not been freed; other builds do not, since that would show in the time of an
 * access. Each argument is evaluated once, and the macros may be nested. The compiler may merge or
 * hoist plain accesses, as it may for any C object: put a pgas_fence into a loop that waits for
 * another thread's write, and another one behind it (sync.h).
 *
 * What a loop over a thread's own elements costs, as a multiple of a plain loop
 * (bench/measured.md): PGAS_FORBLOCKS 1, or 1.5 to 3 where a block is one element; PGAS_GET 2.5 and
 * PGAS_PUT 5, on a node whoever owns the element; PGAS_FORALL tests every index on every thread, so
 * that its cost grows with the whole array.
 */
#ifndef PGAS_ARRAY_H
#define PGAS_ARRAY_H

#include <pgas/detail.h>
#include <pgas/ptr.h>
#include <pgas/types.h>

PGAS_BEGIN_DECLS

/** Block size for pgas_array_create: one block per thread, as even as possible. */
#define PGAS_BLOCK_EVEN ((size_t)0)

/** An array as one thread sees it. The first three members may be read; copies of the struct are
 *  as good as the original. */
typedef struct pgas_array {
    /** Elements in all. */
    size_t count;
    /** Elements per block. */
    size_t block;
    /** Bytes per element. */
    size_t elem_size;
    /** Of a thread's first block, in bytes; the same in every segment. */
    uint64_t offset;
    pgasi_divisor_t by_block;
    pgasi_divisor_t by_threads;
} pgas_array_t;

/**
 * Allocates an array. Collective; includes a barrier.
 *
 * `count` elements of `elem_size` bytes (both > 0) in blocks of `block` elements, or
 * PGAS_BLOCK_EVEN; a block has at most 2^32 - 1. A thread takes memory for as many blocks as any
 * has, and for the elements alone where they are fewer than a block. Elements are not initialised
 * beyond what heap.h says.
 *
 * Returns PGAS_OK, PGAS_ERR_ARGUMENT or PGAS_ERR_NO_MEMORY, the same on every thread.
 */
PGAS_API pgas_status_t pgas_array_create(size_t count, size_t elem_size, size_t block,
                                         pgas_array_t *array);

/** Frees an array's memory. Collective; includes a barrier, after which the contents are gone. */
PGAS_API void pgas_array_free(pgas_array_t *array);

/** Elements of the array that belong to `thread` (0-based). */
PGAS_API size_t pgas_array_owned(const pgas_array_t *array, int thread);

/** Blocks of the array that belong to `thread`, a short last one included: B_thread of formula (5).
 */
PGAS_API size_t pgas_array_owned_blocks(const pgas_array_t *array, int thread);

/** Where an element lies: a pgas_ptr_t in members as wide as registers. */
typedef struct pgasi_element {
    uint64_t thread;
    uint64_t phase;
    uint64_t offset;
} pgasi_element_t;

/** Where element `index` lies. The only place that computes it. */
static inline pgasi_element_t pgasi_array_locate(const pgas_array_t *array, size_t index,
                                                 size_t elem_size)
{
    uint64_t block = pgasi_divide(index, &array->by_block);
    uint64_t round = pgasi_divide(block, &array->by_threads);
    uint64_t phase = index - block * array->block;
    pgasi_element_t element = {
        block - round * array->by_threads.divisor,
        phase,
        array->offset + (round * array->block + phase) * elem_size,
    };
    return element;
}

/** The owner of element `index`, 0-based. */
static inline int pgas_array_owner(const pgas_array_t *array, size_t index)
{
    return (int)pgasi_array_locate(array, index, array->elem_size).thread;
}

/** A pointer to element `index`, with its phase. `index` may equal `count`: one past the end. */
static inline pgas_ptr_t pgas_array_at(const pgas_array_t *array, size_t index)
{
    pgasi_element_t element = pgasi_array_locate(array, index, array->elem_size);
    pgas_ptr_t ptr = {(uint32_t)element.thread, (uint32_t)element.phase, element.offset};
    return ptr;
}

/** A plain pointer to the calling thread's part: its blocks, contiguous,
 *  pgas_array_owned(array, pgas_mythread()) elements. The debug build ends the job for an array
 * that has been freed. */
static inline void *pgas_array_mine(const pgas_array_t *array)
{
#ifdef PGAS_DEBUG
    pgasi_location_t first = {&pgasi_peers[pgasi_job.thread], array->offset};
    pgasi_check_value(first, 1);
#endif
    return pgasi_job.peers[pgasi_job.thread].base + array->offset;
}

/** Reads element `index` of `array` (a const pgas_array_t *), whose elements have C type `type`. */
#define PGAS_GET(type, array, index) \
    PGASI_READ(type, pgasi_array_element(array, index, sizeof(type)), PGASI_UNIQUE(pgasi_v))

/** Writes `value` to element `index` of `array`. */
#define PGAS_PUT(type, array, index, value) \
    PGASI_WRITE(type, pgasi_array_element(array, index, sizeof(type)), value, PGASI_UNIQUE(pgasi_v))

/** Where element `index` lies, for an access to a value of `elem_size` bytes. */
static inline pgasi_location_t pgasi_array_element(const pgas_array_t *array, size_t index,
                                                   size_t elem_size)
{
#ifdef PGAS_DEBUG
    if (index >= array->count || elem_size != array->elem_size)
        pgasi_fatal("array access", "element %zu of %zu bytes, but the array has %zu of %zu bytes",
                    index, elem_size, array->count, array->elem_size);
#endif
    pgasi_element_t element = pgasi_array_locate(array, index, elem_size);
    pgasi_location_t at = {&pgasi_peers[element.thread], element.offset};
    return at;
}

/** A block of an array in the calling thread's memory: elements `begin` to `end` - 1, the first of
 *  them at `first`. */
typedef struct pgas_array_block {
    size_t begin;
    size_t end;
    void *first;
} pgas_array_block_t;

/** The block of the calling thread that begins at element `begin`, or, if `begin` is not below
 *  `count`, none: `begin` equals `end`. */
static inline pgas_array_block_t pgasi_array_block(const pgas_array_t *array, size_t begin,
                                                   void *first)
{
    size_t left = begin < array->count ? array->count - begin : 0;
    pgas_array_block_t block = {begin, begin + (left < array->block ? left : array->block), first};
    return block;
}

/** The calling thread's first block. */
static inline pgas_array_block_t pgas_array_first_block(const pgas_array_t *array)
{
    return pgasi_array_block(array, pgasi_job.thread * array->block, pgas_array_mine(array));
}

/** The calling thread's block behind one of its blocks. */
static inline pgas_array_block_t pgas_array_next_block(const pgas_array_t *array,
                                                       pgas_array_block_t block)
{
    return pgasi_array_block(array, block.begin + pgasi_job.threads * array->block,
                             (char *)block.first + array->block * array->elem_size);
}

/* A name that is declared cannot stand in parentheses. */
/* NOLINTBEGIN(bugprone-macro-parentheses) */
/**
 * A loop over the calling thread's blocks of an array, in ascending order, by a pgas_array_block_t
 * named `b`. Inside, elements are plain memory:
 *
 *   PGAS_FORBLOCKS (b, &x) {
 *       double *v = b.first;
 *       for (size_t i = b.begin; i < b.end; i++)
 *           v[i - b.begin] = f(i);
 *   }
 *
 * Plain loads and stores are not counted. No barrier is implied. `array` is evaluated for every
 * block.
 */
#define PGAS_FORBLOCKS(b, array) \
    for (pgas_array_block_t b = pgas_array_first_block(array); b.begin < b.end; \
         b = pgas_array_next_block(array, b))

/**
 * A loop whose iterations are shared out by affinity: `for (size_t i = begin; i < end; i++)`, of
 * which each thread runs the iterations that `affinity` gives it. As UPC's upc_forall: an integer k
 * means thread k mod pgas_threads(), where negative ones count back from the last thread; a
 * pgas_ptr_t means the owner of what it points to. `affinity` is evaluated for every iteration, on
 * every thread. No barrier is implied.
 */
#define PGAS_FORALL(i, begin, end, affinity) \
    for (size_t i = (begin); i < (end); i++) \
        if (!PGASI_IS_MINE(affinity)) { \
        } else
/* NOLINTEND(bugprone-macro-parentheses) */

static inline bool pgasi_is_mine_ptr(pgas_ptr_t ptr)
{
    return ptr.thread == pgasi_job.thread;
}

static inline bool pgasi_is_mine_number(size_t number)
{
    return number % pgasi_job.threads == pgasi_job.thread;
}

static inline bool pgasi_is_mine_integer(long long number)
{
    long long threads = pgasi_job.threads;
    long long thread = number % threads;
    return (thread < 0 ? thread + threads : thread) == (long long)pgasi_job.thread;
}

#ifdef __cplusplus
extern "C++" {
static inline bool pgasi_is_mine(pgas_ptr_t ptr)
{
    return pgasi_is_mine_ptr(ptr);
}

static inline bool pgasi_is_mine(unsigned long number)
{
    return pgasi_is_mine_number(number);
}

static inline bool pgasi_is_mine(unsigned long long number)
{
    return pgasi_is_mine_number(number);
}

template <typename Integer> static inline bool pgasi_is_mine(Integer number)
{
    return pgasi_is_mine_integer(number);
}
}

#define PGASI_IS_MINE(affinity) pgasi_is_mine(affinity)
#else
/* clang-format off */
#define PGASI_IS_MINE(affinity) \
    _Generic((affinity), \
        pgas_ptr_t: pgasi_is_mine_ptr, \
        unsigned long: pgasi_is_mine_number, \
        unsigned long long: pgasi_is_mine_number, \
        default: pgasi_is_mine_integer)(affinity)
/* clang-format on */
#endif

PGAS_END_DECLS

#endif
