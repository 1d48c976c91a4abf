#include "server.h"

#include "base/clock.h"
#include "environment.h"
#include "jobinfo.h"
#include "lean_hwloc.h"
#include "thread_check.h"

#include <fcntl.h>
#include <inttypes.h>
#include <pmix.h>
#include <pmix_server.h>
#include <pthread.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/random.h>
#include <time.h>
#include <unistd.h>

enum {
    STOP_MICROSECONDS = 500000 /* how long the library may take to stop */
};

typedef struct entry {
    server_event_t event;
    struct entry *next;
} entry_t;

struct server {
    pmix_nspace_t nspace;
    char mark[sizeof(pmix_nspace_t) + 16];
    int wakeup; /* eventfd: readable while the queue is not empty */
    pthread_mutex_t lock;
    entry_t *first;
    entry_t **last;
};

/* For on_lost, the only callback that does not get the server as its object. */
static server_t *the_server;

/* Settings of the PMIx library, inherited by the threads. Frameworks and components a job on one
   machine has no use for cost their loading in every thread. Lost connections are told at once, not
   after a second in which there might be more. UCX would take SIGHUP for a wish to see its
   messages. */
static const char *const settings[][2] = {
    {"PMIX_MCA_gds", "hash"},
    {"PMIX_MCA_pmix_event_caching_window", "0"},
    {"UCX_DEBUG_SIGNO", "0"},
};

void server_prepare_environment(void)
{
    static const char *const kept[] = {"PMIX_MCA_",
                                       "PMIX_INSTALL_PREFIX=", "PMIX_DEBUG=", "PMIX_OUTPUT_"};
    for (char **variable = environ; *variable != NULL;) {
        bool ours = strncmp(*variable, "PMIX_", 5) == 0;
        for (size_t i = 0; ours && i < sizeof kept / sizeof *kept; i++)
            ours = strncmp(*variable, kept[i], strlen(kept[i])) != 0;
        size_t length = strcspn(*variable, "=");
        char *name = ours ? strndup(*variable, length) : NULL;
        const char *before = *variable;
        /* What has no '=' stays. */
        if (name == NULL || unsetenv(name) != 0 || *variable == before)
            variable++;
        free(name);
    }
    if (getenv("HOME") == NULL && getpwuid(geteuid()) == NULL)
        environment_set("HOME", "/", false); /* without a home PMIx crashes */
    for (size_t i = 0; i < sizeof settings / sizeof *settings; i++)
        environment_set(settings[i][0], settings[i][1], false);
}

void server_event_done(server_event_t *event)
{
    if (event->reply != NULL)
        event->reply(PMIX_SUCCESS, event->reply_data);
    free(event->message);
}

/* Called from PMIx's thread. Without memory the event is lost; the launcher still notices when the
 * thread ends. */
static void push(server_t *server, server_event_t event)
{
    entry_t *entry = malloc(sizeof *entry);
    if (entry == NULL) {
        server_event_done(&event);
        return;
    }
    *entry = (entry_t){.event = event};
    pthread_mutex_lock(&server->lock);
    *server->last = entry;
    server->last = &entry->next;
    pthread_mutex_unlock(&server->lock);
    eventfd_write(server->wakeup, 1);
}

static pmix_status_t on_connected(const pmix_proc_t *proc, void *object, pmix_info_t info[],
                                  size_t ninfo, pmix_op_cbfunc_t done, void *done_data)
{
    (void)info, (void)ninfo, (void)done, (void)done_data;
    push(object, (server_event_t){.kind = SERVER_CONNECTED, .thread = proc->rank});
    return PMIX_OPERATION_SUCCEEDED;
}

static pmix_status_t on_finalized(const pmix_proc_t *proc, void *object, pmix_op_cbfunc_t done,
                                  void *done_data)
{
    (void)done, (void)done_data;
    push(object, (server_event_t){.kind = SERVER_FINALIZED, .thread = proc->rank});
    return PMIX_OPERATION_SUCCEEDED;
}

