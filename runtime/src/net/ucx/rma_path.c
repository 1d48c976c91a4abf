#include "net/ucx/rma_path.h"

#include <stdio.h>
#include <string.h>

#include <uct/api/uct.h>

/* What UCX's own choice of a connection for puts and gets asks of a transport
 * (ucp_wireup_add_rma_lanes in UCX 1.13); one without is emulated. */
#define RMA_FLAGS \
    (UCT_IFACE_FLAG_PUT_SHORT | UCT_IFACE_FLAG_PUT_BCOPY | UCT_IFACE_FLAG_GET_BCOPY | \
     UCT_IFACE_FLAG_PENDING)

/* True if `word` is in a list of words with commas between. A word of the list may end in ":aux" or
 * start with '\\', which are UCX's marks. */
static bool has_word(const char *list, const char *word)
{
    size_t length = strlen(word);
    while (*list != '\0') {
        size_t span = strcspn(list, ",");
        size_t begin = *list == '\\' ? 1 : 0;
        size_t end = begin + strcspn(list + begin, ",:");
        if (end - begin == length && strncmp(list + begin, word, length) == 0)
            return true;
        list += span + (list[span] == ',');
    }
    return false;
}

/* UCX 1.13's; auxiliary transports, which only set connections up, are left out. */
static bool has_alias(const char *list, const char *name)
{
    static const struct {
        const char *alias;
        const char *names;
    } aliases[] = {
        {"mm", "posix,sysv,xpmem"},
        {"sm", "posix,sysv,xpmem,knem,cma"},
        {"shm", "posix,sysv,xpmem,knem,cma"},
        {"ib", "rc_verbs,ud_verbs,rc_mlx5,ud_mlx5,dc_mlx5"},
        {"ud_v", "ud_verbs"},
        {"ud_x", "ud_mlx5"},
        {"ud", "ud_mlx5,ud_verbs"},
        {"rc_v", "rc_verbs"},
        {"rc_x", "rc_mlx5"},
        {"rc", "rc_mlx5,rc_verbs"},
        {"dc", "dc_mlx5"},
        {"dc_x", "dc_mlx5"},
    };
    for (size_t i = 0; i < sizeof aliases / sizeof aliases[0]; i++)
        if (has_word(list, aliases[i].alias) && has_word(aliases[i].names, name))
            return true;
    return false;
}

bool pgasi_transport_is_enabled(const char *tls, const char *name)
{
    bool is_negated = tls[0] == '^';
    const char *list = tls + is_negated;
    if (!is_negated && has_word(list, "all"))
        return true;
    return (has_word(list, name) || has_alias(list, name)) != is_negated;
}

static bool has_rma(const pgasi_transport_t *transport, uint64_t domain_flags)
{
    return (transport->flags & RMA_FLAGS) == RMA_FLAGS &&
           (transport->domain_flags & domain_flags) == domain_flags;
}

/* Its memory is a file, which the node's other threads can map. Memory of "sysv" would outlive a
 * job that is killed. */
static bool is_for_shared(const pgasi_transport_t *transport)
{
    return !transport->is_network && strcmp(transport->name, "posix") == 0 &&
           has_rma(transport, UCT_MD_FLAG_ALLOC | UCT_MD_FLAG_NEED_RKEY);
}

static bool is_for_card(const pgasi_transport_t *transport)
{
    return transport->is_network && has_rma(transport, UCT_MD_FLAG_REG | UCT_MD_FLAG_NEED_RKEY);
}

static const pgasi_transport_t *find(const pgasi_rma_wish_t *wish,
                                     const pgasi_transport_t *transports, size_t count,
                                     bool (*is_suitable)(const pgasi_transport_t *transport))
{
    for (size_t i = 0; i < count; i++)
        if (pgasi_transport_is_enabled(wish->tls, transports[i].name) &&
            is_suitable(&transports[i]))
            return &transports[i];
    return NULL;
}

static void choose_shared(const pgasi_rma_wish_t *wish, const pgasi_transport_t *posix, bool is_off,
                          pgasi_rma_path_t *path)
{
    path->is_refused = !wish->one_host || posix == NULL;
    if (!wish->one_host) {
        snprintf(path->reason, sizeof path->reason, "PGAS_SEGMENT=ucx is for jobs on one host");
    } else if (posix == NULL && pgasi_transport_is_enabled(wish->tls, "posix")) {
        snprintf(
            path->reason, sizeof path->reason,
            "PGAS_SEGMENT=ucx needs the transport posix, which UCX does not offer: is there room "
            "in /dev/shm?");
    } else if (posix == NULL) {
        snprintf(
            path->reason, sizeof path->reason,
            "PGAS_SEGMENT=ucx needs the transport posix (UCX_TLS=posix,self), which UCX_TLS=%.64s "
            "leaves out",
            wish->tls);
    } else if (is_off) {
        snprintf(path->reason, sizeof path->reason, "PGAS_RMA=off");
    } else {
        path->kind = PGASI_RMA_SHARED;
        path->transport = *posix;
    }
}

