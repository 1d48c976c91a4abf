#include "doctor.h"

#include <errno.h>
#include <fcntl.h>
#include <hwloc.h>
#include <linux/capability.h>
#include <pmix.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/statvfs.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/config.h"
#include "base/log.h"
#include "coll/setting.h"

static const uint64_t small_shm = (uint64_t)1 << 30; /* bytes; a container's default is less */

static size_t advice_count;

__attribute__((format(printf, 2, 3))) static void item(const char *name, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    printf("  %-18s ", name);
    vprintf(format, args);
    putchar('\n');
    va_end(args);
}

__attribute__((format(printf, 1, 0))) static void print_advice(const char *format, va_list args)
{
    printf("  ! ");
    vprintf(format, args);
    putchar('\n');
    advice_count++;
}

/* Says what to do about the item before. */
__attribute__((format(printf, 1, 2))) static void advise(const char *format, ...)
{
    va_list args;
    va_start(args, format);
    print_advice(format, args);
    va_end(args);
}

/* In place of the runtime's log (base/log.c): what the runtime says of a setting is advice here. */
void pgasi_log_alike(const char *format, ...)
{
    va_list args;
    va_start(args, format);
    print_advice(format, args);
    va_end(args);
}

void pgasi_note(const char *format, ...)
{
    va_list args;
    va_start(args, format);
    print_advice(format, args);
    va_end(args);
}

