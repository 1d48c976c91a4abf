#include "node/segment.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/sysinfo.h>
#include <unistd.h>

#include "base/config.h"
#include "base/log.h"
#include "node/fault.h"
#include "node/node.h"

#define HUGE_PAGE ((uint64_t)2 << 20)
/* Blocks of a heap for which huge pages are requested. */
#define ADVISED_MAX 8192
/* Of a heap, and of a file system of limited size. */
#define KEPT_SHARE 16
#define SMALLEST_HEAP ((uint64_t)64 << 10)
/* Where all of the memory is occupied for a moment. */
#define DEFAULT_HEAP_OF_OTHERS ((uint64_t)64 << 20)

pgasi_node_memory_t pgasi_node_memory;

static uint64_t mapped_size;
static uint64_t releases_begin;
static uint64_t segments_begin;
static char *mapped;
static int file = -1;
/* Of a file that somebody else has made; 0: the file is ours. */
static uint64_t fixed_size;
static char posix_name[64];

static uint64_t round_up(uint64_t value, uint64_t unit)
{
    return (value + unit - 1) / unit * unit;
}

static uint64_t page_size(void)
{
    static uint64_t size;
    if (size == 0)
        size = (uint64_t)sysconf(_SC_PAGESIZE);
    return size;
}

/* The limit of a container, if there is one. */
static uint64_t cgroup_limit(void)
{
    uint64_t limit = UINT64_MAX;
    FILE *f = fopen("/sys/fs/cgroup/memory.max", "re");
    if (f == NULL)
        return limit;
    if (fscanf(f, "%" SCNu64, &limit) != 1)
        limit = UINT64_MAX;
    fclose(f);
    return limit;
}

static uint64_t default_heap_size(uint32_t host_threads)
{
    struct sysinfo info;
    uint64_t memory = UINT64_MAX;
    if (sysinfo(&info) == 0)
        memory = (uint64_t)info.totalram * info.mem_unit;
    uint64_t limit = cgroup_limit();
    if (limit < memory)
        memory = limit;
    return memory < UINT64_MAX ? memory / host_threads : DEFAULT_HEAP_OF_OTHERS;
}

static pgas_status_t choose_heap_size(uint32_t host_threads, bool is_ours, uint64_t *heap_size)
{
    uint64_t wanted = pgasi_settings.heap_size;
    uint64_t largest = UINT64_MAX / 8 / host_threads;
    if (wanted == 0)
        wanted = is_ours ? default_heap_size(host_threads) : DEFAULT_HEAP_OF_OTHERS;
    if (wanted < SMALLEST_HEAP || wanted > largest) {
        pgasi_log_alike("PGAS_HEAP_SIZE: %" PRIu64 " bytes cannot be a heap; %" PRIu64
                        " are the least, and %" PRIu64 " the most",
                        wanted, SMALLEST_HEAP, largest);
        return PGAS_ERR_ARGUMENT;
    }
    *heap_size = round_up(wanted, 4096);
    return PGAS_OK;
}

/*
 * Address space costs nothing, so either region can take all of a thread's heap size, and what is
 * lost between blocks is not counted. A large block takes at least a huge page and a unit, and
 * loses at most a huge page less a unit in front of it to alignment. The account allows one unit
 * more than the heap's size. So twice that size is enough for any sequence of allocations without
 * frees: a block that the account allows fits at the end of the region.
 */
static uint64_t region_size(uint64_t heap_size)
{
    return 2 * heap_size;
}

static void lay_out(uint64_t heap_size)
{
    uint64_t control = sizeof(pgasi_control_t) + pgasi_job.threads * sizeof(uint32_t);
    releases_begin = round_up(control, sizeof(pgasi_releases_t));
    control = releases_begin +
              (uint64_t)pgasi_nodes.threads_count * pgasi_job.threads * sizeof(pgasi_releases_t);
    pgasi_node_memory.heap_size = heap_size;
    pgasi_node_memory.local_begin = PGASI_HEAP_BEGIN + region_size(heap_size);
    pgasi_node_memory.stride =
        round_up(pgasi_node_memory.local_begin + region_size(heap_size), HUGE_PAGE);
    segments_begin = round_up(control, HUGE_PAGE);
    mapped_size = segments_begin + pgasi_nodes.threads_count * pgasi_node_memory.stride;
}

