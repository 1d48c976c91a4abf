/* A build without a network: pgas_init refuses jobs of several nodes, so nothing gets past
 * pgasi_net_init. */
#include "net/net.h"

#include "base/log.h"

bool pgasi_net_is_up = false;

pgas_status_t pgasi_net_init(bool one_host)
{
    (void)one_host;
    pgasi_log_alike("this build has no network: all threads must be on one node");
    return PGAS_ERR_UNSUPPORTED;
}

void pgasi_net_leave_crashes_alone(void)
{
}

int pgasi_net_memory_open(uint64_t nbytes)
{
    (void)nbytes;
    return -1;
}

const char *pgasi_net_rma(void)
{
    return NULL;
}

uint64_t pgasi_net_rma_operations(void)
{
    return 0;
}

void pgasi_net_rma_reset(void)
{
}

bool pgasi_net_is_cut(uint64_t milliseconds, char *address, size_t size)
{
    (void)milliseconds;
    if (size > 0)
        address[0] = '\0';
    return false;
}

void pgasi_net_every_interval(void (*tick)(void))
{
    (void)tick;
}

bool pgasi_net_has_progress_thread(void)
{
    return false;
}

void pgasi_net_beside_install(const pgasi_net_beside_t *beside)
{
    (void)beside;
}

void pgasi_net_beside_alert(void)
{
}

void pgasi_net_beside_rouse(void)
{
}

void *pgasi_net_beside_begin(void)
{
    return NULL;
}

void pgasi_net_beside_end(void *own)
{
    (void)own;
}

unsigned pgasi_net_beside_progress(void)
{
    return 0;
}

bool pgasi_net_beside_arm(void)
{
    return true;
}

pgas_status_t pgasi_net_attach(uint32_t agent)
{
    (void)agent;
    return PGAS_OK;
}

void pgasi_net_detach(void)
{
}

bool pgasi_net_may_call(void)
{
    return false;
}

static PGAS_NORETURN void refuse(const char *call)
{
    pgasi_fatal(call, "this build has no network");
}

void pgasi_net_serve(pgasi_net_service_t service, pgasi_net_handler_t *handler)
{
    (void)service;
    (void)handler;
}

bool pgasi_net_has_gate(void)
{
    return false;
}

pgas_status_t pgasi_net_start(const pgasi_secrets_t *secrets)
{
    (void)secrets;
    return PGAS_ERR_UNSUPPORTED;
}

void pgasi_net_expect_end(void)
{
}

void pgasi_net_finalize(void)
{
}

void pgasi_net_wait_everybody(void)
{
}

void pgasi_net_wait_all(void)
{
}

pgasi_net_handle_t pgasi_net_get_nb(void *dst, pgas_ptr_t src, size_t nbytes)
{
    (void)dst;
    (void)src;
    (void)nbytes;
    refuse("get");
}

pgasi_net_handle_t pgasi_net_set_nb(pgas_ptr_t dst, int value, size_t nbytes)
{
    (void)dst;
    (void)value;
    (void)nbytes;
    refuse("set");
}

pgasi_net_handle_t pgasi_net_copy_nb(pgas_ptr_t dst, pgas_ptr_t src, size_t nbytes)
{
    (void)dst;
    (void)src;
    (void)nbytes;
    refuse("copy");
}

pgasi_net_handle_t pgasi_net_put_nb(pgas_ptr_t dst, const void *src, size_t nbytes)
{
    (void)dst;
    (void)src;
    (void)nbytes;
    refuse("put");
}

size_t pgasi_net_get_chunks_nb(void *dst, pgas_ptr_t src, const pgasi_chunks_t *chunks,
                               pgasi_net_handle_t *handle)
{
    (void)dst;
    (void)src;
    (void)chunks;
    (void)handle;
    refuse("get");
}

size_t pgasi_net_put_chunks_nb(pgas_ptr_t dst, const void *src, const pgasi_chunks_t *chunks,
                               pgasi_net_handle_t *handle)
{
    (void)dst;
    (void)src;
    (void)chunks;
    (void)handle;
    refuse("put");
}

bool pgasi_net_is_put(pgasi_net_handle_t handle)
{
    (void)handle;
    return false;
}

bool pgasi_net_is_done(pgasi_net_handle_t handle)
{
    return handle.bits == 0;
}

void pgasi_net_flush(pgasi_net_handle_t handle)
{
    (void)handle;
}

bool pgasi_net_test(pgasi_net_handle_t handle)
{
    (void)handle;
    refuse("test");
}

void pgasi_net_wait(pgasi_net_handle_t handle)
{
    (void)handle;
    refuse("wait");
}

void pgasi_net_wait_until(bool (*is_any_done)(const void *argument), const void *argument)
{
    (void)is_any_done;
    (void)argument;
    refuse("wait");
}

bool pgasi_net_wait_within(bool (*is_any_done)(const void *argument), const void *argument,
                           unsigned milliseconds)
{
    (void)is_any_done;
    (void)argument;
    (void)milliseconds;
    refuse("wait");
}

