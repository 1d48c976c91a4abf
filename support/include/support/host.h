/**
 * Which machine this is, as far as it matters to what was measured on it.
 */
#ifndef SUPPORT_HOST_H
#define SUPPORT_HOST_H

#include <stddef.h>

/** The host's name up to the first dot, or "unknown". Text that does not fit is cut. */
void host_name(char *name, size_t nbytes);

/** The processor's model as the system names it, on x86 with family and model, which tell apart
 *  what has one name: "AMD EPYC (family 26, model 2)"; else the architecture. Cut likewise. */
void host_processor(char *name, size_t nbytes);

/** The same from the text of a file like /proc/cpuinfo; `architecture` where that names no model.
 */
void host_processor_of(const char *cpuinfo, const char *architecture, char *name, size_t nbytes);

#endif
