#include "perfmodel/counts.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "fail.h"
#include "survey.h"

/* What the workers share. Each takes the next thread of the layout until none is left. */
typedef struct crew {
    const model_matrix_t *matrix;
    const model_layout_t *layout;
    const uint32_t *node_of;
    model_caches_t caches;
    model_counts_t *counts;
    modeli_links_t *links;
    atomic_size_t next;
    atomic_size_t done;
    atomic_bool failed;
    pthread_mutex_t lock;
    mesh_error_t *error;
} crew_t;

static void fail_crew(crew_t *crew, const mesh_error_t *error)
{
    pthread_mutex_lock(&crew->lock);
    if (!atomic_exchange(&crew->failed, true))
        *crew->error = *error;
    pthread_mutex_unlock(&crew->lock);
}

/* The calling thread's share of the work; `progress` may be NULL. */
static void work(crew_t *crew, const mesh_progress_t *progress)
{
    modeli_survey_t survey;
    mesh_error_t error;
    size_t threads = crew->layout->threads;
    bool ready = modeli_survey_init(crew->matrix, crew->layout, crew->node_of, crew->caches,
                                    &survey, &error);
    while (ready && !atomic_load(&crew->failed)) {
        size_t thread = atomic_fetch_add(&crew->next, 1);
        if (thread >= threads)
            break;
        ready = modeli_survey_thread(&survey, thread, &crew->counts[thread], &crew->links[thread],
                                     &error);
        size_t done = atomic_fetch_add(&crew->done, 1) + 1;
        if (progress != NULL)
            progress->report(progress->context, "counting", done, threads);
    }
    if (!ready)
        fail_crew(crew, &error);
    modeli_survey_free(&survey);
}

static void *help(void *crew)
{
    work(crew, NULL);
    return NULL;
}

static size_t processors(void)
{
    cpu_set_t set;
    return sched_getaffinity(0, sizeof set, &set) == 0 ? (size_t)CPU_COUNT(&set) : 1;
}

/* The caller is one of the workers, and also does the work of helpers that could not start. */
static void run(crew_t *crew, size_t workers, const mesh_progress_t *progress)
{
    pthread_t *helpers = malloc(workers * sizeof *helpers);
    size_t started = 0;
    while (helpers != NULL && started + 1 < workers &&
           pthread_create(&helpers[started], NULL, help, crew) == 0)
        started++;
    work(crew, progress);
    for (size_t h = 0; h < started; h++)
        pthread_join(helpers[h], NULL);
    free(helpers);
}

/* What one thread needs from another, the other sends. */
static void add_outgoing(crew_t *crew)
{
    for (size_t to = 0; to < crew->layout->threads; to++)
        for (size_t l = 0; l < crew->links[to].count; l++) {
            const modeli_link_t *link = &crew->links[to].list[l];
            bool is_near = crew->node_of[link->thread] == crew->node_of[to];
            model_place_t place = is_near ? MODEL_LOCAL : MODEL_REMOTE;
            crew->counts[link->thread].values_out[place] += link->values;
            crew->counts[link->thread].messages_out[place]++;
        }
}

/* Adds what a thread needs from other nodes to `values_from`, by node. */
static void sum_by_node(const crew_t *crew, size_t to, uint64_t *values_from)
{
    for (size_t l = 0; l < crew->links[to].count; l++) {
        uint32_t node = crew->node_of[crew->links[to].list[l].thread];
        if (node != crew->node_of[to])
            values_from[node] += crew->links[to].list[l].values;
    }
}

/* Adds those sums to the counts of the sending nodes' leaders, and sets them to zero. */
static void book_by_node(crew_t *crew, size_t to, uint64_t *values_from)
{
    for (size_t l = 0; l < crew->links[to].count; l++) {
        uint32_t node = crew->node_of[crew->links[to].list[l].thread];
        model_counts_t *leader = &crew->counts[model_layout_leader(crew->layout, node)];
        leader->node_messages_out += values_from[node] > 0;
        leader->node_values_out += values_from[node];
        values_from[node] = 0;
    }
}

/* The same between nodes, by receiving node. `values_from` is zero for every node. */
static void add_node_messages(crew_t *crew, uint64_t *values_from)
{
    for (size_t node = 0; node < crew->layout->nodes; node++) {
        size_t begin = model_layout_leader(crew->layout, node);
        size_t end = model_layout_leader(crew->layout, node + 1);
        for (size_t to = begin; to < end; to++)
            sum_by_node(crew, to, values_from);
        for (size_t to = begin; to < end; to++)
            book_by_node(crew, to, values_from);
    }
}

static void free_links(modeli_links_t *links, size_t threads)
{
    for (size_t t = 0; links != NULL && t < threads; t++)
        free(links[t].list);
    free(links);
}

bool model_count(const model_matrix_t *matrix, const model_layout_t *layout, model_caches_t caches,
                 size_t workers, const mesh_progress_t *progress, model_counts_t *counts,
                 mesh_error_t *error)
{
    size_t threads = layout->threads;
    uint32_t *node_of = malloc(threads * sizeof *node_of);
    uint64_t *by_node = calloc(layout->nodes, sizeof *by_node);
    crew_t crew = {
        .matrix = matrix,
        .layout = layout,
        .node_of = node_of,
        .caches = caches,
        .counts = counts,
        .links = calloc(threads, sizeof(modeli_links_t)),
        .lock = PTHREAD_MUTEX_INITIALIZER,
        .error = error,
    };
    bool done = node_of != NULL && by_node != NULL && crew.links != NULL;
    if (done) {
        for (size_t t = 0; t < threads; t++)
            node_of[t] = (uint32_t)model_layout_node(layout, t);
        size_t most = workers > 0 ? workers : processors();
        run(&crew, most < threads ? most : threads, progress);
        done = !crew.failed;
    } else {
        modeli_report(error, "not enough memory for counting %zu threads", threads);
    }
    if (done) {
        add_outgoing(&crew);
        add_node_messages(&crew, by_node);
    }
    free_links(crew.links, threads);
    free(by_node);
    free(node_of);
    return done;
}
