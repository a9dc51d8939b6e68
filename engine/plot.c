// SPDX-License-Identifier: Apache-2.0
// Heatmaps of a result. Slices and pictures are made in a hidden folder beside where the
// pictures go, and renamed when gnuplot is done: a picture is whole or not there.
#include "plot.h"

#include "gnuplot.h"
#include "textfile.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
    PATH_CAP = 4096,
    BATCH = 16, // pictures one gnuplot draws
};

struct plot {
    const struct pps_plot_ask *ask;
    struct pps_plot_count *count;
    struct pps_cut *cut;
    char folder[PATH_CAP];
    char work[PATH_CAP]; // the hidden folder; "" while there is none
    char *script;        // heatmap.gp, an absolute path
    char **names;        // of the maps
    size_t n;
};

// ---- folders --------------------------------------------------------------------------------

void pps_plot_folder(const char *result, char *out, size_t cap)
{
    const char *slash = strrchr(result, '/');
    const size_t n = slash == NULL ? 0 : (size_t)(slash - result);
    const bool in_data =
        n >= 4 && strncmp(result + n - 4, "data", 4) == 0 && (n == 4 || result[n - 5] == '/');
    if (in_data)
        snprintf(out, cap, "%.*sheatmaps", (int)(n - 4), result);
    else
        snprintf(out, cap, "outputs/heatmaps");
}

static bool has_script(const char *folder)
{
    char path[PATH_CAP];
    const int n = snprintf(path, sizeof path, "%s/heatmap.gp", folder);
    return n > 0 && n < PATH_CAP && access(path, R_OK) == 0;
}

enum pps_status pps_plot_scripts(const char *built_in,
                                 char *out,
                                 size_t cap,
                                 struct pps_error *err)
{
    const char *chosen = getenv("PPSWEEP_PLOT_SCRIPTS");
    snprintf(out, cap, "%s", chosen == NULL ? built_in : chosen);
    if (has_script(out))
        return PPS_OK;
    if (chosen != NULL)
        return pps_fail(err, PPS_E_MACHINE, "PPSWEEP_PLOT_SCRIPTS: no heatmap.gp in %s",
                        chosen);
    char program[PATH_CAP - 64];
    const ssize_t n = readlink("/proc/self/exe", program, sizeof program - 1);
    if (n > 0) {
        program[n] = '\0';
        *strrchr(program, '/') = '\0';
        snprintf(out, cap, "%s/../share/ppsweep/plot_scripts", program);
    }
    if (n > 0 && has_script(out))
        return PPS_OK;
    return pps_fail(err, PPS_E_MACHINE,
                    "heatmap.gp is not where it was installed; name its folder in "
                    "PPSWEEP_PLOT_SCRIPTS");
}

// mkdir -p.
static enum pps_status make_folder(const char *path, struct pps_error *err)
{
    char part[PATH_CAP];
    struct stat info;
    snprintf(part, sizeof part, "%s", path);
    for (char *slash = strchr(part + 1, '/'); slash != NULL; slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        if (mkdir(part, 0777) != 0 && errno != EEXIST)
            return pps_fail_errno(err, "create the folder", part);
        *slash = '/';
    }
    if (mkdir(part, 0777) != 0 && errno != EEXIST)
        return pps_fail_errno(err, "create the folder", part);
    if (stat(part, &info) == 0 && !S_ISDIR(info.st_mode))
        return pps_fail(err, PPS_E_INPUT, "%s is not a folder", part);
    return PPS_OK;
}

static void remove_work(struct plot *plot)
{
    DIR *folder = plot->work[0] == '\0' ? NULL : opendir(plot->work);
    if (folder == NULL)
        return;
    for (const struct dirent *entry; (entry = readdir(folder)) != NULL;)
        if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0)
            unlinkat(dirfd(folder), entry->d_name, 0);
    closedir(folder);
    rmdir(plot->work);
}

// ---- what to draw ---------------------------------------------------------------------------

static enum pps_status no_memory(struct pps_error *err)
{
    errno = ENOMEM;
    return pps_fail_errno(err, "draw", "the heatmaps");
}

