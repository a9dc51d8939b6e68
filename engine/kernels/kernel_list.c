// SPDX-License-Identifier: Apache-2.0
// Loads kernels with dlopen. A library stays loaded until the list is closed.
#include "engine/kernels/kernel_list.h"

#include "engine/experiment/experiment.h"
#include "engine/space/value.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <link.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

// ---- kernel table -------------------------------------------------------------------------------

struct report {
    char *text;
    size_t cap;
};

static bool wrong(struct report report, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

static bool wrong(struct report report, const char *format, ...)
{
    va_list values;
    va_start(values, format);
    vsnprintf(report.text, report.cap, format, values);
    va_end(values);
    return false;
}

static bool identifier(const char *name)
{
    if (name == NULL || !(name[0] >= 'a' && name[0] <= 'z'))
        return false;
    return strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789_") == strlen(name) &&
           strlen(name) < 48;
}

static bool has_name(const struct pps_param *param, int value)
{
    int n = 0;
    while (param->names != NULL && param->names[n] != NULL)
        n++;
    return param->kind == PPS_CHOICE && value >= 0 && value < n;
}

static bool param_valid(const struct pps_param *param, struct report report)
{
    if (!identifier(param->name))
        return wrong(report, "the name of a parameter is not a lower-case identifier");
    if (param->unit == NULL || param->summary == NULL)
        return wrong(report, "parameter %s has no unit or no summary", param->name);
    if ((param->kind == PPS_INTEGER || param->kind == PPS_REAL) &&
        !(param->fallback < 0 && param->names != NULL) &&
        !(param->fallback >= param->min && param->fallback <= param->max))
        return wrong(report, "the default of parameter %s is not within its range",
                     param->name);
    if (param->kind == PPS_REAL && param->names != NULL && param->min < 0)
        return wrong(report, "parameter %s has names, so its minimum must not be negative",
                     param->name);
    if (strcmp(param->name, "seed") == 0 && (param->kind != PPS_INTEGER || param->min < 0))
        return wrong(report, "parameter seed is not a whole number from 0 up");
    for (const struct pps_alias *a = param->aliases; a != NULL && a->name != NULL; a++)
        if (a->reason == NULL && !has_name(param, a->value))
            return wrong(report, "alias %s of parameter %s has no name", a->name, param->name);
    return true;
}

static bool column_valid(const struct pps_column *column, struct report report)
{
    if (!identifier(column->name))
        return wrong(report, "the name of a column is not a lower-case identifier");
    if (column->unit == NULL || column->summary == NULL)
        return wrong(report, "column %s has no unit or no summary", column->name);
    if (column->kind == PPS_COLUMN_TEXT && column->text_max <= 0)
        return wrong(report, "column %s has texts without a maximum length", column->name);
    return true;
}

// Parameters and columns are columns of one row, so no two of them have one name.
static bool names_distinct(const struct pps_kernel *k, struct report report)
{
    const char *names[PPS_MAX_PARAMS + PPS_MAX_COLUMNS];
    int n = 0;
    for (int p = 0; p < k->n_params; p++)
        names[n++] = k->params[p].name;
    for (int c = 0; c < k->n_columns; c++)
        names[n++] = k->columns[c].name;
    for (int a = 0; a < n; a++)
        for (int b = 0; b < a; b++)
            if (strcmp(names[a], names[b]) == 0)
                return wrong(report, "two parameters or columns are called %s", names[a]);
    return true;
}

static bool has_column(const struct pps_kernel *k, const char *name)
{
    for (int p = 0; p < k->n_params; p++)
        if (strcmp(k->params[p].name, name) == 0)
            return true;
    for (int c = 0; c < k->n_columns; c++)
        if (strcmp(k->columns[c].name, name) == 0)
            return true;
    return false;
}

static bool columns_exist(const struct pps_kernel *k, struct report report)
{
    const char *const names[] = {k->heatmap.x,     k->heatmap.y, k->heatmap.value,
                                 k->heatmap.split, k->nearest,   k->ranks};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (names[i] != NULL && !has_column(k, names[i]))
            return wrong(report, "heatmap, nearest or ranks names %s, which does not exist",
                         names[i]);
    return true;
}

static bool trace_valid(const struct pps_kernel *k, struct report report)
{
    const struct pps_trace_names *names = k->trace_names;
    if ((k->trace == NULL) != (names == NULL))
        return wrong(report, "trace needs trace_names, and trace_names needs trace");
    if (names != NULL && names->end != NULL && !has_column(k, names->end))
        return wrong(report, "trace_names->end is %s, which is no column", names->end);
    if (names != NULL && (names->loads == NULL) != (names->load_of == NULL))
        return wrong(report, "loads of trace_names need load_of, and load_of needs loads");
    return true;
}

static bool artifacts_valid(const struct pps_kernel *k, struct report report)
{
    for (const struct pps_artifact *a = k->artifacts; a != NULL && a->name != NULL; a++) {
        if (!identifier(a->name))
            return wrong(report, "the name of an artifact is not a lower-case identifier");
        if (a->summary == NULL || a->ending == NULL || a->ending[0] != '.')
            return wrong(report, "artifact %s has no summary, or no ending such as .csv",
                         a->name);
    }
    return true;
}

static bool functions_exist(const struct pps_kernel *k, struct report report)
{
    if (k->scratch_bytes == NULL || k->check == NULL || k->cost == NULL || k->run == NULL ||
        k->reference == NULL)
        return wrong(report, "scratch_bytes, check, cost, run and reference are required");
    if (k->n_slots > 0 && (k->slots == NULL || k->open == NULL || k->close == NULL))
        return wrong(report, "a kernel with documents needs open and close");
    if ((k->artifact == NULL) != (k->artifacts == NULL))
        return wrong(report, "artifact needs artifacts, and artifacts needs artifact");
    if (!(k->tolerance >= 0))
        return wrong(report, "tolerance is negative or not a number");
    return true;
}

bool pps_kernel_table_valid(const struct pps_kernel *k, char *fault, size_t cap)
{
    const struct report report = {fault, cap};
    if (k == NULL || !identifier(k->name))
        return wrong(report, "its name is not a lower-case identifier");
    if (k->version == NULL || k->version[0] == '\0' || k->summary == NULL || k->source == NULL)
        return wrong(report, "version, summary and source are required");
    if (k->params == NULL || k->n_params < 1 || k->n_params > PPS_MAX_PARAMS)
        return wrong(report, "it needs 1 to %d parameters", PPS_MAX_PARAMS);
    if (k->columns == NULL || k->n_columns < 1 || k->n_columns > PPS_MAX_COLUMNS)
        return wrong(report, "it needs 1 to %d columns", PPS_MAX_COLUMNS);
    if (k->reasons == NULL || k->reasons[0] == NULL)
        return wrong(report, "reasons needs an unused first entry");
    for (int p = 0; p < k->n_params; p++)
        if (!param_valid(&k->params[p], report))
            return false;
    for (int c = 0; c < k->n_columns; c++)
        if (!column_valid(&k->columns[c], report))
            return false;
    if (k->columns[0].kind == PPS_COLUMN_TEXT)
        return wrong(report, "the first column must be a number");
    return names_distinct(k, report) && columns_exist(k, report) && trace_valid(k, report) &&
           artifacts_valid(k, report) && functions_exist(k, report);
}

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
static bool library_file_is_whole(const char *path)
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

static enum pps_status check_module(const struct pps_kernel_module *module, const char *path,
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
                            const struct pps_kernel *const *built_in, const char *path,
                            struct pps_error *err)
{
    char local[4096];
    const int n = snprintf(local, sizeof local, "%s%s", strchr(path, '/') ? "" : "./", path);
    if (n < 0 || (size_t)n >= sizeof local)
        return pps_fail(err, PPS_E_INPUT, "%.100s...: the path is too long", path);
    if (!library_file_is_whole(local))
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
                                     const char *const *paths, int n, struct pps_error *err)
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
