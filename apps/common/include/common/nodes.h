/**
 * The nodes of the job. A launcher may place its threads in any order.
 */
#ifndef COMMON_NODES_H
#define COMMON_NODES_H

/** How many there are. */
int common_nodes(void);

#endif