static void choose_card(const pgasi_rma_wish_t *wish, const pgasi_transport_t *card, bool has_posix,
                        pgasi_rma_path_t *path)
{
    bool is_on = strcmp(wish->setting, "on") == 0;
    if (card != NULL)
        path->transport = *card;
    if (card != NULL && is_on) {
        path->kind = PGASI_RMA_CARD;
    } else if (card != NULL) {
        snprintf(path->reason, sizeof path->reason, "nobody has tried %s yet; PGAS_RMA=on does",
                 card->name);
    } else if (has_posix && wish->one_host) {
        snprintf(path->reason, sizeof path->reason,
                 "posix reaches only memory that UCX has made; PGAS_SEGMENT=ucx makes it so");
        path->is_refused = is_on;
    } else {
        snprintf(path->reason, sizeof path->reason,
                 "no transport of UCX_TLS=%.64s reads and writes remote memory by itself",
                 wish->tls);
        path->is_refused = is_on;
    }
}

void pgasi_rma_choose(const pgasi_rma_wish_t *wish, const pgasi_transport_t *transports,
                      size_t count, pgasi_rma_path_t *path)
{
    memset(path, 0, sizeof *path);
    bool is_off = strcmp(wish->setting, "off") == 0;
    const pgasi_transport_t *posix = find(wish, transports, count, is_for_shared);
    if (wish->segment_by_ucx)
        choose_shared(wish, posix, is_off, path);
    else if (is_off)
        snprintf(path->reason, sizeof path->reason, "PGAS_RMA=off");
    else
        choose_card(wish, find(wish, transports, count, is_for_card), posix != NULL, path);
}

bool pgasi_rma_reports_loss(const pgasi_rma_path_t *path)
{
    return path->kind == PGASI_RMA_NONE ||
           (path->transport.flags & UCT_IFACE_FLAG_ERRHANDLE_PEER_FAILURE) != 0;
}

int pgasi_rma_atomic_op(pgas_atomic_op_t op, pgas_type_t type)
{
    bool is_float = type == PGAS_FLOAT || type == PGAS_DOUBLE;
    switch (op) {
    case PGAS_LOAD:
        return UCT_ATOMIC_OP_ADD;
    case PGAS_STORE:
    case PGAS_SWAP:
        return UCT_ATOMIC_OP_SWAP;
    case PGAS_COMPARE_SWAP:
        return UCT_ATOMIC_OP_CSWAP;
    case PGAS_ADD:
    case PGAS_SUB:
    case PGAS_INC:
    case PGAS_DEC:
        return is_float ? -1 : UCT_ATOMIC_OP_ADD;
    case PGAS_AND:
        return UCT_ATOMIC_OP_AND;
    case PGAS_OR:
        return UCT_ATOMIC_OP_OR;
    case PGAS_XOR:
        return UCT_ATOMIC_OP_XOR;
    default:
        return -1;
    }
}

/* Over shared memory libuct of UCX 1.13.1, as Debian 12 compiles it, ignores the operand of the
 * fetching forms (uct_sm_ep_atomic64_fetch): x and x, x or x, x xor x. */
static bool is_broken(int op)
{
    return op == UCT_ATOMIC_OP_AND || op == UCT_ATOMIC_OP_OR || op == UCT_ATOMIC_OP_XOR;
}

bool pgasi_rma_has_atomics(const pgasi_rma_path_t *path, pgas_type_t type, uint32_t ops)
{
    const pgasi_transport_t *transport = &path->transport;
    if (path->kind == PGASI_RMA_NONE || (transport->flags & UCT_IFACE_FLAG_ATOMIC_CPU) == 0)
        return false;
    bool is_short = pgasi_size_of_type(type) == sizeof(uint32_t);
    uint64_t fetch = is_short ? transport->fetch32 : transport->fetch64;
    uint64_t post = is_short ? transport->ops32 : transport->ops64;
    for (unsigned i = 0; i < PGAS_ATOMIC_OPS; i++) {
        if ((ops >> i & 1) == 0)
            continue;
        int op = pgasi_rma_atomic_op((pgas_atomic_op_t)i, type);
        if (op < 0 || (fetch >> op & 1) == 0 || (path->kind == PGASI_RMA_SHARED && is_broken(op)))
            return false;
        bool is_posted = op != UCT_ATOMIC_OP_SWAP && op != UCT_ATOMIC_OP_CSWAP;
        if (is_posted && i != PGAS_LOAD && (post >> op & 1) == 0)
            return false;
    }
    return true;
}
