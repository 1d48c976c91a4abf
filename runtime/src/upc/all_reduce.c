/*
 * The reductions of UPC 1.2. Every thread combines some of the elements, then one or all combine
 * what has come of that.
 *
 * Which elements: if order does not matter, the thread's own. If it does, a range: its own block,
 * where no thread has more than one; else an equal share of neighbouring elements, for which it
 * reads those of other threads. Threads in the order of their ranges are counted from that of the
 * first element, or from 0.
 */
#include "upc/all_reduce.h"

#include <stdalign.h>
#include <stdlib.h>
#include <string.h>

#include <pgas/detail.h>
#include <pgas/job.h>
#include <pgas/ptr.h>

#include "base/hash.h"
#include "copy/transfer.h"
#include "team/watch.h"
#include "upc/copies.h"
#include "upc/layout.h"
#include "upc/phase.h"
#include "upc/view.h"

typedef enum partition {
    OWN, /* all of a thread's elements, in any order */
    BLOCKS, /* its only block */
    SHARES /* neighbours, whoever owns them */
} partition_t;

/* What a thread has combined; threads without elements have nothing. */
typedef struct part {
    alignas(long double) char value[PGASI_UPC_ELEMENT_MAX];
    uint64_t is_there;
} part_t;

/* What it tells others: its part, and its call, which must be theirs. */
typedef struct told {
    part_t part;
    pgasi_call_t call;
} told_t;

typedef struct work {
    pgasi_upc_phase_t phase;
    pgasi_upc_operation_t operation;
    pgasi_upc_layout_t layout;
    partition_t partition;
    /* The thread of the first range. */
    size_t first;
    pgasi_upc_range_t range;
} work_t;

static size_t min_of(size_t a, size_t b)
{
    return a < b ? a : b;
}

/* The caller's. */
static pgasi_upc_range_t range_of(const work_t *work)
{
    const pgasi_upc_layout_t *layout = &work->layout;
    size_t index = ((size_t)pgas_mythread() + layout->threads - work->first) % layout->threads;
    size_t skipped = work->partition == BLOCKS ? layout->first % layout->block : 0;
    size_t share = (layout->count + layout->threads - 1) / layout->threads;
    size_t each = work->partition == BLOCKS ? layout->block : share;
    size_t end = min_of((index + 1) * each - min_of(skipped, (index + 1) * each), layout->count);
    size_t begin = min_of(index * each - min_of(skipped, index * each), layout->count);
    return (pgasi_upc_range_t){begin, end - begin};
}

/* What must be the same on all threads beside what every call has. */
static uint64_t more_of(const pgasi_upc_reduction_t *reduction)
{
    bool has_phase = reduction->blk_size > 0;
    uint64_t hash = pgasi_hash_add((uint64_t)reduction->op, (uint64_t)reduction->type->type);
    hash = pgasi_hash_add(hash, reduction->blk_size);
    return pgasi_hash_add(hash, has_phase ? pgas_phaseof(reduction->src) : 0);
}

static work_t begin(pgasi_collective_t kind, const pgasi_upc_reduction_t *reduction,
                    bool is_ordered)
{
    size_t blk_size = reduction->blk_size;
    work_t work = {.phase = pgasi_upc_begin(kind, reduction->dst, reduction->src, reduction->nelems,
                                            reduction->flags, more_of(reduction))};
    const pgasi_upc_phase_t *phase = &work.phase;
    size_t nbytes = pgasi_upc_product(phase, reduction->nelems, reduction->type->size);
    if (nbytes / pgasi_job.threads > pgasi_job.span)
        pgasi_fatal(phase->call, "%zu bytes at `src` are more than all threads have", nbytes);
    pgasi_upc_check_place(phase, "src", reduction->src, min_of(reduction->nelems, 1));
    if (blk_size > 0 && pgas_phaseof(reduction->src) >= blk_size)
        pgasi_fatal(phase->call, "the phase of `src` is %zu, in blocks of %zu elements",
                    pgas_phaseof(reduction->src), blk_size);
    work.operation =
        pgasi_upc_operation(phase->call, reduction->type, reduction->op, reduction->function);
    work.layout = pgasi_upc_layout(reduction->src, reduction->nelems, reduction->type->size,
                                   blk_size, (size_t)pgas_threads());
    if (!is_ordered && work.operation.commutes)
        work.partition = OWN;
    else
        work.partition = pgasi_upc_layout_is_single(&work.layout) ? BLOCKS : SHARES;
    work.first = work.partition == BLOCKS ? reduction->src.thread : 0;
    if (work.partition == OWN)
        work.range = (pgasi_upc_range_t){0, work.layout.count};
    else
        work.range = range_of(&work);
    return work;
}

