#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "command.h"
#include "support/cli.h"

static const struct {
    const char *name;
    char *title;
    int (*run)(int argc, char **argv);
    const char *help;
} commands[] = {
    {"ventricle", "fathom-mesh ventricle", command_ventricle,
     "make a mesh of the heart's left ventricle and its diffusion matrix"},
    {"import", "fathom-mesh import", command_import,
     "read a TetGen mesh or a Matrix Market matrix"},
    {"order", "fathom-mesh order", command_order, "renumber cells for locality"},
    {"info", "fathom-mesh info", command_info, "say what a file holds"},
    {"export", "fathom-mesh export", command_export, "describe a mesh to ParaView (XDMF)"},
};

enum {
    COMMANDS = sizeof commands / sizeof commands[0]
};

static void print_help(void)
{
    printf("Usage: fathom-mesh COMMAND [OPTION...] ARGUMENTS\n"
           "Makes, reads, renumbers and exports tetrahedral meshes and their matrices.\n\n");
    for (size_t c = 0; c < COMMANDS; c++)
        printf("  %-10s %s\n", commands[c].name, commands[c].help);
    printf(
        "\n'fathom-mesh COMMAND --help' lists the options of a command; 'fathom-mesh --version'\n"
        "prints the version.\n");
}

static void clean_up(int signal_number)
{
    mesh_temporaries_remove();
    signal(signal_number, SIG_DFL);
    raise(signal_number);
}

static void catch_signals(void)
{
    static const int caught[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGPIPE, SIGXCPU, SIGXFSZ};
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
    if (argc < 2)
        cli_fail(CLI_EXIT_USAGE, "no command given; 'fathom-mesh --help' lists them");
    if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-?") == 0) {
        print_help();
        return EXIT_SUCCESS;
    }
    if (strcmp(argv[1], "--version") == 0 || strcmp(argv[1], "-V") == 0) {
        printf("%s\n", argp_program_version);
        return EXIT_SUCCESS;
    }
    catch_signals();
    for (size_t c = 0; c < COMMANDS; c++)
        if (strcmp(argv[1], commands[c].name) == 0) {
            argv[1] = commands[c].title;
            return commands[c].run(argc - 1, argv + 1);
        }
    cli_fail(CLI_EXIT_USAGE, "'%s' is not a command; 'fathom-mesh --help' lists them", argv[1]);
}