static pgas_status_t system_error(const char *what)
{
    pgasi_log_alike("%s of %" PRIu64
                    " bytes of address space for the node's heaps: %s; PGAS_HEAP_SIZE "
                    "sets the size, PGAS_SEGMENT the way",
                    what, mapped_size, strerror(errno));
    return PGAS_ERR_SYSTEM;
}

static void name_of_descriptor(char path[64], int pid, int fd)
{
    snprintf(path, 64, "/proc/%d/fd/%d", pid, fd);
}

/* The others open it through /proc, which the system bars if the program may be executed and not
 * read, or has capabilities of its own, and where this process may have another number. */
static bool can_be_reopened(int fd)
{
    char path[64];
    struct stat named;
    struct stat own;
    name_of_descriptor(path, (int)getpid(), fd);
    return stat(path, &named) == 0 && fstat(fd, &own) == 0 && named.st_dev == own.st_dev &&
           named.st_ino == own.st_ino && prctl(PR_GET_DUMPABLE) == 1;
}

/* The process that removes the name if this one is killed before: fathom-run, or nobody. */
static long name_owner(void)
{
    const char *space = getenv("PMIX_NAMESPACE");
    long launcher;
    if (space != NULL && sscanf(space, "fathom-%ld-", &launcher) == 1 && launcher > 0)
        return launcher;
    return (long)getpid();
}