/* A handler must call `done`: the library reports nothing else before. */
static void on_lost(size_t handler, pmix_status_t status, const pmix_proc_t *source,
                    pmix_info_t info[], size_t ninfo, pmix_info_t results[], size_t nresults,
                    pmix_event_notification_cbfunc_fn_t done, void *done_data)
{
    (void)handler, (void)status, (void)info, (void)ninfo, (void)results, (void)nresults;
    if (the_server != NULL && source != NULL &&
        PMIX_CHECK_NSPACE(source->nspace, the_server->nspace))
        push(the_server, (server_event_t){.kind = SERVER_LOST, .thread = source->rank});
    if (done != NULL)
        done(PMIX_EVENT_ACTION_COMPLETE, NULL, 0, NULL, NULL, done_data);
}

static pmix_status_t on_abort(const pmix_proc_t *proc, void *object, int status, const char msg[],
                              pmix_proc_t procs[], size_t nprocs, pmix_op_cbfunc_t done,
                              void *done_data)
{
    (void)procs, (void)nprocs;
    char *message = msg != NULL && *msg != '\0' ? strdup(msg) : NULL;
    push(object, (server_event_t){.kind = SERVER_ABORTED,
                                  .thread = proc->rank,
                                  .status = status,
                                  .message = message,
                                  .reply = done,
                                  .reply_data = done_data});
    return PMIX_SUCCESS;
}

/* All threads of the job are clients of this server, so `data` is complete. */
static pmix_status_t on_fence(const pmix_proc_t procs[], size_t nprocs, const pmix_info_t info[],
                              size_t ninfo, char *data, size_t ndata, pmix_modex_cbfunc_t done,
                              void *done_data)
{
    (void)procs, (void)nprocs, (void)info, (void)ninfo;
    done(PMIX_SUCCESS, data, ndata, done_data, NULL, NULL);
    return PMIX_SUCCESS;
}

/* Called only for threads that do not exist: the others are this server's own clients. */
static pmix_status_t on_direct_modex(const pmix_proc_t *proc, const pmix_info_t info[],
                                     size_t ninfo, pmix_modex_cbfunc_t done, void *done_data)
{
    (void)proc, (void)info, (void)ninfo, (void)done, (void)done_data;
    return PMIX_ERR_NOT_FOUND;
}

static pmix_status_t on_connect(const pmix_proc_t procs[], size_t nprocs, const pmix_info_t info[],
                                size_t ninfo, pmix_op_cbfunc_t done, void *done_data)
{
    (void)procs, (void)nprocs, (void)info, (void)ninfo;
    done(PMIX_SUCCESS, done_data);
    return PMIX_SUCCESS;
}

// NOLINTNEXTLINE(readability-non-const-parameter): the type is PMIx's
static pmix_status_t on_register_events(pmix_status_t *codes, size_t ncodes,
                                        const pmix_info_t info[], size_t ninfo,
                                        pmix_op_cbfunc_t done, void *done_data)
{
    (void)codes, (void)ncodes, (void)info, (void)ninfo, (void)done, (void)done_data;
    return PMIX_OPERATION_SUCCEEDED;
}

// NOLINTNEXTLINE(readability-non-const-parameter): the type is PMIx's
static pmix_status_t on_deregister_events(pmix_status_t *codes, size_t ncodes,
                                          pmix_op_cbfunc_t done, void *done_data)
{
    (void)codes, (void)ncodes, (void)done, (void)done_data;
    return PMIX_OPERATION_SUCCEEDED;
}

/* The library itself has notified the clients of this server; there are no others. */
static pmix_status_t on_notify_event(pmix_status_t code, const pmix_proc_t *source,
                                     pmix_data_range_t range, pmix_info_t info[], size_t ninfo,
                                     pmix_op_cbfunc_t done, void *done_data)
{
    (void)code, (void)source, (void)range, (void)info, (void)ninfo, (void)done, (void)done_data;
    return PMIX_OPERATION_SUCCEEDED;
}

