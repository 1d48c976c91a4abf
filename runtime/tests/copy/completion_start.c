#include <stdlib.h>
#include <string.h>

#include "completion.h"
#include "random.h"

size_t threads;
size_t me;
uint64_t generator;
pgas_ptr_t rooms;
char *model[MOST_THREADS + 1];
char *memory;
copy_t copies[MOST_IN_FLIGHT];
size_t in_flight;
bool in_region;

struct fashion fashion;

pgas_ptr_t at(size_t thread, size_t offset)
{
    pgas_ptr_t ptr = rooms;
    ptr.thread = (uint32_t)thread;
    ptr.offset += (uint64_t)me * ROOM + offset;
    return ptr;
}

size_t below(size_t bound)
{
    return random_below(&generator, bound);
}

/* The sizes at which a library may change its protocol, with their neighbours. */
static size_t random_length(void)
{
    static const size_t borders[] = {1,     8,     64,    256,    4096,    8192,    16384,
                                     32768, 65536, 98304, 131072, 1 << 20, 4 << 20, 16 << 20};
    enum {
        BORDERS = sizeof borders / sizeof borders[0]
    };
    size_t border = borders[below(2) == 0 ? below(BORDERS) : below(BORDERS - 5)];
    switch (below(4)) {
    case 0:
        return border;
    case 1:
        return border - 1 + below(3) > 0 ? border - 1 + below(3) : 1;
    default:
        return 1 + below(border);
    }
}

static bool overlap(const interval_t *a, const interval_t *b)
{
    return a->space == b->space && a->begin < b->begin + b->nbytes &&
           b->begin < a->begin + a->nbytes;
}

static bool is_free(const interval_t *interval)
{
    for (size_t c = 0; c < in_flight; c++)
        if (overlap(interval, &copies[c].dst) || overlap(interval, &copies[c].src))
            return false;
    return true;
}

/* Finds an interval of a space that no copy in flight uses; false if there is none. */
static bool choose(size_t space, size_t nbytes, interval_t *interval)
{
    for (int i = 0; i < 20; i++) {
        *interval = (interval_t){space, below(ROOM - nbytes), nbytes};
        if (is_free(interval))
            return true;
    }
    return false;
}

/* Numbers that no other copy has. */
static void fill(char *bytes, size_t nbytes)
{
    uint64_t word = random_next(&generator);
    for (size_t i = 0; i < nbytes; i += sizeof word) {
        memcpy(bytes + i, &word, nbytes - i < sizeof word ? nbytes - i : sizeof word);
        word = word * 3 + 1;
    }
}

static void copy_in_model(const copy_t *copy)
{
    char *to = model[copy->dst.space] + copy->dst.begin;
    const char *from = model[copy->src.space] + copy->src.begin;
    if (copy->chunk == 0) {
        memmove(to, from, copy->dst.nbytes);
        return;
    }
    for (size_t i = 0; i < copy->dst.nbytes; i += 2 * copy->chunk)
        memmove(to + i, from + i, copy->chunk);
}

static void start_list(copy_t *copy)
{
    size_t count = copy->dst.nbytes / (2 * copy->chunk);
    copy->dst_list = malloc(count * sizeof *copy->dst_list);
    copy->src_list = malloc(count * sizeof *copy->src_list);
    CHECK(copy->dst_list != NULL && copy->src_list != NULL);
    for (size_t i = 0; i < count; i++) {
        copy->dst_list[i] = at(copy->dst.space, copy->dst.begin + 2 * i * copy->chunk);
        copy->src_list[i] = memory + copy->src.begin + 2 * i * copy->chunk;
    }
    if (copy->is_implicit)
        pgas_memput_ilist_asynci(count, copy->dst_list, copy->chunk, count, copy->src_list,
                                 copy->chunk);
    else
        copy->handle = pgas_memput_ilist_async(count, copy->dst_list, copy->chunk, count,
                                               copy->src_list, copy->chunk);
}

static void start_chunks(copy_t *copy)
{
    size_t chunk = copy->chunk;
    size_t count = copy->dst.nbytes / (2 * chunk);
    void *near_dst = memory + copy->dst.begin;
    const void *near_src = memory + copy->src.begin;
    pgas_ptr_t dst = at(copy->dst.space % threads, copy->dst.begin);
    pgas_ptr_t src = at(copy->src.space % threads, copy->src.begin);
#define START(how, dst, src) \
    do { \
        if (copy->is_implicit) \
            pgas_##how##_fstrided_asynci(dst, chunk, 2 * chunk, count, src, chunk, 2 * chunk, \
                                         count); \
        else \
            copy->handle = pgas_##how##_fstrided_async(dst, chunk, 2 * chunk, count, src, chunk, \
                                                       2 * chunk, count); \
    } while (0)
    if (copy->kind == PUT_CHUNKS)
        START(memput, dst, near_src);
    else if (copy->kind == GET_CHUNKS)
        START(memget, near_dst, src);
    else
        START(memcpy, dst, src);
