#include "net/ucx/files.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <sys/resource.h>
#include <unistd.h>

#include <pgas/detail.h>

#include "base/agent.h"
#include "net/ucx/worker.h"
#include "node/node.h"

enum {
    /* Connections between two threads: in each direction those of the initiator and of the
     * background worker, and one between the target workers. */
    PER_THREAD = 5,
    /* What the process has open without connections: launcher, log, three workers. */
    OTHERS = 64,
    /* What an attached operating-system thread's worker has open, and in addition a connection to
     * each other thread. */
    PER_AGENT = 8
};

void pgasi_ucx_files_raise(void)
{
    struct rlimit files;
    if (getrlimit(RLIMIT_NOFILE, &files) != 0 || files.rlim_cur == files.rlim_max)
        return;
    files.rlim_cur = files.rlim_max;
    setrlimit(RLIMIT_NOFILE, &files); /* if this fails, the limit stays as it is */
}

void pgasi_ucx_files_check(void)
{
    int fd = open("/dev/null", O_RDONLY | O_CLOEXEC);
    if (fd >= 0)
        close(fd);
    if (fd >= 0 || errno != EMFILE)
        return;
    struct rlimit files = {0};
    getrlimit(RLIMIT_NOFILE, &files);
    uint32_t others = pgasi_job.threads - pgasi_nodes.threads_count;
    uint32_t agents = pgasi_agents();
    uint64_t enough =
        (uint64_t)others * PER_THREAD + OTHERS + (uint64_t)agents * (PER_AGENT + 2 * others);
    pgasi_ucx_stay_out();
    pgasi_fatal("network",
                "no more than %" PRIu64 " files may be open (ulimit -n); %" PRIu64
                " are enough for connections of %" PRIu32 " operating-system thread%s to %" PRIu32
                " thread%s of other nodes%s",
                (uint64_t)files.rlim_cur, enough, agents + 1, agents > 0 ? "s" : "", others,
                others > 1 ? "s" : "", agents > 0 ? ", with as many each" : "");
}
