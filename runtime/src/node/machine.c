#include "node/machine.h"

#include <fcntl.h>
#include <string.h>
#include <unistd.h>

void pgasi_machine_tell(char machine[PGASI_MACHINE_LENGTH])
{
    memset(machine, 0, PGASI_MACHINE_LENGTH);
    int file = open("/proc/sys/kernel/random/boot_id", O_RDONLY | O_CLOEXEC);
    if (file < 0)
        return;
    if (read(file, machine, PGASI_MACHINE_LENGTH - 1) < 0)
        machine[0] = '\0';
    close(file);
}