static pmix_server_module_t module = {
    .client_connected2 = on_connected,
    .client_finalized = on_finalized,
    .abort = on_abort,
    .fence_nb = on_fence,
    .direct_modex = on_direct_modex,
    .connect = on_connect,
    .disconnect = on_connect,
    .register_events = on_register_events,
    .deregister_events = on_deregister_events,
    .notify_event = on_notify_event,
};

static bool succeeded(pmix_status_t status, const char *what)
{
    if (status == PMIX_SUCCESS || status == PMIX_OPERATION_SUCCEEDED)
        return true;
    fprintf(stderr, "fathom-run: PMIx server: cannot %s: %s\n", what, PMIx_Error_string(status));
    return false;
}

/* Sends the library's own messages to /dev/null, unless the user has said where they go: the
 * library reports every client that disconnects early, which the launcher does in better words. The
 * library keeps the descriptor. True if show_messages must be called once the library has started.
 */
static bool hide_messages(void)
{
    if (getenv("PMIX_OUTPUT_STDERR_FD") != NULL || getenv("PMIX_OUTPUT_REDIRECT") != NULL)
        return false;
    int null = open("/dev/null", O_WRONLY | O_CLOEXEC);
    if (null < 0)
        return false;
    char text[16];
    snprintf(text, sizeof text, "%d", null);
    return setenv("PMIX_OUTPUT_STDERR_FD", text, 1) == 0;
}

/* The threads' own PMIx libraries may print messages. */
static void show_messages(void)
{
    unsetenv("PMIX_OUTPUT_STDERR_FD");
}

/*
 * The job's name is its password: PMIx believes over TCP who a process says it is, but serves only
 * jobs that it knows. The name stands in the threads' environment, which other users cannot read.
 * That of the server, told to everybody who connects, has none of it.
 */
static bool name_job(server_t *server)
{
    uint64_t secret[2];
    if (getrandom(secret, sizeof secret, 0) != sizeof secret) {
        perror("fathom-run: getrandom");
        return false;
    }
    snprintf(server->nspace, sizeof server->nspace, "fathom-%ld-%016" PRIx64 "%016" PRIx64,
             (long)getpid(), secret[0], secret[1]);
    snprintf(server->mark, sizeof server->mark, "PMIX_NAMESPACE=%s", server->nspace);
    return true;
}

static bool start_library(void)
{
    pmix_rank_t rank = 0;
    bool tools = false;
    pmix_info_t info[3];
    for (size_t i = 0; i < sizeof info / sizeof *info; i++)
        PMIX_INFO_CONSTRUCT(&info[i]);
    char name[PMIX_MAX_NSLEN];
    snprintf(name, sizeof name, "fathom-%ld-server", (long)getpid());
    PMIX_INFO_LOAD(&info[0], PMIX_SERVER_NSPACE, name, PMIX_STRING);
    PMIX_INFO_LOAD(&info[1], PMIX_SERVER_RANK, &rank, PMIX_PROC_RANK);
    PMIX_INFO_LOAD(&info[2], PMIX_SERVER_TOOL_SUPPORT, &tools, PMIX_BOOL);

    lean_hwloc_t lean = lean_hwloc_begin(); /* the library looks at the machine's topology */
    bool hidden = hide_messages();
    bool good = succeeded(PMIx_server_init(&module, info, sizeof info / sizeof *info), "start");
    if (hidden)
        show_messages();
    lean_hwloc_end(&lean);
    for (size_t i = 0; i < sizeof info / sizeof *info; i++)
        PMIX_INFO_DESTRUCT(&info[i]);
    return good;
}

static bool watch_connections(void)
{
    pmix_status_t lost = PMIX_ERR_LOST_CONNECTION;
    pmix_status_t handler = PMIx_Register_event_handler(&lost, 1, NULL, 0, on_lost, NULL, NULL);
    return handler >= 0 || succeeded(handler, "watch the threads' connections");
}