static enum pps_status picture_path(const struct plot *plot,
                                    size_t map,
                                    const char *ending,
                                    char *out,
                                    struct pps_error *err)
{
    const size_t n = strlen(plot->folder);
    const bool slash = n > 0 && plot->folder[n - 1] == '/';
    const int written = snprintf(out, PATH_CAP, "%s%s%s.%s", plot->folder, slash ? "" : "/",
                                 plot->names[map], ending);
    if (written < PATH_CAP)
        return PPS_OK;
    return pps_fail(err, PPS_E_INPUT, "the name of the folder of the pictures is too long");
}

static enum pps_status check_picture(const struct plot *plot,
                                     size_t map,
                                     const char *ending,
                                     struct pps_error *err)
{
    char path[PATH_CAP];
    const enum pps_status status = picture_path(plot, map, ending, path, err);
    return status == PPS_OK ? pps_textfile_check(path, plot->ask->force, err) : status;
}

static enum pps_status check_pictures(const struct plot *plot,
                                      size_t map,
                                      struct pps_error *err)
{
    enum pps_status status = PPS_OK;
    if (plot->ask->png)
        status = check_picture(plot, map, "png", err);
    if (status == PPS_OK && plot->ask->svg)
        status = check_picture(plot, map, "svg", err);
    return status;
}

// Names map i and sees to it that its pictures would not replace others.
static enum pps_status name_map(struct plot *plot, size_t i, struct pps_error *err)
{
    struct pps_slice slice;
    char name[512];
    enum pps_status status = pps_cut_slice(plot->cut, i, &slice, err);
    if (status == PPS_OK) {
        pps_cut_name(plot->cut, &slice, i, name, sizeof name);
        plot->names[i] = strdup(name);
        status = plot->names[i] == NULL ? no_memory(err) : check_pictures(plot, i, err);
    }
    pps_slice_free(&slice);
    return status;
}

static enum pps_status choose_maps(struct plot *plot, struct pps_error *err)
{
    const size_t limit = plot->ask->limit;
    struct pps_cut_ask cut = plot->ask->cut;
    cut.max_maps = limit;
    enum pps_status status = pps_cut_open(&plot->cut, &cut, err);
    if (status != PPS_OK)
        return status;
    const size_t n = pps_cut_maps(plot->cut);
    const size_t n_drawn = limit > 0 && n > limit ? limit : n;
    plot->count->left_out = n - n_drawn + pps_cut_left_out(plot->cut, &plot->count->at_least);
    plot->names = calloc(n_drawn, sizeof *plot->names);
    if (plot->names == NULL)
        return no_memory(err);
    for (plot->n = 0; plot->n < n_drawn && status == PPS_OK; plot->n++)
        status = name_map(plot, plot->n, err);
    return status;
}

// ---- drawing --------------------------------------------------------------------------------

static enum pps_status make_work(struct plot *plot, struct pps_error *err)
{
    enum pps_status status = make_folder(plot->folder, err);
    if (status != PPS_OK)
        return status;
    char name[PATH_CAP];
    if (snprintf(name, sizeof name, "%s/.ppsweep-XXXXXX", plot->folder) >= PATH_CAP)
        return pps_fail(err, PPS_E_INPUT, "%s: the name is too long", plot->folder);
    if (mkdtemp(name) == NULL)
        return pps_fail_errno(err, "create a folder in", plot->folder);
    memcpy(plot->work, name, sizeof name);
    return PPS_OK;
}

// Writes slice i as <i>.dat into the hidden folder.
static enum pps_status write_slice(const struct plot *plot, size_t i, struct pps_error *err)
{
    struct pps_slice slice;
    struct pps_textfile file;
    char path[PATH_CAP + 32];
    snprintf(path, sizeof path, "%s/%zu.dat", plot->work, i);
    enum pps_status status = pps_cut_slice(plot->cut, i, &slice, err);
    if (status == PPS_OK)
        status = pps_textfile_open(&file, path, true, err);
    if (status == PPS_OK) {
        pps_slice_write(&slice, file.out);
        status = pps_textfile_close(&file, err);
    }
    pps_slice_free(&slice);
    return status;
}

