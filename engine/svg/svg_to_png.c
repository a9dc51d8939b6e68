// SPDX-License-Identifier: Apache-2.0
// Runs rsvg-convert on temporary files.
#include "engine/svg/svg_to_png.h"

#include "base/system/process.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { PATH_BYTES = 4096 };

enum file { SVG, PNG, LOG, N_FILES };

struct work {
    char *folder;
    char path[N_FILES][PATH_BYTES];
};

static enum pps_status open_work(struct work *work, struct pps_error *err)
{
    static const char *const names[N_FILES] = {"trace.svg", "trace.png", "log"};
    const char *temp = getenv("TMPDIR");
    temp = temp != NULL && temp[0] != '\0' ? temp : "/tmp";
    if (asprintf(&work->folder, "%s/ppsweep-XXXXXX", temp) < 0)
        return pps_fail_memory(err, "the picture");
    if (mkdtemp(work->folder) == NULL ||
        strlen(work->folder) + sizeof "/trace.svg" > PATH_BYTES) {
        free(work->folder);
        return pps_fail(err, PPS_E_MACHINE,
                        "cannot create a folder in %s: %s; set TMPDIR to another folder", temp,
                        strerror(errno));
    }
    for (int f = 0; f < N_FILES; f++)
        snprintf(work->path[f], sizeof work->path[f], "%s/%s", work->folder, names[f]);
    return PPS_OK;
}

static void close_work(struct work *work)
{
    for (int f = 0; f < N_FILES; f++)
        unlink(work->path[f]);
    rmdir(work->folder);
    free(work->folder);
}

static enum pps_status write_svg(const struct work *work,
                                 const char *svg,
                                 size_t n,
                                 struct pps_error *err)
{
    FILE *file = fopen(work->path[SVG], "w");
    if (file == NULL)
        return pps_fail_errno(err, "cannot create", work->path[SVG]);
    const bool written = fwrite(svg, 1, n, file) == n;
    if (fclose(file) == 0 && written)
        return PPS_OK;
    return pps_fail_errno(err, "cannot write", work->path[SVG]);
}

static enum pps_status explain(const struct work *work, struct pps_error *err)
{
    char line[256], last[256] = "no output";
    FILE *log = fopen(work->path[LOG], "r");
    while (log != NULL && fgets(line, sizeof line, log) != NULL) {
        line[strcspn(line, "\n")] = '\0';
        if (line[0] != '\0')
            memcpy(last, line, sizeof last);
    }
    if (log != NULL)
        fclose(log);
    return pps_fail(err, PPS_E_MACHINE, "rsvg-convert failed: %s", last);
}

static enum pps_status convert(struct work *work, struct pps_error *err)
{
    char program[] = "rsvg-convert", option[] = "-o";
    char *const args[] = {program, option, work->path[PNG], work->path[SVG], NULL};
    struct pps_process process;
    struct pps_process_end end;
    const int output = open(work->path[LOG], O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
    if (output < 0)
        return pps_fail_errno(err, "cannot create", work->path[LOG]);
    const struct pps_process_start start = {.args = args, .output = output};
    enum pps_status status = pps_process_start(&process, &start, err);
    const int why = errno;
    close(output);
    if (status != PPS_OK && why == ENOENT)
        return pps_fail(err, PPS_E_MACHINE,
                        "a PNG needs rsvg-convert: apt install librsvg2-bin, or write an SVG");
    if (status != PPS_OK)
        return status;
    pps_process_wait(&process, &end);
    return end.signal == 0 && end.exit_status == 0 ? PPS_OK : explain(work, err);
}

static enum pps_status copy_png(const struct work *work, FILE *out, struct pps_error *err)
{
    char bytes[1 << 14];
    FILE *file = fopen(work->path[PNG], "r");
    if (file == NULL)
        return pps_fail_errno(err, "cannot read", work->path[PNG]);
    for (size_t n; (n = fread(bytes, 1, sizeof bytes, file)) > 0;)
        fwrite(bytes, 1, n, out);
    fclose(file);
    return PPS_OK;
}

// Writes the PNG of an SVG text of n bytes. Temporary files lie in $TMPDIR, else /tmp. Returns
// PPS_E_MACHINE if rsvg-convert is missing, with the package to install, or if it fails, with its
// last line.
static enum pps_status pps_svg_to_png(const char *svg,
                                      size_t n,
                                      FILE *out,
                                      struct pps_error *err)
{
    struct work work;
    enum pps_status status = open_work(&work, err);
    if (status != PPS_OK)
        return status;
    status = write_svg(&work, svg, n, err);
    if (status == PPS_OK)
        status = convert(&work, err);
    if (status == PPS_OK)
        status = copy_png(&work, out, err);
    close_work(&work);
    return status;
}

enum pps_status pps_svg_draw_png(enum pps_status (*draw)(void *self,
                                                         FILE *out,
                                                         struct pps_error *err),
                                 void *self,
                                 FILE *out,
                                 struct pps_error *err)
{
    char *svg = NULL;
    size_t n = 0;
    FILE *memory = open_memstream(&svg, &n);
    if (memory == NULL)
        return pps_fail_memory(err, "the picture");
    enum pps_status status = draw(self, memory, err);
    if (fclose(memory) != 0 && status == PPS_OK)
        status = pps_fail_memory(err, "the picture");
    if (status == PPS_OK)
        status = pps_svg_to_png(svg, n, out, err);
    free(svg);
    return status;
}
