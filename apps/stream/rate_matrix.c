#include "rate_matrix.h"

#include <math.h>
#include <stdlib.h>

#include "job.h"

enum {
    LINE = 64 / sizeof(double),
    /* Of the second level, what lies between two uses of a close line where the size of the first
     * is not known; of the share of the last, the part of x that near lines are in; and a part that
     * it cannot hold, in shares. */
    CLOSE_PART = 4,
    NEAR_PART = 8,
    FAR_TIMES = 4,
    /* Of the second level: what lies between the first and the last use of a line by columns in
     * sequence; and in first levels, at least so much between two of them. */
    SEQUENCE_PART = 2,
    SEQUENCE_APART = 2,
    /* In sequence, one column of a row in so many. */
    SEQUENCE_SHARE = 4,
    /* Of the share: a matrix that it holds. */
    HELD_PART = 2
};

const size_t stream_widths[STREAM_WIDTHS] = {4, 16, 64, STREAM_WIDEST};

const stream_kind_t stream_kinds[STREAM_COLUMNS] = {
    {.is_held = false},     {.is_held = true},
    {.place = REUSE_CLOSE}, {.place = REUSE_CLOSE, .is_all = true},
    {.place = REUSE_NEAR},  {.place = REUSE_NEAR, .is_all = true},
    {.place = REUSE_FAR},   {.place = REUSE_FAR, .is_all = true},
};

static size_t row_bytes(size_t width)
{
    return width * (sizeof(double) + sizeof(int32_t)) + 3 * sizeof(double);
}

size_t stream_row_count(size_t nbytes, reuse_caches_t caches, size_t width, stream_kind_t kind)
{
    size_t held = caches.share / HELD_PART;
    size_t wanted = kind.is_held && held < nbytes ? held : nbytes;
    return (wanted / row_bytes(width) / LINE + 1) * LINE;
}

static bool is_prime(size_t number)
{
    for (size_t i = 2; i * i <= number; i++)
        if (number % i == 0)
            return false;
    return true;
}

/* The cubes of all numbers below a prime are all different modulo it if it is 2 modulo 3: an order
 * of so many lines that has each once, and no stride that hardware would prefetch. */
static size_t cubed(size_t i, size_t prime)
{
    return i * i % prime * i % prime;
}

/* About so many lines, a number for which `cubed` is an order. */
static size_t orderly(size_t lines)
{
    size_t prime = lines;
    while (prime > 2 && (prime % 3 != 2 || !is_prime(prime)))
        prime--;
    return prime < 2 ? 2 : prime;
}

/* Bytes of x of all threads, in a product with matrices of `nbytes` each. */
static size_t bytes_of_x(size_t nbytes, size_t width)
{
    return nbytes / row_bytes(width) * sizeof(double) * (size_t)pgas_threads();
}

/* Bytes that come into the caches between two uses of a close line: more than the first level holds
 * and less than the second, by the same factor. */
static size_t close_bytes(reuse_caches_t caches)
{
    return caches.first_level > 0
               ? (size_t)sqrt((double)caches.first_level * (double)caches.second_level)
               : caches.second_level / CLOSE_PART;
}

/* Rows go round these lines: what lies between two uses of one are the rows of a round, and the
 * other lines. */
static size_t close_values(reuse_caches_t caches, size_t width, stream_kind_t kind)
{
    size_t lines = kind.is_all ? width : 1;
    size_t rows = close_bytes(caches) / (row_bytes(width) + lines * REUSE_LINE_BYTES);
    return orderly(rows * lines) * LINE;
}

/* A power of two of values, so that drawing one takes a mask. */
static size_t values_of(size_t nbytes)
{
    size_t count = LINE;
    while (2 * count * sizeof(double) <= nbytes)
        count *= 2;
    return count;
}

/* Bytes of near lines: at least half of them are not in the second-level cache, and all are in the
 * share of the last level. No more than such a matrix has of x: a larger part lies in more pages
 * than the core remembers, and each line would cost a walk through the page tables, too. */
static size_t near_bytes(size_t nbytes, reuse_caches_t caches, size_t width)
{
    size_t of_x = bytes_of_x(nbytes, width);
    size_t wanted = caches.share / NEAR_PART;
    if (wanted > of_x)
        wanted = of_x;
    if (wanted < 2 * caches.second_level)
        wanted = 2 * caches.second_level;
    return wanted < caches.share / 2 ? wanted : caches.share / 2;
}

/* So many bytes come into the caches between two uses of a near line, on average: where all columns
 * are at random, x itself does it; where one is, the rows between do. */
size_t stream_cached_values(size_t nbytes, reuse_caches_t caches, size_t width, stream_kind_t kind)
{
    if (kind.place == REUSE_CLOSE)
        return close_values(caches, width, kind);
    size_t wanted = near_bytes(nbytes, caches, width);
    return values_of(kind.is_all ? wanted : wanted / row_bytes(width) * LINE * sizeof(double));
}

