#include "common/nodes.h"

#include <pgas/pgas.h>

int common_nodes(void)
{
    int last = 0;
    for (int t = 0; t < pgas_threads(); t++)
        if (pgas_node_of(t) > last)
            last = pgas_node_of(t);
    return last + 1;
}