/* Own elements are touched by nobody else: MYSYNC needs no meeting. */
static bool must_meet(const work_t *work, upc_flag_t sync)
{
    bool is_all = sync == UPC_IN_ALLSYNC || sync == UPC_OUT_ALLSYNC;
    bool is_none = sync == UPC_IN_NOSYNC || sync == UPC_OUT_NOSYNC;
    return work->partition == SHARES ? !is_none : is_all;
}

static void enter(const work_t *work)
{
    if (must_meet(work, work->phase.in))
        pgasi_upc_meet(&work->phase);
}

static void leave(const work_t *work)
{
    if (must_meet(work, work->phase.out))
        pgasi_upc_meet(&work->phase);
    pgasi_upc_end();
}

/* The caller's elements of the range, in an array with the layout whose place 0 is at `base`. */
static char *own_elements(const work_t *work, uint64_t base, size_t *count)
{
    size_t me = (size_t)pgas_mythread();
    pgasi_upc_range_t on = pgasi_upc_layout_on(&work->layout, me, &work->range);
    pgas_ptr_t at = {.thread = (uint32_t)me, .offset = on.begin - work->layout.base + base};
    *count = on.count;
    if (on.count == 0)
        return NULL;
    pgasi_check_shared(work->phase.call, at, on.count * work->layout.size);
    return pgas_local(at);
}

/* Adds elements behind what the part has. */
static void append(const pgasi_upc_operation_t *operation, const void *elements, size_t count,
                   part_t *part)
{
    part_t more = {.is_there = 1};
    pgasi_upc_fold(operation, elements, count, more.value);
    if (part->is_there)
        pgasi_upc_combine(operation, part->value, more.value);
    *part = more;
}

static part_t fold(const work_t *work)
{
    part_t part = {.is_there = 0};
    if (work->partition != SHARES) {
        size_t count;
        const char *elements = own_elements(work, work->layout.base, &count);
        if (count > 0)
            append(&work->operation, elements, count, &part);
        return part;
    }
    pgasi_upc_view_t view = pgasi_upc_view_fetch(work->phase.call, &work->layout, &work->range);
    size_t end = work->range.begin + work->range.count;
    for (size_t i = work->range.begin; i < end; i += pgasi_upc_view_rest(&view, i))
        append(&work->operation, pgasi_upc_view_at(&view, i), pgasi_upc_view_rest(&view, i), &part);
    pgasi_upc_view_free(&view);
    return part;
}

static told_t *allocate_told(const work_t *work)
{
    told_t *told = malloc(work->layout.threads * sizeof *told);
    if (told == NULL)
        pgasi_fatal(work->phase.call, "no memory for %zu bytes",
                    work->layout.threads * sizeof *told);
    return told;
}

/* Where nothing else makes threads meet, this is where different calls are found. All threads that
 * look name the same two. */
static void check_calls(const work_t *work, const told_t *told)
{
    for (size_t i = 1; i < work->layout.threads; i++)
        if (told[i].call.signature != told[0].call.signature)
            pgasi_team_differ(PGAS_TEAM_ALL, &told[0].call, &told[i].call);
}

/* Of the first `count` threads, in the order of their ranges. */
static part_t fold_parts(const work_t *work, const told_t *told, size_t count)
{
    part_t all = {.is_there = 0};
    for (size_t i = 0; i < count; i++) {
        const part_t *part = &told[(work->first + i) % work->layout.threads].part;
        if (part->is_there)
            append(&work->operation, part->value, 1, &all);
    }
    return all;
}

