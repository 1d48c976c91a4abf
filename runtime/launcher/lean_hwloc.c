#include "lean_hwloc.h"

#include <stddef.h>
#include <stdlib.h>

/* Plugins are looked for in a folder that is none. */
static const char *const settings[][2] = {
    {"HWLOC_PLUGINS_PATH", "/dev/null"},
    {"HWLOC_COMPONENTS", "-linux:pci,-linux:io,linux,stop"},
};

lean_hwloc_t lean_hwloc_begin(void)
{
    lean_hwloc_t lean = {{NULL}};
    /* One set by the user may need the others as they are; a topology of the user's is none of
     * these components'. */
    static const char *const others[] = {"HWLOC_XMLFILE", "HWLOC_SYNTHETIC", "HWLOC_FSROOT"};
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (getenv(others[i]) != NULL)
            return lean;
    for (size_t i = 0; i < sizeof settings / sizeof *settings; i++)
        if (getenv(settings[i][0]) != NULL)
            return lean;
    for (size_t i = 0; i < sizeof settings / sizeof *settings; i++)
        if (setenv(settings[i][0], settings[i][1], 0) == 0)
            lean.set[i] = settings[i][0];
    return lean;
}

void lean_hwloc_end(const lean_hwloc_t *lean)
{
    for (size_t i = 0; i < sizeof lean->set / sizeof *lean->set; i++)
        if (lean->set[i] != NULL)
            unsetenv(lean->set[i]);
}