#undef START
}

static void start_whole(copy_t *copy)
{
    size_t nbytes = copy->dst.nbytes;
    void *near_dst = memory + copy->dst.begin;
    const void *near_src = memory + copy->src.begin;
    pgas_ptr_t dst = at(copy->dst.space % threads, copy->dst.begin);
    pgas_ptr_t src = at(copy->src.space % threads, copy->src.begin);
#define START(how, ...) \
    do { \
        if (copy->is_implicit) \
            pgas_##how##_asynci(__VA_ARGS__); \
        else \
            copy->handle = pgas_##how##_async(__VA_ARGS__); \
    } while (0)
    if (copy->kind == PUT)
        START(memput, dst, near_src, nbytes);
    else if (copy->kind == GET)
        START(memget, near_dst, src, nbytes);
    else
        START(memcpy, dst, src, nbytes);
#undef START
}

static void start_set(copy_t *copy)
{
    int value = (int)below(256);
    pgas_ptr_t dst = at(copy->dst.space, copy->dst.begin);
    memset(model[copy->dst.space] + copy->dst.begin, value, copy->dst.nbytes);
    if (copy->is_implicit)
        pgas_memset_asynci(dst, value, copy->dst.nbytes);
    else
        copy->handle = pgas_memset_async(dst, value, copy->dst.nbytes);
}

static void start_value(copy_t *copy)
{
    uint64_t value = random_next(&generator);
    pgas_ptr_t dst = at(copy->dst.space, copy->dst.begin);
    memcpy(model[copy->dst.space] + copy->dst.begin, &value, copy->dst.nbytes);
    if (copy->is_implicit)
        pgas_put_val_asynci(dst, value, copy->dst.nbytes);
    else
        copy->handle = pgas_put_val_async(dst, value, copy->dst.nbytes);
}

/* Writes new values into a source; rarely in another thread's memory, since that waits and so lets
 * many other copies complete. */
void refill(const interval_t *interval)
{
    if (interval->space != threads && below(10) > 0)
        return;
    char *bytes = model[interval->space] + interval->begin;
    fill(bytes, interval->nbytes);
    if (interval->space == threads)
        memcpy(memory + interval->begin, bytes, interval->nbytes);
    else
        pgas_memput(at(interval->space, interval->begin), bytes, interval->nbytes);
}

static bool gets_to_private(kind_t kind)
{
    return kind == GET || kind == GET_CHUNKS;
}

static bool puts_from_private(kind_t kind)
{
    return kind == PUT || kind == PUT_CHUNKS || kind == PUT_LIST;
}

static void follow_fashion(copy_t *copy, size_t *target)
{
    bool follows = below(4) > 0;
    copy->kind = follows ? fashion.kind : (kind_t)below(KINDS);
    *target = follows ? fashion.target : below(threads);
}

void start(void)
{
    copy_t copy = {.is_implicit = below(4) == 0};
    size_t target;
    follow_fashion(&copy, &target);
    size_t nbytes = random_length();
    if (copy.kind == VALUE)
        nbytes = 1 + below(8);
    if (copy.kind >= PUT_CHUNKS) {
        copy.chunk = 1 + below(below(2) == 0 ? 64 : 40000);
        nbytes = (1 + below(nbytes / copy.chunk < 3000 ? nbytes / copy.chunk + 1 : 3000)) * 2 *
                 copy.chunk;
    }
    if (nbytes > ROOM / 2 ||
        !choose(gets_to_private(copy.kind) ? threads : target, nbytes, &copy.dst))
        return;
    bool has_source = copy.kind != SET && copy.kind != VALUE;
    if (has_source &&
        (!choose(puts_from_private(copy.kind) ? threads : below(threads), nbytes, &copy.src) ||
         overlap(&copy.src, &copy.dst)))
        return;
    copy.is_of_region = copy.is_implicit && in_region;
    if (has_source) {
        refill(&copy.src);
        copy_in_model(&copy);
    }
    if (copy.kind == SET)
        start_set(&copy);
    else if (copy.kind == VALUE)
        start_value(&copy);
    else if (copy.kind == PUT_LIST)
        start_list(&copy);
    else if (copy.chunk > 0)
        start_chunks(&copy);
    else
        start_whole(&copy);
    copies[in_flight++] = copy;
}
