/* A library of the program's, as those of the network: its destructor says that exit has run it. */
#include <unistd.h>

int witness(void);

__attribute__((visibility("default"))) int witness(void)
{
    return 1;
}

__attribute__((destructor)) static void leave(void)
{
    static const char words[] = "destructor\n";
    if (write(STDOUT_FILENO, words, sizeof words - 1) < 0)
        _exit(9);
}
