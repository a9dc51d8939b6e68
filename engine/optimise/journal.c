// SPDX-License-Identifier: Apache-2.0
// Opens and reads the journal of a search: a line that identifies the search, and a line for each point in
// the order of evaluation: its values, a tab, its results.
#include "engine/optimise/evaluation.h"

#include "base/system/whole_file.h"
#include "base/text/grow_list.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char head[] = "ppsweep best ";

// Adds one line; n characters, without its newline.
static enum pps_status add_line(struct pps_evaluation *ev,
                                const char *line,
                                size_t n,
                                struct pps_error *err)
{
    const char *tab = memchr(line, '\t', n);
    uint32_t id;
    if (tab == NULL)
        return pps_fail(err, PPS_E_INPUT,
                        "line %zu of the journal has no results; --force starts "
                        "again",
                        ev->n_old + 2);
    char **results =
        pps_grow(ev->old_results, &ev->old_room, ev->n_old + 1, sizeof *ev->old_results);
    if (results == NULL)
        return pps_fail_memory(err, "the journal");
    ev->old_results = results;
    results[ev->n_old] = strndup(tab + 1, n - (size_t)(tab - line)); // with the newline
    if (results[ev->n_old] == NULL)
        return pps_fail_memory(err, "the journal");
    const enum pps_status status =
        pps_string_pool_add(&ev->old_keys, line, (size_t)(tab - line), &id, err);
    if (status == PPS_OK && id != ev->n_old)
        return pps_fail(err, PPS_E_INPUT,
                        "line %zu of the journal repeats a point; --force starts "
                        "again",
                        ev->n_old + 2);
    ev->n_old++;
    return status;
}

// Reads whole lines; a part of a line at the end is of a write that did not finish. *whole: bytes of the
// whole lines.
static enum pps_status read_lines(struct pps_evaluation *ev,
                                  const char *path,
                                  const char *search,
                                  size_t *whole,
                                  struct pps_error *err)
{
    char *text;
    size_t n;
    enum pps_status status = pps_whole_file_read(path, SIZE_MAX / 4, &text, &n, err);
    if (status != PPS_OK)
        return status;
    const char *at = text, *end = memchr(text, '\n', n);
    const bool same = end != NULL && strncmp(text, head, strlen(head)) == 0 &&
                      strlen(search) == (size_t)(end - text) - strlen(head) &&
                      strncmp(text + strlen(head), search, strlen(search)) == 0;
    if (!same && n > 0)
        status = pps_fail(err, PPS_E_INPUT,
                          "%s belongs to another search; --force starts again", path);
    for (at = end == NULL ? text : end + 1; status == PPS_OK && at < text + n; at = end + 1) {
        end = memchr(at, '\n', (size_t)(text + n - at));
        if (end == NULL)
            break;
        status = add_line(ev, at, (size_t)(end - at), err);
    }
    *whole = (size_t)(at - text);
    free(text);
    return status;
}

static enum pps_status start(struct pps_evaluation *ev,
                             const char *path,
                             const char *search,
                             struct pps_error *err)
{
    ev->journal = fopen(path, "we");
    if (ev->journal == NULL)
        return pps_fail_errno(err, "cannot write", path);
    fprintf(ev->journal, "%s%s\n", head, search);
    return fflush(ev->journal) == 0 ? PPS_OK : pps_fail_errno(err, "cannot write", path);
}

static enum pps_status go_on(struct pps_evaluation *ev,
                             const char *path,
                             const char *search,
                             struct pps_error *err)
{
    size_t whole = 0;
    const enum pps_status status = read_lines(ev, path, search, &whole, err);
    if (status != PPS_OK)
        return status;
    if (whole == 0)
        return start(ev, path, search, err);
    if (truncate(path, (off_t)whole) != 0 || (ev->journal = fopen(path, "ae")) == NULL)
        return pps_fail_errno(err, "cannot write", path);
    return PPS_OK;
}

enum pps_status pps_evaluation_open(struct pps_evaluation *ev,
                                    const char *path,
                                    const char *search,
                                    bool resume,
                                    bool force,
                                    struct pps_error *err)
{
    const bool exists = access(path, F_OK) == 0;
    if (exists && resume)
        return go_on(ev, path, search, err);
    if (exists && !force)
        return pps_fail(err, PPS_E_INPUT,
                        "%s is of an interrupted search; --resume continues it, --force starts "
                        "again",
                        path);
    return start(ev, path, search, err);
}

void pps_evaluation_close(struct pps_evaluation *ev)
{
    if (ev->journal != NULL)
        fclose(ev->journal);
    for (size_t i = 0; i < ev->n; i++)
        free(ev->points[i].results);
    for (size_t i = 0; i < ev->n_old; i++)
        free(ev->old_results[i]);
    free(ev->points);
    free(ev->old_results);
    pps_string_pool_free(&ev->keys);
    pps_string_pool_free(&ev->old_keys);
    *ev = (struct pps_evaluation){.n = 0};
}
