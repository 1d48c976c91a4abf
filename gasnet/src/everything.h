/**
 * GASNET_SEGMENT_EVERYTHING: all memory of every node can be reached, stack, heap and static data
 * included. Addresses are the owner's.
 *
 * To a node of the same supernode a copy goes by process_vm_readv and process_vm_writev, and is
 * complete when it returns, if the system allows that (GASNET_PROCESS_VM=0 does not use it).
 * Otherwise, and to other supernodes, it goes by active messages, whose handlers load and store at
 * the owner: in its progress thread if they come from another supernode, else when it polls.
 *
 * An address that its owner cannot access ends the job with a line that names call, node and
 * address, unless the program handles SIGSEGV itself.
 */
#ifndef GASNETI_EVERYTHING_H
#define GASNETI_EVERYTHING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/uio.h>

#include <pgas/am.h>
#include <pgas/async.h>
#include <pgas/types.h>
#include <pgas/vis.h>

#include <gasnet.h>

/** Whether the job has this configuration; from gasnet_init on, the same on all nodes. */
extern bool gasneti_everything;

/** The most bytes of a long message: one medium message carries it, and where it goes. */
#define GASNETI_EVERYTHING_MAX_LONG (GASNETI_MAX_MEDIUM - sizeof(gasneti_placed_t))

/** Registers handlers; before pgas_init. */
void gasneti_everything_register(void);

/** Finds out which nodes can be reached without messages. Collective; after pgas_init, and a
 *  barrier must follow. Ends the job if nodes have different configurations. */
void gasneti_everything_start(void);

/* ---- Copies; in the runtime ---- */

/*
 * A place's offset is an address. Each starts a copy of any size, and returns its handle, which
 * may be the complete one. Sources may be reused. `call` is what a line about a wrong address
 * names.
 */
pgas_handle_t gasneti_everything_put(const char *call, pgas_ptr_t dst, const void *src,
                                     size_t nbytes);
pgas_handle_t gasneti_everything_get(const char *call, void *dst, pgas_ptr_t src, size_t nbytes);
pgas_handle_t gasneti_everything_set(const char *call, pgas_ptr_t dst, int value, size_t nbytes);

/** Several copies with one handle: begin, copies of one node's memory, end. */
typedef struct gasneti_op gasneti_op_t;
gasneti_op_t *gasneti_op_begin(void);
void gasneti_op_put(gasneti_op_t *op, const char *call, pgas_ptr_t dst, const void *src,
                    size_t nbytes);
void gasneti_op_get(gasneti_op_t *op, const char *call, void *dst, pgas_ptr_t src, size_t nbytes);
pgas_handle_t gasneti_op_end(gasneti_op_t *op);

/** One more message of the operation will be replied to; waits while many are. And its reply has
 *  come. */
void gasneti_op_expect(gasneti_op_t *op);
void gasneti_op_replied(gasneti_op_t *op);

/** Whether a handle is one of these; and whether its copy is complete, when it is freed. The test
 *  polls if it says so, which may run handlers. */
bool gasneti_is_op(pgas_handle_t handle);
bool gasneti_op_test(pgas_handle_t handle, bool polls);

/* ---- Parts of such copies ---- */

/** Copies `count` pieces between memory here and memory of `node`, without messages, where that is
 *  allowed. How many bytes it could: all but those from the first page on that the system cannot
 *  access. */
size_t gasneti_everything_move(const char *call, bool is_get, gasnet_node_t node,
                               const struct iovec *here, const struct iovec *there, size_t count);

/** Stores and loads here for `source`, which a line about a wrong address names. */
void gasneti_everything_store(gasnet_node_t source, uint64_t addr, const void *src, size_t nbytes);
void gasneti_everything_load(gasnet_node_t source, void *dst, uint64_t addr, size_t nbytes);

/* ---- Long messages ---- */

/** What a medium message that stands for a long one begins with; the bytes follow, unless they are
 *  in place already. */
typedef struct gasneti_placed {
    uint64_t addr;
    uint32_t handler;
    uint32_t nbytes;
} gasneti_placed_t;

/** A message for gasneti_everything_place at `node`, to be freed; `*size` gets its size. */
gasneti_placed_t *gasneti_everything_pack(const char *call, gasnet_node_t node,
                                          gasnet_handler_t handler, const void *src, size_t nbytes,
                                          const void *dest, size_t *size);

/** Stores what has come with a message of `size` bytes from `source`. */
void gasneti_everything_place(gasnet_node_t source, const gasneti_placed_t *placed, size_t size);

#endif