/* Columns of all threads' x fit into 31 bits: with very many threads far is less far. */
size_t stream_far_values(reuse_caches_t caches)
{
    size_t most = (size_t)INT32_MAX / 2 / (size_t)pgas_threads();
    size_t wanted = FAR_TIMES * caches.share;
    return values_of(wanted < most * sizeof(double) ? wanted : most * sizeof(double));
}

/* The values of x that columns out of order use. */
static size_t part_of_x(size_t nbytes, reuse_caches_t caches, size_t width, stream_kind_t kind)
{
    return kind.place == REUSE_FAR ? stream_far_values(caches)
                                   : stream_cached_values(nbytes, caches, width, kind);
}

/* Whether a column of row k is out of order: all, or one, in changing places. */
static bool is_out_of_order(stream_kind_t kind, size_t k, size_t j, size_t width)
{
    return kind.place > REUSE_SEQUENCE && (kind.is_all || j == k % width);
}

/* Columns of a row in sequence, evenly spread among its own. */
typedef struct sequences {
    /* One column in so many. */
    size_t step;
    /* Rows from one to the next. */
    size_t distance;
} sequences_t;

/* Between two uses of a line the first level takes in more than it holds, and between all of them
 * the second less. */
static sequences_t sequences_of(reuse_caches_t caches, size_t width)
{
    size_t room = caches.second_level / SEQUENCE_PART;
    size_t apart = SEQUENCE_APART * caches.first_level;
    size_t count = width > SEQUENCE_SHARE ? width / SEQUENCE_SHARE : 1;
    while (count > 1 && count * apart > room)
        count--;
    return (sequences_t){width / count, room / count / row_bytes(width)};
}

/* A column of row k in order, not behind the last row. */
static size_t column_in_order(stream_kind_t kind, sequences_t sequences, size_t rows, size_t k,
                              size_t j)
{
    bool is_own = kind.place != REUSE_SEQUENCE || j % sequences.step != 0;
    size_t column = is_own ? k : k + (j / sequences.step + 1) * sequences.distance;
    return column < rows ? column : k;
}

/* The columns out of order of a matrix, one after the other, the same every time: close ones go
 * round their lines, others are at random (Marsaglia's xorshift). */
typedef struct disorder {
    bool is_round;
    size_t values;
    size_t turn;
    uint64_t state;
} disorder_t;

static size_t next_column(disorder_t *order)
{
    size_t lines = order->values / LINE;
    if (order->is_round) {
        size_t turn = order->turn;
        order->turn = turn + 1 < lines ? turn + 1 : 0;
        return cubed(turn, lines) * LINE + turn % LINE;
    }
    order->state ^= order->state << 13;
    order->state ^= order->state >> 7;
    order->state ^= order->state << 17;
    return (size_t)order->state & (order->values - 1);
}

void stream_fill_columns(size_t nbytes, reuse_caches_t caches, size_t rows, size_t width,
                         stream_kind_t kind, int32_t *J)
{
    disorder_t order = {
        .is_round = kind.place == REUSE_CLOSE,
        .values = part_of_x(nbytes, caches, width, kind),
        .state = UINT64_C(88172645463325252) + (uint64_t)pgas_mythread(),
    };
    sequences_t sequences = sequences_of(caches, width);
    for (size_t k = 0; k < rows; k++)
        for (size_t j = 0; j < width; j++)
            J[k * width + j] = (int32_t)(is_out_of_order(kind, k, j, width)
                                             ? next_column(&order)
                                             : column_in_order(kind, sequences, rows, k, j));
}

/* In places without a pattern that a core would learn, but for every second one (Knuth's
 * multiplicative hash). */
bool stream_goes_to_partner(size_t e, uint32_t others)
{
    uint32_t mixed = (uint32_t)e * UINT32_C(2654435761);
    return others == 2 ? e % 2 == 1 : others > 0 && (mixed >> 16) % others == 0;
}

/* Counts the lines per row, on average. The partner's x lies behind the own one. */
void stream_count_lines(size_t nbytes, reuse_caches_t caches, size_t rows, size_t width,
                        stream_kind_t kind, const int32_t *J, uint32_t others,
                        double lines[REUSE_PLACES])
{
    reuse_t reuse;
    uint64_t counts[REUSE_PLACES] = {0};
    size_t part = part_of_x(nbytes, caches, width, kind);
    size_t values = part > rows ? part : rows;
    if (!reuse_init(&reuse, others > 0 ? 2 * values : values, row_bytes(width) - sizeof(double),
                    caches))
        pgas_fail(1, "calibrate: no memory for the lines of %zu rows", rows);
    for (size_t k = 0; k < rows; k++) {
        reuse_next_row(&reuse);
        counts[reuse_use(&reuse, (uint32_t)k, (uint32_t)k)]++;
        for (size_t e = k * width; e < (k + 1) * width; e++) {
            size_t column = (size_t)J[e] + (stream_goes_to_partner(e, others) ? values : 0);
            counts[reuse_use(&reuse, (uint32_t)k, (uint32_t)column)]++;
        }
    }
    reuse_free(&reuse);
    for (int place = REUSE_SEQUENCE; place < REUSE_PLACES; place++)
        lines[place] = (double)counts[place] / (double)rows;
}
