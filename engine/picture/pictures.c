// SPDX-License-Identifier: Apache-2.0
// Draws pictures with gnuplot.
#include "engine/picture/pictures.h"

#include "base/system/disk.h"
#include "base/system/installed.h"
#include "base/text/say.h"
#include "engine/picture/gnuplot.h"
#include "engine/picture/label_use.h"

#include <dirent.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>
#include <xxhash.h>

enum { PATH_CAP = 4096, PICTURE_FORMATS = 3, OLD_S = 60 };

struct pps_pictures {
    const struct pps_picture_ask *ask;
    char folder[PATH_CAP];
    char work[PATH_CAP]; // the hidden folder; "" until it exists
    int held;            // the folder, locked
    char *script;        // absolute path
    char *style[2];      // gnuplot statements; [1]: for SVG
    uint64_t used;       // labels that a drawn picture uses
    size_t drawn;
};

// Lists the endings of the formats that are asked for, and returns how many they are.
static size_t list_endings(const struct pps_picture_ask *ask,
                           const char *endings[PICTURE_FORMATS])
{
    size_t n = 0;
    if (ask->png)
        endings[n++] = "png";
    if (ask->svg)
        endings[n++] = "svg";
    if (ask->pdf)
        endings[n++] = "pdf";
    return n;
}

// ---- folders --------------------------------------------------------------------------------

void pps_picture_folder(const char *result, char *out, size_t cap)
{
    const char *slash = strrchr(result, '/');
    const size_t n = slash == NULL ? 0 : (size_t)(slash - result);
    const bool in_data =
        n >= 4 && strncmp(result + n - 4, "data", 4) == 0 && (n == 4 || result[n - 5] == '/');
    if (in_data)
        snprintf(out, cap, "%.*splots", (int)(n - 4), result);
    else
        snprintf(out, cap, "outputs/plots");
}

static int open_hidden(int parent, const char *name)
{
    return openat(parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
}

// Removes an open hidden folder with its files, and closes it.
static void remove_hidden(int parent, const char *name, int fd)
{
    DIR *list = fdopendir(fd);
    if (list == NULL) {
        close(fd);
        return;
    }
    for (const struct dirent *entry; (entry = readdir(list)) != NULL;)
        if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0)
            unlinkat(fd, entry->d_name, 0);
    unlinkat(parent, name, AT_REMOVEDIR);
    closedir(list);
}

static void remove_work(struct pps_pictures *pictures)
{
    if (pictures->work[0] != '\0')
        remove_hidden(AT_FDCWD, pictures->work, pictures->held);
}

// One that was just made may not be locked yet.
static bool is_stale(int fd)
{
    struct stat info;
    return flock(fd, LOCK_EX | LOCK_NB) == 0 && fstat(fd, &info) == 0 &&
           info.st_uid == geteuid() && time(NULL) - info.st_mtime > OLD_S;
}

// Removes the hidden folders of processes that were killed.
static void remove_stale(const char *path)
{
    DIR *folder = opendir(path);
    for (const struct dirent *e; folder != NULL && (e = readdir(folder)) != NULL;) {
        const int fd = fnmatch(".ppsweep-??????", e->d_name, 0) == 0
                           ? open_hidden(dirfd(folder), e->d_name)
                           : -1;
        if (fd >= 0 && is_stale(fd))
            remove_hidden(dirfd(folder), e->d_name, fd);
        else if (fd >= 0)
            close(fd);
    }
    if (folder != NULL)
        closedir(folder);
}

static enum pps_status make_work(struct pps_pictures *pictures, struct pps_error *err)
{
    enum pps_status status = pps_disk_make_folder(pictures->folder, err);
    if (status != PPS_OK)
        return status;
    char name[PATH_CAP];
    if (snprintf(name, sizeof name, "%s/.ppsweep-XXXXXX", pictures->folder) >= PATH_CAP)
        return pps_fail(err, PPS_E_INPUT, "%s: the name is too long", pictures->folder);
    remove_stale(pictures->folder);
    if (mkdtemp(name) == NULL)
        return pps_disk_fail(err, "cannot write into", pictures->folder);
    pictures->held = open_hidden(AT_FDCWD, name);
    if (pictures->held < 0) {
        rmdir(name);
        return pps_disk_fail(err, "cannot write into", pictures->folder);
    }
    (void)flock(pictures->held, LOCK_EX | LOCK_NB);
    memcpy(pictures->work, name, sizeof name);
    return PPS_OK;
}

