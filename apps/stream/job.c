#include "job.h"

#include "common/nodes.h"
#include "common/timing.h"

/* Two rounds of values: one may still be read while the next one is written. */
static pgas_array_t values;
static size_t parity;

void stream_job_begin(void)
{
    if (pgas_array_create(2 * (size_t)pgas_threads(), sizeof(double), 1, &values) != PGAS_OK)
        pgas_exit(1);
}

void stream_job_end(void)
{
    pgas_array_free(&values);
}

static int threads_of_node(int node)
{
    int threads = 0;
    for (int t = 0; t < pgas_threads(); t++)
        threads += pgas_node_of(t) == node;
    return threads;
}

int stream_threads_per_node(void)
{
    int largest = 0;
    for (int node = 0; node < common_nodes(); node++) {
        int threads = threads_of_node(node);
        largest = threads > largest ? threads : largest;
    }
    return largest;
}

static int rank_in_node(int thread)
{
    int rank = 0;
    for (int t = 0; t < thread; t++)
        rank += pgas_node_of(t) == pgas_node_of(thread);
    return rank;
}

/* The `rank`-th thread of a node, counted cyclically. */
static int thread_of(int node, int rank)
{
    for (int t = 0;; t = t + 1 < pgas_threads() ? t + 1 : 0)
        if (pgas_node_of(t) == node && rank-- == 0)
            return t;
}

int stream_partner(int thread, pgas_place_t place)
{
    int node = pgas_node_of(thread);
    switch (place) {
    case PGAS_OWN:
        return thread;
    case PGAS_LOCAL:
        return threads_of_node(pgas_node_of(0)) > 1 ? thread_of(node, rank_in_node(thread) + 1)
                                                    : -1;
    default:
        return common_nodes() > 1 ? thread_of((node + 1) % common_nodes(), rank_in_node(thread))
                                  : -1;
    }
}

bool stream_has_other(pgas_place_t place)
{
    int partner = stream_partner(pgas_mythread(), place);
    return partner >= 0 && partner != pgas_mythread();
}

bool stream_has_partners(pgas_place_t place)
{
    return stream_partner(pgas_mythread(), place) >= 0;
}

/* Publishes the own value; returns the index where all threads' values begin. */
static size_t publish(double mine)
{
    size_t first = parity * (size_t)pgas_threads();
    parity = 1 - parity;
    PGAS_PUT(double, &values, first + (size_t)pgas_mythread(), mine);
    pgas_barrier();
    return first;
}

double stream_largest(double mine)
{
    size_t first = publish(mine);
    double largest = mine;
    for (size_t t = 0; t < (size_t)pgas_threads(); t++) {
        double value = PGAS_GET(double, &values, first + t);
        largest = value > largest ? value : largest;
    }
    return largest;
}

bool stream_all(bool mine)
{
    return stream_largest(mine ? 0.0 : 1.0) == 0.0;
}

double stream_of_thread_0(double mine)
{
    size_t first = publish(mine);
    return PGAS_GET(double, &values, first);
}

double stream_time(stream_loop_t loop, void *context, size_t count)
{
    pgas_barrier();
    double start = common_seconds();
    loop(context, count);
    pgas_barrier();
    return stream_largest(common_seconds() - start);
}

/* Another program may have had the processor for most of one turn, or of two. */
bool stream_fills(stream_loop_t loop, void *context, size_t count, double seconds)
{
    enum {
        TURNS = 3
    };
    for (int turn = 0; turn < TURNS; turn++)
        if (stream_time(loop, context, count) < seconds)
            return false;
    return true;
}

size_t stream_fit(stream_loop_t loop, void *context, double seconds)
{
    size_t count = 1;
    while (!stream_fills(loop, context, count, seconds))
        count *= 2;
    return count;
}
