#include "base/loaded.h"

#include <dlfcn.h>

void pgasi_stay_loaded(void)
{
    static const char here;
    Dl_info info;
    if (dladdr(&here, &info) != 0)
        dlopen(info.dli_fname, RTLD_NOW | RTLD_NOLOAD | RTLD_NODELETE);
}
