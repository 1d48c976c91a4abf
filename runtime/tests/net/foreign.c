/**
 * What another user of the machine can try with the ports of a job: forged messages from someone
 * who knows everything but the secret, garbage, slow and half-open connections, and what UCX itself
 * does for whoever is connected. See foreign.sh.
 *
 * Usage: runtime_foreign inject ADDRESS-FILE...
 *        runtime_foreign garbage|greeting|slow|open PORT...
 *        runtime_foreign put PORT:ADDRESS...
 */
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include <ucp/api/ucp.h>

#include "net/ucx/wire.h"
#include "random.h"

enum {
    ADDRESS_MAX = 4096,
    FORGED = 2000,
    CONNECTIONS = 40,
    MOST_BYTES = 3000
};

/* UCX's greeting over TCP. */
#define GREETING UINT64_C(0xCAFEBABE12345678)

static uint64_t state;

static void fail(const char *what)
{
    fprintf(stderr, "runtime_foreign: %s\n", what);
    exit(1);
}

/* A forged header: its places are valid, its secret is not. */
static size_t forge(unsigned id, pgasi_ucx_header_t *header)
{
    memset(header, 0, sizeof *header);
    header->secret = random_next(&state);
    switch (id) {
    case PGASI_UCX_PUT:
        header->put.numbered.number = 1 + random_below(&state, 100);
        header->put.offset = 4096 + random_below(&state, 100000);
        return sizeof header->put;
    case PGASI_UCX_SET:
        header->set.numbered.number = 1 + random_below(&state, 100);
        header->set.offset = 4096;
        header->set.nbytes = 100000;
        return sizeof header->set;
    case PGASI_UCX_LARGE_PUT:
    case PGASI_UCX_FORWARD:
        header->large_put.offset = 4096 + random_below(&state, 100000);
        return sizeof header->large_put;
    case PGASI_UCX_MESSAGE_PUT:
        header->message_put.offset = 4096;
        return sizeof header->message_put;
    case PGASI_UCX_EVENT:
        header->event.offset = 4096;
        header->event.event = 8192;
        return sizeof header->event;
    default:
        return random_below(&state, sizeof *header + 1);
    }
}

static ucp_worker_h make_worker(void)
{
    ucp_config_t *config;
    ucp_context_h context;
    ucp_worker_h worker = NULL;
    ucp_params_t params = {.field_mask = UCP_PARAM_FIELD_FEATURES, .features = UCP_FEATURE_AM};
    ucp_worker_params_t worker_params = {.field_mask = UCP_WORKER_PARAM_FIELD_THREAD_MODE};
    if (ucp_config_read(NULL, NULL, &config) != UCS_OK ||
        ucp_init(&params, config, &context) != UCS_OK ||
        ucp_worker_create(context, &worker_params, &worker) != UCS_OK)
        fail("no UCX");
    ucp_config_release(config);
    return worker;
}

static void on_lost(void *arg, ucp_ep_h ep, ucs_status_t status)
{
    (void)ep;
    (void)status;
    *(bool *)arg = true;
}

static void inject(const char *file)
{
    static char address[ADDRESS_MAX];
    static char payload[200000];
    static pgasi_ucx_header_t headers[FORGED]; /* UCX may need them for long */
    FILE *in = fopen(file, "re");
    if (in == NULL || fread(address, 1, sizeof address, in) == 0)
        fail("no address");
    fclose(in);
    bool lost = false;
    ucp_worker_h worker = make_worker();
    ucp_ep_h ep;
    ucp_ep_params_t params = {
        .field_mask = UCP_EP_PARAM_FIELD_REMOTE_ADDRESS | UCP_EP_PARAM_FIELD_ERR_HANDLING_MODE |
                      UCP_EP_PARAM_FIELD_ERR_HANDLER,
        .address = (const ucp_address_t *)(const void *)address,
        .err_mode = UCP_ERR_HANDLING_MODE_PEER,
        .err_handler = {.cb = on_lost, .arg = &lost},
    };
    if (ucp_ep_create(worker, &params, &ep) != UCS_OK)
        fail("no endpoint");
    memset(payload, 0xff, sizeof payload);
    for (int i = 0; i < FORGED && !lost; i++) {
        unsigned id = (unsigned)random_below(&state, 40);
        size_t size = forge(id, &headers[i]);
        size_t nbytes = random_below(&state, 50) == 0 ? sizeof payload : random_below(&state, 5000);
        ucp_request_param_t request = {
            .op_attr_mask = UCP_OP_ATTR_FIELD_FLAGS,
            .flags = random_below(&state, 2) == 0 ? UCP_AM_SEND_FLAG_REPLY : 0};
        ucp_am_send_nbx(ep, id, &headers[i], size, payload, nbytes, &request);
        ucp_worker_progress(worker);
    }
    /* UCX 1.13 at the other end crashes when a peer ends while it is connecting. */
    ucp_request_param_t nothing = {0};
    ucs_status_ptr_t flush = ucp_ep_flush_nbx(ep, &nothing);
    while (!lost && UCS_PTR_IS_PTR(flush) && ucp_request_check_status(flush) == UCS_INPROGRESS)
        ucp_worker_progress(worker);
    for (int i = 0; i < 200000 && !lost; i++)
        ucp_worker_progress(worker);
}