static int open_file(uint64_t cookie)
{
    if (strcmp(pgasi_settings.segment, "posix") != 0) {
        int fd = memfd_create("fathom", MFD_CLOEXEC);
        if (strcmp(pgasi_settings.segment, "auto") != 0 || (fd >= 0 && can_be_reopened(fd)))
            return fd;
        if (fd >= 0)
            close(fd);
    }
    snprintf(posix_name, sizeof posix_name, "/fathom-%ld-%016" PRIx64, name_owner(), cookie);
    return shm_open(posix_name, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
}

/* Among those that the kernel tells apart by it. */
static uint64_t own_pid_namespace(void)
{
    struct stat namespace;
    return stat("/proc/self/ns/pid", &namespace) == 0 ? namespace.st_ino : 0;
}

pid_t pgasi_segment_process(uint32_t thread)
{
    char *base = pgasi_job.peers[thread].base;
    if (base == NULL)
        return 0;
    const pgasi_segment_header_t *header = pgasi_segment_header(base);
    uint64_t own = pgasi_header_of(pgasi_job.thread)->pid_namespace;
    return own != 0 && header->pid_namespace == own ? header->pid : 0;
}

static int reopen_file(const pgasi_segment_address_t *address)
{
    if (address->name[0] == '/')
        return shm_open(address->name, O_RDWR | O_CLOEXEC, 0600);
    char path[64];
    name_of_descriptor(path, address->pid, address->fd);
    return open(path, O_RDWR | O_CLOEXEC);
}

/* Maps the file at a multiple of the size of huge pages. */
static pgas_status_t map_file(void)
{
    char *space = mmap(NULL, mapped_size + HUGE_PAGE, PROT_NONE,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (space == MAP_FAILED)
        return system_error("reserving");
    uint64_t at = (uint64_t)(uintptr_t)space;
    char *start = space + (round_up(at, HUGE_PAGE) - at);
    if (start > space)
        munmap(space, (size_t)(start - space));
    munmap(start + mapped_size, (size_t)(space + HUGE_PAGE - start));
    mapped = mmap(start, mapped_size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, file, 0);
    if (mapped == MAP_FAILED) {
        mapped = NULL;
        munmap(start, mapped_size);
        return system_error("mapping");
    }
    /* A core dump would have the pages of all threads of the node, and untouched ones as zeros. */
    if (pgasi_settings.core_segments == 0)
        madvise(mapped, mapped_size, MADV_DONTDUMP);
    pgasi_node_memory.control = (pgasi_control_t *)(void *)mapped;
    pgasi_node_memory.releases = (pgasi_releases_t *)(void *)(mapped + releases_begin);
    pgasi_node_memory.segments = mapped + segments_begin;
    return PGAS_OK;
}

static void init_heaps(void)
{
    const pgasi_node_memory_t *memory = &pgasi_node_memory;
    uint64_t size = region_size(memory->heap_size);
    if (pgasi_job.thread == 0)
        pgasi_region_init(&memory->control->collective, memory->segments, PGASI_HEAP_BEGIN,
                          memory->local_begin);
    for (uint32_t i = 0; i < pgasi_nodes.threads_count; i++) {
        char *segment = memory->segments + i * memory->stride;
        pgasi_segment_header_t *header = pgasi_segment_header(segment);
        pgasi_region_init(&header->local, segment, memory->local_begin, memory->local_begin + size);
    }
}

/* Beyond the limit the system would send a signal. */
static pgas_status_t check_size(void)
{
    struct rlimit limit;
    if (getrlimit(RLIMIT_FSIZE, &limit) != 0 || mapped_size <= limit.rlim_cur)
        return PGAS_OK;
    pgasi_log_alike("%" PRIu64 " bytes of address space for the node's heaps are more than a file "
                    "may have (ulimit -f); PGAS_HEAP_SIZE sets the size",
                    mapped_size);
    return PGAS_ERR_SYSTEM;
}

static pgas_status_t size_file(void)
{
    pgas_status_t status = check_size();
    if (status != PGAS_OK)
        return status;
    return ftruncate(file, (off_t)mapped_size) == 0 ? PGAS_OK : system_error("sizing");
}

/* What the job needs to end in good order has its pages from the start. */
static pgas_status_t reserve_control(void)
{
    int error;
    do
        error = posix_fallocate(file, 0, (off_t)releases_begin);
    while (error == EINTR);
    if (error == 0)
        return PGAS_OK;
    pgasi_log_alike("no room for the node's memory%s: %s; PGAS_SEGMENT sets the way",
                    posix_name[0] != '\0' ? " in /dev/shm" : "", strerror(error));
    return PGAS_ERR_SYSTEM;
}

/* The file, with its size. */
static pgas_status_t make_file(int (*open_memory)(uint64_t nbytes), uint64_t cookie)
{
    if (open_memory != NULL) {
        if (check_size() != PGAS_OK)
            return PGAS_ERR_SYSTEM;
        fixed_size = mapped_size;
        file = open_memory(mapped_size);
        return file < 0 ? PGAS_ERR_SYSTEM : PGAS_OK;
    }
    file = open_file(cookie);
    if (file < 0)
        return system_error("opening");
    if (fchmod(file, 0600) != 0)
        return system_error("protecting");
    pgas_status_t status = size_file();
    return status == PGAS_OK ? reserve_control() : status;
}

pgas_status_t pgasi_segment_make(uint32_t host_threads, int (*open_memory)(uint64_t nbytes),
                                 pgasi_segment_address_t *address, uint64_t *heap_size)
{
    uint64_t cookie = 0;
    if (getrandom(&cookie, sizeof cookie, 0) < 0)
        return system_error("naming");
    pgas_status_t status = choose_heap_size(host_threads, open_memory == NULL, heap_size);
    if (status != PGAS_OK)
        return status;
    lay_out(*heap_size);
    status = make_file(open_memory, cookie);
    if (status != PGAS_OK)
        return status;
    if (pwrite(file, &cookie, sizeof cookie, offsetof(pgasi_control_t, cookie)) != sizeof cookie)
        return system_error("marking");
    *address = (pgasi_segment_address_t){.pid = (int32_t)getpid(), .fd = file, .cookie = cookie};
    memcpy(address->name, posix_name, sizeof address->name);
    return PGAS_OK;
}

/* Behind /proc may be a file of another process that has the same number elsewhere. */
static pgas_status_t recognise(const pgasi_segment_address_t *address)
{
    uint64_t cookie = 0;
    ssize_t got = pread(file, &cookie, sizeof cookie, offsetof(pgasi_control_t, cookie));
    errno = ESTALE;
    return got == sizeof cookie && cookie == address->cookie ? PGAS_OK
                                                             : system_error("recognising");
}

/* The leader may come later. */
static pgas_status_t grow_file(void)
{
    struct stat now;
    if (fstat(file, &now) != 0)
        return system_error("sizing");
    return (uint64_t)now.st_size < mapped_size ? size_file() : PGAS_OK;
}

/* The leader's file has the size that it has proposed; the job's may be smaller, or larger where
 * the settings of leaders differ. */
static pgas_status_t prepare_file(const pgasi_segment_address_t *address)
{
    if (pgasi_node_is_leader() && fixed_size != 0) {
        if (mapped_size <= fixed_size)
            return PGAS_OK;
        pgasi_log("PGAS_HEAP_SIZE is less than that of the host's lowest thread: with "
                  "PGAS_SEGMENT=ucx it must be the same in all its nodes");
        return PGAS_ERR_ARGUMENT;
    }
    if (pgasi_node_is_leader())
        return size_file();
    file = reopen_file(address);
    if (file >= 0) {
        pgas_status_t status = recognise(address);
        return status == PGAS_OK ? grow_file() : status;
    }
    if (address->name[0] == '/')
        return system_error("opening");
    pgasi_log_alike("the node's memory file cannot be opened through /proc/%d/fd: %s; "
                    "PGAS_SEGMENT=posix shares memory by /dev/shm",
                    (int)address->pid, strerror(errno));
    return PGAS_ERR_SYSTEM;
}

/* A file system of limited size is that of all nodes of a host. */
static uint64_t choose_kept_most(void)
{
    struct statvfs fs;
    uint64_t most = pgasi_node_memory.heap_size / KEPT_SHARE;
    if (fstatvfs(file, &fs) == 0 && fs.f_blocks != 0) {
        uint64_t room = (uint64_t)fs.f_blocks * fs.f_frsize / pgasi_nodes.machine_threads;
        most = room / KEPT_SHARE < most ? room / KEPT_SHARE : most;
    }
    return most < PGASI_KEPT_CHUNKS * PGASI_KEPT_CHUNK ? most
                                                       : PGASI_KEPT_CHUNKS * PGASI_KEPT_CHUNK;
}

pgas_status_t pgasi_segment_map(uint64_t heap_size, const pgasi_segment_address_t *address)
{
    lay_out(heap_size);
    pgas_status_t status = prepare_file(address);
    if (status == PGAS_OK)
        status = map_file();
    if (status != PGAS_OK)
        return status;
    pgasi_node_memory.kept_most = choose_kept_most();
    pgasi_fault_segments_t segments = {pgasi_node_memory.segments, pgasi_node_memory.stride,
                                       pgasi_nodes.threads, pgasi_nodes.threads_count};
    pgasi_fault_handle(&segments);
    if (pgasi_node_is_leader())
        init_heaps();
    char *segment = pgasi_node_memory.segments + pgasi_nodes.place * pgasi_node_memory.stride;
    pgasi_segment_header_t *header = pgasi_segment_header(segment);
    header->pid = (int32_t)getpid();
    header->pid_namespace = own_pid_namespace();
    header->activity.call.thread = pgasi_job.thread + 1;
    return PGAS_OK;
}

void pgasi_segment_unlink(void)
{
    if (posix_name[0] != '\0')
        shm_unlink(posix_name);
    posix_name[0] = '\0';
}

void pgasi_segment_settle(void)
{
    pgasi_segment_unlink();
    if (file >= 0)
        close(file);
    file = -1;
}

void pgasi_segment_advise_huge(uint64_t offset, uint64_t nbytes)
{
    uint64_t least = pgasi_node_memory.heap_size / ADVISED_MAX;
    if (pgasi_settings.huge_pages == 0 || nbytes < HUGE_PAGE || nbytes < least)
        return;
    /* Only advice: a kernel without huge pages for shared memory refuses it, which does no harm.
     * What is advised becomes a mapping of its own, of which a process has 65530 (vm.max_map_count)
     * for everything. */
    madvise(pgasi_job.peers[pgasi_job.thread].base + offset / page_size() * page_size(), nbytes,
            MADV_HUGEPAGE);
}

uint64_t pgasi_segment_granule(void)
{
    uint64_t granule = HUGE_PAGE;
    while (pgasi_node_memory.stride > granule * PGASI_GRANULES_MAX)
        granule *= 2;
    return granule;
}

static pgasi_granules_t *granules_of(uint32_t thread)
{
    return &pgasi_segment_header(pgasi_job.peers[thread].base)->granules;
}

pgas_ptr_t pgasi_segment_place(const void *address)
{
    uint64_t stride = pgasi_node_memory.stride;
    uint64_t distance = (uint64_t)((uintptr_t)address - (uintptr_t)pgasi_node_memory.segments);
    if (stride == 0 || distance / stride >= pgasi_nodes.threads_count)
        return (pgas_ptr_t){.offset = 0};
    return (pgas_ptr_t){.thread = pgasi_nodes.threads[distance / stride],
                        .offset = distance % stride};
}

static bool is_kept(const pgasi_granules_t *granules, uint64_t index)
{
    return (granules->kept[index / 64] >> index % 64 & 1) != 0;
}

/* The guard orders this before or after a release: one before has come to its end. */
void pgasi_segment_keep(uint32_t thread, uint64_t offset)
{
    pgasi_granules_t *granules = granules_of(thread);
    uint64_t index = offset / pgasi_segment_granule();
    pgasi_guard_lock(&granules->guard);
    granules->kept[index / 64] |= (uint64_t)1 << index % 64;
    granules->any = 1;
    pgasi_guard_unlock(&granules->guard);
}

static void remove_pages(uint32_t thread, uint64_t begin, uint64_t end)
{
    if (end > begin)
        madvise(pgasi_job.peers[thread].base + begin, end - begin, MADV_REMOVE);
}

static void remove_around_kept(uint32_t thread, uint64_t begin, uint64_t end)
{
    uint64_t granule = pgasi_segment_granule();
    while (begin < end) {
        uint64_t next = (begin / granule + 1) * granule;
        if (next > end)
            next = end;
        if (!is_kept(granules_of(thread), begin / granule))
            remove_pages(thread, begin, next);
        begin = next;
    }
}

void pgasi_segment_release(uint32_t thread, uint64_t offset, uint64_t nbytes)
{
    uint64_t begin = round_up(offset, page_size());
    uint64_t end = (offset + nbytes) / page_size() * page_size();
    pgasi_granules_t *granules = granules_of(thread);
    pgasi_guard_lock(&granules->guard);
    if (granules->any == 0)
        remove_pages(thread, begin, end);
    else
        remove_around_kept(thread, begin, end);
    pgasi_guard_unlock(&granules->guard);
}

void pgasi_segment_destroy(void)
{
    pgasi_segment_settle();
    pgasi_fault_release();
    pgasi_node_memory = (pgasi_node_memory_t){0};
    if (mapped != NULL) {
        /* Another OS thread may end the job now, and have looked at the control block: a place
         * without pages stays there. */
        void *place = mmap(mapped, segments_begin, PROT_READ | PROT_WRITE,
                           MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0);
        uint64_t kept = place != MAP_FAILED ? segments_begin : 0;
        munmap(mapped + kept, mapped_size - kept);
    }
    mapped = NULL;
}
