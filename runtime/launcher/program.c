#include "program.h"

#include <elf.h>
#include <fcntl.h>
#include <limits.h>
#include <link.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
    MOST_SEGMENTS = 64,
    LONGEST_NAME = 256
};

/* An ELF file of this machine's kind. */
typedef struct image {
    int fd;
    size_t count;
    ElfW(Phdr) segments[MOST_SEGMENTS];
} image_t;

/* A pipe that has the program's name must not wait for a writer. */
static int open_file(const char *name)
{
    return open(name, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
}

static int open_program(const char *name)
{
    if (strchr(name, '/') != NULL)
        return open_file(name);
    const char *path = getenv("PATH");
    while (path != NULL && *path != '\0') {
        char file[PATH_MAX];
        int length = (int)strcspn(path, ":");
        snprintf(file, sizeof file, "%.*s/%s", length, path, name);
        if (access(file, X_OK) == 0)
            return open_file(file);
        path += length + (path[length] == ':');
    }
    return -1;
}

static bool read_at(int fd, uint64_t offset, void *bytes, size_t nbytes)
{
    return pread(fd, bytes, nbytes, (off_t)offset) == (ssize_t)nbytes;
}

static bool read_image(image_t *image)
{
    ElfW(Ehdr) header;
    if (!read_at(image->fd, 0, &header, sizeof header) ||
        memcmp(header.e_ident, ELFMAG, SELFMAG) != 0 ||
        header.e_ident[EI_CLASS] != (sizeof(void *) == 8 ? ELFCLASS64 : ELFCLASS32) ||
        header.e_phentsize != sizeof image->segments[0])
        return false;
    image->count = header.e_phnum < MOST_SEGMENTS ? header.e_phnum : MOST_SEGMENTS;
    return read_at(image->fd, header.e_phoff, image->segments,
                   image->count * sizeof image->segments[0]);
}

static const ElfW(Phdr) * find_dynamic(const image_t *image)
{
    for (size_t i = 0; i < image->count; i++)
        if (image->segments[i].p_type == PT_DYNAMIC)
            return &image->segments[i];
    return NULL;
}

/* The position in the file of an address of the program; 0 if it is not in the file. */
static uint64_t offset_of(const image_t *image, uint64_t address)
{
    for (size_t i = 0; i < image->count; i++) {
        const ElfW(Phdr) *segment = &image->segments[i];
        if (segment->p_type == PT_LOAD && address >= segment->p_vaddr &&
            address - segment->p_vaddr < segment->p_filesz)
            return segment->p_offset + (address - segment->p_vaddr);
    }
    return 0;
}

/* Reads entry `i` of the dynamic section; false behind the last. */
static bool read_entry(const image_t *image, const ElfW(Phdr) * dynamic, size_t i,
                       ElfW(Dyn) * entry)
{
    return (i + 1) * sizeof *entry <= dynamic->p_filesz &&
           read_at(image->fd, dynamic->p_offset + i * sizeof *entry, entry, sizeof *entry) &&
           entry->d_tag != DT_NULL;
}

static bool find_mpi(const image_t *image, char *library, size_t size)
{
    const ElfW(Phdr) *dynamic = find_dynamic(image);
    ElfW(Dyn) entry;
    uint64_t names = 0;
    for (size_t i = 0; dynamic != NULL && read_entry(image, dynamic, i, &entry); i++)
        if (entry.d_tag == DT_STRTAB)
            names = offset_of(image, entry.d_un.d_ptr);
    for (size_t i = 0; names != 0 && read_entry(image, dynamic, i, &entry); i++) {
        char name[LONGEST_NAME] = "";
        if (entry.d_tag != DT_NEEDED ||
            pread(image->fd, name, sizeof name - 1, (off_t)(names + entry.d_un.d_val)) <= 0)
            continue;
        if (strncmp(name, "libmpi", 6) == 0) {
            snprintf(library, size, "%s", name);
            return true;
        }
    }
    return false;
}

bool program_uses_mpi(const char *name, char *library, size_t size)
{
    image_t image = {.fd = open_program(name)};
    if (image.fd < 0)
        return false;
    bool uses = read_image(&image) && find_mpi(&image, library, size);
    close(image.fd);
    return uses;
}