// One gnuplot for maps first ... last - 1: -e "slice=..." heatmap.gp, for each.
static enum pps_status draw_batch(const struct plot *plot,
                                  size_t first,
                                  size_t last,
                                  const char *ending,
                                  struct pps_error *err)
{
    char name[] = "gnuplot", defaults[] = "--default-settings", option[] = "-e";
    char settings[BATCH][96];
    char *args[2 + 3 * BATCH + 1] = {name, defaults};
    size_t n = 2;
    for (size_t i = first; i < last; i++) {
        snprintf(settings[i - first], sizeof settings[0], "slice='%zu.dat'; out='%zu.%s'", i, i,
                 ending);
        args[n++] = option;
        args[n++] = settings[i - first];
        args[n++] = plot->script;
    }
    return pps_gnuplot_run(plot->work, args, err);
}

static enum pps_status move_picture(struct plot *plot,
                                    size_t map,
                                    const char *ending,
                                    struct pps_error *err)
{
    char from[PATH_CAP + 32], to[PATH_CAP];
    snprintf(from, sizeof from, "%s/%zu.%s", plot->work, map, ending);
    enum pps_status status = picture_path(plot, map, ending, to, err);
    if (status == PPS_OK)
        status = pps_textfile_rename(from, to, plot->ask->force, err);
    if (status == PPS_OK && plot->ask->paths != NULL)
        fprintf(plot->ask->paths, "%s\n", to);
    plot->count->pictures += status == PPS_OK ? 1 : 0;
    return status;
}

static enum pps_status draw_maps(struct plot *plot,
                                 size_t first,
                                 size_t last,
                                 struct pps_error *err)
{
    const bool png = plot->ask->png, svg = plot->ask->svg;
    enum pps_status status = PPS_OK;
    for (size_t i = first; i < last && status == PPS_OK; i++)
        status = write_slice(plot, i, err);
    if (status == PPS_OK && png)
        status = draw_batch(plot, first, last, "png", err);
    if (status == PPS_OK && svg)
        status = draw_batch(plot, first, last, "svg", err);
    for (size_t i = first; i < last && status == PPS_OK; i++) {
        status = png ? move_picture(plot, i, "png", err) : PPS_OK;
        if (status == PPS_OK && svg)
            status = move_picture(plot, i, "svg", err);
        plot->count->maps++;
    }
    return status;
}

static enum pps_status find_script(struct plot *plot, struct pps_error *err)
{
    char path[PATH_CAP];
    snprintf(path, sizeof path, "%s/heatmap.gp", plot->ask->scripts);
    plot->script = realpath(path, NULL);
    return plot->script == NULL ? pps_fail_errno(err, "find", path) : PPS_OK;
}

static enum pps_status run_plot(struct plot *plot, struct pps_error *err)
{
    enum pps_status status = find_script(plot, err);
    if (status == PPS_OK)
        status = pps_gnuplot_check(err);
    if (status == PPS_OK)
        status = choose_maps(plot, err);
    if (status == PPS_OK)
        status = make_work(plot, err);
    for (size_t i = 0; i < plot->n && status == PPS_OK; i += BATCH)
        status = draw_maps(plot, i, i + BATCH < plot->n ? i + BATCH : plot->n, err);
    return status;
}

enum pps_status pps_plot(const struct pps_plot_ask *ask,
                         struct pps_plot_count *count,
                         struct pps_error *err)
{
    struct plot plot = {.ask = ask, .count = count};
    *count = (struct pps_plot_count){0};
    if (ask->folder != NULL)
        snprintf(plot.folder, sizeof plot.folder, "%s", ask->folder);
    else
        pps_plot_folder(ask->cut.view.path, plot.folder, sizeof plot.folder);
    const enum pps_status status = run_plot(&plot, err);
    remove_work(&plot);
    for (size_t i = 0; i < plot.n; i++)
        free(plot.names[i]);
    free(plot.names);
    free(plot.script);
    pps_cut_close(plot.cut);
    return status;
}
