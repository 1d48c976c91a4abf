/* Gets, puts and atomic operations by remote memory access, by Fathom and by UCX alone, in one run:
 * thread 0 times, thread 1 sleeps and calls nothing. Both use memory that UCX has made: run with
 * PGAS_SEGMENT=ucx and UCX_TLS=posix,self. Batches of both take turns. */
#include <pgas/pgas.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <ucp/api/ucp.h>

#include "measure.h"

enum {
    LARGE = 1 << 20,
    MEMORY_BYTES = 2 * LARGE,
    ADDRESS_MAX = 4096
};

/* What thread 1 tells thread 0 of its memory for UCX. */
typedef struct side {
    uint64_t base;
    uint64_t key_size;
    uint64_t address_size;
    unsigned char key[ADDRESS_MAX];
    unsigned char address[ADDRESS_MAX];
} side_t;

static ucp_context_h context;
static ucp_worker_h worker;
static ucp_mem_h memory;
static ucp_ep_h endpoint;
static ucp_rkey_h key;
static uint64_t raw_base;
static char *buffer;
static pgas_ptr_t words;
static pgas_atomic_domain_t *domain;

static void check(const char *call, ucs_status_t status)
{
    if (status != UCS_OK)
        pgas_fail(1, "%s: %s", call, ucs_status_string(status));
}

static void start_ucx(void)
{
    ucp_config_t *config;
    const ucp_params_t params = {
        .field_mask = UCP_PARAM_FIELD_FEATURES,
        .features = UCP_FEATURE_RMA | UCP_FEATURE_AMO64,
    };
    const ucp_worker_params_t how = {
        .field_mask = UCP_WORKER_PARAM_FIELD_THREAD_MODE,
        .thread_mode = UCS_THREAD_MODE_SINGLE,
    };
    const ucp_mem_map_params_t map = {
        .field_mask = UCP_MEM_MAP_PARAM_FIELD_LENGTH | UCP_MEM_MAP_PARAM_FIELD_FLAGS,
        .length = MEMORY_BYTES,
        .flags = UCP_MEM_MAP_ALLOCATE,
    };
    check("ucp_config_read", ucp_config_read(NULL, NULL, &config));
    check("ucp_init", ucp_init(&params, config, &context));
    ucp_config_release(config);
    check("ucp_worker_create", ucp_worker_create(context, &how, &worker));
    check("ucp_mem_map", ucp_mem_map(context, &map, &memory));
}

static void describe(side_t *side)
{
    ucp_mem_attr_t attr = {.field_mask = UCP_MEM_ATTR_FIELD_ADDRESS};
    ucp_address_t *address;
    size_t address_size;
    void *packed;
    size_t packed_size;
    check("ucp_mem_query", ucp_mem_query(memory, &attr));
    check("ucp_worker_get_address", ucp_worker_get_address(worker, &address, &address_size));
    check("ucp_rkey_pack", ucp_rkey_pack(context, memory, &packed, &packed_size));
    if (address_size > ADDRESS_MAX || packed_size > ADDRESS_MAX)
        pgas_fail(1, "an address of %zu bytes, a key of %zu", address_size, packed_size);
    memset(attr.address, 0, MEMORY_BYTES);
    side->base = (uintptr_t)attr.address;
    side->key_size = packed_size;
    side->address_size = address_size;
    memcpy(side->key, packed, packed_size);
    memcpy(side->address, address, address_size);
    ucp_rkey_buffer_release(packed);
    ucp_worker_release_address(worker, address);
}

static void connect_to(const side_t *side)
{
    const ucp_ep_params_t params = {
        .field_mask = UCP_EP_PARAM_FIELD_REMOTE_ADDRESS,
        .address = (const ucp_address_t *)(const void *)side->address,
    };
    check("ucp_ep_create", ucp_ep_create(worker, &params, &endpoint));
    check("ucp_ep_rkey_unpack", ucp_ep_rkey_unpack(endpoint, side->key, &key));
    raw_base = side->base;
}

static void wait_for(ucs_status_ptr_t request)
{
    if (UCS_PTR_IS_ERR(request))
        check("remote memory access", UCS_PTR_STATUS(request));
    if (request == NULL)
        return;
    while (ucp_request_check_status(request) == UCS_INPROGRESS)
        ucp_worker_progress(worker);
    ucp_request_free(request);
}

static const ucp_request_param_t plain = {.op_attr_mask = 0};

static void raw_get(size_t nbytes)
{
    wait_for(ucp_get_nbx(endpoint, buffer, nbytes, raw_base, key, &plain));
}

static void raw_put(size_t nbytes)
{
    wait_for(ucp_put_nbx(endpoint, buffer, nbytes, raw_base, key, &plain));
    wait_for(ucp_ep_flush_nbx(endpoint, &plain));
}

