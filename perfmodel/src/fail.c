#include "fail.h"

#include <stdarg.h>
#include <stdio.h>

void modeli_report(mesh_error_t *error, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    vsnprintf(error->text, sizeof error->text, format, args);
    va_end(args);
}
