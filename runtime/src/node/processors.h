/**
 * Whether the threads of a host have a processor each: who shares one loses a time slice by each
 * meeting. Hosts may share theirs, too: containers of one machine.
 */
#ifndef PGASI_NODE_PROCESSORS_H
#define PGASI_NODE_PROCESSORS_H

#include <stdbool.h>
#include <stdint.h>

/** Tells the node's threads on which processors the caller may run. When the node's memory is
 *  mapped. */
void pgasi_processors_tell(void);

/** After a barrier of the node behind that: finds out whether its threads may run on as many
 *  processors as there are threads on the host, `host_count`, and whether the machine has as many
 *  as its hosts have threads of the job. All threads of the node find the same. Emulated nodes
 *  whose threads are bound have fewer than that. */
void pgasi_processors_count(uint32_t host_count);

/** What that has found, as what follows; the same until the job ends. */
bool pgasi_has_processors(void);

/** Whether it has found fewer processors than threads of the node, or whether the machine has fewer
 *  than hosts on it have threads of the job. */
bool pgasi_processors_are_few(void);

#endif