static void raw_add(size_t nbytes)
{
    const uint64_t one = 1;
    const ucp_request_param_t params = {
        .op_attr_mask = UCP_OP_ATTR_FIELD_DATATYPE | UCP_OP_ATTR_FIELD_REPLY_BUFFER,
        .datatype = ucp_dt_make_contig(nbytes),
        .reply_buffer = buffer,
    };
    wait_for(ucp_atomic_op_nbx(endpoint, UCP_ATOMIC_OP_ADD, &one, 1, raw_base, key, &params));
}

static void fathom_get(size_t nbytes)
{
    pgas_memget(buffer, words, nbytes);
}

static void fathom_put(size_t nbytes)
{
    pgas_memput(words, buffer, nbytes);
}

static void fathom_read(size_t nbytes)
{
    (void)nbytes;
    *(uint64_t *)(void *)buffer = PGAS_READ(uint64_t, words);
}

static void fathom_add(size_t nbytes)
{
    (void)nbytes;
    *(uint64_t *)(void *)buffer =
        pgas_atomic_domain_apply(domain, PGAS_ADD, words, 1, 0, PGAS_RELAXED);
}

static double batch(void (*operation)(size_t nbytes), size_t nbytes, size_t count)
{
    double begin = bench_seconds();
    for (size_t i = 0; i < count; i++)
        operation(nbytes);
    return (bench_seconds() - begin) / (double)count;
}

/* Nanoseconds, or GB/s of large transfers, of both by turns. */
static void compare(const char *name, void (*ours)(size_t), void (*raw)(size_t), size_t nbytes,
                    size_t count, size_t batches)
{
    double *times[2] = {bench_allocate(batches * sizeof(double), 0),
                        bench_allocate(batches * sizeof(double), 0)};
    void (*const operations[2])(size_t) = {ours, raw};
    for (size_t i = 0; i < batches; i++)
        for (int k = 0; k < 2; k++) {
            double seconds = batch(operations[k], nbytes, count);
            times[k][i] = nbytes == LARGE ? 1e-9 * (double)nbytes / seconds : 1e9 * seconds;
        }
    char line[64];
    for (int k = 0; k < 2; k++) {
        snprintf(line, sizeof line, "%s%s", k == 0 ? "" : "raw_", name);
        bench_print(line, bench_summarise(times[k], batches));
        free(times[k]);
    }
}

static void warm_up(void)
{
    for (int i = 0; i < 100; i++) {
        fathom_get(8);
        fathom_put(8);
    }
}

static void time_all(size_t batches)
{
    compare("get_8_ns", fathom_get, raw_get, 8, 1000, batches);
    compare("read_8_ns", fathom_read, raw_get, 8, 1000, batches);
    compare("put_8_ns", fathom_put, raw_put, 8, 1000, batches);
    compare("fetch_add_8_ns", fathom_add, raw_add, 8, 1000, batches);
    compare("get_1m_gbs", fathom_get, raw_get, LARGE, 10, batches);
    compare("put_1m_gbs", fathom_put, raw_put, LARGE, 10, batches);
}

/* Ends when thread 0 is done, of which only its own memory tells. */
static void sleep_until(const volatile uint64_t *done)
{
    while (*done == 0)
        usleep(1000);
}

int main(int argc, char **argv)
{
    size_t batches = bench_argument(argc, argv, 1, 51);
    if (pgas_init() != PGAS_OK)
        return 1;
    if (pgas_threads() != 2)
        pgas_fail(2, "two threads are needed, not %d", pgas_threads());
    pgas_ptr_t sides;
    pgas_ptr_t done;
    if (pgas_all_alloc(2, sizeof(side_t), &sides) != PGAS_OK ||
        pgas_all_alloc(2, LARGE, &words) != PGAS_OK || pgas_all_alloc(2, 8, &done) != PGAS_OK ||
        pgas_atomic_domain_create(PGAS_UINT64, PGAS_OP_SET(PGAS_ADD), &domain) != PGAS_OK)
        pgas_exit(1);
    if (pgas_atomic_domain_way(domain) != PGAS_BY_NETWORK)
        pgas_fail(2, "no remote memory access: PGAS_SEGMENT=ucx, UCX_TLS=posix,self and two nodes "
                     "are needed");
    words = pgas_ptr_on(words, 1);
    done = pgas_ptr_on(done, 1);
    buffer = bench_allocate(LARGE, 0);
    start_ucx();
    if (pgas_mythread() == 1)
        describe(pgas_local(pgas_ptr_on(sides, 1)));
    pgas_barrier();
    if (pgas_mythread() == 0) {
        static side_t side;
        pgas_memget(&side, pgas_ptr_on(sides, 1), sizeof side);
        connect_to(&side);
        warm_up();
    }
    pgas_barrier();
    if (pgas_mythread() == 0) {
        time_all(batches);
        PGAS_WRITE(uint64_t, done, 1);
        ucp_rkey_destroy(key);
    } else {
        sleep_until(pgas_local(done));
    }
    pgas_barrier();
    ucp_worker_destroy(worker);
    ucp_mem_unmap(context, memory);
    ucp_cleanup(context);
    free(buffer);
    pgas_atomic_domain_free(domain);
    pgas_finalize();
    return 0;
}