static bool register_job(server_t *server, size_t threads, const char *host)
{
    pmix_info_t *info;
    size_t count;
    if (!succeeded(jobinfo_create(server->nspace, host, threads, &info, &count),
                   "describe the job"))
        return false;
    bool good = succeeded(
        PMIx_server_register_nspace(server->nspace, (int)threads, info, count, NULL, NULL),
        "register the job");
    PMIX_INFO_FREE(info, count);
    for (size_t t = 0; good && t < threads; t++) {
        pmix_proc_t proc;
        PMIX_LOAD_PROCID(&proc, server->nspace, (pmix_rank_t)t);
        good = succeeded(PMIx_server_register_client(&proc, getuid(), getgid(), server, NULL, NULL),
                         "register a thread");
    }
    return good;
}

server_t *server_open(size_t threads, const char *host)
{
    server_t *server = calloc(1, sizeof *server);
    if (server == NULL) {
        perror("fathom-run: the PMIx server");
        return NULL;
    }
    server->last = &server->first;
    pthread_mutex_init(&server->lock, NULL);
    server->wakeup = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    if (server->wakeup < 0) {
        perror("fathom-run: eventfd");
        goto free_server;
    }
    if (!name_job(server) || !thread_check() || !start_library())
        goto close_wakeup;
    the_server = server;
    if (!watch_connections() || !register_job(server, threads, host))
        goto stop_library;
    return server;

stop_library:
    PMIx_server_finalize();
    the_server = NULL;
close_wakeup:
    close(server->wakeup);
free_server:
    pthread_mutex_destroy(&server->lock);
    free(server);
    return NULL;
}

int server_fd(const server_t *server)
{
    return server->wakeup;
}

bool server_next(server_t *server, server_event_t *event)
{
    pthread_mutex_lock(&server->lock);
    entry_t *entry = server->first;
    if (entry != NULL) {
        server->first = entry->next;
        if (server->first == NULL)
            server->last = &server->first;
    } else {
        eventfd_t count;
        eventfd_read(server->wakeup, &count);
    }
    pthread_mutex_unlock(&server->lock);
    if (entry == NULL)
        return false;
    *event = entry->event;
    free(entry);
    return true;
}

const char *server_mark(const server_t *server)
{
    return server->mark;
}

char **server_env_create(const server_t *server, size_t thread)
{
    size_t count = 0;
    while (environ[count] != NULL)
        count++;
    char **env = calloc(count + 1, sizeof *env);
    if (env == NULL)
        goto no_memory;
    for (size_t i = 0; i < count; i++) {
        env[i] = strdup(environ[i]);
        if (env[i] == NULL)
            goto free_env;
    }
    pmix_proc_t proc;
    PMIX_LOAD_PROCID(&proc, server->nspace, (pmix_rank_t)thread);
    if (succeeded(PMIx_server_setup_fork(&proc, &env), "prepare a thread's environment"))
        return env;
    server_env_free(env);
    return NULL;

free_env:
    server_env_free(env);
no_memory:
    perror("fathom-run: a thread's environment");
    return NULL;
}

void server_env_free(char **env)
{
    for (size_t i = 0; env != NULL && env[i] != NULL; i++)
        free(env[i]);
    free(env);
}

static void *stop_library(void *unused)
{
    PMIx_server_finalize();
    return unused;
}

bool server_close(server_t *server)
{
    pthread_t stopper;
    const struct timespec deadline = pgasi_in_time(STOP_MICROSECONDS);
    if (pthread_create(&stopper, NULL, stop_library, NULL) != 0 ||
        pthread_clockjoin_np(stopper, NULL, CLOCK_MONOTONIC, &deadline) != 0)
        return false;
    the_server = NULL;
    server_event_t event;
    while (server_next(server, &event))
        free(event.message); /* the library, which would take the reply, has ended */
    close(server->wakeup);
    pthread_mutex_destroy(&server->lock);
    free(server);
    return true;
}
