#include "net/ucx/imports.h"

#include <dlfcn.h>
#include <link.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* The relocations by which a library names a function of another one. */
#if defined(__x86_64__)
enum {
    BY_CALL = R_X86_64_JUMP_SLOT,
    BY_ADDRESS = R_X86_64_GLOB_DAT
};
#elif defined(__aarch64__)
enum {
    BY_CALL = R_AARCH64_JUMP_SLOT,
    BY_ADDRESS = R_AARCH64_GLOB_DAT
};
#else
enum {
    BY_CALL = -1,
    BY_ADDRESS = -1
};
#endif

typedef struct library {
    ElfW(Addr) base;
    const ElfW(Sym) * symbols;
    const char *names;
    /* Relocations of calls, and all others. */
    const ElfW(Rela) * lists[2];
    size_t counts[2];
    /* What the linker has made read-only since, and whole pages of it. */
    uintptr_t locked;
    uintptr_t locked_end;
} library_t;

static void *pointer(uintptr_t place)
{
    void *at;
    memcpy(&at, &place, sizeof at);
    return at;
}

/* The C library has made addresses of what it may write to, on most processors. */
static const void *address(const library_t *library, ElfW(Addr) place)
{
    return pointer(place < library->base ? library->base + place : place);
}

static int find_locked(struct dl_phdr_info *info, size_t size, void *context)
{
    (void)size;
    library_t *library = context;
    uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
    if (info->dlpi_addr != library->base)
        return 0;
    for (size_t i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *part = &info->dlpi_phdr[i];
        if (part->p_type != PT_GNU_RELRO)
            continue;
        library->locked = (library->base + part->p_vaddr) & ~(page - 1);
        library->locked_end = (library->base + part->p_vaddr + part->p_memsz) & ~(page - 1);
    }
    return 1;
}

static bool open_library(void (*inside)(void), library_t *library)
{
    Dl_info info;
    struct link_map *map = NULL;
    if (dladdr1(pointer((uintptr_t)inside), &info, (void **)&map, RTLD_DL_LINKMAP) == 0 ||
        map == NULL || map->l_prev == NULL)
        return false;
    *library = (library_t){.base = map->l_addr};
    bool has_addends = true;
    for (const ElfW(Dyn) *entry = map->l_ld; entry->d_tag != DT_NULL; entry++) {
        if (entry->d_tag == DT_SYMTAB)
            library->symbols = address(library, entry->d_un.d_ptr);
        else if (entry->d_tag == DT_STRTAB)
            library->names = address(library, entry->d_un.d_ptr);
        else if (entry->d_tag == DT_JMPREL)
            library->lists[0] = address(library, entry->d_un.d_ptr);
        else if (entry->d_tag == DT_PLTRELSZ)
            library->counts[0] = entry->d_un.d_val / sizeof(ElfW(Rela));
        else if (entry->d_tag == DT_RELA)
            library->lists[1] = address(library, entry->d_un.d_ptr);
        else if (entry->d_tag == DT_RELASZ)
            library->counts[1] = entry->d_un.d_val / sizeof(ElfW(Rela));
        else if (entry->d_tag == DT_PLTREL)
            has_addends = entry->d_un.d_val == DT_RELA;
    }
    dl_iterate_phdr(find_locked, library);
    return has_addends && library->symbols != NULL && library->names != NULL;
}

static bool names(const library_t *library, const ElfW(Rela) * relocation, const char *name)
{
    const ElfW(Sym) *symbol = &library->symbols[ELF64_R_SYM(relocation->r_info)];
    return symbol->st_shndx == SHN_UNDEF && strcmp(library->names + symbol->st_name, name) == 0;
}

static bool is_known(const ElfW(Rela) * relocation)
{
    int type = (int)ELF64_R_TYPE(relocation->r_info);
    return type == BY_CALL || type == BY_ADDRESS;
}

static bool write_slot(const library_t *library, ElfW(Addr) offset, void (*function)(void))
{
    uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
    uintptr_t slot = library->base + offset;
    void *start = pointer(slot & ~(page - 1));
    bool is_locked = slot >= library->locked && slot < library->locked_end;
    if (is_locked && mprotect(start, page, PROT_READ | PROT_WRITE) != 0)
        return false;
    memcpy(pointer(slot), &function, sizeof function);
    if (is_locked)
        mprotect(start, page, PROT_READ); /* what is written is written */
    return true;
}

/* The places that name a function; those of a known kind get `function`, if it is not NULL. */
typedef struct places {
    size_t all;
    size_t good;
} places_t;

static places_t visit(const library_t *library, const char *name, void (*function)(void))
{
    places_t places = {0};
    for (int l = 0; l < 2; l++)
        for (size_t i = 0; library->lists[l] != NULL && i < library->counts[l]; i++) {
            const ElfW(Rela) *relocation = &library->lists[l][i];
            if (!names(library, relocation, name))
                continue;
            places.all++;
            if (is_known(relocation) &&
                (function == NULL || write_slot(library, relocation->r_offset, function)))
                places.good++;
        }
    return places;
}

bool pgasi_imports_has(void (*inside)(void), const char *name)
{
    library_t library;
    return !open_library(inside, &library) || visit(&library, name, NULL).all > 0;
}

bool pgasi_imports_replace(void (*inside)(void), const pgasi_import_t *functions, size_t count)
{
    library_t library;
    if (!open_library(inside, &library))
        return false;
    for (size_t i = 0; i < count; i++) {
        places_t places = visit(&library, functions[i].name, NULL);
        if (places.all == 0 || places.good < places.all)
            return false;
    }
    bool all = true;
    for (size_t i = 0; i < count; i++) {
        places_t places = visit(&library, functions[i].name, functions[i].function);
        all = all && places.good == places.all;
    }
    return all;
}