void pgasi_upc_reduce(const pgasi_upc_reduction_t *reduction)
{
    work_t work = begin(PGASI_UPC_REDUCE, reduction, false);
    pgasi_upc_check_place(&work.phase, "dst", reduction->dst,
                          reduction->nelems > 0 ? reduction->type->size : 0);
    enter(&work);
    int root = pgas_threadof(reduction->dst);
    bool is_root = pgas_mythread() == root;
    told_t mine = {fold(&work), work.phase.record};
    told_t *told = is_root ? allocate_told(&work) : NULL;
    pgas_gather(PGAS_TEAM_ALL, &mine, told, sizeof mine, root);
    if (is_root) {
        check_calls(&work, told);
        part_t all = fold_parts(&work, told, work.layout.threads);
        if (all.is_there)
            memcpy(pgas_local(reduction->dst), all.value, work.layout.size);
    }
    free(told);
    leave(&work);
}

/* Prefixes within the range, and the last one. */
static part_t scan_own(const work_t *work, char *elements, size_t count)
{
    part_t carry = {.is_there = count > 0};
    pgasi_upc_prefix(&work->operation, elements, count, carry.value, false);
    return carry;
}

static part_t scan_view(const work_t *work, const pgasi_upc_view_t *view)
{
    part_t carry = {.is_there = 0};
    size_t end = work->range.begin + work->range.count;
    for (size_t i = work->range.begin; i < end; i += pgasi_upc_view_rest(view, i)) {
        pgasi_upc_prefix(&work->operation, pgasi_upc_view_at(view, i), pgasi_upc_view_rest(view, i),
                         carry.value, carry.is_there);
        carry.is_there = 1;
    }
    return carry;
}

/* What lies before the caller's range, of all threads' last prefixes. */
static part_t exchange(const work_t *work, const part_t *carry)
{
    size_t threads = work->layout.threads;
    told_t mine = {*carry, work->phase.record};
    told_t *told = allocate_told(work);
    pgas_allgather(PGAS_TEAM_ALL, &mine, told, sizeof mine);
    check_calls(work, told);
    size_t index = ((size_t)pgas_mythread() + threads - work->first) % threads;
    part_t left = fold_parts(work, told, index);
    free(told);
    return left;
}

static void prefix_blocks(const work_t *work, uint64_t base)
{
    size_t count;
    const char *src = own_elements(work, work->layout.base, &count);
    char *dst = own_elements(work, base, &count);
    if (count > 0)
        pgasi_copy(dst, src, count * work->layout.size);
    part_t carry = scan_own(work, dst, count);
    part_t left = exchange(work, &carry);
    if (left.is_there && count > 0)
        pgasi_upc_prepend(&work->operation, left.value, dst, count);
}

static void prefix_shares(const work_t *work, uint64_t base)
{
    pgasi_upc_view_t view = pgasi_upc_view_fetch(work->phase.call, &work->layout, &work->range);
    part_t carry = scan_view(work, &view);
    part_t left = exchange(work, &carry);
    if (left.is_there)
        pgasi_upc_prepend(&work->operation, left.value, view.memory, work->range.count);
    pgasi_upc_view_store(&view, base);
    pgasi_upc_view_free(&view);
}

void pgasi_upc_prefix_reduce(const pgasi_upc_reduction_t *reduction)
{
    work_t work = begin(PGASI_UPC_PREFIX_REDUCE, reduction, true);
    pgas_ptr_t dst = reduction->dst;
    pgas_ptr_t src = reduction->src;
    pgasi_upc_check_place(&work.phase, "dst", dst, min_of(reduction->nelems, 1));
    bool has_phase = reduction->blk_size > 0;
    if (dst.thread != src.thread || (has_phase && dst.phase != src.phase))
        pgasi_fatal(work.phase.call,
                    "`dst` is on thread %d with phase %zu, but `src` on thread %d with phase %zu",
                    pgas_threadof(dst), pgas_phaseof(dst), pgas_threadof(src), pgas_phaseof(src));
    enter(&work);
    uint64_t base = work.layout.base + dst.offset - src.offset;
    if (work.partition == BLOCKS)
        prefix_blocks(&work, base);
    else
        prefix_shares(&work, base);
    leave(&work);
}