void pgasi_net_unbounded(bool yes)
{
    (void)yes;
}

void pgasi_net_get(void *dst, pgas_ptr_t src, size_t nbytes)
{
    (void)dst;
    (void)src;
    (void)nbytes;
    refuse("get");
}

void pgasi_net_put(pgas_ptr_t dst, const void *src, size_t nbytes)
{
    (void)dst;
    (void)src;
    (void)nbytes;
    refuse("put");
}

void pgasi_net_put_event(pgas_ptr_t dst, const void *src, size_t nbytes, uint64_t event)
{
    (void)dst;
    (void)src;
    (void)nbytes;
    (void)event;
    refuse("put");
}

pgasi_net_handle_t pgasi_net_put_signal_nb(pgas_ptr_t dst, const void *src, size_t nbytes,
                                           const pgasi_net_signal_t *signal)
{
    (void)dst;
    (void)src;
    (void)nbytes;
    (void)signal;
    refuse("put");
}

void pgasi_net_put_signal(pgas_ptr_t dst, const void *src, size_t nbytes,
                          const pgasi_net_signal_t *signal)
{
    (void)dst;
    (void)src;
    (void)nbytes;
    (void)signal;
    refuse("put");
}

pgasi_net_handle_t pgasi_net_atomic_nb(pgas_ptr_t at, const pgasi_net_atomic_t *atomic, void *old)
{
    (void)at;
    (void)atomic;
    (void)old;
    refuse("atomic");
}

pgasi_net_handle_t pgasi_net_update_nb(pgas_ptr_t at, const pgasi_net_atomic_t *atomic)
{
    (void)at;
    (void)atomic;
    refuse("atomic");
}

bool pgasi_net_has_atomics(pgas_type_t type, uint32_t ops)
{
    (void)type;
    (void)ops;
    return false;
}

bool pgasi_net_remote_atomic_nb(pgas_ptr_t at, const pgasi_net_atomic_t *atomic, void *old,
                                pgasi_net_handle_t *handle)
{
    (void)at;
    (void)atomic;
    (void)old;
    (void)handle;
    return false;
}

void pgasi_net_call(uint32_t thread, pgasi_net_service_t service, const void *request,
                    size_t nbytes, void *reply, size_t size)
{
    (void)thread;
    (void)service;
    (void)request;
    (void)nbytes;
    (void)reply;
    (void)size;
    refuse("call");
}

bool pgasi_net_call_within(unsigned milliseconds, uint32_t thread, pgasi_net_service_t service,
                           const void *request, size_t nbytes, void *reply, size_t size)
{
    (void)milliseconds;
    (void)thread;
    (void)service;
    (void)request;
    (void)nbytes;
    (void)reply;
    (void)size;
    return false;
}

void pgasi_net_send_put(pgas_ptr_t dst, const void *src, size_t nbytes, pgasi_net_service_t service,
                        const void *message, size_t size)
{
    (void)dst;
    (void)src;
    (void)nbytes;
    (void)service;
    (void)message;
    (void)size;
}

void pgasi_net_send(uint32_t thread, pgasi_net_service_t service, const void *message,
                    size_t nbytes)
{
    (void)thread;
    (void)service;
    (void)message;
    (void)nbytes;
    refuse("send");
}

void pgasi_net_wait_sent(void)
{
    refuse("wait");
}

void pgasi_net_linger(void)
{
    refuse("linger");
}

void pgasi_net_send_direct(uint32_t thread, pgasi_net_service_t service, const void *message,
                           size_t nbytes)
{
    (void)thread;
    (void)service;
    (void)message;
    (void)nbytes;
    refuse("send");
}

void pgasi_net_am_install(const pgasi_net_am_client_t *client)
{
    (void)client;
}

void pgasi_net_am_hold(void)
{
}

void pgasi_net_am_release(void)
{
}

void pgasi_net_am_send(uint32_t thread, const pgasi_net_am_t *am, const void *payload,
                       size_t nbytes, bool waits)
{
    (void)thread;
    (void)am;
    (void)payload;
    (void)nbytes;
    (void)waits;
    refuse("send");
}

void pgasi_net_am_wait(bool (*is_done)(const void *argument), const void *argument,
                       void (*describe)(char *text, size_t size))
{
    (void)is_done;
    (void)argument;
    (void)describe;
    refuse("wait");
}

uint64_t pgasi_net_lend(const void *src, size_t nbytes)
{
    (void)src;
    (void)nbytes;
    return 0;
}

void pgasi_net_lent_back(uint64_t offset)
{
    (void)offset;
}

const char *pgasi_net_lent_at(uint64_t offset)
{
    (void)offset;
    return NULL;
}

bool pgasi_net_progress_begin(void)
{
    return false;
}

unsigned pgasi_net_progress(void)
{
    return 0;
}

void pgasi_net_awake(void)
{
}

void pgasi_net_progress_end(bool going_to_sleep)
{
    (void)going_to_sleep;
}

unsigned pgasi_net_interval(void)
{
    return 0;
}
