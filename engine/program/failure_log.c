// SPDX-License-Identifier: Apache-2.0
// Keeps what a program printed at a point that failed: one file per point, named after the point.
#include "engine/program/program_private.h"

#include "base/text/characters.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { NAME_ROOM = 200 };

static void name_point(const struct pps_program *program, const double *point,
                       struct text_buffer *out)
{
    for (int p = 0; p < program->kernel.n_params; p++) {
        char value[PPS_CELL_TEXT];
        (void)pps_program_value(program, p, point[p], value);
        text_buffer_add(out, "%s%s=%s", p > 0 ? "," : "", program->params[p].name, value);
    }
}

static void add_command(const struct pps_program *program, const double *point,
                        struct text_buffer *out)
{
    for (int w = 0; w < program->n_words; w++) {
        text_buffer_add(out, "%s", w > 0 ? " " : "");
        pps_words_fill(program, program->words[w], point, out);
    }
}

static void write_file(const char *path, const struct text_buffer *text)
{
    const int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0666);
    if (fd < 0)
        return;
    for (size_t at = 0; at < text->n;) {
        const ssize_t n = write(fd, text->text + at, text->n - at);
        if (n <= 0)
            break;
        at += (size_t)n;
    }
    close(fd);
}

// A log that cannot be written changes no row, so that nobody is told.
void pps_launch_log(const struct pps_program *program, const double *point, const char *why,
                    const char *output, const char *errors)
{
    struct text_buffer name = {.text = NULL}, text = {.text = NULL};
    char file[NAME_ROOM];
    name_point(program, point, &name);
    text_buffer_add(
        &text, "point: %s\nfailure: %s\ncommand: ", name.text != NULL ? name.text : "", why);
    add_command(program, point, &text);
    text_buffer_add(&text, "\n---- stdout ----\n%s\n---- stderr ----\n%s", output, errors);
    if (program->logs == NULL || name.failed || text.failed ||
        (mkdir(program->logs, 0777) != 0 && errno != EEXIST)) {
        text_buffer_free(&name);
        text_buffer_free(&text);
        return;
    }
    pps_file_name(name.text, file, sizeof file - 8);
    strcat(file, ".log");
    text_buffer_clear(&name);
    text_buffer_add(&name, "%s/%s", program->logs, file);
    if (!name.failed)
        write_file(name.text, &text);
    text_buffer_free(&name);
    text_buffer_free(&text);
}

enum pps_status pps_program_keep_logs(struct pps_program *program, const char *folder,
                                      struct pps_error *err)
{
    free(program->logs);
    program->logs = strdup(folder);
    return program->logs != NULL ? PPS_OK : pps_fail_memory(err, "the name of a folder");
}
