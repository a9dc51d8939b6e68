// SPDX-License-Identifier: Apache-2.0
// Loads kernels with dlopen. A library stays loaded until the list is closed.
#include "engine/kernels/kernel_list.h"

#include "engine/kernels/kernel_table.h"
#include "engine/space/value.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <link.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

// ---- library file -------------------------------------------------------------------------------

static bool read_at(int fd, void *out, size_t n, uint64_t at)
{
    return at <= INT64_MAX && pread(fd, out, n, (off_t)at) == (ssize_t)n;
}

static bool is_within(uint64_t at, uint64_t n, uint64_t bytes)
{
    return at <= bytes && n <= bytes - at;
}

// Whether the file has all bytes of its segments; true for a file of another kind.
static bool is_whole(int fd, uint64_t bytes)
{
    ElfW(Ehdr) head;
    if (!read_at(fd, &head, sizeof head, 0) || memcmp(head.e_ident, ELFMAG, SELFMAG) != 0 ||
        head.e_phentsize != sizeof(ElfW(Phdr)))
        return true;
    for (unsigned i = 0; i < head.e_phnum; i++) {
        ElfW(Phdr) segment;
        if (!read_at(fd, &segment, sizeof segment, head.e_phoff + i * sizeof segment))
            return false;
        if (segment.p_type == PT_LOAD && !is_within(segment.p_offset, segment.p_filesz, bytes))
            return false;
    }
    return true;
}

// Returns false if the file is an ELF file and lacks bytes of its segments. Other files are left to
// the dynamic linker, which refuses them.
static bool pps_library_file_is_whole(const char *path)
{
    struct stat about;
    const int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0)
        return true; // the dynamic linker says why
    const bool whole = fstat(fd, &about) != 0 || !S_ISREG(about.st_mode) ||
                       is_whole(fd, (uint64_t)about.st_size);
    close(fd);
    return whole;
}

// ---- kernel list --------------------------------------------------------------------------------

static enum pps_status check_module(const struct pps_kernel_module *module,
                                    const char *path,
                                    struct pps_error *err)
{
    if (module == NULL)
        return pps_fail(
            err, PPS_E_INPUT,
            "%s: not a kernel: ppsweep_kernel_module is missing; end the source with "
            "PPS_KERNEL_MODULE(...) and compile it with -DPPS_BUILD_MODULE",
            path);
    if (module->abi != PPS_KERNEL_ABI || module->kernel_size != sizeof(struct pps_kernel))
        return pps_fail(
            err, PPS_E_INPUT,
            "%s: built for version %d of ppsweep/kernel.h (%u bytes); this program has "
            "version %d (%zu bytes); build the kernel again with its header",
            path, (int)module->abi, (unsigned)module->kernel_size, PPS_KERNEL_ABI,
            sizeof(struct pps_kernel));
    char fault[256];
    if (!pps_kernel_table_valid(module->kernel, fault, sizeof fault))
        return pps_fail(err, PPS_E_INPUT, "%s: invalid kernel: %s", path, fault);
    return PPS_OK;
}

static enum pps_status load(struct pps_kernel_list *list,
                            const struct pps_kernel *const *built_in,
                            const char *path,
                            struct pps_error *err)
{
    char local[4096];
    const int n = snprintf(local, sizeof local, "%s%s", strchr(path, '/') ? "" : "./", path);
    if (n < 0 || (size_t)n >= sizeof local)
        return pps_fail(err, PPS_E_INPUT, "%.100s...: the path is too long", path);
    if (!pps_library_file_is_whole(local))
        return pps_fail(err, PPS_E_INPUT,
                        "cannot load the kernel %s: the file is truncated; build it again",
                        path);
    void *library = dlopen(local, RTLD_NOW | RTLD_LOCAL);
    if (library == NULL)
        return pps_fail(err, PPS_E_INPUT, "cannot load the kernel %s: %s", path, dlerror());
    const size_t at = (size_t)list->n_libraries;
    list->library[list->n_libraries++] = library;
    const struct pps_kernel_module *module = dlsym(library, "ppsweep_kernel_module");
    enum pps_status status = check_module(module, path, err);
    if (status != PPS_OK)
        return status;
    const char *name = module->kernel->name;
    if (pps_kernels_find(list->all, name) != NULL || pps_kernels_find(built_in, name) != NULL)
        return pps_fail(err, PPS_E_INPUT,
                        "%s: there is another kernel %s; give this one another name", path,
                        name);
    list->all[at] = module->kernel;
    return PPS_OK;
}

enum pps_status pps_kernel_list_open(struct pps_kernel_list *list,
                                     const struct pps_kernel *const *built_in,
                                     const char *const *paths,
                                     int n,
                                     struct pps_error *err)
{
    *list = (struct pps_kernel_list){.all = NULL};
    size_t n_built_in = 0;
    while (built_in[n_built_in] != NULL)
        n_built_in++;
    if (n > PPS_MAX_KERNEL_FILES)
        return pps_fail(err, PPS_E_INPUT, "too many kernels to load (at most %d)",
                        PPS_MAX_KERNEL_FILES);
    list->all = calloc((size_t)n + n_built_in + 1, sizeof *list->all);
    if (list->all == NULL)
        return pps_fail_memory(err, "the list of kernels");
    enum pps_status status = PPS_OK;
    for (int i = 0; i < n && status == PPS_OK; i++)
        status = load(list, built_in, paths[i], err);
    for (size_t k = 0; k < n_built_in; k++)
        list->all[(size_t)n + k] = built_in[k];
    if (status != PPS_OK)
        pps_kernel_list_close(list);
    return status;
}

void pps_kernel_list_close(struct pps_kernel_list *list)
{
    free(list->all);
    for (int i = 0; i < list->n_libraries; i++)
        dlclose(list->library[i]);
    *list = (struct pps_kernel_list){.all = NULL};
}
