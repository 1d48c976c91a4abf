#include "environment.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "support/cli.h"

void environment_set(const char *name, const char *value, bool replaces)
{
    if (setenv(name, value, replaces ? 1 : 0) != 0)
        cli_fail(EXIT_FAILURE, "%s=%s: %s", name, value, strerror(errno));
}
