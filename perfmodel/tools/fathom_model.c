#include "command.h"
#include "support/cli.h"
#include "support/cli_command.h"

static const cli_command_t commands[] = {
    {"predict", "fathom-model predict", command_predict,
     "the time of a product, and what every thread does and moves"},
};

int main(int argc, char **argv)
{
    cli_init("fathom-model");
    return cli_command_dispatch(
        "fathom-model", "Predicts run times from counted traffic and measured parameters.",
        commands, sizeof commands / sizeof commands[0], argc, argv);
}
