#include <stdio.h>
#include <stdlib.h>

#include "command.h"
#include "support/cli.h"

typedef struct options {
    const char *xdmf;
    const char *file;
} options_t;

static const struct argp_option option_list[] = {
    {"xdmf", 'x', "OUT.xdmf", 0, "The file to write (needed)", 0},
    {0},
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
    options_t *options = state->input;
    switch (key) {
    case 'x':
        options->xdmf = arg;
        return 0;
    case ARGP_KEY_ARG:
        if (options->file != NULL)
            cli_fail(CLI_EXIT_USAGE, "'%s': one file at a time", arg);
        options->file = arg;
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

int command_export(int argc, char **argv)
{
    static const struct argp argp = {
        .options = option_list,
        .parser = parse,
        .args_doc = "--xdmf OUT.xdmf FILE.h5",
        .doc = "Writes an XDMF file that lets ParaView or VisIt show the mesh of a mesh file, with "
               "the volume and the original number of every cell. It refers to the mesh file and "
               "copies nothing.",
    };
    options_t options = {0};
    mesh_error_t error;
    cli_parse(&argp, 0, argc, argv, &options);
    if (options.xdmf == NULL || options.file == NULL)
        cli_fail(CLI_EXIT_USAGE, "needed: --xdmf OUT.xdmf and a mesh file; see '%s --help'",
                 argv[0]);
    const cli_file_t files[] = {{"FILE.h5", options.file, 0}, {"--xdmf", options.xdmf, 1}};
    cli_check_files(files, sizeof files / sizeof files[0]);
    if (!mesh_xdmf_write(options.file, options.xdmf, &error))
        command_fail(&error);
    printf("%s: shows the mesh of %s\n", options.xdmf, options.file);
    return EXIT_SUCCESS;
}