// ---- opening --------------------------------------------------------------------------------

void pps_picture_gate_make(struct pps_picture_gate *made, const struct pps_gate *gate,
                           const char *result)
{
    char *real = realpath(result, NULL);
    const char *path = real == NULL ? result : real;
    snprintf(made->maker, sizeof made->maker, "plot %016" PRIx64,
             (uint64_t)XXH64(path, strlen(path), 0));
    free(real);
    made->gate = *gate;
    made->gate.maker.name = made->maker;
}

static enum pps_status find_script(struct pps_pictures *pictures, const char *script,
                                   struct pps_error *err)
{
    char folder[PATH_CAP], path[PATH_CAP + 64];
    const enum pps_status status = pps_data_path("plot_scripts", folder, sizeof folder, err);
    if (status != PPS_OK)
        return status;
    snprintf(path, sizeof path, "%s/%s", folder, script);
    pictures->script = realpath(path, NULL);
    return pictures->script == NULL ? pps_fail_errno(err, "find", path) : PPS_OK;
}

enum pps_status pps_pictures_open(struct pps_pictures **out, const struct pps_picture_ask *ask,
                                  const char *script, const char *result, struct pps_error *err)
{
    struct pps_pictures *pictures = calloc(1, sizeof *pictures);
    *out = NULL;
    if (pictures == NULL)
        return pps_fail_errno(err, "draw", script);
    pictures->ask = ask;
    if (ask->folder != NULL)
        snprintf(pictures->folder, sizeof pictures->folder, "%s", ask->folder);
    else
        pps_picture_folder(result, pictures->folder, sizeof pictures->folder);
    enum pps_status status = find_script(pictures, script, err);
    if (status == PPS_OK)
        status = pps_picture_style_check(&ask->style, err);
    if (status == PPS_OK)
        status = pps_gnuplot_check(err);
    if (status == PPS_OK) {
        for (int svg = 0; svg < 2; svg++)
            pictures->style[svg] = pps_picture_style_settings(&ask->style, svg);
        if (pictures->style[0] == NULL || pictures->style[1] == NULL)
            status = pps_fail_memory(err, "the pictures");
    }
    if (status == PPS_OK)
        *out = pictures;
    else
        pps_pictures_close(pictures);
    return status;
}

void pps_pictures_close(struct pps_pictures *pictures)
{
    if (pictures == NULL)
        return;
    remove_work(pictures);
    if (pictures->drawn > 0 && pictures->ask->paths != NULL)
        pps_label_use_say(&pictures->ask->style, pictures->used);
    free(pictures->script);
    free(pictures->style[0]);
    free(pictures->style[1]);
    free(pictures);
}

// ---- names ----------------------------------------------------------------------------------

static enum pps_status picture_path(const struct pps_pictures *pictures, const char *name,
                                    const char *ending, char *out, struct pps_error *err)
{
    const size_t n = strlen(pictures->folder);
    const bool slash = n > 0 && pictures->folder[n - 1] == '/';
    if (pictures->ask->name != NULL)
        name = pictures->ask->name;
    const int written =
        snprintf(out, PATH_CAP, "%s%s%s.%s", pictures->folder, slash ? "" : "/", name, ending);
    if (written < PATH_CAP)
        return PPS_OK;
    return pps_fail(err, PPS_E_INPUT, "the name of the pictures' folder is too long");
}

static enum pps_status check_picture(const struct pps_pictures *pictures, const char *name,
                                     const char *ending, struct pps_error *err)
{
    char path[PATH_CAP];
    const enum pps_status status = picture_path(pictures, name, ending, path, err);
    return status == PPS_OK ? pps_gate_check(pictures->ask->gate, path, err) : status;
}

