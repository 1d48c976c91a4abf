#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/cli.h"

enum {
    KEY_USAGE = 0x7000
};

static const struct argp_option common_options[] = {
    {"help", '?', NULL, 0, "Give this help list", -1},
    {"usage", KEY_USAGE, NULL, 0, "Give a short usage message", -1},
    {"version", 'V', NULL, 0, "Print program version", -1},
    {0},
};

/* The options whose long names begin with a text; one that equals the text is the only one. */
typedef struct candidates {
    const struct argp_option *first;
    const struct argp_option *second;
} candidates_t;

static bool ends_list(const struct argp_option *option)
{
    return option->name == NULL && option->key == 0 && option->doc == NULL;
}

static void find_long(const struct argp *argp, const char *name, size_t length,
                      candidates_t *candidates)
{
    for (const struct argp_option *o = argp->options; o != NULL && !ends_list(o); o++) {
        if (o->name == NULL || strncmp(o->name, name, length) != 0)
            continue;
        bool is_whole = o->name[length] == '\0';
        const struct argp_option *known = candidates->first;
        if (known != NULL && known->name[length] == '\0')
            return;
        if (known == NULL || is_whole)
            *candidates = (candidates_t){o, NULL};
        else
            candidates->second = o;
    }
    for (const struct argp_child *c = argp->children; c != NULL && c->argp != NULL; c++)
        find_long(c->argp, name, length, candidates);
}

static const struct argp_option *find_short(const struct argp *argp, char letter)
{
    const struct argp_option *found = NULL;
    for (const struct argp_option *o = argp->options; o != NULL && !ends_list(o); o++)
        if (o->key == letter)
            return o;
    for (const struct argp_child *c = argp->children; c != NULL && c->argp != NULL; c++)
        if (found == NULL)
            found = find_short(c->argp, letter);
    return found;
}

static bool needs_value(const struct argp_option *option)
{
    return option->arg != NULL && (option->flags & OPTION_ARG_OPTIONAL) == 0;
}

static void refuse_long(const struct argp_state *state, const char *word)
{
    candidates_t candidates = {NULL, NULL};
    const char *name = word + 2;
    size_t length = strcspn(name, "=");
    int shown = (int)length + 2;
    find_long(state->root_argp, name, length, &candidates);
    if (candidates.first == NULL)
        cli_fail(CLI_EXIT_USAGE, "'%.*s' is not an option; see '%s --help'", shown, word,
                 state->name);
    if (candidates.second != NULL)
        cli_fail(CLI_EXIT_USAGE, "'%.*s' may be '--%s' or '--%s'; see '%s --help'", shown, word,
                 candidates.first->name, candidates.second->name, state->name);
    if (needs_value(candidates.first) && name[length] == '\0')
        cli_fail(CLI_EXIT_USAGE, "'--%s' lacks its value; see '%s --help'", candidates.first->name,
                 state->name);
    if (candidates.first->arg == NULL && name[length] == '=')
        cli_fail(CLI_EXIT_USAGE, "'--%s' takes no value; see '%s --help'", candidates.first->name,
                 state->name);
}

/* Reads letters after one dash: options, up to one that takes the rest as its value. */
static void refuse_short(const struct argp_state *state, const char *word)
{
    for (const char *letter = word + 1; *letter != '\0'; letter++) {
        const struct argp_option *option = find_short(state->root_argp, *letter);
        if (option == NULL)
            cli_fail(CLI_EXIT_USAGE, "'-%c' is not an option; see '%s --help'", *letter,
                     state->name);
        if (needs_value(option) && letter[1] == '\0')
            cli_fail(CLI_EXIT_USAGE, "'-%c' lacks its value; see '%s --help'", *letter,
                     state->name);
        if (option->arg != NULL)
            return;
    }
}

/* argp does not say which option getopt refused: it is the word before the next one, or the next
 * one itself if the option is not the last of its letters. */
_Noreturn static void refuse(const struct argp_state *state)
{
    for (int w = state->next - 1; w <= state->next && w < state->argc; w++) {
        const char *word = state->argv[w];
        if (w > 0 && strncmp(word, "--", 2) == 0 && word[2] != '\0')
            refuse_long(state, word);
        else if (w > 0 && word[0] == '-' && word[1] != '\0' && word[1] != '-')
            refuse_short(state, word);
    }
    cli_fail(CLI_EXIT_USAGE, "the command line makes no sense; see '%s --help'", state->name);
}

/* NOLINTNEXTLINE(readability-non-const-parameter): the signature is argp's. */
static error_t parse_common(int key, char *arg, struct argp_state *state)
{
    (void)arg;
    switch (key) {
    case '?':
        argp_help(state->root_argp, stdout, ARGP_HELP_SHORT_USAGE | ARGP_HELP_LONG | ARGP_HELP_DOC,
                  state->name);
        exit(EXIT_SUCCESS);
    case KEY_USAGE:
        argp_help(state->root_argp, stdout, ARGP_HELP_USAGE, state->name);
        exit(EXIT_SUCCESS);
    case 'V':
        printf("%s\n", argp_program_version);
        exit(EXIT_SUCCESS);
    case ARGP_KEY_ERROR:
        refuse(state);
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

void cli_parse(const struct argp *argp, unsigned flags, int argc, char **argv, void *input)
{
    static const struct argp common = {common_options, parse_common, NULL, NULL, NULL, NULL, NULL};
    struct argp_child children[CLI_CHILDREN_MAX + 2] = {{0}};
    struct argp whole = *argp;
    size_t count = 0;
    for (; argp->children != NULL && argp->children[count].argp != NULL; count++)
        children[count] = argp->children[count];
    children[count] = (struct argp_child){&common, 0, NULL, -1};
    whole.children = children;
    argp_parse(&whole, argc, argv, flags | ARGP_NO_ERRS | ARGP_NO_HELP, NULL, input);
}
