#include <hdf5.h>
#include <stddef.h>
#include <stdlib.h>

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

int main(int argc, char **argv)
{
    cli_init("fathom-mesh");
    cli_clean_up_on_signal(mesh_temporaries_remove);
    H5dont_atexit(); /* it crashes over a file that could not be written to its end */
    /* It may crash if it finds too little memory, so it gets some before anything is begun. */
    if (H5open() < 0)
        cli_fail(EXIT_FAILURE, "HDF5 does not start: not enough memory");
    return cli_command_dispatch(
        "fathom-mesh", "Makes, reads, renumbers and exports tetrahedral meshes and their matrices.",
        commands, sizeof commands / sizeof commands[0], argc, argv);
}