enum pps_status pps_pictures_check(const struct pps_pictures *pictures, const char *name,
                                   struct pps_error *err)
{
    const char *endings[PICTURE_FORMATS];
    const size_t n = list_endings(pictures->ask, endings);
    enum pps_status status = PPS_OK;
    for (size_t i = 0; i < n && status == PPS_OK; i++)
        status = check_picture(pictures, name, endings[i], err);
    return status;
}

// ---- drawing --------------------------------------------------------------------------------

enum pps_status pps_pictures_data(struct pps_pictures *pictures, size_t i,
                                  struct pps_new_file *file, struct pps_error *err)
{
    char path[PATH_CAP + 32];
    const enum pps_status status =
        pictures->work[0] == '\0' ? make_work(pictures, err) : PPS_OK;
    if (status != PPS_OK)
        return status;
    snprintf(path, sizeof path, "%s/%zu.dat", pictures->work, i);
    return pps_new_file_open(file, path, &pps_gate_open, err);
}

// One gnuplot draws this many pictures. The bytes of a picture depend on the pictures that the same
// gnuplot drew before, so the number does not depend on the number of processes.
enum { JOB_PICTURES = 4 };

struct job {
    const char *ending;
    size_t first, n;
    struct pps_gnuplot gnuplot;
};

// Starts one gnuplot for the pictures: -e "slice=..." script, for each of them.
static enum pps_status start_job(const struct pps_pictures *pictures, struct job *job,
                                 size_t number, struct pps_error *err)
{
    char name[] = "gnuplot", defaults[] = "--default-settings", option[] = "-e";
    char settings[PPS_PICTURE_BATCH][96];
    char *style = pictures->style[strcmp(job->ending, "svg") == 0];
    char *args[4 + 3 * PPS_PICTURE_BATCH + 1] = {name, defaults, option, style};
    size_t at = 4;
    for (size_t i = 0; i < job->n; i++) {
        snprintf(settings[i], sizeof settings[i], "slice='%zu.dat'; out='%zu.%s'",
                 job->first + i, job->first + i, job->ending);
        args[at++] = option;
        args[at++] = settings[i];
        args[at++] = pictures->script;
    }
    return pps_gnuplot_start(&job->gnuplot, pictures->work, number, args, err);
}

// Runs the jobs, a few at a time, and reports the first error.
static enum pps_status run_jobs(const struct pps_pictures *pictures, struct job *jobs, size_t n,
                                struct pps_error *err)
{
    const size_t threads = pictures->ask->threads > 1 ? (size_t)pictures->ask->threads : 1;
    enum pps_status status = PPS_OK;
    size_t started = 0;
    for (size_t done = 0; done < started || (status == PPS_OK && done < n); done++) {
        struct pps_error late;
        for (; status == PPS_OK && started < n && started - done < threads; started++) {
            status = start_job(pictures, &jobs[started], started, err);
            if (status != PPS_OK)
                break;
        }
        if (done == started)
            break;
        const enum pps_status ended =
            pps_gnuplot_wait(&jobs[done].gnuplot, pictures->ask->stop, &late);
        if (status == PPS_OK && ended != PPS_OK)
            *err = late;
        status = status == PPS_OK ? ended : status;
    }
    return status;
}

// Draws n pictures in all formats.
static enum pps_status draw_formats(const struct pps_pictures *pictures, size_t first, size_t n,
                                    struct pps_error *err)
{
    const char *endings[PICTURE_FORMATS];
    const size_t n_endings = list_endings(pictures->ask, endings);
    size_t n_jobs = 0;
    const size_t share = JOB_PICTURES;
    struct job *jobs = calloc(n_endings * n, sizeof *jobs);
    if (jobs == NULL)
        return pps_fail_memory(err, "the pictures");
    for (size_t e = 0; e < n_endings; e++)
        for (size_t i = 0; i < n; i += share)
            jobs[n_jobs++] = (struct job){.ending = endings[e],
                                          .first = first + i,
                                          .n = i + share < n ? share : n - i};
    const enum pps_status status = run_jobs(pictures, jobs, n_jobs, err);
    free(jobs);
    return status;
}

