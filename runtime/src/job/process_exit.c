#include "job/process_exit.h"

#include <stdlib.h>
#include <unistd.h>

#include <pgas/detail.h>

#include "base/self.h"
#include "net/net.h"

/* A child that the program makes inherits the handlers. */
static pid_t process;
static int exit_status;

static void note_status(int status, void *unused)
{
    (void)unused;
    exit_status = status;
}

/* glibc's exit may be called again here: it goes on with the handlers that are left. */
static void fail_if_well(int status, void *unused)
{
    (void)unused;
    if (status == EXIT_SUCCESS && getpid() == process)
        exit(EXIT_FAILURE);
}

/* Destructors of a program, or library, run before those of the libraries that it needs, and behind
 * the handlers of atexit. */
__attribute__((destructor)) static void leave_libraries_alone(void)
{
    if (!pgasi_is_in_job || !pgasi_net_is_up || getpid() != process)
        return;
    pgasi_flush_streams_patiently();
    _exit(exit_status);
}

void pgasi_process_exit_watch(void)
{
    process = getpid();
    on_exit(note_status, NULL);
}

void pgasi_process_exit_fail(void)
{
    process = getpid();
    on_exit(fail_if_well, NULL);
}