static int connect_to(int port)
{
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons((uint16_t)port)};
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (fd < 0 || connect(fd, (struct sockaddr *)&address, sizeof address) != 0)
        fail(strerror(errno));
    return fd;
}

/* Meaningless bytes, after the first `known` ones. */
static void send_garbage(int port, const void *known, size_t count)
{
    char bytes[MOST_BYTES];
    for (int i = 0; i < CONNECTIONS; i++) {
        int fd = connect_to(port);
        size_t nbytes = count + random_below(&state, sizeof bytes - count);
        for (size_t k = 0; k < nbytes; k++)
            bytes[k] = (char)random_next(&state);
        memcpy(bytes, known, count);
        if (send(fd, bytes, nbytes, MSG_NOSIGNAL) < 0 && errno != ECONNRESET && errno != EPIPE)
            fail(strerror(errno));
        close(fd);
    }
}

/* A put of UCX's transport over TCP, which UCX executes for whoever has sent its greeting. */
static void put(int port, const char *place)
{
    struct __attribute__((packed)) {
        uint64_t greeting;
        uint8_t opcode;
        uint32_t length;
        uint64_t address;
        uint64_t nbytes;
        uint32_t number;
        unsigned char bytes[8];
    } message = {
        .greeting = GREETING,
        .opcode = 33,
        .length = sizeof message.address + sizeof message.nbytes + sizeof message.number,
        .address = strtoull(place, NULL, 16),
        .nbytes = 1 << 20, /* the rest never comes, and so no acknowledgement is due */
        .number = 1,
        .bytes = {1, 2, 3, 4, 5, 6, 7, 8},
    };
    int fd = connect_to(port);
    if (send(fd, &message, sizeof message, MSG_NOSIGNAL) < 0)
        fail(strerror(errno));
    usleep(500000); /* UCX puts the bytes when somebody progresses it */
    close(fd);
}

/* Sends a byte now and then. */
static void send_slowly(int port)
{
    int fd = connect_to(port);
    for (int i = 0; i < 30; i++) {
        char byte = (char)random_next(&state);
        if (send(fd, &byte, 1, MSG_NOSIGNAL) < 0)
            break;
        usleep(30000);
    }
    close(fd);
}

static void leave_open(int port)
{
    int fds[CONNECTIONS];
    for (int i = 0; i < CONNECTIONS; i++)
        fds[i] = connect_to(port);
    usleep(500000);
    for (int i = 0; i < CONNECTIONS; i++)
        close(fds[i]);
}

int main(int argc, char **argv)
{
    static const uint64_t greeting = GREETING;
    state = random_seed();
    for (int i = 2; i < argc; i++) {
        int port = atoi(argv[i]);
        if (strcmp(argv[1], "inject") == 0)
            inject(argv[i]);
        else if (strcmp(argv[1], "garbage") == 0)
            send_garbage(port, "", 0);
        else if (strcmp(argv[1], "greeting") == 0)
            send_garbage(port, &greeting, sizeof greeting);
        else if (strcmp(argv[1], "put") == 0)
            put(port, strchr(argv[i], ':') + 1);
        else if (strcmp(argv[1], "slow") == 0)
            send_slowly(port);
        else
            leave_open(port);
    }
    return 0;
}