/* "23.5 GiB"; the text is valid until the fourth call after. */
static const char *size_text(uint64_t nbytes)
{
    static const char *const units[] = {"bytes", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
    static char texts[4][32];
    static unsigned turn;
    char *text = texts[turn++ % 4];
    double number = (double)nbytes;
    size_t unit = 0;
    while (number >= 1024) {
        number /= 1024;
        unit++;
    }
    snprintf(text, sizeof texts[0], "%.*f %s", unit > 0 && number < 100 ? 1 : 0, number,
             units[unit]);
    return text;
}

static const char *limit_text(rlim_t limit)
{
    return limit == RLIM_INFINITY ? "unlimited" : size_text(limit);
}

/* Reads the number in a file of one; false if there is none, as for "max". */
static bool read_number(const char *path, uint64_t *number)
{
    FILE *f = fopen(path, "re");
    if (f == NULL)
        return false;
    unsigned long long value;
    bool found = fscanf(f, "%llu", &value) == 1;
    fclose(f);
    if (found)
        *number = value;
    return found;
}

/* Looks up "NAME:  N kB" in /proc/meminfo; 0 if it is not there. */
static uint64_t memory_info(const char *name)
{
    FILE *f = fopen("/proc/meminfo", "re");
    if (f == NULL)
        return 0;
    char line[128];
    unsigned long long kibibytes = 0;
    while (fgets(line, sizeof line, f) != NULL) {
        size_t length = strlen(name);
        if (strncmp(line, name, length) == 0 && line[length] == ':') {
            kibibytes = strtoull(line + length + 1, NULL, 10);
            break;
        }
    }
    fclose(f);
    return kibibytes * 1024;
}

static void show_versions(const doctor_network_t *network)
{
    struct utsname kernel;
    uname(&kernel);
    printf("versions\n");
    item("fathom", "%s", FATHOM_VERSION);
    item("ucx", "%s", network->version[0] != '\0' ? network->version : "none in this build");
    const char *pmix = PMIx_Get_version(); /* "OpenPMIx 4.2.2 (PMIx Standard: ...)" */
    item("pmix", "%.*s", (int)strcspn(pmix, "("), pmix);
    item("hwloc", "%s", HWLOC_VERSION);
    item("kernel", "%s %s %s", kernel.sysname, kernel.release, kernel.machine);
}

/* Fathom's own copies avoid it. */
static void show_copies(void)
{
    const double crawls = 5;
    double ratio = doctor_crawling_copies();
    if (ratio < crawls) {
        item("memcpy", "as fast wherever it copies to");
        return;
    }
    item("memcpy", "takes %.0f times as long to memory some bytes ahead of its source in a page",
         ratio);
    advise("glibc's bug 30994: what UCX and the program itself copy is slow in places; "
           "GLIBC_TUNABLES=glibc.cpu.x86_rep_movsb_threshold=100000000 mends it");
}

static void show_node(void)
{
    static const struct {
        const char *name;
        hwloc_obj_type_t type;
    } counts[] = {
        {"packages", HWLOC_OBJ_PACKAGE},
        {"cores", HWLOC_OBJ_CORE},
        {"processing units", HWLOC_OBJ_PU},
        {"NUMA nodes", HWLOC_OBJ_NUMANODE},
    };
    struct utsname host;
    uname(&host);
    printf("\nnode\n");
    item("host", "%s", host.nodename);
    hwloc_topology_t topology;
    if (hwloc_topology_init(&topology) != 0)
        return;
    if (hwloc_topology_load(topology) == 0) {
        for (size_t i = 0; i < sizeof counts / sizeof counts[0]; i++)
            item(counts[i].name, "%d", hwloc_get_nbobjs_by_type(topology, counts[i].type));
    } else {
        advise("hwloc cannot read the topology: threads cannot be bound; use --bind none");
    }
    hwloc_topology_destroy(topology);
    item("memory", "%s, %s of it available", size_text(memory_info("MemTotal")),
         size_text(memory_info("MemAvailable")));
    show_copies();
}

static void show_network(doctor_network_t *network)
{
    printf("\nnetwork\n");
    if (network->version[0] == '\0') {
        advise("this build has no network: for jobs over several hosts build with -DFATHOM_UCX=ON");
        return;
    }
    char *rest = network->devices;
    for (char *line; (line = strsep(&rest, "\n")) != NULL && *line != '\0';) {
        char *transports = strstr(line, ": "); /* "mlx5_0:1: rc_verbs ..." */
        if (transports == NULL)
            break; /* cut off */
        *transports = '\0';
        item(line, "%s", transports + 2);
    }
    if (network->device_count == 0)
        advise("no network device but the loopback: no jobs over several hosts");
    else if (network->device_count > 1 && getenv("UCX_NET_DEVICES") == NULL)
        advise("%zu network devices: set UCX_NET_DEVICES to those by which the hosts reach each "
               "other",
               network->device_count);
    item("shared memory", "%s", network->shared_memory);
    item("RMA on one host", "%s", network->rma_one_host);
    item("RMA between hosts", "%s", network->rma_hosts);
    const char *chosen = getenv("UCX_TLS");
    if (network->has_transport)
        item("lost threads", "%s",
             network->reports_loss ? "reported by UCX and by the launcher"
                                   : "reported by the launcher alone: the transports of UCX_TLS "
                                     "do not tell of lost connections");
    else
        advise("no connection can be made%s%s; UCX_TLS and UCX_NET_DEVICES choose the network",
               chosen != NULL ? " with UCX_TLS=" : "", chosen != NULL ? chosen : "");
}

static bool can_lock_memory(void)
{
    char line[256];
    uint64_t capabilities = 0;
    FILE *status = fopen("/proc/self/status", "re");
    while (status != NULL && fgets(line, sizeof line, status) != NULL)
        if (strncmp(line, "CapEff:", 7) == 0)
            capabilities = strtoull(line + 7, NULL, 16);
    if (status != NULL)
        fclose(status);
    return (capabilities >> CAP_IPC_LOCK & 1) != 0;
}

/* Where all users are mapped to themselves. */
static bool is_first_user_namespace(void)
{
    unsigned inside = 1;
    unsigned outside = 1;
    unsigned count = 0;
    FILE *map = fopen("/proc/self/uid_map", "re");
    if (map == NULL)
        return true; /* the kernel has no others */
    bool is_read = fscanf(map, "%u %u %u", &inside, &outside, &count) == 3;
    fclose(map);
    return is_read && inside == 0 && outside == 0 && count == UINT32_MAX;
}

/* The kernel holds nobody to the limit who has the capability there; root of a container most often
 * has not. */
static bool is_above_memlock(void)
{
    return can_lock_memory() && is_first_user_namespace();
}

static void show_memlock(bool has_rdma)
{
    struct rlimit limit;
    getrlimit(RLIMIT_MEMLOCK, &limit);
    item("memlock", "%s%s", limit_text(limit.rlim_cur), has_rdma ? "" : " (RDMA alone needs it)");
    if (has_rdma && limit.rlim_cur != RLIM_INFINITY && !is_above_memlock())
        advise("memlock %s: RDMA registration of more than that will fail; ulimit -l unlimited",
               limit_text(limit.rlim_cur));
}

static void show_open_files(void)
{
    struct rlimit limit;
    getrlimit(RLIMIT_NOFILE, &limit);
    long processors = sysconf(_SC_NPROCESSORS_ONLN);
    item("open files", "%ju, may be raised to %ju", (uintmax_t)limit.rlim_cur,
         (uintmax_t)limit.rlim_max);
    /* Each thread of a job takes some for its own libraries, and three of the launcher's. */
    if (limit.rlim_max < (rlim_t)(64 + 3 * processors) || limit.rlim_max < 256)
        advise("open files %ju: too few for a thread on each processor; ulimit -Hn 4096",
               (uintmax_t)limit.rlim_max);
}

static void show_shared_memory(void)
{
    struct statvfs fs;
    if (statvfs("/dev/shm", &fs) != 0) {
        item("/dev/shm", "%s", strerror(errno));
        advise("no /dev/shm: neither PGAS_SEGMENT=posix nor UCX's posix transport will work");
        return;
    }
    uint64_t size = (uint64_t)fs.f_blocks * fs.f_frsize;
    uint64_t available = (uint64_t)fs.f_bavail * fs.f_frsize;
    item("/dev/shm", "%s, %s of it free", size_text(size), size_text(available));
    if (available < small_shm)
        advise("/dev/shm has %s free: too little for PGAS_SEGMENT=posix and for MPI beside Fathom; "
               "mount -o remount,size=50%% /dev/shm, or docker run --shm-size",
               size_text(available));
}

/* Whether another process of this user can open a memory file of ours through /proc: tried with a
 * child, as two threads of a job would. */
static bool memfd_is_shared(void)
{
    int fd = memfd_create("fathom-doctor", MFD_CLOEXEC);
    if (fd < 0)
        return false;
    pid_t owner = getpid();
    signal(SIGCHLD, SIG_DFL); /* ignored, as it may be inherited, it hides how the child ends */
    fflush(stdout); /* ThreadSanitizer's _exit would write it once more */
    pid_t child = fork();
    if (child == 0) {
        char path[64];
        snprintf(path, sizeof path, "/proc/%d/fd/%d", (int)owner, fd);
        _exit(open(path, O_RDWR | O_CLOEXEC) >= 0 ? 0 : 1);
    }
    int ended = 1;
    bool shared = child > 0 && waitpid(child, &ended, 0) == child && ended == 0;
    close(fd);
    return shared;
}

/* Yama bars attaching to a process, which is what UCX's cma transport needs; to open a file
 * through /proc/PID/fd is to read, which it leaves alone. */
static void show_memory_files(void)
{
    uint64_t scope;
    if (!read_number("/proc/sys/kernel/yama/ptrace_scope", &scope))
        item("ptrace_scope", "no Yama in this kernel");
    else if (scope == 0)
        item("ptrace_scope", "0");
    else
        item("ptrace_scope", "%ju (bars UCX's cma transport between threads, not memory files)",
             (uintmax_t)scope);
    bool shared = memfd_is_shared();
    item("memory files", "%s", shared ? "can be opened through /proc/PID/fd" : "barred");
    if (!shared)
        advise("memory files cannot be shared through /proc/PID/fd (hidepid, a security module?): "
               "PGAS_SEGMENT=posix puts segments into /dev/shm instead");
}

/* The smallest limit in the files `name` of a control group and those above it. `group` is the
 * folder of the files, of which the first `root_length` bytes are where groups begin. */
static bool group_limit(char *group, size_t root_length, const char *name, uint64_t *smallest)
{
    bool found = false;
    for (;;) {
        char file[4200];
        uint64_t limit;
        snprintf(file, sizeof file, "%s/%s", group, name);
        if (read_number(file, &limit)) {
            *smallest = found && *smallest < limit ? *smallest : limit;
            found = true;
        }
        char *slash = strrchr(group + root_length, '/');
        if (slash == NULL)
            return found;
        *slash = '\0';
    }
}

/* PATH of a line "NUMBER:CONTROLLER,CONTROLLER...:PATH" of /proc/self/cgroup, NULL if it does not
 * have the controller. */
static const char *path_of(const char *line, const char *controller)
{
    const char *word = strchr(line, ':');
    while (word != NULL && *word != '\0') {
        size_t length = strcspn(++word, ",:");
        if (strlen(controller) == length && strncmp(word, controller, length) == 0) {
            const char *end = strchr(word, ':');
            return end != NULL ? end + 1 : NULL;
        }
        word = word[length] == ',' ? word + length : NULL;
    }
    return NULL;
}

/* The memory limit of this process's control group, of version 2 or 1; false if there is none. */
static bool control_group_limit(uint64_t *limit)
{
    static const struct {
        const char *controller; /* of version 2 none is named */
        const char *root;
        const char *file;
    } versions[] = {
        {"", "/sys/fs/cgroup", "memory.max"},
        {"memory", "/sys/fs/cgroup/memory", "memory.limit_in_bytes"},
    };
    FILE *f = fopen("/proc/self/cgroup", "re");
    bool found = false;
    char line[4000];
    while (f != NULL && fgets(line, sizeof line, f) != NULL) {
        line[strcspn(line, "\n")] = '\0';
        for (size_t i = 0; i < sizeof versions / sizeof versions[0]; i++) {
            const char *path = path_of(line, versions[i].controller);
            if (path == NULL)
                continue;
            char group[4096];
            uint64_t smallest = 0;
            snprintf(group, sizeof group, "%s%s", versions[i].root, path);
            if (group_limit(group, strlen(versions[i].root), versions[i].file, &smallest)) {
                *limit = found && *limit < smallest ? *limit : smallest;
                found = true;
            }
        }
    }
    if (f != NULL)
        fclose(f);
    return found;
}

static void show_memory_limits(void)
{
    uint64_t limit = 0;
    uint64_t memory = memory_info("MemTotal");
    /* Version 1 says "no limit" by a number beyond all memory. */
    bool limited = control_group_limit(&limit) && limit < memory;
    item("memory.max", "%s", limited ? size_text(limit) : "no limit by a control group");
    if (limited && getenv("PGAS_HEAP_SIZE") == NULL)
        advise("memory.max %s: who touches more is killed; set PGAS_HEAP_SIZE to its share of "
               "that per thread",
               size_text(limit));

    uint64_t mode;
    if (!read_number("/proc/sys/vm/overcommit_memory", &mode))
        return;
    item("overcommit_memory", "%ju", (uintmax_t)mode);
    if (mode == 2)
        advise("overcommit_memory 2: memory beyond CommitLimit (%s for the whole machine) cannot "
               "be touched; sysctl vm.overcommit_memory=0, or a PGAS_HEAP_SIZE within it",
               size_text(memory_info("CommitLimit")));
}

/* Those that pgas_init reads before it knows its job (job/init.c). */
static void check_settings(void)
{
    pgasi_coll_rules_t rules;
    (void)pgasi_config_load();
    (void)pgasi_coll_setting_read(&rules);
}

static void show_settings(void)
{
    bool any = false;
    printf("\nsettings\n");
    for (char **variable = environ; *variable != NULL; variable++) {
        if (strncmp(*variable, "PGAS_", 5) != 0 && strncmp(*variable, "UCX_", 4) != 0)
            continue;
        any = true;
        printf("  %s\n", *variable);
    }
    if (!any)
        printf("  none of PGAS_* and UCX_* is set\n");
    check_settings();
}

void doctor_run(void)
{
    doctor_network_t network = {0};
    advice_count = 0;
    doctor_query_network(&network);
    show_versions(&network);
    show_node();
    show_network(&network);
    printf("\nlimits\n");
    show_memlock(network.has_rdma);
    show_open_files();
    show_shared_memory();
    show_memory_files();
    show_memory_limits();
    show_settings();
    if (advice_count == 0)
        printf("\nnothing needs action\n");
    else
        printf("\n%zu %s action: see the lines with !\n", advice_count,
               advice_count == 1 ? "item needs" : "items need");
}