static enum pps_status move_picture(const struct pps_pictures *pictures, size_t i,
                                    const char *name, const char *ending, size_t *drawn,
                                    struct pps_error *err)
{
    char from[PATH_CAP + 32], to[PATH_CAP];
    snprintf(from, sizeof from, "%s/%zu.%s", pictures->work, i, ending);
    enum pps_status status = picture_path(pictures, name, ending, to, err);
    if (status == PPS_OK)
        status = pps_picture_metadata_add(from, &pictures->ask->about, err);
    if (status == PPS_OK)
        status = pps_new_file_publish(from, to, pictures->ask->gate, err);
    if (status == PPS_OK && pictures->ask->paths != NULL)
        pps_say(pictures->ask->paths, "%s", to);
    *drawn += status == PPS_OK ? 1 : 0;
    return status;
}

static void note_labels(struct pps_pictures *pictures, size_t first, size_t n)
{
    char path[PATH_CAP + 32];
    for (size_t i = first; i < first + n; i++) {
        snprintf(path, sizeof path, "%s/%zu.dat", pictures->work, i);
        pictures->used |= pps_label_use(&pictures->ask->style, path);
    }
    pictures->drawn += n;
}

enum pps_status pps_pictures_draw(struct pps_pictures *pictures, size_t first, size_t n,
                                  char *const *names, size_t *drawn, struct pps_error *err)
{
    const char *endings[PICTURE_FORMATS];
    const size_t n_endings = list_endings(pictures->ask, endings);
    enum pps_status status = draw_formats(pictures, first, n, err);
    note_labels(pictures, first, n);
    for (size_t i = 0; i < n; i++)
        for (size_t e = 0; e < n_endings && status == PPS_OK; e++)
            status = move_picture(pictures, first + i, names[i], endings[e], drawn, err);
    return status;
}

static enum pps_status write_data(struct pps_pictures *pictures, const char *text, size_t n,
                                  struct pps_error *err)
{
    struct pps_new_file file;
    const enum pps_status status = pps_pictures_data(pictures, 0, &file, err);
    if (status != PPS_OK)
        return status;
    fwrite(text, 1, n, file.out);
    return pps_new_file_close(&file, err);
}

// Writes the data into memory first: if there is nothing to draw, no folder is made.
static enum pps_status make_data(void *self,
                                 enum pps_status (*write)(void *self, FILE *out,
                                                          struct pps_error *err),
                                 char **text, size_t *n, struct pps_error *err)
{
    FILE *out = open_memstream(text, n);
    if (out == NULL)
        return pps_fail_errno(err, "draw", "a picture");
    const enum pps_status status = write(self, out, err);
    if (fclose(out) != 0 && status == PPS_OK)
        return pps_fail_errno(err, "draw", "a picture");
    return status;
}

enum pps_status pps_picture_one(const struct pps_picture_ask *ask, const char *script,
                                const char *result, const char *name, void *self,
                                enum pps_status (*write)(void *self, FILE *out,
                                                         struct pps_error *err),
                                struct pps_error *err)
{
    if (ask->data != NULL)
        return write(self, ask->data, err);
    struct pps_pictures *pictures = NULL;
    char *names[] = {strdup(name)}, *text = NULL;
    size_t drawn = 0, n = 0;
    enum pps_status status = names[0] == NULL ? pps_fail_errno(err, "draw", name) : PPS_OK;
    if (status == PPS_OK)
        status = pps_pictures_open(&pictures, ask, script, result, err);
    if (status == PPS_OK)
        status = pps_pictures_check(pictures, name, err);
    if (status == PPS_OK)
        status = make_data(self, write, &text, &n, err);
    if (status == PPS_OK)
        status = write_data(pictures, text, n, err);
    if (status == PPS_OK)
        status = pps_pictures_draw(pictures, 0, 1, names, &drawn, err);
    pps_pictures_close(pictures);
    free(names[0]);
    free(text);
    return status;
}
