#include <meshes/temporary.h>

#include "command.h"
#include "support/cli.h"
#include "support/cli_command.h"

static const cli_command_t commands[] = {
    {"predict", "fathom-model predict", command_predict,
     "the time of a product, and what every thread does and moves"},
    {"heat", "fathom-model heat", command_heat, "the time of the heat equation's parts"},
    {"collective", "fathom-model collective", command_collective,
     "the time of a collective by each algorithm, and the best one"},
    {"compare", "fathom-model compare", command_compare,
     "measured parts beside predicted ones, thread by thread"},
    {"sweep", "fathom-model sweep", command_sweep, "predicted time over BLOCKSIZE"},
    {"traffic", "fathom-model traffic", command_traffic,
     "the time of a program's communication, by the traffic that it has counted"},
    {"tune", "fathom-model tune", command_tune, "the best BLOCKSIZE and variant, and why"},
};

int main(int argc, char **argv)
{
    cli_init("fathom-model");
    cli_clean_up_on_signal(mesh_temporaries_remove);
    return cli_command_dispatch("fathom-model",
                                "Predicts run times from counted traffic and measured parameters.",
                                commands, sizeof commands / sizeof commands[0], argc, argv);
}
