#include "command.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "support/cli.h"
#include "support/progress.h"

static const long tick_nanoseconds = 100000000;
static const long nanoseconds_per_second = 1000000000;

/* What command_run gives to its thread and gets back. */
typedef struct work {
    bool (*run)(void *context, mesh_error_t *error);
    void *context;
    mesh_error_t error;
    bool done;
    /* What it receives. */
    sigset_t signals;
} work_t;

/* The progress that the work has reported last; the thread that draws reads it. */
static struct {
    const char *_Atomic stage;
    atomic_size_t done;
    atomic_size_t total;
} present;

void command_fail(const mesh_error_t *error)
{
    progress_end();
    cli_fail(EXIT_FAILURE, "%s", error->text);
}

static void note_progress(void *context, const char *stage, size_t done, size_t total)
{
    (void)context;
    atomic_store(&present.total, total);
    atomic_store(&present.done, done);
    atomic_store(&present.stage, stage);
}

const mesh_progress_t command_progress = {note_progress, NULL};

static void show_progress(void)
{
    static const char *shown;
    const char *stage = atomic_load(&present.stage);
    if (stage != shown) {
        progress_end();
        progress_begin(stage, atomic_load(&present.total));
        shown = stage;
    }
    progress_update(atomic_load(&present.done));
}

void command_progress_end(void)
{
    progress_end();
}

bool command_may_print(const char *json_path)
{
    return json_path == NULL || strcmp(json_path, "-") != 0;
}

void command_check_json(const char *json_path)
{
    if (command_may_print(json_path))
        command_check_output(json_path);
}

void command_check_output(const char *path)
{
    mesh_error_t error;
    if (!mesh_temporary_check(path, &error))
        command_fail(&error);
}

void command_write_json(const char *path, json_t *object)
{
    mesh_error_t error;
    char *text = NULL;
    size_t nbytes = 0;
    if (path == NULL) {
        json_decref(object);
        return;
    }
    FILE *out = open_memstream(&text, &nbytes);
    if (out == NULL || json_dumpf(object, out, JSON_INDENT(2)) != 0 || fputc('\n', out) == EOF ||
        fclose(out) != 0)
        cli_fail(EXIT_FAILURE, "%s: not enough memory for the JSON text", path);
    json_decref(object);
    if (strcmp(path, "-") == 0)
        fputs(text, stdout); /* cli_init watches over it */
    else if (!mesh_text_file_write(path, text, nbytes, &error))
        command_fail(&error);
    free(text);
}

const char *const command_methods[] = {"none", "rcm", "metis", "hilbert", NULL};

const char *const command_metis[] = {"kway", "nested", "nested-product", NULL};

mesh_order_method_t command_method(int choice, int metis)
{
    static const mesh_order_method_t methods[] = {MESH_ORDER_NONE, MESH_ORDER_RCM, MESH_ORDER_METIS,
                                                  MESH_ORDER_HILBERT};
    static const mesh_order_method_t algorithms[] = {MESH_ORDER_METIS, MESH_ORDER_NESTED,
                                                     MESH_ORDER_NESTED_PRODUCT};
    return methods[choice] == MESH_ORDER_METIS ? algorithms[metis] : methods[choice];
}

void command_check_metis(const char *option, int choice, int *metis)
{
    if (*metis < 0)
        *metis = 0;
    else if (command_method(choice, 0) != MESH_ORDER_METIS)
        cli_fail(CLI_EXIT_USAGE, "--metis goes with %s metis", option);
}

/* Only the thread that works receives signals: the library blocks them there while it creates a
 * temporary file, so that the handler knows every file. */
static void *run_work(void *argument)
{
    work_t *work = argument;
    pthread_sigmask(SIG_SETMASK, &work->signals, NULL);
    work->done = work->run(work->context, &work->error);
    return NULL;
}

static void wait_for(pthread_t thread)
{
    struct timespec until;
    do {
        show_progress();
        clock_gettime(CLOCK_REALTIME, &until);
        until.tv_nsec += tick_nanoseconds;
        until.tv_sec += until.tv_nsec / nanoseconds_per_second;
        until.tv_nsec %= nanoseconds_per_second;
    } while (pthread_timedjoin_np(thread, NULL, &until) == ETIMEDOUT);
}

void command_run(const char *stage, bool (*run)(void *context, mesh_error_t *error), void *context)
{
    pthread_t thread;
    sigset_t all;
    work_t work = {.run = run, .context = context};
    note_progress(NULL, stage, 0, 0);
    sigfillset(&all);
    pthread_sigmask(SIG_BLOCK, &all, &work.signals);
    if (pthread_create(&thread, NULL, run_work, &work) == 0)
        wait_for(thread);
    else
        run_work(&work);
    pthread_sigmask(SIG_SETMASK, &work.signals, NULL);
    if (!work.done)
        command_fail(&work.error);
}

typedef struct file_work {
    const char *path;
    mesh_file_content_t *read;
    const mesh_file_content_t *written;
} file_work_t;

static bool read_file(void *context, mesh_error_t *error)
{
    const file_work_t *work = context;
    return mesh_file_read(work->path, work->read, error);
}

static bool write_file(void *context, mesh_error_t *error)
{
    const file_work_t *work = context;
    return mesh_file_write(work->path, work->written, error);
}

typedef struct diffusion_work {
    mesh_file_content_t *content;
    mesh_diffusion_report_t *report;
} diffusion_work_t;

static bool make_diffusion(void *context, mesh_error_t *error)
{
    const diffusion_work_t *work = context;
    return mesh_diffusion_make(&work->content->mesh, &command_progress, &work->content->matrix,
                               work->report, error);
}

void command_make_diffusion(mesh_file_content_t *content, mesh_diffusion_report_t *report)
{
    diffusion_work_t work = {content, report};
    command_run("diffusion matrix", make_diffusion, &work);
}

void command_read_file(const char *path, mesh_file_content_t *content)
{
    file_work_t work = {.path = path, .read = content};
    command_run("reading the file", read_file, &work);
}

void command_write_file(const char *path, const mesh_file_content_t *content)
{
    file_work_t work = {.path = path, .written = content};
    command_run("writing the file", write_file, &work);
}

typedef struct order_work {
    mesh_file_content_t *content;
    mesh_order_method_t method;
    size_t parts;
    size_t block;
} order_work_t;

static bool order_content(void *context, mesh_error_t *error)
{
    const order_work_t *work = context;
    int32_t *order;
    if (!mesh_order_find(work->content, work->method, work->parts, work->block, &order, error))
        return false;
    bool done = mesh_order_apply(work->content, order, error);
    free(order);
    return done;
}

void command_order_content(mesh_file_content_t *content, mesh_order_method_t method, size_t parts,
                           size_t block)
{
    order_work_t work = {content, method, parts, block};
    if (method != MESH_ORDER_NONE)
        command_run("ordering", order_content, &work);
}

double command_seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}
