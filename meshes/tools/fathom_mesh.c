#include <hdf5.h>
#include <signal.h>
#include <stddef.h>

#include "command.h"
#include "support/cli.h"
#include "support/cli_command.h"

static const cli_command_t commands[] = {
    {"ventricle", "fathom-mesh ventricle", command_ventricle,
     "make a mesh of the heart's left ventricle and its diffusion matrix"},
    {"import", "fathom-mesh import", command_import,
     "read a TetGen mesh or a Matrix Market matrix"},
    {"order", "fathom-mesh order", command_order, "renumber cells for locality"},
    {"info", "fathom-mesh info", command_info, "say what a file holds"},
    {"export", "fathom-mesh export", command_export, "describe a mesh to ParaView (XDMF)"},
};

static void clean_up(int signal_number)
{
    mesh_temporaries_remove();
    signal(signal_number, SIG_DFL);
    raise(signal_number);
}

static void catch_signals(void)
{
    static const int caught[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGABRT, SIGPIPE, SIGXCPU};
    struct sigaction action = {.sa_handler = clean_up};
    sigfillset(&action.sa_mask);
    for (size_t s = 0; s < sizeof caught / sizeof caught[0]; s++) {
        struct sigaction before;
        sigaction(caught[s], NULL, &before);
        if (before.sa_handler != SIG_IGN)
            sigaction(caught[s], &action, NULL);
    }
}

int main(int argc, char **argv)
{
    cli_init("fathom-mesh");
    catch_signals();
    H5dont_atexit(); /* it crashes over a file that could not be written to its end */
    return cli_command_dispatch(
        "fathom-mesh", "Makes, reads, renumbers and exports tetrahedral meshes and their matrices.",
        commands, sizeof commands / sizeof commands[0], argc, argv);
}
